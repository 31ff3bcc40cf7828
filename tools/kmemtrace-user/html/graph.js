// SPDX-License-Identifier: GPL-2.0-only
// The icicle graph of stacks.
"use strict";

const FRAME_HEIGHT = 22;
const FRAMES_MAX = 3000;

const GRAPH_VALUES = [
	["live", "live bytes at the end"], ["peak", "live bytes at the peak"],
	["alloc", "allocated bytes"], ["leaked", "leaked bytes"],
	["temporary", "temporary bytes"],
	["objects", "live allocations at the end"], ["peak_objects", "live allocations at the peak"],
	["allocs", "allocations"], ["leaked_objects", "leaked allocations"],
	["temporary_objects", "temporary allocations"],
];
const GRAPH_SELECTED_VALUES = [
	["alloc", "allocated bytes"], ["freed", "freed bytes, by the stack of the allocation"],
	["live", "live bytes at its end"], ["allocs", "allocations"],
	["frees", "frees, by the stack of the allocation"],
];

// --- the tree ----------------------------------------------------------------------

function newNode(name, title, module) {
	return { name, title, module, value: 0, below: new Map(), parent: null };
}

function childOf(node, key, make) {
	let child = node.below.get(key);
	if (!child) {
		child = make();
		child.parent = node;
		child.key = key;
		node.below.set(key, child);
	}
	return child;
}

function frameNode(number) {
	const [name, module] = STACKS.frames[number];
	return newNode(name, frameText(number), module);
}

// A tree of the stacks of one class of memory.
function makeTree(stacks, kind, fromLeaf) {
	const root = newNode(kind, kind, "");
	for (const stack of stacks.filter((s) => CLASS_OF[s.kind] === kind)) {
		let node = root;
		root.value += stack.value;
		if (!stack.frames) {
			childOf(root, OTHER_STACKS, () => newNode(OTHER_STACKS, OTHER_STACKS, ""))
				.value += stack.value;
			continue;
		}
		for (const frame of fromLeaf ? [...stack.frames].reverse() : stack.frames) {
			node = childOf(node, frame, () => frameNode(frame));
			node.value += stack.value;
		}
	}
	return root;
}

function sortedBelow(node) {
	return [...node.below.values()].sort((a, b) => b.value - a.value ||
		(a.title < b.title ? -1 : 1));
}

// --- the graph -----------------------------------------------------------------------

class Graph {
	constructor(place) {
		this.kind = "";
		this.fromLeaf = false;
		this.search = element("input", { type: "search", input: () => this.find() });
		this.field = element("div", { class: "icicle", role: "group",
			"aria-label": "Stacks, one row for each depth",
			keydown: (event) => this.key(event) });
		this.status = element("p", { class: "note", role: "status" });
		this.info = element("p", { class: "note readout" });
		this.bar = element("div", { class: "controls" });
		place.append(this.bar, this.field, this.info, this.status);
		this.reset();
		onSelection(() => this.reset());
		onWidth(this.field, () => this.draw());
	}

	values() {
		return selection ? GRAPH_SELECTED_VALUES :
			GRAPH_VALUES.filter(([value]) => isKnown(value));
	}

	unit() {
		return /objects|allocs|frees/.test(this.value) ? "count" : "bytes";
	}

	// The values differ between the whole recording and a selection.
	reset() {
		const values = this.values();
		this.value = keptValue(values, this.wanted) || "alloc";
		this.load(true);
		this.bar.replaceChildren(
			labelled("Value", choice(values, this.value, (value) => {
				this.value = this.wanted = value;
				this.load(true);
			})),
			labelled("Kind", this.kinds = choice(["pages", "slab", "percpu"].map((k) => [k, k]),
				this.kind, (kind) => {
					this.kind = kind;
					this.load();
				})),
			labelled("Order", choice([["callers", "callers first"],
				["sites", "call sites first"]], this.fromLeaf ? "sites" : "callers", (order) => {
				this.fromLeaf = order === "sites";
				this.load();
			})),
			labelled("Search", this.search));
	}

