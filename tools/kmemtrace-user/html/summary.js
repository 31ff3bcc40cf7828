// SPDX-License-Identifier: GPL-2.0-only
// The summary: figures and sentences of report -v.
"use strict";

function stateFacts() {
	return [["kernel", DATA.kernel || "not known"],
		...rowsOf(DATA.kinds).map((row) => [`live ${row.kind}`, sizeText(row.live),
			exactText("bytes", row.live)])];
}

// The times of --since and --until, which the clock of the recording has.
function partText(r) {
	const time = (ns) => `${(ns / 1e9).toFixed(6)} s`;
	if (r.from_ns === undefined)
		return "";
	return `${r.from_ns ? `from ${time(r.from_ns)}` : "from the start"} to ` +
		(r.to_ns === undefined ? "the end" : time(r.to_ns));
}

function recordingFacts() {
	const r = DATA.report;
	const facts = [
		["kernel", r.kernel || "not known"],
		["events", exactText("count", r.events)],
		["duration", r.seconds ? timeText(Math.round(r.seconds * 1e9)) : "not known"],
		["lost events", exactText("count", r.lost_events), null, r.lost_events > 0],
	];
	if (r.no_live)
		facts.push(["live", "not known"]);
	else
		for (const [name, live] of Object.entries(r.live))
			facts.push([`live ${name}`, sizeText(live.live) + (live.uncertain ?
				`, uncertain by ${sizeText(live.uncertain)}` : ""),
			exactText("bytes", live.live), live.uncertain > 0]);
	if (r.peak)
		facts.push(["peak", sizeText(r.peak.bytes), exactText("bytes", r.peak.bytes)]);
	if (partText(r))
		facts.push(["part of the recording", partText(r), "times of the recording's clock", true]);
	if (r.filter)
		facts.push(["filter", r.filter]);
	return facts;
}

function leakFacts() {
	return leakingSites() ? [["leaks", pluralText(leakingSites(), "site"), null, true]] : [];
}

function showSummary() {
	document.title = `kmemtrace: ${DATA.title}`;
	byId("title").textContent = DATA.title;
	for (const [name, text, exact, warns] of
		[...IS_STATE ? stateFacts() : recordingFacts(), ...leakFacts()])
		byId("facts").append(element("div", { class: warns ? "warn" : "" },
		element("dt", {}, name), element("dd", { title: exact }, text)));
	for (const line of DATA.words)
		byId("words").append(element("span", { class: /^(LOST|NOTE|Events are missing)/.test(line) ?
			"warn" : "" }, line + "\n"));
	new FigureTable(byId("summary-table"), {
		caption: "Kinds of memory",
		columns: tableColumns(DATA.kinds, ["kind", "live", "live_low", "live_high", "peak",
			"objects", "allocs", "frees", "total_requested", "total_allocated", "total_waste_percent", "requested", "waste"]
			.filter((key) => IS_STATE || !["requested", "waste"].includes(key))),
		rows: rowsOf(DATA.kinds),
		sort: NO_LIVE ? "total_allocated" : "live",
		plain: true,
	});
}

// --- the theme ----------------------------------------------------------------------

function prepareTheme() {
	byId("theme").addEventListener("change", () => {
		document.documentElement.dataset.theme = byId("theme").value;
	});
}
