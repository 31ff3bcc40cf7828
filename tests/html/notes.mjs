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
