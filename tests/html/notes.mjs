// SPDX-License-Identifier: GPL-2.0-only
// Checks of what a page says of the figures that it lacks. The expected texts are computed
// here from the document. Each check returns a list of problems.
import { documentOf, expect, number } from "./parts.mjs";

// The rows of a table of the document, as objects.
function objects(table) {
	return table.rows.map((row, index) => Object.fromEntries([["index", index],
		...table.columns.map(([key], i) => [key, row[i]])]));
}

// The stacks of each site in the document, by kind and name.
function stacksBySite(data) {
	const { stacks } = data;
	const sites = new Map();
	for (const [kind, frames, values] of stacks.rows) {
		if (!frames || !frames.length)
			continue;
		const [name, , source] = stacks.frames[frames[frames.length - 1]];
		const key = `${kind} ${source ? `${name} ${source}` : name}`;
		sites.set(key, [...(sites.get(key) || []), { depth: frames.length,
			...Object.fromEntries(stacks.values.map((value, i) => [value, values[i]])) }]);
	}
	return sites;
}

function total(list, key) {
	return list.reduce((sum, item) => sum + item[key], 0);
}

// "Stacks of 12 of 34 allocations are shown." as [12, 34]; null: no such text.
function shownOf(text, what) {
	const found = text.match(new RegExp(`${what} of ([\\d ]+) of ([\\d ]+) allocations`));
	return found && found.slice(1).map(number);
}

function checkShown(problems, what, text, shown, row) {
	const wanted = shown < row.allocs ? [shown, row.allocs] : null;
	expect(problems, `${what} of ${row.site}`, String(shownOf(text, what)), String(wanted));
}

// The details of each site: callers are shown if any were recorded, and the allocations
// without a stack or a size in the document are counted.
export async function checkSiteNotes(page) {
	const problems = [];
	const data = await documentOf(page);
	const stacks = stacksBySite(data);
	const rows = objects(data.sites), sizes = objects(data.sizes);
	const seen = { hidden: 0, none: 0 };
	for (const row of rows.filter((_, i) => i % Math.ceil(rows.length / 300) === 0)) {
		const text = await page.evaluate((index) => {
			window.showDetails({ name: "sites", key: "site" }, { index });
			return document.getElementById("details").innerText;
		}, row.index);
		const found = stacks.get(`${row.kind} ${row.site}`) || [];
		const hasCallers = found.some((stack) => stack.depth > 1);
		seen.hidden += hasCallers && !found.some((stack) => stack.peak && stack.depth > 1);
		seen.none += !found.length;
		expect(problems, `callers of ${row.site}`, /^Callers, by/m.test(text), hasCallers);
		expect(problems, `no callers of ${row.site}`, text.includes("No callers were recorded"), false);
		if (hasCallers)
			checkShown(problems, "Stacks", text, total(found, "allocs"), row);
		checkShown(problems, "Sizes", text, total(sizes.filter((size) =>
			size.site === row.site && size.kind === row.kind), "allocs"), row);
	}
	expect(problems, "a site without memory at the peak", seen.hidden > 0, true);
	expect(problems, "a site without stacks", seen.none > 0, data.stacks.left_out > 0);
	return problems;
}

const openTable = (page, title) => page.locator("#tables").getByRole("button",
	{ name: title, exact: true }).click();

// The rows that tables and the graph lack, of the whole recording and of a selected time.
export async function checkLeftOut(page) {
	const problems = [];
	const data = await documentOf(page);
	const note = (part) => page.locator(`${part} p.note`).first().textContent();
	const left = data.waste.left_out;
	await openTable(page, "Waste");
	expect(problems, "waste", (await note("#tables")).includes(
		`${String(left.rows).replace(/\B(?=(\d{3})+$)/g, " ")} rows are left out; their sums: saved `), true);
	expect(problems, "waste is left out", left.rows > 0, true);
	await openTable(page, "Sites");
	expect(problems, "sites", (await note("#tables")).includes(
		`${data.sites.left_out} rows with the lowest peaks`), true);
	await page.locator("#treemap").getByLabel("Value").selectOption("peak");
	expect(problems, "peaks in the map", (await note("#treemap")).includes(
		`never live at one time. ${data.sites.left_out} sites with the lowest peaks are left out.`),
	true);
	await page.getByLabel("From").press("ArrowRight");
	for (const [part, flows, what] of [["#tables", data.sites.flows, "sites"],
		["#treemap", data.sites.flows, "sites"], ["#graph", data.stacks.flows, "stacks"]]) {
		const count = flows.filter((flow) => flow.row !== null).length;
		const text = await note(part);
		expect(problems, `${part} of a time`, text.includes(`Only ${count} ${what}, the largest, have ` +
			`a history; the others are summed up as (other ${what}).`), true);
		expect(problems, `${part} of a time: other notes`, /lowest peaks|small stacks/.test(text), false);
	}
	return problems;
}

