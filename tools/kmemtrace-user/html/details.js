// SPDX-License-Identifier: GPL-2.0-only
// Details of a row of a table: all figures, callers, and live memory over time.
"use strict";

const CALLERS_MAX = 20;
// KMEMTRACE_AGES_BUCKETS - 1
const AGES_LAST = 31;

// Bytes by stack, of a call site; the innermost function of a stack is the site.
function stacksOfSite(row, value) {
	return stacksWith(value).filter((s) => s.kind === row.kind && s.frames && s.frames.length &&
		frameText(s.frames[s.frames.length - 1]) === row.site)
		.sort((a, b) => b.value - a.value);
}

const CALLERS_BY = [
	["peak", "Callers, by live bytes at the peak"],
	["live", "Callers, by live bytes at the end"],
	["alloc", "Callers, by allocated bytes"],
];

function noCallers(row) {
	if (!haveCallers())
		return "No callers were recorded.";
	if (!stacksOfSite(row, "alloc").length)
		return `The callers are not known: all stacks of this site are among the ${OTHER_STACKS}.`;
	return "The records of this site have no callers.";
}

// What the page leaves out of the allocations of a site; "": nothing.
function leftOutText(what, shown, row, where) {
	return shown < row.allocs ? `${what} of ${exactText("count", shown)} of ` +
		`${exactText("count", row.allocs)} allocations are shown. ${where}` : "";
}

function noteIf(text) {
	return text ? [element("p", { class: "note" }, text)] : [];
}

// The stacks of a site, by its bytes at the peak. At the peak, it may have had none.
function callersOf(row) {
	const found = CALLERS_BY.filter(([value]) => isKnown(value))
		.map(([value, title]) => ({ title, stacks: stacksOfSite(row, value) }))
		.find(({ stacks }) => stacks.some((s) => s.frames.length > 1));
	if (!found)
		return noteIf(noCallers(row));
	const { title, stacks } = found;
	const items = stacks.slice(0, CALLERS_MAX).map((s) => element("li", {},
		element("strong", { title: exactText("bytes", s.value) }, sizeText(s.value)), " ",
		[...s.frames].reverse().slice(1).map(frameText).join(" \u2190 ") || "(no caller)"));
	const left = stacks.length - items.length;
	return [element("h4", {}, title), element("ul", { class: "callers" }, ...items),
		...noteIf(left && `${left} stacks with fewer bytes are left out.`),
		...noteIf(leftOutText("Stacks", sum(stacksOfSite(row, "allocs"), (s) => s.value), row,
			`The others are among the ${OTHER_STACKS}.`))];
}

// The requested sizes of a site.
function sizesOf(row) {
	const rows = rowsOf(DATA.sizes).filter((size) => size.site === row.site &&
		size.kind === row.kind).sort((a, b) => b.alloc - a.alloc);
	const notes = noteIf(leftOutText("Sizes", sum(rows, (size) => size.allocs), row,
		"The page has the sizes with the highest peaks of all sites."));
	if (!rows.length)
		return notes;
	return [element("h4", {}, "Requested sizes, by allocated bytes"),
		element("ul", { class: "callers" }, ...rows.slice(0, CALLERS_MAX).map((size) =>
			element("li", {}, element("strong", {}, `${size.size} bytes`), `: ` +
				`${pluralText(size.allocs, "allocation")}, ${pluralText(size.frees, "free")}` +
				(size.live === null ? "" : `, ${sizeText(size.live)} live`)))),
		...noteIf(rows.length > CALLERS_MAX &&
			`${rows.length - CALLERS_MAX} sizes with fewer bytes are left out.`), ...notes];
}

// "from 1 s to 2 s". Each age is twice the one before; the second begins with one tick.
function ageRange(bucket, tick) {
	const from = bucket > 0 ? tick * 2 ** (bucket - 1) : 0, to = tick * 2 ** Math.max(bucket, 0);
	if (bucket < 0)
		return "age not known, as other parts of their block were freed";
	if (bucket === AGES_LAST)
		return `${spanText(from)} or older`;
	return from ? `${spanText(from)} to ${spanText(to)}` : `younger than ${spanText(to)}`;
}

// Live memory by age: ages: [{bucket, objects, live}].
function agesPart(ages, tick, when) {
	const shown = ages.filter((age) => age.live || age.objects);
	const most = Math.max(1, ...shown.map((age) => age.live));
	const items = shown.map((age) => {
		const bar = element("span", { class: "bar", "aria-hidden": "true" });
		bar.style.width = `${100 * age.live / most}%`;
		return element("li", { "data-objects": age.objects, "data-bytes": age.live },
			element("span", { title: exactText("bytes", age.live) },
				`${ageRange(age.bucket, tick)}: ${sizeText(age.live)}` +
				(age.bucket < 0 ? "" : ` in ${pluralText(age.objects, "object")}`)), bar);
	});
	return [element("h4", {}, `Live memory by age, ${when}`),
		shown.length ? element("ul", { class: "ages" }, ...items) :
			element("p", { class: "note" }, "Nothing is live.")];
}