	// keepsZoom: the functions in which the graph is zoomed are in the tree again.
	load(keepsZoom = false) {
		const path = keepsZoom && this.zoomed ? this.keysTo(this.zoomed) : [];
		this.stacks = selection ? stacksInSelection(this.value) : stacksWith(this.value);
		if (!this.kind)
			this.kind = this.largestKind();
		this.root = makeTree(this.stacks, this.kind, this.fromLeaf);
		this.zoomed = this.follow(path);
		this.draw();
		this.find();
	}

	largestKind() {
		const sums = { pages: 0, slab: 0, percpu: 0 };
		this.stacks.forEach((s) => { sums[CLASS_OF[s.kind]] += s.value; });
		return Object.keys(sums).sort((a, b) => sums[b] - sums[a])[0];
	}

	// Buttons for all nodes that are wide enough, row by row.
	draw() {
		const focused = this.focusedNode();
		const path = focused ? this.keysTo(focused) : [];
		const width = this.field.clientWidth || 360;
		const boxes = [];
		let depth = 0;
		let row = this.pathTo(this.zoomed).map((node) => {
			boxes.push({ node, left: 0, width: 100, depth });
			return [{ node, left: 0, width: 100, depth: depth++ }];
		}).pop();
		while (row.length && boxes.length < FRAMES_MAX) {
			row = row.flatMap((box) => this.boxesBelow(box, 200 / width));
			boxes.push(...row);
		}
		this.depth = Math.max(...boxes.map((box) => box.depth)) + 1;
		this.field.style.height = `${this.depth * FRAME_HEIGHT}px`;
		this.buttons = new Map();
		this.field.replaceChildren(...boxes.map((box) => this.button(box)));
		this.focusable(this.zoomed);
		if (focused)
			this.focusOn(this.follow(path));
		this.find();
	}

	pathTo(node) {
		const path = [];
		for (let up = node; up; up = up.parent)
			path.unshift(up);
		return path;
	}

	keysTo(node) {
		return this.pathTo(node).slice(1).map((up) => up.key);
	}

	// The node at the end of a path, or where the path leaves the tree.
	follow(path) {
		let node = this.root;
		for (const key of path) {
			if (!node.below.has(key))
				break;
			node = node.below.get(key);
		}
		return node;
	}

	boxesBelow(box, least) {
		const boxes = [];
		let left = box.left;
		for (const node of sortedBelow(box.node)) {
			const width = box.width * node.value / (box.node.value || 1);
			if (width < least)
				break;
			boxes.push({ node, left, width, depth: box.depth + 1 });
			left += width;
		}
		return boxes;
	}

	button(box) {
		const { node } = box;
		const text = this.nodeText(node);
		const button = element("button", { type: "button", title: text, tabindex: -1,
			click: () => this.zoom(node), focus: () => this.describe(node),
			pointerenter: () => this.describe(node) }, node.name);
		button.setAttribute("aria-label", text);
		button.style.left = `${box.left}%`;
		button.style.width = `${box.width}%`;
		button.style.top = `${box.depth * FRAME_HEIGHT}px`;
		button.style.background = fieldColour(fieldHue(node.module, this.kind), node.name);
		this.buttons.set(node, button);
		return button;
	}

	nodeText(node) {
		return `${node.title}: ${exactText(this.unit(), node.value)}, ` +
			`${percentText(node.value, this.root.value)} of ${this.kind}`;
	}

	describe(node) {
		this.info.textContent = this.nodeText(node);
	}

	zoom(node) {
		this.zoomed = node;
		this.draw();
		this.buttons.get(node).focus();
	}

	// --- keyboard: one button can be reached by Tab, the arrow keys go to others -----

	focusable(node) {
		if (this.reached && this.buttons.has(this.reached))
			this.buttons.get(this.reached).tabIndex = -1;
		this.reached = node;
		this.buttons.get(node).tabIndex = 0;
	}

