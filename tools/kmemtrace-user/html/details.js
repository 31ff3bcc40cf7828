// SPDX-License-Identifier: GPL-2.0-only
// Details of a row of a table: all figures, callers, and live memory over time.
"use strict";

const CALLERS_MAX = 20;

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
		element("strong", { title: exactText("bytes", s.value) }, bytesText(s.value)), " ",
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
				`${countText(size.allocs)} allocations, ${countText(size.frees)} frees` +
				(size.live === null ? "" : `, ${bytesText(size.live)} live`)))),
		...noteIf(rows.length > CALLERS_MAX &&
			`${rows.length - CALLERS_MAX} sizes with fewer bytes are left out.`), ...notes];
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
		`Live bytes over time; highest at the end of a step: ${bytesText(Math.max(...live))}`));
	part.append(historyChart(live));
	return part;
}

function figureList(table, row) {
	return element("dl", { class: "figures" }, ...table.columns.map(([key, title, kind]) =>
		element("div", {}, element("dt", {}, title), element("dd", {}, exactText(kind, row[key])))));
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
	parts.push(figureList(table, row));
	parts.push(historyPart(table, row));
	if (which.name === "sites" && STACKS)
		parts.push(...callersOf(row), ...sizesOf(row));
	return parts;
}

function showDetails(which, chosen) {
	openDetails(() => detailParts(which, chosen), chosen.index);
}