function agesNotes(row, ages) {
	const objects = sum(ages, (age) => age.objects);
	if (IS_STATE)
		return objects === row.objects ? "" : `The ages were read a moment later than the other ` +
			`figures: ${pluralText(objects, "object")} then, ${pluralText(row.objects, "object")} before.`;
	const notes = [selection ? "They are not those of the selected time." : "",
		row.live_low < row.live ? "Objects whose free was lost count as live." : ""];
	return notes.filter((note) => note).join(" ");
}

// The ages of what is live of a site.
function agesOf(row) {
	const { ages } = DATA.sites;
	if (ages.why)
		return noteIf(`The ages are not known: ${ages.why}.`);
	if (ages.no_pages && row.kind === "page")
		return noteIf("The ages of pages are not known: accounting with mem_profiling=1,compressed " +
			"does not keep them.");
	const [, at, objects, bytes] = ages.rows.find(([number]) => number === row.index) || [0, [], [], []];
	const found = at.map((bucket, i) => ({ bucket, objects: objects[i], live: bytes[i] }));
	return [...agesPart(found, ages.tick_ns, IS_STATE ? "now" : "at the end of the recording"),
		...noteIf(agesNotes(row, found))];
}

// What was live at the end of each step.
function historyOf(table, row) {
	const flow = (table.flows || []).find((f) => f.row === row.index);
	if (!flow)
		return [];
	const live = new Array(stepCount()).fill(0);
	flow.at.forEach((step, i) => { live[step] += flow.alloc[i] - flow.freed[i]; });
	for (let i = 1; i < live.length; i++)
		live[i] += live[i - 1];
	return live;
}

function historyChart(live) {
	const highest = Math.max(1, ...live);
	let path = "M0,40";
	live.forEach((bytes, i) => {
		path += `V${(40 - 38 * bytes / highest).toFixed(1)}H${i + 1}`;
	});
	const svg = drawing("svg", { class: "history", viewBox: `0 0 ${live.length} 40`, role: "img",
		"aria-label": "Live bytes over time", preserveAspectRatio: "none" });
	svg.append(drawing("path", { class: "line", d: path, style: "--hue: 210" }));
	return svg;
}

function historyPart(table, row) {
	const live = TIMELINE ? historyOf(table, row) : [];
	if (!live.length)
		return "";
	const part = element("div", {}, element("h4", {},
		`Live bytes over time; highest: ${sizeText(Math.max(...live))}`));
	part.append(historyChart(live));
	return part;
}

function figureList(table, row) {
	return element("dl", { class: "figures" }, ...table.columns.map(([key, title, kind, words]) =>
		element("div", { title: words }, element("dt", {}, title),
			element("dd", {}, exactText(kind, row[key])))));
}

// What is shown below the tables: {draw, index: of the row, opener: had the focus}.
let shownDetails = null;

// draw() returns the parts; the first one is a heading, which gets the focus.
function openDetails(draw, index) {
	shownDetails = { draw, index, opener: document.activeElement };
	drawDetails().scrollIntoView({ block: "nearest" });
	byId("details").firstChild.focus();
}

// Return: the heading.
function drawDetails() {
	const close = element("button", { type: "button", click: closeDetails }, "Close details");
	byId("details").replaceChildren(...shownDetails.draw().filter((part) => part !== ""), close);
	return byId("details").firstChild;
}

// The parts depend on the selection.
function redrawDetails() {
	const hadFocus = byId("details").contains(document.activeElement);
	if (shownDetails && drawDetails() && hadFocus)
		byId("details").firstChild.focus({ preventScroll: true });
}

function forgetDetails() {
	shownDetails = null;
	byId("details").replaceChildren();
}

// The focus goes back to the row. The table may have made its button again, or not show it.
function closeDetails() {
	const { opener, index } = shownDetails;
	const isThere = opener.isConnected && opener !== document.body;
	forgetDetails();
	(isThere ? opener : byId("tables").querySelector(`button[data-row="${index}"]`) ||
		byId("tables").querySelector(".scroller")).focus();
}

function detailParts(which, chosen) {
	const table = DATA[which.name];
	const row = rowsOf(table)[chosen.index];
	const heading = element("h3", { tabindex: -1 }, row.kind ? `${row[which.key]} (${row.kind})` :
		row[which.key]);
	const parts = [heading];
	if (selection)
		parts.push(element("p", { class: "note" }, "These are figures of the whole recording."));
	parts.push(figureList(table, row), columnHelp(table.columns.map(([, title, , words]) =>
		({ title, words }))));
	parts.push(historyPart(table, row));
	if (which.name === "sites")
		parts.push(...agesOf(row));
	if (which.name === "sites" && STACKS)
		parts.push(...sizesOf(row), ...callersOf(row));
	else if (which.name === "sites")
		parts.push(...noteIf("Accounting keeps neither callers nor requested sizes: record with " +
			"--features +stack to see them."));
	return parts;
}

function showDetails(which, chosen) {
	openDetails(() => detailParts(which, chosen), chosen.index);
}