	focusedNode() {
		return [...(this.buttons || new Map()).keys()].find((node) =>
			this.buttons.get(node) === document.activeElement);
	}

	// A node that is too narrow has no button.
	focusOn(node) {
		while (!this.buttons.has(node))
			node = node.parent;
		this.focusable(node);
		this.buttons.get(node).focus({ preventScroll: true });
	}

	key(event) {
		const node = this.focusedNode();
		if (!node)
			return;
		if (event.key === "Escape") {
			this.zoom(node.parent && this.zoomed !== this.root ? this.zoomed.parent : this.root);
			return;
		}
		const to = this.neighbour(node, event.key);
		if (!to || !this.buttons.has(to))
			return;
		event.preventDefault();
		this.focusable(to);
		this.buttons.get(to).focus();
	}

	neighbour(node, key) {
		const level = node.parent ? sortedBelow(node.parent) : [node];
		switch (key) {
		case "ArrowUp":
			return node.parent;
		case "ArrowDown":
			return sortedBelow(node)[0];
		case "ArrowLeft":
			return level[level.indexOf(node) - 1];
		case "ArrowRight":
			return level[level.indexOf(node) + 1];
		default:
			return null;
		}
	}

	// --- search ------------------------------------------------------------------------

	matches(node, word) {
		return node.title.toLowerCase().includes(word);
	}

	// A function in a function that matches does not count again.
	matchedBelow(node, word) {
		if (this.matches(node, word))
			return node.value;
		return sum([...node.below.values()], (child) => this.matchedBelow(child, word));
	}

	// Matching nodes in the zoomed part, also those that are not drawn.
	countMatches(node, word) {
		return this.matches(node, word) +
			sum([...node.below.values()], (child) => this.countMatches(child, word));
	}

	isZoomed(node) {
		return this.pathTo(node).includes(this.zoomed);
	}

	searchText(word, drawn) {
		const { zoomed } = this;
		const found = this.countMatches(zoomed, word), value = this.matchedBelow(zoomed, word);
		const narrow = found > drawn ? ` (${found - drawn} of them too narrow to be drawn)` : "";
		return `${found} fields match${narrow}: ${exactText(this.unit(), value)}, ` +
			`${percentText(value, zoomed.value)} of ${zoomed.name}`;
	}

	find() {
		const word = this.search.value.toLowerCase();
		let drawn = 0;
		for (const [node, button] of this.buttons || []) {
			const hit = word !== "" && this.matches(node, word);
			drawn += hit && this.isZoomed(node);
			button.classList.toggle("hit", hit);
			button.classList.toggle("dim", word !== "" && !hit);
		}
		this.status.replaceChildren(...word ? [this.searchText(word, drawn)] :
			[`${this.kind}: ${exactText(this.unit(), this.root.value)}. `, element("span",
				{ class: "hint" }, "Click or Enter: zoom in; Escape: zoom out; arrow keys: " +
				"other functions.")]);
	}
}

function graphNotes() {
	const notes = [];
	if (noRecords())
		return noRecords();
	if (selection)
		notes.push(historyNote(STACKS.flows, STACKS.left_out, "stacks"));
	else if (STACKS.left_out)
		notes.push(`${STACKS.left_out} small stacks are summed up as ${OTHER_STACKS}.`);
	if (!haveCallers())
		notes.push("No stacks were recorded, so each stack is a call site alone. To see callers, record with " +
			"--features +stack.");
	if (isKnown("leaked"))
		notes.push("Leaked: live at the end, from the sites that the table Leaks names.");
	else
		notes.push(`Leaked bytes are not known: ${DATA.leaks.why}.`);
	return notes.filter((note) => note).join(" ");
}

function showGraph() {
	if (!STACKS) {
		byId("graph").append(element("p", {}, "Accounting has no stacks: record with --features +stack."));
		return;
	}
	const note = element("p", { class: "note" }, graphNotes());
	onSelection(() => { note.textContent = graphNotes(); });
	byId("graph").append(note);
	new Graph(byId("graph"));
}