// A part of a recording is marked, with its times.
export async function checkPart(page) {
	const data = await documentOf(page);
	const problems = [];
	const text = await page.locator("#facts .warn", { hasText: "part of the recording" })
		.locator("dd").textContent();
	expect(problems, "part", text, `from ${(data.report.from_ns / 1e9).toFixed(6)} s to the end`);
	return problems;
}

// Times are those of the recording's clock, as report and script have them; the peak is marked.
export async function checkClock(page) {
	const problems = [];
	const { timeline, report } = await documentOf(page);
	const end = timeline.ends[timeline.ends.length - 1];
	const first = timeline.start_ns / 1e9, last = first + end / 1e9;
	const texts = (await page.locator(".chart text").allTextContents()).filter((t) => / s$/.test(t));
	expect(problems, "times of the axis", texts.length > 1 && texts.every((text) =>
		parseFloat(text) >= first && parseFloat(text) <= last), true);
	expect(problems, "different times", new Set(texts).size, texts.length);
	await page.getByLabel("From").fill("1");
	const from = parseFloat(await page.getByLabel("From").getAttribute("aria-valuetext"));
	expect(problems, "the handle", Math.abs(from - first - timeline.ends[timeline.step - 1] / 1e9) <
		(last - first) / 1000, true);
	const selected = (await page.locator("#selection").textContent()).match(/: ([\d.]+) s to /);
	expect(problems, "the selection", parseFloat(selected[1]), from);
	const x = Number(await page.locator(".chart .peak").getAttribute("x1"));
	const box = await page.locator(".chart").boundingBox();
	const part = (report.peak.time_ns - timeline.start_ns) / end;
	expect(problems, "place of the peak", Math.abs(x - 62 - (box.width - 72) * part) < 1, true);
	const legend = (await page.locator(".legend").textContent())
		.match(/live memory was highest: (.*?) at ([\d.]+) s/);
	expect(problems, "time of the peak", Math.abs(legend[2] - report.peak.time_ns / 1e9) <
		(last - first) / 1000, true);
	return problems;
}

// A page without records blames no option.
export async function checkNothing(page) {
	const problems = [];
	for (const part of ["#timeline", "#graph"])
		expect(problems, part, (await page.locator(`${part} p`).first().textContent()),
			"There are no records.");
	expect(problems, "features", (await page.locator("main").textContent()).includes("--features"),
		false);
	return problems;
}

// The texts of report: the cases of tests/unit/base/test_table.c, and those between the units.
const TEXTS = [
	["bytesText", 0, "0"], ["bytesText", 9999, "9999"], ["bytesText", 10240, "10.0KiB"],
	["bytesText", 102400, "100KiB"], ["bytesText", 1 << 20, "1.0MiB"],
	["bytesText", 5 * 2 ** 30, "5.0GiB"], ["bytesText", 2 ** 64, "16.0EiB"],
	["bytesText", -20480, "-20.0KiB"], ["bytesText", 1048063, "1023KiB"], ["bytesText", 1048575, "1.0MiB"],
	["countText", 999499, "999K"], ["countText", 999500, "1.0M"],
	// as printf(), which rounds to the even digit
	["bytesText", 10496, "10.2KiB"], ["bytesText", 11008, "10.8KiB"],
	["sizeText", 1, "1 byte"], ["sizeText", 9999, "9999 bytes"], ["sizeText", 10240, "10.0KiB"],
	["spanText", 1953125, "1.95 ms"], ["spanText", 64e9, "64 s"], ["spanText", 128e9, "2.13 min"],
	["countText", 10000, "10.0K"], ["countText", 1000000, "1.0M"], ["countText", 2 ** 64, "18.4E"],
	["ageText", 500, "0s"], ["ageText", 119999, "119s"], ["ageText", 120000, "2m"],
	["ageText", 7200000, "2h"], ["ageText", 172800000, "2d"],
	["durationText", 999, "999ns"], ["durationText", 1234000, "1.23ms"],
	["durationText", 999500000, "1.00s"], ["durationText", 43e9, "43.0s"],
	["siteText", "x+0x9c func:x", "x+0x9c"], ["siteText", "x+0x9c [mod] func:x (unloaded) #1",
		"x+0x9c [mod] (unloaded) #1"],
	["siteText", "x+0x9c func:xy", "x+0x9c func:xy"], ["siteText", "a/b.c:7 func:x", "a/b.c:7 func:x"],
	["timeText", 0, "0.000 s"], ["timeText", 999900, "999.9 us"],
	["timeText", 9999900, "10.000 ms"], ["timeText", 1500000000, "1.500 s"],
];

