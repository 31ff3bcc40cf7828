// SPDX-License-Identifier: GPL-2.0-only
// The summary: figures and sentences of report -v.
"use strict";

function stateFacts() {
	return [["kernel", DATA.kernel || "not known"],
		...rowsOf(DATA.kinds).map((row) => [`live ${row.kind}`, bytesText(row.live),
			exactText("bytes", row.live)])];
}

function recordingFacts() {
	const r = DATA.report;
	const facts = [
		["kernel", r.kernel || "not known"],
		["events", exactText("count", r.events)],
		["duration", r.seconds ? `${r.seconds.toFixed(3)} s` : "not known"],
		["lost events", exactText("count", r.lost_events)],
	];
	if (r.no_live)
		facts.push(["live", "not known"]);
	else
		for (const [name, live] of Object.entries(r.live))
			facts.push([`live ${name}`, bytesText(live.bytes),
				`${exactText("bytes", live.bytes)}, uncertain ` +
				exactText("bytes", live.uncertain)]);
	if (r.peak)
		facts.push(["peak", bytesText(r.peak.bytes), exactText("bytes", r.peak.bytes)]);
	if (r.filter)
		facts.push(["filter", r.filter]);
	return facts;
}

function showSummary() {
	document.title = `kmemtrace: ${DATA.title}`;
	byId("title").textContent = DATA.title;
	for (const [name, text, exact] of IS_STATE ? stateFacts() : recordingFacts())
		byId("facts").append(element("div", { class: name === "lost events" &&
			DATA.report.lost_events ? "warn" : "" },
		element("dt", {}, name), element("dd", { title: exact }, text)));
	for (const line of DATA.words)
		byId("words").append(element("span", { class: /^(LOST|NOTE|Events are missing)/.test(line) ?
			"warn" : "" }, line + "\n"));
	new FigureTable(byId("summary-table"), {
		caption: "Kinds of memory",
		columns: tableColumns(DATA.kinds, ["kind", "live", "live_low", "live_high", "peak",
			"objects", "allocs", "frees", "req", "alloc", "waste", "live_req", "waste_bytes"]
			.filter((key) => IS_STATE || !["live_req", "waste_bytes"].includes(key))),
		rows: rowsOf(DATA.kinds),
		sort: NO_LIVE ? "alloc" : "live",
		plain: true,
	});
}

// --- the theme ----------------------------------------------------------------------

function prepareTheme() {
	byId("theme").addEventListener("change", () => {
		document.documentElement.dataset.theme = byId("theme").value;
	});
}
