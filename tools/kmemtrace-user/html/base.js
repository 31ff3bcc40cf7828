// SPDX-License-Identifier: GPL-2.0-only
// Elements, texts of figures, and other helpers of the parts of the page.
"use strict";

// Text from the recording becomes text nodes only, never markup.
function element(name, attributes = {}, ...children) {
	const made = document.createElement(name);
	for (const [key, value] of Object.entries(attributes))
		setAttribute(made, key, value);
	made.append(...children);
	return made;
}

function setAttribute(to, key, value) {
	if (typeof value === "function")
		to.addEventListener(key, value);
	else if (value !== null && value !== undefined && value !== false)
		to.setAttribute(key, value === true ? "" : value);
}

function drawing(name, attributes = {}, text = null) {
	const made = document.createElementNS("http://www.w3.org/2000/svg", name);
	for (const [key, value] of Object.entries(attributes))
		setAttribute(made, key, value);
	if (text !== null)
		made.textContent = text;
	return made;
}

function byId(id) {
	return document.getElementById(id);
}

// A control with its label: the label is in front of it.
function labelled(text, control) {
	return element("label", { class: "control" }, text + " ", control);
}

function choice(options, chosen, change) {
	const select = element("select", { change: () => change(select.value) });
	for (const [value, text] of options)
		select.append(element("option", { value, selected: value === chosen }, text));
	return select;
}

// The value of a choice: the one that the reader wants, if it is possible.
function keptValue(values, wanted) {
	const found = values.find(([value]) => value === wanted) || values[0];
	return found ? found[0] : null;
}

function sum(list, figure) {
	return list.reduce((total, item) => total + figure(item), 0);
}

// --- texts of figures, as the tables of report have them --------------------

// As printf(): of a value in the middle between two, the even one.
function fixedText(value, digits) {
	const scale = 10 ** digits;
	const isMiddle = Number.isInteger(value * 2 ** (digits + 1)) && (value * scale) % 1 === 0.5;
	return isMiddle ? (2 * Math.round(value * scale / 2) / scale).toFixed(digits) :
		value.toFixed(digits);
}

// As table_human(): four digits fit without a unit, and three digits with one.
function scaled(n, base, suffix) {
	let value = Math.abs(n), unit = -1;
	if (value < 10000)
		return String(n);
	while (value >= base - 0.5) {
		value /= base;
		unit++;
	}
	return (n < 0 ? "-" : "") + fixedText(value, value < 99.95 ? 1 : 0) + "KMGTPE"[unit] + suffix;
}

function bytesText(n) {
	return scaled(n, 1024, "iB");
}

function countText(n) {
	return scaled(n, 1000, "");
}

// In sentences: a number of bytes never stands without a unit.
function sizeText(n) {
	return Math.abs(n) < 10000 ? pluralText(n, "byte") : bytesText(n);
}

function pluralText(n, word) {
	return `${countText(n)} ${word}${n === 1 ? "" : "s"}`;
}

// As table_age(), of milliseconds.
function ageText(ms) {
	const seconds = Math.floor(ms / 1000);
	if (seconds < 120)
		return `${seconds}s`;
	if (seconds < 7200)
		return `${Math.floor(seconds / 60)}m`;
	if (seconds < 48 * 3600)
		return `${Math.floor(seconds / 3600)}h`;
	return `${Math.floor(seconds / 86400)}d`;
}

// As table_duration().
function durationText(ns) {
	const units = ["us", "ms", "s"];
	let unit = 0, value = ns / 1000;
	if (ns < 1000)
		return `${ns}ns`;
	if (ns >= 120e9)
		return ageText(ns / 1e6);
	while (unit < 2 && value >= 999.5) {
		value /= 1000;
		unit++;
	}
	return fixedText(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0) + units[unit];
}

// A boundary of ages: "64 s", "15.6 ms", "2.13 min".
function spanText(ns) {
	const units = [["d", 86400e9, 2], ["h", 3600e9, 2], ["min", 60e9, 2], ["s", 1e9, 1],
		["ms", 1e6, 1], ["us", 1e3, 1]];
	const [unit, length] = units.find(([, one, least]) => ns >= least * one) || ["ns", 1];
	return `${Number((ns / length).toPrecision(3))} ${unit}`;
}

function figureText(kind, value) {
	if (value === null)
		return "-";
	switch (kind) {
	case "bytes":
		return bytesText(value);
	case "count":
		return countText(value);
	case "percent":
		return value.toFixed(1) + "%";
	case "age":
		return ageText(value);
	case "change":
		return `${value > 0 ? "+" : ""}${bytesText(value)}`;
	default:
		return String(value);
	}
}

// All digits, with a thin gap after each three.
function exactText(kind, value) {
	if (value === null)
		return "not known";
	if (kind === "text")
		return value;
	if (kind === "percent")
		return value.toFixed(1) + " %";
	if (kind === "age")
		return `${(value / 1000).toFixed(3)} s`;
	const digits = String(value).replace(/\B(?=(\d{3})+$)/g, " ");
	return ["bytes", "change"].includes(kind) ? digits + " bytes" : digits;
}

// A site whose name has the function already: without the module's " func:FUNCTION".
function siteText(location) {
	return location.replace(/^((\S+)\+0x[0-9a-f]+(?: \[[^\]]*\])?) func:\2(?= |$)/, "$1");
}

// A length of time.
function timeText(ns) {
	if (ns >= 1e9 || !ns)
		return (ns / 1e9).toFixed(3) + " s";
	return ns >= 1e6 ? (ns / 1e6).toFixed(3) + " ms" : (ns / 1e3).toFixed(1) + " us";
}

function percentText(part, whole) {
	return whole ? (100 * part / whole).toFixed(1) + " %" : "0 %";
}

// The same words as report and allocinfo have.
const PAGES_NOTE = "Pages include those that slabs are made of: do not add them up.";

// --- colours -----------------------------------------------------------------

const KIND_HUES = { pages: 210, page: 210, kmalloc: 30, cache: 140, percpu: 285, slab: 30 };

function hueOf(text) {
	let hash = 7;
	for (const c of text)
		hash = (hash * 31 + c.codePointAt(0)) % 9973;
	return hash % 360;
}

function kindHue(kind) {
	return kind in KIND_HUES ? KIND_HUES[kind] : hueOf(kind);
}

// Code of the kernel itself has the colour of the kind of memory, a module one of its own.
function fieldHue(module, kind) {
	return ["", "kernel", "(unknown)", "(other)", "(no module)"].includes(module) ? kindHue(kind) : hueOf(module);
}

// A colour for a field with dark text, in both themes.
function fieldColour(hue, name) {
	return `hsl(${hue} 62% ${70 + hueOf(name) % 14}%)`;
}

// --- sizes ---------------------------------------------------------------------

// Calls draw() when the width of an element changes.
function onWidth(watched, draw) {
	let width = -1;
	new ResizeObserver(() => {
		if (watched.clientWidth === width)
			return;
		width = watched.clientWidth;
		draw(width);
	}).observe(watched);
}
