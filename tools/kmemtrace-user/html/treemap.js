// SPDX-License-Identifier: GPL-2.0-only
// The tree map: kinds of memory, in them modules, in them sites.
"use strict";

const TREEMAP_RATIO = 0.5;
const TREEMAP_HEIGHT_MIN = 300;
const TREEMAP_HEIGHT_MAX = 620;
const TREEMAP_TITLE = 18;

const TREEMAP_VALUES = [["live", "live bytes at the end"], ["peak", "highest live bytes of each site"],
	["total_allocated", "allocated bytes"]];
const TREEMAP_STATE_VALUES = [["live", "live bytes"], TREEMAP_VALUES[1]];
const TREEMAP_MACHINE = ["machine", "all memory of the machine"];
const TREEMAP_USED = ["used", "used memory of the machine"];
// The lines of memory that are not part of its line "used".
const FREE_LINES = ["free", "free, in lists of CPUs", "given back (balloon)"];
const TREEMAP_SELECTED_VALUES = [["live", "live bytes at its end"], ["total_allocated", "allocated bytes"],
	["freed", "freed bytes, by the site of the allocation"]];

// --- squares -------------------------------------------------------------------------

// The worst ratio of the sides of fields in one row along a side.
function worstRatio(most, least, total, side) {
	return Math.max(side * side * most / (total * total), total * total / (side * side * least));
}

// Places items with areas (the largest first) into a box, as squares as far as possible:
// row by row along the shorter side; a row grows as long as the fields become squarer.
function squarify(items, box) {
	const placed = [];
	let rest = { ...box };
	let i = 0;
	while (i < items.length) {
		const side = Math.min(rest.width, rest.height);
		const row = [items[i]];
		let total = items[i].area;
		while (++i < items.length) {
			const [first] = row, last = row[row.length - 1], next = items[i];
			if (worstRatio(first.area, next.area, total + next.area, side) >
				worstRatio(first.area, last.area, total, side))
				break;
			row.push(next);
			total += next.area;
		}
		rest = placeRow(row, total, rest, placed);
	}
	return placed;
}

// Return: the part of the box that is left.
function placeRow(row, total, box, placed) {
	const isColumn = box.width >= box.height;
	const side = isColumn ? box.height : box.width;
	const thick = side > 0 ? total / side : 0;
	let at = 0;
	for (const item of row) {
		const length = total > 0 ? side * item.area / total : 0;
		placed.push(isColumn ?
			{ item, left: box.left, top: box.top + at, width: thick, height: length } :
			{ item, left: box.left + at, top: box.top, width: length, height: thick });
		at += length;
	}
	return isColumn ?
		{ left: box.left + thick, top: box.top, width: box.width - thick, height: box.height } :
		{ left: box.left, top: box.top + thick, width: box.width, height: box.height - thick };
}

// The sites without a row, as one for each kind. The highest bytes of each are not known.
function otherSites() {
	return DATA.sites.left_out ? rowsOf(DATA.kinds).map((kind) => {
		const rows = rowsOf(DATA.sites).filter((row) => row.kind === kind.kind);
		const rest = (key) => kind[key] - sum(rows, (row) => row[key]);
		return { index: -1, kind: kind.kind, site: "(other sites)", module: OTHER,
			live: rest("live"), total_allocated: rest("total_allocated"), peak: 0 };
	}) : [];
}

// --- all memory of the machine -----------------------------------------------------------

// The pages that are live at the end. Objects are on pages, so they do not count again.
function recordedPages() {
	return [...rowsOf(DATA.sites), ...otherSites()].filter((row) =>
		row.kind === "pages" && row.live > 0).map((row) => ({ ...row, machine: row.live }));
}

// Rows whose sum is MemTotal; null: not known.
function machineRows() {
	if (!DATA.memory || DATA.memory.why || NO_LIVE)
		return null;
	if (IS_STATE)
		return rowsOf(DATA.memory).map((row) => ({ ...row, index: -1, machine: row.bytes,
			used: FREE_LINES.includes(row.kind) ? 0 : row.bytes,
			module: row.module || "(no module)" }));
	const pages = recordedPages();
	const rest = DATA.memory.total - sum(pages, (row) => row.machine);
	return rest < 0 ? null : [...pages, { index: -1, kind: "not in the recording",
		module: "(no module)", site: "free, or allocated before the recording", machine: rest }];
}

