// SPDX-License-Identifier: GPL-2.0-only
// The meaning of the columns of tables, in words.
"use strict";

const LIVE_WORDS = "bytes allocated and not freed";

// By the key of a column.
const COLUMN_WORDS = {
	site: "call site: the line or the function that allocates",
	cache: "slab cache of the objects",
	process: "process that allocated",
	kind: IS_STATE ? "kind of memory: objects on slabs, pages, or per-CPU memory" :
		"kind of memory: kmalloc, an own slab cache, pages, or per-CPU memory",
	module: "module that contains the call site; \"kernel\": the kernel itself",
	name: IS_STATE ? "name of the process" : "name of the row",
	pid: "number of the process",
	live: IS_STATE ? `${LIVE_WORDS} yet` : `${LIVE_WORDS} at the end of the recording`,
	live_low: "lower bound of LIVE, as events are missing",
	live_high: "upper bound of LIVE, as events are missing",
	live_req: "bytes that callers requested, of LIVE",
	objects: "number of live allocations",
	objects_low: "lower bound of OBJECTS",
	objects_high: "upper bound of OBJECTS",
	peak: "highest live bytes of the row at any time",
	peak_low: "lower bound of PEAK",
	peak_high: "upper bound of PEAK",
	allocs: "number of allocations",
	frees: "number of frees",
	req: "bytes that callers requested, of all allocations",
	alloc: "bytes that the kernel allocated for them, of all allocations",
	waste: "part of ALLOC that was not requested",
	waste_bytes: IS_STATE ? "live bytes that were not requested" :
		"bytes allocated and not requested, of all allocations",
	failed: "allocations that failed",
	remote_frees: "frees on another CPU than the allocation",
	implicit: "frees without an event: the address was allocated again",
	oldest_ms: "age of the oldest live object",
	pss: "resident memory; a page shared by N processes counts 1/N",
	rss: "resident memory, with all shared pages",
	uss: "resident memory of this process alone",
	shared: "resident memory shared with other processes",
	swap: "memory in swap",
	anon: "anonymous memory: not of files",
	file: "memory mapped from files",
	thp: "memory in huge pages",
	locked: "memory locked in RAM",
	size: "address space that is mapped",
};

const SELECTED_WORDS = {
	...COLUMN_WORDS,
	live: "live bytes at the end of the selected time",
	grown: "bytes allocated less bytes freed in the selected time",
	objects: "live allocations at the end of the selected time",
	allocs: "allocations in the selected time",
	alloc: "bytes allocated in the selected time",
	frees: "frees in the selected time",
	freed: "bytes freed in the selected time",
};

const WASTE_WORDS = {
	site: COLUMN_WORDS.site,
	bucket: "cache from which the objects come",
	saved: "bytes that the best remedy saves",
	waste: "live bytes that were not requested",
	percent: "WASTE as a part of LIVE",
	bytes: LIVE_WORDS,
	objects: COLUMN_WORDS.objects,
	requested: "live bytes that callers requested",
	asked: "live objects x requested bytes, of the most frequent sizes",
	advice: "a change of the code, and the bytes that it saves",
};

const LEAKS_WORDS = {
	location: COLUMN_WORDS.site,
	verdict: "what leaks concludes from the growth of old memory",
	growth_per_hour: "growth of old live bytes in an hour",
	growth_low: "lower bound of the growth",
	growth_high: "upper bound of the growth",
	live_bytes: LIVE_WORDS,
	live_objects: COLUMN_WORDS.objects,
	old_percent: "part of LIVE that is old",
	kept_percent: "part of the allocations that lived as long as was observed",
};

// A list of columns with their words; it is closed at first.
function columnHelp(columns) {
	const list = element("dl", { class: "words" }, ...columns.filter((c) => c.words).map((c) =>
		element("div", {}, element("dt", {}, c.title), element("dd", {}, c.words))));
	return element("details", {}, element("summary", {}, "What the columns mean"), list);
}
