// SPDX-License-Identifier: GPL-2.0-only
// The meaning of columns in words, where the page makes the columns.
"use strict";

const SITE_WORDS = "call site: the line or the function that allocates";
const LIVE_WORDS = "bytes that are allocated and not freed";

const SELECTED_WORDS = {
	live: "live bytes at the end of the selected time",
	grown: "bytes allocated less bytes freed in the selected time",
	objects: "live allocations at the end of the selected time",
	allocs: "allocations in the selected time",
	total_allocated: "bytes allocated in the selected time",
	frees: "frees in the selected time",
	freed: "bytes freed in the selected time",
};

const WASTE_WORDS = {
	site: SITE_WORDS,
	bucket: "cache from which the objects come",
	saved: "bytes that the best remedy saves",
	waste: "live bytes that were not requested",
	waste_percent: "WASTE as a part of LIVE",
	live: LIVE_WORDS,
	objects: "live allocations",
	requested: "live bytes that callers requested",
	asked: "live objects x requested bytes, of the most frequent sizes",
	advice: "a change of the code, and the bytes that it saves",
};

const LEAKS_WORDS = {
	site: SITE_WORDS,
	verdict: "what leaks concludes from the growth of old memory",
	growth_per_hour: "growth of old live bytes in an hour",
	growth_low: "lower bound of the growth",
	growth_high: "upper bound of the growth",
	live: LIVE_WORDS,
	objects: "live allocations",
	old_percent: "part of LIVE that is old",
	kept_percent: "part of the allocations that lived as long as was observed",
};

// A list of columns with their words; it is closed at first.
function columnHelp(columns) {
	const list = element("dl", { class: "words" }, ...columns.filter((c) => c.words).map((c) =>
		element("div", {}, element("dt", {}, c.title), element("dd", {}, c.words))));
	return element("details", {}, element("summary", {}, "What the columns mean"), list);
}