function machineNote() {
	if (!DATA.memory)
		return "";
	if (DATA.memory.why)
		return `All memory of the machine is not known: ${DATA.memory.why}.`;
	if (!machineRows())
		return "All memory of the machine cannot be shown: what is live is not known, or exceeds it.";
	const whole = IS_STATE ? "the figures of the command memory, with the sites that allocated them. Slab and " +
		"per-CPU memory is divided by live objects; its part without a known site is free objects, " +
		`padding, and objects from before accounting; ${DATA.memory.words.join("; ")}` :
		"pages that are live at the end by site, and the rest, which was free or allocated before " +
		"the recording. The recording does not tell which";
	return `All memory of the machine: ${whole}.`;
}

// --- the map ----------------------------------------------------------------------------

class Treemap {
	constructor(place) {
		this.machine = machineRows();
		this.wanted = NO_LIVE ? "total_allocated" : IS_STATE && this.machine ? "machine" : "live";
		this.field = element("div", { class: "treemap", role: "group",
			"aria-label": "Kinds of memory, modules and sites" });
		this.info = element("p", { class: "note readout" });
		this.bar = element("div", { class: "controls" });
		this.note = element("p", { class: "note" });
		place.append(this.note, this.bar, this.field, this.info);
		this.reset();
		onWidth(this.field, (width) => this.draw(width));
		onSelection(() => {
			this.reset();
			this.draw(this.field.clientWidth);
		});
	}

	values() {
		const machine = this.machine ? [TREEMAP_MACHINE] : [];
		if (IS_STATE)
			return [...TREEMAP_STATE_VALUES, ...machine, ...(this.machine ? [TREEMAP_USED] : [])];
		return selection ? TREEMAP_SELECTED_VALUES :
			[...TREEMAP_VALUES.filter(([value]) => !NO_LIVE || value === "total_allocated"), ...machine];
	}

	// The values differ between the whole recording and a selection.
	reset() {
		const values = this.values();
		this.value = keptValue(values, this.wanted);
		this.rows = selection ? selectedRows("sites", "site") :
			[...rowsOf(DATA.sites), ...otherSites()];
		this.bar.replaceChildren(labelled("Value", choice(values, this.value, (value) => {
			this.value = this.wanted = value;
			this.draw(this.field.clientWidth);
		})));
	}

	isOfMachine() {
		return [TREEMAP_MACHINE, TREEMAP_USED].some(([value]) => value === this.value);
	}

	// Groups of rows with a sum, the largest first.
	groups(rows, key) {
		const groups = new Map();
		for (const row of rows.filter((r) => r[this.value] > 0)) {
			const group = groups.get(row[key]) || { name: row[key], rows: [], value: 0 };
			group.rows.push(row);
			group.value += row[this.value];
			groups.set(row[key], group);
		}
		return [...groups.values()].sort((a, b) => b.value - a.value);
	}

	place(groups, box) {
		const total = sum(groups, (group) => group.value);
		const area = box.width * box.height;
		return squarify(groups.map((group) => ({ ...group, area: area * group.value / total })), box);
	}

	draw(width) {
		const height = Math.min(TREEMAP_HEIGHT_MAX,
			Math.max(TREEMAP_HEIGHT_MIN, width * TREEMAP_RATIO));
		const kinds = this.groups(this.isOfMachine() ? this.machine : this.rows, "kind");
		const focused = this.field.contains(document.activeElement) &&
			document.activeElement.dataset.site;
		this.note.textContent = treemapNotes(this.value);
		this.field.style.height = `${height}px`;
		this.field.replaceChildren();
		this.total = sum(kinds, (kind) => kind.value);
		this.small = [];
		for (const box of this.place(kinds, { left: 0, top: 0, width, height }))
			this.drawKind(box);
		const all = this.isOfMachine() ? `${this.value === "used" ? "used" : "MemTotal"} ` +
			`${exactText("bytes", this.total)}: ` : "";
		this.info.textContent = (all + kinds.map((kind) =>
			`${kind.name} ${sizeText(kind.value)}`).join(", ") || "Nothing to show") +
			`${this.smallText()}.`;
		this.focusable(this.field.querySelector("button"));
		if (focused)
			this.focusOn(focused);
	}

