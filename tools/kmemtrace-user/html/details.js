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

function callersOf(row) {
	const value = isKnown("live") ? "peak" : "alloc";
	const stacks = stacksOfSite(row, isKnown(value) ? value : "alloc");
	if (!stacks.some((s) => s.frames.length > 1))
		return [element("p", { class: "note" }, "No callers were recorded.")];
	const items = stacks.slice(0, CALLERS_MAX).map((s) => element("li", {},
		element("strong", { title: exactText("bytes", s.value) }, bytesText(s.value)), " ",
		[...s.frames].reverse().slice(1).map(frameText).join(" \u2190 ") || "(no caller)"));
	const left = stacks.length - items.length;
	return [element("h4", {}, isKnown(value) ? "Callers, by live bytes at the peak" :
		"Callers, by allocated bytes"),
	element("ul", { class: "callers" }, ...items),
	left ? element("p", { class: "note" }, `${left} stacks with fewer bytes are left out.`) : ""];
}

// The requested sizes of a site.
function sizesOf(row) {
	const rows = rowsOf(DATA.sizes).filter((size) => size.site === row.site &&
		size.kind === row.kind).sort((a, b) => b.alloc - a.alloc);
	if (!rows.length)
		return [];
	return [element("h4", {}, "Requested sizes, by allocated bytes"),
		element("ul", { class: "callers" }, ...rows.slice(0, CALLERS_MAX).map((size) =>
			element("li", {}, element("strong", {}, `${size.size} bytes`), `: ` +
				`${countText(size.allocs)} allocations, ${countText(size.frees)} frees` +
				(size.live === null ? "" : `, ${bytesText(size.live)} live`)))),
		rows.length > CALLERS_MAX ? element("p", { class: "note" },
			`${rows.length - CALLERS_MAX} sizes with fewer bytes are left out.`) : ""];
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

function showDetails(which, chosen) {
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
	parts.push(element("button", { type: "button", click: () => byId("details").replaceChildren() },
		"Close details"));
	byId("details").replaceChildren(...parts.filter((part) => part !== ""));
	heading.scrollIntoView({ block: "nearest" });
	heading.focus();
}
