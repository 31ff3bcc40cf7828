// SPDX-License-Identifier: GPL-2.0-only
// Zoom and search in a flame graph. The picture can be read without this script.
"use strict";

const picture = document.documentElement;
const MARGIN = 12, TEXT_SIDE = 4, CHARACTER = 7.25, THIN = 3;
const SPACE = picture.width.baseVal.value - 2 * MARGIN;

const frames = [...picture.querySelectorAll(".frame")].map((group) => {
	const [title, rect] = group.children;
	const [name, sum] = title.textContent.split("\n");
	return { group, rect, name, sum, value: Number(group.dataset.value),
		x: rect.x.baseVal.value, width: rect.width.baseVal.value,
		text: [...group.children].find((child) => child.tagName === "text") };
});
const byGroup = new Map(frames.map((frame) => [frame.group, frame]));

function make(name, attributes, text) {
	const made = document.createElementNS(picture.namespaceURI, name);
	for (const key of Object.keys(attributes))
		made.setAttribute(key, attributes[key]);
	made.textContent = text || "";
	return made;
}

function frameOf(target) {
	return byGroup.get(target.closest(".frame"));
}

// --- zoom ----------------------------------------------------------------------------

function setText(frame, x, width) {
	const fits = Math.floor((width - 2 * TEXT_SIDE) / CHARACTER);
	if (!frame.text) {
		frame.text = make("text", { y: frame.rect.y.baseVal.value + 13 });
		frame.rect.after(frame.text);
	}
	frame.text.setAttribute("x", x + TEXT_SIDE);
	if (fits >= frame.name.length)
		frame.text.textContent = frame.name;
	else
		frame.text.textContent = fits > 2 ? `${frame.name.slice(0, fits - 2)}..` : "";
}

let zoomed = null;

// Shows the part of the graph above a frame, and the frames below it over the whole width.
function zoom(to) {
	zoomed = to;
	const from = to ? to.x : MARGIN, scale = to ? SPACE / to.width : 1;
	const end = to ? to.x + to.width : MARGIN + SPACE;
	for (const frame of frames) {
		const x = Math.max(frame.x, from);
		const width = Math.min(frame.x + frame.width, end) - x;
		const shown = width > 0.005;
		frame.group.setAttribute("display", shown ? "inline" : "none");
		if (!shown)
			continue;
		const left = MARGIN + (x - from) * scale;
		frame.rect.setAttribute("x", left);
		frame.rect.setAttribute("width", width * scale);
		frame.rect.classList.toggle("thin", width * scale < THIN);
		setText(frame, left, width * scale);
	}
}

// --- search --------------------------------------------------------------------------

function callerOf(group) {
	return group.parentNode.closest(".frame");
}

function kindOf(group) {
	const caller = callerOf(group);
	return caller ? kindOf(caller) : byGroup.get(group);
}

function search(word) {
	const wanted = word.toLowerCase();
	const sums = new Map();
	for (const frame of frames) {
		const hit = wanted !== "" ? frame.name.toLowerCase().includes(wanted) : false;
		frame.group.classList.toggle("hit", hit);
		// what is above a frame that matches does not count again
		if (!hit || frame.group.parentNode.closest(".hit"))
			continue;
		const kind = kindOf(frame.group);
		sums.set(kind, (sums.get(kind) || 0) + frame.value);
	}
	if (!wanted)
		show("");
	else if (!sums.size)
		show("no function matches");
	else
		show([...sums].map(([kind, sum]) => `${kind.name}: ${sum} of ${kind.value}, ` +
			`${(100 * sum / kind.value).toFixed(1)}%`).join("; "));
}

// --- the line above the graph ----------------------------------------------------------

const FIELD_WIDTH = 160;
const FIELD_TOP = Number(document.getElementById("field").dataset.y) + 8;
const line = make("text", { x: MARGIN + FIELD_WIDTH + 10, y: FIELD_TOP + 18 });
let found = "";

function show(text) {
	found = text;
	line.textContent = found;
}

// A field for words, in browsers only.
function makeField() {
	const place = make("foreignObject", { x: MARGIN, y: FIELD_TOP, width: FIELD_WIDTH,
		height: 28 });
	const field = document.createElementNS("http://www.w3.org/1999/xhtml", "input");
	field.setAttribute("type", "search");
	field.setAttribute("placeholder", "search");
	field.setAttribute("aria-label", "Search for functions");
	field.style.cssText = "width: 100%; box-sizing: border-box; color-scheme: light dark";
	field.addEventListener("input", () => search(field.value));
	place.append(field);
	picture.append(line, place);
}

picture.addEventListener("click", (event) => {
	const frame = frameOf(event.target);
	zoom(frame && frame !== zoomed ? frame : null);
});
picture.addEventListener("keydown", (event) => {
	if (event.key === "Escape")
		zoom(null);
});
picture.addEventListener("pointerover", (event) => {
	const frame = frameOf(event.target);
	line.textContent = frame ? `${frame.name}: ${frame.sum}` : found;
});
makeField();