export async function checkTexts(page) {
	const problems = [];
	for (const [make, n, wanted] of TEXTS)
		expect(problems, `${make}(${n})`, await page.evaluate(([f, value]) => window[f](value),
			[make, n]), wanted);
	return problems;
}

// A search finds the functions in the zoomed part, also those that are too narrow.
export async function checkSearch(page) {
	const problems = [];
	const data = await documentOf(page);
	const graph = page.locator("#graph");
	await graph.getByLabel("Kind").selectOption("pages");
	await graph.getByLabel("Value").selectOption("alloc");
	const at = data.stacks.values.indexOf("alloc");
	const rows = data.stacks.rows.filter((row) => row[0] === "pages" && row[1] && row[2][at]);
	const last = rows[rows.length - 1][1];
	const word = data.stacks.frames[last[last.length - 1]][0].toLowerCase();
	const isHit = (frame) => data.stacks.frames[frame].join(" ").toLowerCase().includes(word);
	const count = (found) => new Set(found.flatMap(([, frames]) => frames.map((frame, i) =>
		isHit(frame) && frames.slice(0, i + 1).join(" ")).filter(Boolean))).size;
	const status = async () => (await graph.locator("[role=status]").textContent())
		.match(/^(\d+) fields match.*?: ([\d ]+ bytes), /);
	await graph.getByLabel("Search").fill(word);
	expect(problems, "fields", Number((await status())[1]), count(rows));
	await graph.locator(".icicle button").nth(1).click();
	const zoomed = await graph.locator(".icicle button").nth(1).textContent();
	const inside = rows.filter(([, frames]) => data.stacks.frames[frames[0]][0] === zoomed);
	expect(problems, "fields of the zoomed part", Number((await status())[1]), count(inside));
	expect(problems, "bytes of the zoomed part", number((await status())[2]),
		inside.filter(([, frames]) => frames.some(isHit)).reduce((sum, row) => sum + row[2][at], 0));
	return problems;
}

// On paper, the rows are counted, and the choices are text.
export async function checkPrint(page) {
	const problems = [];
	await page.locator("#graph").getByLabel("Kind").selectOption("slab");
	await page.setViewportSize({ width: 720, height: 1000 }); // A4 without its margins
	await page.emulateMedia({ media: "print" });
	await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
	const text = await page.locator("main").innerText();
	expect(problems, "rows", /\d+ of \d+ rows; the first 50 are shown/.test(text), true);
	expect(problems, "choices", text.includes("Value: live bytes at the end; Kind: slab; " +
		"Order: callers first"), true);
	expect(problems, "buttons", await page.locator(".controls button:visible").count(), 0);
	expect(problems, "instructions", await page.locator(".hint:visible").count(), 0);
	expect(problems, "tables that are cut off", await page.evaluate(() =>
		[...document.querySelectorAll(".scroller")].filter((scroller) =>
			scroller.scrollWidth > scroller.clientWidth).length), 0);
	return problems;
}

// A state of more tags than the page has: the sums are those of all tags.
export async function checkTags(page) {
	const problems = [];
	const data = await documentOf(page);
	expect(problems, "tags", data.sites.rows.length, 5000);
	expect(problems, "tags that are left out", data.sites.left_out, 1000);
	const facts = await page.locator("#facts dd").evaluateAll((all) => all.map((dd) => dd.title));
	expect(problems, "live slab", facts.filter(Boolean).map(number).join(), "324108009000000");
	const map = await page.locator("#treemap .readout").textContent();
	expect(problems, "the map", map.startsWith("slab 295TiB. "), true);
	expect(problems, "small sites", /\d+ sites with together .*are too small/.test(map), true);
	return problems;
}