	focusOn(site) {
		const buttons = [...this.field.querySelectorAll("button")];
		const button = buttons.find((b) => b.dataset.site === site) || buttons[0];
		if (!button)
			return;
		this.focusable(button);
		button.focus({ preventScroll: true });
	}

	drawKind(box) {
		const inner = this.titled(box, "kind", kindHue(box.item.name));
		const modules = this.groups(box.item.rows, "module");
		if (!inner)
			return this.leaveOut(box.item.rows);
		for (const part of this.place(modules, inner))
			this.drawModule(part, box.item.name, modules.length > 1);
		return null;
	}

	drawModule(box, kind, hasTitle) {
		const inner = hasTitle ? this.titled(box, "module", hueOf(box.item.name)) : box;
		if (!inner)
			return this.leaveOut(box.item.rows);
		const sites = box.item.rows.map((row) => ({ row, name: row.site, value: row[this.value] }))
			.sort((a, b) => b.value - a.value);
		for (const part of this.place(sites, inner))
			if (part.width >= 3 && part.height >= 3)
				this.field.append(this.siteButton(part, kind));
			else
				this.leaveOut([part.item.row]);
		return null;
	}

	leaveOut(rows) {
		this.small.push(...rows.map((row) => row[this.value]));
		return null;
	}

	// A frame with a title, if there is room for one. Return: the room in it.
	titled(box, name, hue) {
		if (box.width < 6 || box.height < 6)
			return null;
		const title = box.height > 3 * TREEMAP_TITLE ? TREEMAP_TITLE : 0;
		const frame = element("div", { class: `frame ${name}` },
			title ? `${box.item.name} ${sizeText(box.item.value)}` : "");
		setBox(frame, box);
		frame.style.setProperty("--hue", hue);
		this.field.append(frame);
		return { left: box.left + 2, top: box.top + title, width: box.width - 4,
			height: box.height - title - 2 };
	}

	siteButton(box, kind) {
		const { item } = box;
		const text = `${item.name} (${kind}): ${exactText("bytes", item.value)}, ` +
			`${percentText(item.value, this.total)} of the map`;
		const button = element("button", { type: "button", title: text, "aria-label": text,
			"data-site": `${kind} ${item.row.module} ${item.name}`, tabindex: -1, click: () => this.open(item.row),
			focus: () => this.describe(text), pointerenter: () => this.describe(text),
			keydown: (event) => this.key(event, button) },
		box.width > 40 && box.height > 16 ? item.name : "");
		setBox(button, box);
		button.style.background = fieldColour(fieldHue(item.row.module, kind), item.name);
		return button;
	}

	open(row) {
		if (row.index >= 0)
			showDetails(TABLES[0], row);
	}

	smallText() {
		return this.small.length ? `. ${this.small.length} sites with together ` +
			`${sizeText(sum(this.small, (value) => value))} are too small to be drawn` : "";
	}

	describe(text) {
		this.info.textContent = text;
	}

	// Tab reaches one site; the arrow keys go to the next and the previous one.
	focusable(button) {
		if (this.reached)
			this.reached.tabIndex = -1;
		this.reached = button;
		if (button)
			button.tabIndex = 0;
	}

	key(event, button) {
		const buttons = [...this.field.querySelectorAll("button")];
		const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
		const to = step && buttons[buttons.indexOf(button) + step];
		if (!to)
			return;
		event.preventDefault();
		this.focusable(to);
		to.focus();
	}
}

function setBox(part, box) {
	part.style.left = `${box.left}px`;
	part.style.top = `${box.top}px`;
	part.style.width = `${Math.max(0, box.width - 1)}px`;
	part.style.height = `${Math.max(0, box.height - 1)}px`;
}

// What the areas are, and what they leave out.
function treemapNotes(value) {
	const left = DATA.sites.left_out;
	const notes = ["The area of a field is the memory of a call site.", PAGES_NOTE];
	if (value === "peak")
		notes.push("Each site has its own peak, at its own time: the sum was never live at one time.",
			left ? `${left} sites with the lowest peaks are left out.` : "");
	else if (selection)
		notes.push(historyNote(DATA.sites.flows, left, "sites"));
	else if (left)
		notes.push(`${left} sites with ${IS_STATE ? "least live memory" : "the lowest peaks"} ` +
			"are summed up as (other sites).");
	return [...notes, machineNote()].filter((note) => note).join(" ");
}

function showTreemap() {
	new Treemap(byId("treemap"));
}
