// SPDX-License-Identifier: GPL-2.0-only
// The tables of sites, caches and processes, and the start of the page.
"use strict";

const TABLES = [
	{ name: "sites", title: "Sites", key: "site" },
	{ name: "caches", title: "Caches", key: "cache" },
	{ name: "processes", title: "Processes", key: IS_STATE ? "name" : "process" },
	{ name: "waste", title: "Waste", key: "site" },
	{ name: "leaks", title: "Leaks", key: "site" },
].filter((table) => DATA[table.name]);

const NAME_COLUMNS = ["site", "cache", "process", "name", "pid", "kind", "module"];
// What the tables of the present state are, besides that of the sites.
const STATE_NOTES = {
	caches: "Live objects by slab cache: the figures of the command top --by cache.",
	processes: "Memory of processes in user space: the figures of the command pagemap --all.",
};
const CONCLUSIONS = { waste: wasteTable, leaks: leaksTable };
const MAIN_COLUMNS = [...NAME_COLUMNS, "live", "live_low", "live_high", "peak", "objects", "allocs",
	"frees", "total_requested", "total_allocated", "total_waste_percent", ...(IS_STATE ?
		["requested", "waste", "oldest_ms", "pss", "rss", "uss", "shared", "swap", "anon", "file"] : [])];

// Figures of the selected time, with the titles of report where it has the same figure.
const SELECTED_COLUMNS = [
	{ key: "live", title: "LIVE THEN", kind: "bytes" },
	{ key: "grown", title: "GROWN", kind: "bytes" },
	{ key: "objects", title: "OBJECTS THEN", kind: "count" },
	{ key: "allocs", title: "ALLOCS", kind: "count" },
	{ key: "total_allocated", title: "TOTAL", kind: "bytes" },
	{ key: "frees", title: "FREES", kind: "count" },
	{ key: "freed", title: "FREED", kind: "bytes" },
].map((column) => ({ ...column, words: SELECTED_WORDS[column.key] }));

let shownTable = TABLES[0];
let showsAll = false;

// Order and filter of each table outlast a selection.
const tableChoices = {};

function choicesOf(name) {
	tableChoices[name] = tableChoices[name] || {};
	return tableChoices[name];
}

// Processes have no live memory, and not all kernels tell their share of shared pages.
function sortKey(table) {
	const isKnown = (key) => table.columns.some((column) => column[0] === key) &&
		rowsOf(table).some((row) => row[key] !== null);
	return ["live", "pss", "rss", "total_allocated"].find(isKnown);
}

function wholeTable(table) {
	const all = table.columns.map(([key]) => key);
	const keys = showsAll ? [...new Set([...NAME_COLUMNS, ...all])] : MAIN_COLUMNS;
	return {
		columns: tableColumns(table, keys),
		rows: rowsOf(table),
		sort: sortKey(table),
	};
}

function selectedTable(table, key) {
	return {
		columns: [...tableColumns(table, NAME_COLUMNS), ...SELECTED_COLUMNS],
		rows: selectedRows(shownTable.name, key),
		sort: "grown",
	};
}

function tableNote(table) {
	if (CONCLUSIONS[shownTable.name])
		return conclusionNote(shownTable.name, table);
	if (table.why)
		return `Not known: ${table.why}.`;
	if (table.lack)
		return `No record has the feature ${table.lack}: record with --features +${table.lack}.`;
	const notes = IS_STATE ? [STATE_NOTES[shownTable.name] || ""] : [];
	if (selection)
		notes.push(historyNote(table.flows, table.left_out, shownTable.name));
	else if (table.left_out)
		notes.push(`${table.left_out} rows with ${IS_STATE ? "least memory" : "the lowest peaks"} are left out.`);
	if (selection)
		notes.push(`Allocations and frees from ${selectionText()}; LIVE THEN: at its end.`);
	return notes.filter((note) => note).join(" ");
}

function tableBar() {
	const all = element("input", { type: "checkbox", checked: showsAll, change: () => {
		showsAll = all.checked;
		showTable();
	} });
	return element("div", { class: "controls", role: "group", "aria-label": "Which table" },
		...TABLES.map((t) => element("button", { type: "button",
			"aria-pressed": String(t === shownTable), click: () => {
				shownTable = t;
				showTable();
				byId("tables").querySelector("[aria-pressed=true]").focus();
			} }, t.title)),
		selection || CONCLUSIONS[shownTable.name] ? "" : labelled("All columns", all));
}

// The focus stays in the filter.
function redrawTable() {
	const hadFocus = byId("tables").contains(document.activeElement) &&
		document.activeElement.type === "search";
	drawTable();
	if (hadFocus)
		byId("tables").querySelector("input[type=search]").focus({ preventScroll: true });
	redrawDetails();
}

function showTable() {
	forgetDetails();
	drawTable();
}

function drawTable() {
	const table = DATA[shownTable.name];
	const { key } = shownTable;
	byId("tables").replaceChildren(tableBar(),
		element("p", { class: "note" }, tableNote(table)));
	if (table.lack || table.why)
		return;
	if (CONCLUSIONS[shownTable.name]) {
		new FigureTable(byId("tables"), { choices: choicesOf(shownTable.name),
			...CONCLUSIONS[shownTable.name](table) });
		return;
	}
	new FigureTable(byId("tables"), {
		caption: shownTable.title,
		choices: choicesOf(shownTable.name),
		opens: key,
		open: (row) => showDetails(shownTable, row),
		...(selection ? selectedTable(table, key) : wholeTable(table)),
	});
}

// --- print ----------------------------------------------------------------------------

function controlText(label) {
	const control = label.querySelector("select, input");
	const value = control.selectedOptions ? control.selectedOptions[0].text :
		control.getAttribute("aria-valuetext") || control.value;
	return control.type === "checkbox" || !value ? "" : `${label.firstChild.data.trim()}: ${value}`;
}

// Paper has no controls, so the choices are text.
function printChoices() {
	document.querySelectorAll(".printed").forEach((text) => text.remove());
	for (const controls of document.querySelectorAll("main .controls"))
		controls.after(element("p", { class: "printed" }, [...controls.querySelectorAll("label"),
		].map(controlText).filter((text) => text).join("; ")));
}

window.addEventListener("beforeprint", printChoices);

prepareTheme();
showSummary();
showTimeline();
showGraph();
showTreemap();
showTable();
onSelection(redrawTable);
