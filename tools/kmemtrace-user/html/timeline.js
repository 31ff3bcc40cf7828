// SPDX-License-Identifier: GPL-2.0-only
// Live memory over time, and the selection of a part of it.
"use strict";

const CHART_HEIGHT = 240;
const CHART_MARGIN = { left: 62, right: 10, top: 10, bottom: 24 };

function noTimeline() {
	if (IS_STATE)
		return "Accounting has no history: record, to see live memory over time.";
	if (NO_LIVE)
		return `What is live is not known: ${NO_LIVE}.`;
	if (noRecords())
		return noRecords();
	return "The records have no times: record with the feature time.";
}

// The lines that can be shown: {name, series, hue}.
function timelineLines(group) {
	const rows = rowsOf(DATA[group]);
	return TIMELINE[group].map((series, i) => {
		const row = rows[series.row];
		const name = group === "kinds" ? row.kind : `${row.site} (${row.kind})`;
		return { name, series,
			hue: group === "kinds" ? kindHue(row.kind) : (i * 47 + 200) % 360 };
	});
}

function bytesStep(highest) {
	let step = 1;
	while (highest / step > 4)
		step *= 2;
	return step;
}

class Timeline {
	constructor(place) {
		this.group = "kinds";
		this.anchor = null;
		this.svg = drawing("svg", { class: "chart", role: "img",
			"aria-label": "Live bytes over time", height: CHART_HEIGHT });
		this.frame = element("div", { class: "chart-frame" }, this.svg);
		this.legend = element("ul", { class: "legend" });
		this.readout = element("p", { class: "note readout" });
		place.append(this.controls(), this.frame, this.readout, this.legend);
		place.addEventListener("keydown", (event) => {
			if (event.key === "Escape")
				select(null);
		});
		this.svg.addEventListener("pointerdown", (event) => this.beginBrush(event));
		this.svg.addEventListener("pointermove", (event) => this.movePointer(event));
		this.svg.addEventListener("pointerup", () => this.endBrush());
		for (const lost of ["pointercancel", "lostpointercapture"])
			this.svg.addEventListener(lost, () => this.undoBrush());
		onWidth(this.frame, (width) => this.draw(width));
		onSelection(() => this.showSelection());
		this.describe(null);
	}

	controls() {
		const last = stepCount() - 1;
		const handle = (value, change) => element("input", { type: "range", min: 0,
			max: last, value, input: change });
		this.from = handle(0, () => this.moveHandle(this.from, this.to, -1));
		this.to = handle(last, () => this.moveHandle(this.to, this.from, 1));
		return element("div", { class: "controls" },
			labelled("Lines", choice([["kinds", "kinds of memory"],
				["sites", "sites with the highest peaks"]], this.group, (group) => {
				this.group = group;
				this.draw(this.frame.clientWidth);
			})),
			labelled("From", this.from), labelled("To", this.to),
			element("button", { type: "button", click: () => select(null) },
				"Whole recording"));
	}

	// A handle that passes the other one takes it along.
	moveHandle(moved, other, sign) {
		if ((moved.value - other.value) * sign < 0)
			other.value = moved.value;
		select({ from: Number(this.from.value), to: Number(this.to.value) });
	}

	lines() {
		return timelineLines(this.group);
	}

	x(ns) {
		const width = this.width - CHART_MARGIN.left - CHART_MARGIN.right;
		return CHART_MARGIN.left + width * ns / (this.end || 1);
	}

	y(bytes) {
		const height = CHART_HEIGHT - CHART_MARGIN.top - CHART_MARGIN.bottom;
		return CHART_MARGIN.top + height * (1 - bytes / (this.highest || 1));
	}

	draw(width) {
		const lines = this.lines();
		this.width = width;
		this.end = TIMELINE.ends[TIMELINE.ends.length - 1];
		this.highest = Math.max(1, ...lines.map((line) => line.series.peak));
		this.svg.setAttribute("width", width);
		this.svg.setAttribute("viewBox", `0 0 ${width} ${CHART_HEIGHT}`);
		this.brush = drawing("rect", { class: "brush", y: CHART_MARGIN.top,
			height: CHART_HEIGHT - CHART_MARGIN.top - CHART_MARGIN.bottom });
		this.cursor = drawing("line", { class: "cursor", y1: CHART_MARGIN.top,
			y2: CHART_HEIGHT - CHART_MARGIN.bottom, visibility: "hidden" });
		this.svg.replaceChildren(...this.grid(), this.brush,
			...lines.map((line) => this.path(line)), ...this.losses(), ...this.peak(), this.cursor);
		this.legend.replaceChildren(...lines.map((line) => this.legendItem(line)),
			...this.peakItems(), ...this.lossItems());
		this.showSelection();
	}

	grid() {
		const parts = [];
		const bytes = bytesStep(this.highest);
		for (let n = 0; n <= this.highest; n += bytes)
			parts.push(drawing("line", { class: "grid", x1: CHART_MARGIN.left,
				x2: this.width - CHART_MARGIN.right, y1: this.y(n), y2: this.y(n) }),
			drawing("text", { x: CHART_MARGIN.left - 6, y: this.y(n) + 4,
				"text-anchor": "end" }, n < 10000 ? `${n} B` : bytesText(n)));
		const ns = roundStep(this.end, Math.max(2, Math.floor(this.width / 110)));
		const start = TIMELINE.start_ns;
		for (let t = Math.ceil(start / ns) * ns - start; t <= this.end; t += ns)
			parts.push(drawing("text", { x: this.x(t), y: CHART_HEIGHT - 6,
				"text-anchor": this.anchorAt(t) }, clockText(t, digitsOf(ns))));
		return parts;
	}

