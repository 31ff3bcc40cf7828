// SPDX-License-Identifier: GPL-2.0-only
// The tables of the commands waste and leaks, and details of their rows.
"use strict";

const REMEDIES = {
	cache: "a kmem_cache of their own",
	less: "smaller objects",
	align: "a kmem_cache with a lower alignment",
	exact: "alloc_pages_exact()",
};

// The rows that the page does not have, and their sums; "": it has all.
function leftOutNote(left) {
	if (!left || !left.rows)
		return "";
	const sums = Object.entries(left).filter(([key]) => key !== "rows")
		.map(([key, bytes]) => `${key.replace("_bytes", "")} ${bytesText(bytes)}`);
	return ` ${exactText("count", left.rows)} rows are left out; their sums: ${sums.join(", ")}.`;
}

// Why there is no table, or what its figures are.
function conclusionNote(name, table) {
	if (table.why)
		return `Not known: ${table.why}.`;
	const whole = (selection ? " They are of the whole recording." : "") + leftOutNote(table.left_out);
	if (name === "waste")
		return `Bytes allocated but not requested of what is live${IS_STATE ? "" : " at the end"}, ` +
			`and what would save memory: the figures of the command waste.${whole}`;
	const before = IS_STATE ? "" : " Memory from before the recording is not known.";
	return `The figures of the command leaks: growth of memory that is older than ${durationText(1e6 * table.settle_ms)}, ` +
		`per hour, in ${table.samples} samples over ${table.seconds} s.${before}${whole}`;
}

// --- waste ----------------------------------------------------------------------------

function remedyText(remedy) {
	const least = remedy.at_least ? "at least " : "";
	const most = remedy.remedy === "less" ? "at most " : "";
	const size = remedy.size ? ` of ${most}${remedy.size} bytes` : "";
	return `${REMEDIES[remedy.remedy] || remedy.remedy}${size}: saves ${least}` +
		bytesText(remedy.saved);
}

function sizesText(sizes) {
	return sizes.slice(0, 4).map((size) => `${size.objects} x ${size.requested}`).join(", ") +
		(sizes.length > 4 ? ` and ${sizes.length - 4} more` : "");
}

// The row of the table of sites, which names no interfaces in a state; undefined: left out.
function wastingSite(row, site) {
	const same = rowsOf(DATA.sites).filter((s) => s.site === site);
	const kinds = row.kind === "percpu" ? ["percpu"] : ["kmalloc", "cache", "slab"];
	return same.find((s) => s.kind === row.kind) || same.find((s) => kinds.includes(s.kind));
}

function wasteRow(row) {
	const site = siteText(row.site);
	const { index } = wastingSite(row, site) || { index: -1 };
	return { ...row, site, index, asked: sizesText(row.sizes),
		advice: row.remedies.map(remedyText).join("; ") };
}

function wasteTable(table) {
	return {
		caption: "Waste",
		columns: [["site", "SITE", "text"], ["saved", "SAVED", "bytes"],
			["advice", "REMEDY", "text"], ["waste", "WASTE", "bytes"],
			["waste_percent", "WASTE%", "percent"], ["live", "LIVE", "bytes"],
			["bucket", "CACHE", "text"], ["objects", "OBJECTS", "count"],
			["requested", "REQ", "bytes"], ["asked", "REQUESTED SIZES", "text"]]
			.map(([key, title, kind]) => ({ key, title, kind, words: WASTE_WORDS[key] })),
		rows: table.rows.map(wasteRow),
		sort: "saved",
		opens: "site",
		open: (row) => showDetails(TABLES[0], row),
	};
}

// --- leaks ----------------------------------------------------------------------------

function isLeak(verdict) {
	return verdict === "leaks";
}

function leakingSites() {
	return ((DATA.leaks || {}).sites || []).filter((row) => isLeak(row.verdict)).length;
}

// The sites that leak come first, then those that grow most.
function leaksTable(table) {
	return {
		caption: "Leaks",
		columns: [["site", "SITE", "text"], ["verdict", "VERDICT", "text"],
			["growth_per_hour", "GROWTH/h", "change"], ["growth_low", "LOW", "change"],
			["growth_high", "HIGH", "change"], ["live", "LIVE", "bytes"],
			["objects", "OBJECTS", "count"], ["old_percent", "OLD", "percent"],
			["kept_percent", "KEPT", "percent"]]
			.map(([key, title, kind]) => ({ key, title, kind, words: LEAKS_WORDS[key],
				...(key === "verdict" && { rank: (verdict) => !isLeak(verdict), warns: isLeak }) })),
		rows: table.sites.map((row, index) => ({ ...row, index, site: siteText(row.site) }))
			.sort((a, b) => b.growth_per_hour - a.growth_per_hour),
		sort: "verdict",
		opens: "site",
		open: (row) => openDetails(() => verdictParts(table, row), row.index),
	};
}

function verdictParts(table, row) {
	return [element("h3", { tabindex: -1 }, `${row.site}: ${row.verdict}`),
		row.report ? element("pre", {}, row.report) :
			element("p", { class: "note" }, "The site is not named as a leak."),
		...agesPart(row.ages.map((age, bucket) => ({ ...age, bucket })), table.tick_ns, "at the last sample")];
}
