// SPDX-License-Identifier: GPL-2.0-only
// The document that the tool has embedded, and sums over the selected time.
"use strict";

const DATA = JSON.parse(byId("data").textContent);
const TIMELINE = DATA.timeline;
const OTHER = "(other)";
const CLASS_OF = { kmalloc: "slab", cache: "slab", pages: "pages", percpu: "percpu" };

// A state of accounting has the live memory of sites, and neither times nor stacks.
const IS_STATE = !DATA.report;
// The reason why live memory is not known, if it is not.
const NO_LIVE = IS_STATE ? null : DATA.report.no_live;

// --- tables ----------------------------------------------------------------------

// A table of the document has arrays; a row of the page is an object with these figures.
function rowsOf(table) {
	if (!table.rows)
		return [];
	if (!table.objects)
		table.objects = table.rows.map((values, index) => {
			const row = { index };
			table.columns.forEach(([key], i) => { row[key] = values[i]; });
			if (row.site)
				row.site = siteText(row.site);
			return row;
		});
	return table.objects;
}

// --- the selected time -----------------------------------------------------------

// Steps of time, from and to included; null: the whole recording.
let selection = null;
const selectionListeners = [];

function onSelection(listener) {
	selectionListeners.push(listener);
}

// The steps that the pointer has selected since the last frame: {steps}.
let waiting = null;

function select(steps) {
	waiting = null;
	if (steps === selection || (steps && selection && steps.from === selection.from &&
		steps.to === selection.to))
		return;
	selection = steps;
	selectionListeners.forEach((listener) => listener());
}

function selectWaiting() {
	if (waiting)
		select(waiting.steps);
}

// The same, once for each frame: a pointer moves more often than the screen is drawn.
function selectSoon(steps) {
	if (!waiting)
		requestAnimationFrame(selectWaiting);
	waiting = { steps };
}

function stepCount() {
	return Math.ceil(TIMELINE.ends.length / TIMELINE.step);
}

function stepStart(step) {
	return step ? TIMELINE.ends[step * TIMELINE.step - 1] : 0;
}

function stepEnd(step) {
	const last = TIMELINE.ends.length - 1;
	return TIMELINE.ends[Math.min((step + 1) * TIMELINE.step - 1, last)];
}

// Number of digits behind the point that a multiple of a step in ns needs, in seconds.
function digitsOf(step) {
	let digits = 9;
	for (; digits > 0 && step % 10 === 0; step /= 10)
		digits--;
	return digits;
}

// The largest power of ten, times 1, 2 or 5, of which at most `most` fit into a range.
function roundStep(range, most) {
	const step = 10 ** Math.max(0, Math.floor(Math.log10(range / most || 1)));
	for (const factor of [1, 2, 5, 10])
		if (step * factor * most >= range)
			return step * factor;
	return step * 10;
}

// A moment on the clock of the recording, as script shows it and --since takes it; ns: since
// the first record.
function clockText(ns, digits = digitsOf(roundStep(TIMELINE.ends[TIMELINE.ends.length - 1], 1000))) {
	return ((TIMELINE.start_ns + ns) / 1e9).toFixed(digits) + " s";
}

function selectionText() {
	return `${clockText(stepStart(selection.from))} to ${clockText(stepEnd(selection.to))}`;
}

// Sums of one series. What is live at the end of a step is all that was allocated up to
// then, without what was freed.
function sumFlow(flow) {
	const s = { row: flow.row, kind: flow.kind, allocs: 0, total_allocated: 0, frees: 0, freed: 0,
		live: 0, objects: 0 };
	flow.at.forEach((step, i) => {
		if (step > selection.to)
			return;
		s.live += flow.alloc[i] - flow.freed[i];
		s.objects += flow.allocs[i] - flow.frees[i];
		if (step < selection.from)
			return;
		s.allocs += flow.allocs[i];
		s.total_allocated += flow.alloc[i];
		s.frees += flow.frees[i];
		s.freed += flow.freed[i];
	});
	s.grown = s.total_allocated - s.freed;
	return s;
}

// The sums of all series in the selected time, without those in which nothing happened.
function sumFlows(flows) {
	return flows.map(sumFlow).filter((s) => s.allocs || s.frees || s.live || s.freed);
}

// What a part says of rows that have no history; "": all have one, or no time is selected.
function historyNote(flows, left_out, what) {
	const shown = flows.filter((flow) => flow.row !== null).length;
	const other = flows.filter((flow) => flow.row === null && flow.at.length).length;
	return left_out || other ? `Only ${shown} ${what}, the largest, have a history; ` +
		`the others are summed up as (other ${what}).` : "";
}

// Why the page has no records; "": it has some.
function noRecords() {
	if (IS_STATE)
		return "";
	const { events, matching } = DATA.report;
	return !events ? "There are no records." :
		matching === 0 ? "No record matches the filter." : "";
}

// The same for a table of the document, with the names of the rows; key: its name column.
// Rows that have no series are one sum for each kind, with the index -1.
function selectedRows(name, key) {
	const rows = rowsOf(DATA[name]);
	return sumFlows(DATA[name].flows).map((s) => s.row === null ?
		{ ...s, index: -1, [key]: `(other ${name})`, module: OTHER } :
		{ ...rows[s.row], ...s, index: s.row });
}

// --- stacks -------------------------------------------------------------------------

const STACKS = DATA.stacks;
const OTHER_STACKS = "(other stacks)";

// A function as the table of sites names it.
function frameText(number) {
	const [name, , source] = STACKS.frames[number];
	return source ? `${name} ${source}` : name;
}

// All stacks with a value: {kind, frames, value}; the outermost function first.
function stacksWith(value) {
	const column = STACKS.values.indexOf(value);
	return STACKS.rows.map(([kind, frames, values]) =>
		({ kind, frames, value: values[column] || 0 })).filter((row) => row.value > 0);
}

// The same in the selected time; value: a member of sumFlow(), or a value of stacksWith().
function stacksInSelection(value) {
	return sumFlows(STACKS.flows).map((s) => ({
		kind: s.kind,
		frames: s.row === null ? null : STACKS.rows[s.row][1],
		value: value === "alloc" ? s.total_allocated : s[value],
	})).filter((row) => row.value > 0);
}

// Whether the document has a stack with a caller.
function haveCallers() {
	return STACKS.rows.some(([, frames]) => frames && frames.length > 1);
}

function isKnown(value) {
	const column = STACKS.values.indexOf(value);
	return STACKS.rows.some(([, , values]) => values[column] !== null);
}