	// The first and the last text must not leave the chart.
	anchorAt(ns) {
		if (this.x(ns) < 40)
			return "start";
		return this.width - this.x(ns) < 40 ? "end" : "middle";
	}

	// The moment when all live memory was highest, as --at peak finds it.
	peak() {
		const ns = DATA.report.peak && DATA.report.peak.time_ns;
		if (!ns)
			return [];
		const x = this.x(ns - TIMELINE.start_ns);
		return [drawing("line", { class: "peak", x1: x, x2: x, y1: CHART_MARGIN.top,
			y2: CHART_HEIGHT - CHART_MARGIN.bottom })];
	}

	peakItems() {
		const { peak } = DATA.report;
		return peak && peak.time_ns ? [element("li", {}, element("span", { class: "swatch peak" }),
			`live memory was highest: ${sizeText(peak.bytes)} at ` +
			clockText(peak.time_ns - TIMELINE.start_ns))] : [];
	}

	// The highest value of each bucket.
	path(line) {
		let path = `M${this.x(0)},${this.y(0)}`;
		line.series.highest.forEach((bytes, i) => {
			path += `V${this.y(bytes).toFixed(1)}H${this.x(TIMELINE.ends[i]).toFixed(1)}`;
		});
		return drawing("path", { class: "line", d: path,
			style: `--hue: ${line.hue}` });
	}

	losses() {
		return TIMELINE.total.lost.flatMap((lost, i) => lost ? [drawing("rect",
			{ class: "lost", x: this.x(TIMELINE.ends[i]) - 1, y: CHART_MARGIN.top,
				width: 3, height: 8 })] : []);
	}

	legendItem(line) {
		return element("li", {}, element("span", { class: "swatch",
			style: `--hue: ${line.hue}` }), `${line.name}: peak ${sizeText(line.series.peak)} at ` +
			clockText(line.series.peak_ns - TIMELINE.start_ns));
	}

	lossItems() {
		const lost = sum(TIMELINE.total.lost, (n) => n);
		return lost ? [element("li", {}, element("span", { class: "swatch lost" }),
			`${pluralText(lost, "lost event")} at the marks on top`)] : [];
	}

	// --- pointer ---------------------------------------------------------------

	timeAt(event) {
		const box = this.svg.getBoundingClientRect();
		const width = this.width - CHART_MARGIN.left - CHART_MARGIN.right;
		const part = (event.clientX - box.left - CHART_MARGIN.left) / width;
		return Math.min(1, Math.max(0, part)) * this.end;
	}

	stepAt(event) {
		const time = this.timeAt(event);
		let step = 0;
		while (step + 1 < stepCount() && stepEnd(step) < time)
			step++;
		return step;
	}

	beginBrush(event) {
		if (event.button !== 0)
			return;
		this.anchor = this.stepAt(event);
		this.before = selection;
		this.svg.setPointerCapture(event.pointerId);
		event.preventDefault();
	}

	movePointer(event) {
		const step = this.stepAt(event);
		if (!(event.buttons & 1))
			this.anchor = null;
		if (this.anchor !== null)
			selectSoon({ from: Math.min(step, this.anchor), to: Math.max(step, this.anchor) });
		this.describe(this.timeAt(event));
	}

	endBrush() {
		selectWaiting();
		this.anchor = null;
	}

	// The browser takes the pointer if a finger scrolls the page.
	undoBrush() {
		if (this.anchor !== null)
			select(this.before);
		this.anchor = null;
	}

	describe(time) {
		if (time === null) {
			this.readout.replaceChildren(element("span", { class: "hint" }, "Drag in the chart, " +
				"or move From and To with the arrow keys, to select a time. Escape: the whole " +
				"recording."));
			return;
		}
		const found = TIMELINE.ends.findIndex((end) => end >= time);
		const at = found < 0 ? TIMELINE.ends.length - 1 : found;
		const lost = TIMELINE.total.lost[at];
		this.cursor.setAttribute("visibility", "visible");
		this.cursor.setAttribute("x1", this.x(time));
		this.cursor.setAttribute("x2", this.x(time));
		this.readout.textContent = `${clockText(TIMELINE.ends[at])}: ` +
			this.lines().map((line) => `${line.name} ${sizeText(line.series.live[at])}`).join(", ") +
			(lost ? `; ${lost} events lost` : "");
	}

	// --- selection ---------------------------------------------------------------

	showSelection() {
		const last = stepCount() - 1;
		const shown = selection || { from: 0, to: last };
		const left = this.x(stepStart(shown.from)), right = this.x(stepEnd(shown.to));
		this.from.value = shown.from;
		this.to.value = shown.to;
		this.from.setAttribute("aria-valuetext", clockText(stepStart(shown.from)));
		this.to.setAttribute("aria-valuetext", clockText(stepEnd(shown.to)));
		if (!this.brush)
			return;
		this.brush.setAttribute("visibility", selection ? "visible" : "hidden");
		this.brush.setAttribute("x", left);
		this.brush.setAttribute("width", Math.max(1, right - left));
	}
}

function describeSelection() {
	byId("selection").textContent = selection ?
		`Selected: ${selectionText()}. All parts below show allocations and frees ` +
		"in this time, and what was live at its end." :
		"The stacks, the tree map and the tables below show the whole recording.";
}

function showTimeline() {
	if (!TIMELINE) {
		byId("timeline").append(element("p", {}, noTimeline()));
		return;
	}
	if (TIMELINE.counts_twice)
		byId("timeline").append(element("p", { class: "note" }, PAGES_NOTE));
	new Timeline(byId("timeline"));
	describeSelection();
	onSelection(describeSelection);
}
