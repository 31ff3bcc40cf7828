// SPDX-License-Identifier: GPL-2.0-only
// Tables that can be sorted and filtered.
"use strict";

const ROWS_AT_FIRST = 50;

// The columns of a table of the document, by their keys; keys that it lacks are left out.
// The bounds are of interest only if they differ from the figures.
function tableColumns(table, keys) {
	const isUncertain = rowsOf(table).some((row) =>
		row.live_low !== row.live || row.live_high !== row.live);
	return keys.map((key) => (table.columns || []).find((c) => c[0] === key))
		.filter((c) => c && (isUncertain || !["live_low", "live_high"].includes(c[0])))
		.map(([key, title, kind, words]) => ({ key, title, kind, words }));
}

// Unknown values come last. Figures begin with the largest, texts with "a".
function compareRows(column, up) {
	const sign = up ? 1 : -1, rank = column.rank || ((value) => value);
	return (a, b) => {
		const x = rank(a[column.key]), y = rank(b[column.key]);
		if (x === y)
			return 0;
		if (x === null || x === undefined)
			return 1;
		if (y === null || y === undefined)
			return -1;
		return (x < y ? -1 : 1) * sign;
	};
}

// What is shown: caption, columns: [{key, title, kind, rank: what is compared instead of the
// value, warns(value): it is marked}], rows, sort: key of a column,
// open(row): called for a row that is chosen, plain: without a filter, choices: what the
// reader chose in the table before: {word, key, up, shown}, which the table keeps up to date.
class FigureTable {
	constructor(place, what) {
		this.what = what;
		this.choices = what.choices || {};
		this.sortAtFirst();
		this.filter = element("input", { type: "search", input: () => {
			this.choices.word = this.filter.value;
			this.fill();
		} });
		this.filter.value = this.choices.word || "";
		this.count = element("span", { class: "note" });
		this.head = element("tr");
		this.body = element("tbody");
		this.more = element("button", { type: "button", click: () => this.showMore() });
		this.scroller = element("div", { class: "scroller", tabindex: 0, role: "region",
			"aria-label": what.caption },
		element("table", {}, element("caption", {}, what.caption),
			element("thead", {}, this.head), this.body));
		if (!what.plain)
			place.append(element("div", { class: "controls" },
				labelled("Filter", this.filter), this.count));
		place.append(this.scroller, this.more, columnHelp(what.columns));
		this.fill();
	}

	sortAtFirst() {
		const { columns, sort } = this.what;
		const chosen = columns.find((c) => c.key === this.choices.key);
		this.sortBy(chosen || columns.find((c) => c.key === sort) || columns[0]);
		if (chosen)
			this.up = this.choices.up;
	}

	sortBy(column) {
		this.up = column === this.column ? !this.up : column.kind === "text";
		this.column = column;
	}

	shown() {
		return this.choices.shown || ROWS_AT_FIRST;
	}

	// The focus goes to the first row that was not shown.
	showMore() {
		const first = this.shown();
		this.choices.shown = first * 4;
		this.fill();
		const row = this.body.children[first];
		row.tabIndex = -1;
		(row.querySelector("button") || row).focus();
	}

	matching() {
		const word = this.filter.value.toLowerCase();
		const texts = this.what.columns.filter((c) => c.kind === "text");
		return this.what.rows.filter((row) => !word ||
			texts.some((c) => String(row[c.key]).toLowerCase().includes(word)));
	}

	fill() {
		const rows = this.matching().sort(compareRows(this.column, this.up));
		const shown = rows.slice(0, this.shown());
		this.head.replaceChildren(...this.what.columns.map((c) => this.headCell(c)));
		this.body.replaceChildren(...shown.map((row) => this.bodyRow(row)));
		this.count.textContent = `${rows.length} of ${this.what.rows.length} rows` +
			(shown.length < rows.length ? `; the first ${shown.length} are shown` : "");
		this.more.hidden = shown.length === rows.length;
		this.more.textContent = `Show more rows (${rows.length - shown.length} are left)`;
	}

	headCell(column) {
		const isSorted = column === this.column;
		const button = element("button", { type: "button", click: () => {
			this.sortBy(column);
			Object.assign(this.choices, { key: column.key, up: this.up });
			this.fill();
			this.focusOn(column);
		} }, column.title, element("span", { "aria-hidden": "true" },
			isSorted ? (this.up ? " \u25b2" : " \u25bc") : ""));
		return element("th", { scope: "col", class: column.kind,
			title: column.words, "aria-sort": isSorted ? (this.up ? "ascending" : "descending") : "none" },
		button);
	}

	focusOn(column) {
		this.head.children[this.what.columns.indexOf(column)].firstChild.focus();
	}

	bodyRow(row) {
		return element("tr", {}, ...this.what.columns.map((c) => this.bodyCell(c, row)));
	}

	bodyCell(column, row) {
		const value = row[column.key] === undefined ? null : row[column.key];
		const text = figureText(column.kind, value);
		const opens = this.what.open && column.key === this.what.opens && row.index >= 0;
		const warns = column.warns && column.warns(value);
		return element("td", { class: column.kind + (warns ? " warn" : ""),
			title: exactText(column.kind, value) },
		opens ? element("button", { type: "button", class: "link",
			"data-row": row.index,
			click: () => this.what.open(row) }, text) : text);
	}
}
