/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The dictionary of figures: title, key, kind, width and meaning of each column of all tables. A
 * figure has the same title, key and unit in all commands and outputs. A table is a list of
 * figures:
 *
 *	static const struct table_column columns[] = { FIGURE_LIVE, FIGURE_SITE };
 *
 * Documentation/json.rst has the same list. tests/check_tree.sh compares the two.
 */
#ifndef FIGURES_H
#define FIGURES_H

#include "base/table.h"

/* --- the memory of a site: what is live ------------------------------------- */

#define FIGURE_LIVE \
	{ "LIVE", "live", TABLE_BYTES, 7, "bytes that are allocated now" }
#define FIGURE_OBJECTS \
	{ "OBJECTS", "objects", TABLE_COUNT, 7, "allocations that are not freed; a block of pages is one" }
#define FIGURE_REQUESTED \
	{ "REQ", "requested", TABLE_BYTES, 7, "the part of ``live`` that was requested" }
#define FIGURE_WASTE \
	{ "WASTE", "waste", TABLE_BYTES, 7, "the part of ``live`` that was not requested" }
#define FIGURE_WASTE_PERCENT \
	{ "WASTE%", "waste_percent", TABLE_PERCENT, 6, "``waste`` as a share of ``live``" }
#define FIGURE_OLDEST \
	{ "OLDEST", "oldest_ms", TABLE_AGE, 6, "age of the oldest live allocation" }
#define FIGURE_YOUNGEST \
	{ "YOUNGEST", "youngest_ms", TABLE_AGE, 8, "age of the youngest live allocation" }
#define FIGURE_LIVE_LOW \
	{ "LOW", "live_low", TABLE_BYTES, 7, "lower bound of ``live``" }
#define FIGURE_LIVE_HIGH \
	{ "HIGH", "live_high", TABLE_BYTES, 7, "upper bound of ``live``" }
#define FIGURE_OBJECTS_LOW \
	{ "OBJLOW", "objects_low", TABLE_COUNT, 7, "lower bound of ``objects``" }
#define FIGURE_OBJECTS_HIGH \
	{ "OBJHIGH", "objects_high", TABLE_COUNT, 7, "upper bound of ``objects``" }
#define FIGURE_PEAK \
	{ "PEAK", "peak", TABLE_BYTES, 7, "most bytes that were live at once" }
#define FIGURE_PEAK_LOW \
	{ "PEAKLOW", "peak_low", TABLE_BYTES, 7, "lower bound of ``peak``" }
#define FIGURE_PEAK_HIGH \
	{ "PEAKHIGH", "peak_high", TABLE_BYTES, 8, "upper bound of ``peak``" }
#define FIGURE_PEAK_AT \
	{ "AT", "peak_s", TABLE_STRING, 12, "time of ``peak``, in seconds" }

/* --- the memory of a site: what happened ------------------------------------ */

#define FIGURE_ALLOCS \
	{ "ALLOCS", "allocs", TABLE_COUNT, 7, "allocations" }
#define FIGURE_FREES \
	{ "FREES", "frees", TABLE_COUNT, 7, "frees" }
#define FIGURE_TOTAL_REQUESTED \
	{ "TOTREQ", "total_requested", TABLE_BYTES, 7, "bytes that all allocations requested" }
#define FIGURE_TOTAL \
	{ "TOTAL", "total_allocated", TABLE_BYTES, 7, "bytes that all allocations got" }
#define FIGURE_TOTAL_WASTE \
	{ "TOTWASTE", "total_waste", TABLE_BYTES, 8, "the part of ``total_allocated`` that was not requested" }
#define FIGURE_TOTAL_WASTE_PERCENT \
	{ "WASTE%", "total_waste_percent", TABLE_PERCENT, 6, "``total_waste`` as a share of ``total_allocated``" }
#define FIGURE_FAILED \
	{ "FAILED", "failed", TABLE_COUNT, 6, "allocations that failed" }
#define FIGURE_REMOTE_FREES \
	{ "REMOTE", "remote_frees", TABLE_COUNT, 6, "frees on another CPU than that of the allocation" }
#define FIGURE_IMPLICIT \
	{ "IMPLICIT", "implicit", TABLE_COUNT, 8, "frees without an event" }
#define FIGURE_ALLOC_RATE \
	{ "ALLOC/s", "allocs_per_second", TABLE_COUNT, 7, "allocations in a second" }
#define FIGURE_FREE_RATE \
	{ "FREE/s", "frees_per_second", TABLE_COUNT, 7, "frees in a second" }
#define FIGURE_EVENT_RATE \
	{ "EVENTS/s", "events_per_second", TABLE_COUNT, 9, "allocations and frees in a second" }
#define FIGURE_LIFE_50 \
	{ "P50", "p50_ns", TABLE_DURATION, 7, "lifetime that half of the freed allocations did not exceed" }
#define FIGURE_LIFE_90 \
	{ "P90", "p90_ns", TABLE_DURATION, 7, "lifetime that 90 % of them did not exceed" }
#define FIGURE_LIFE_99 \
	{ "P99", "p99_ns", TABLE_DURATION, 7, "lifetime that 99 % of them did not exceed" }
#define FIGURE_LIFE_LONGEST \
	{ "LONGEST", "longest_ns", TABLE_DURATION, 7, "longest lifetime of an allocation that was freed" }
#define FIGURE_LIFE_FREED \
	{ "FREED", "freed", TABLE_COUNT, 7, "allocations whose lifetime is known, because they were freed" }
#define FIGURE_LIFE_OLDEST \
	{ "OLDEST", "oldest_ns", TABLE_DURATION, 7, "age of the oldest live allocation at the end of the recording" }
#define FIGURE_TEMPORARY \
	{ "TEMP", "temporary", TABLE_COUNT, 6, "allocations that the same process freed soon" }
#define FIGURE_TEMPORARY_SHARE \
	{ "SHARE", "temporary_share", TABLE_PERCENT, 6, "``temporary`` as a share of ``allocs``" }
#define FIGURE_TEMPORARY_BYTES \
	{ "BYTES", "temporary_bytes", TABLE_BYTES, 7, "bytes of the temporary allocations" }
#define FIGURE_FROM_CPU \
	{ "ALLOCATED", "allocated_on", TABLE_NUMBER, 9, "CPU, or node, of the allocation" }
#define FIGURE_TO_CPU \
	{ "FREED", "freed_on", TABLE_NUMBER, 5, "CPU, or node, of the free" }
#define FIGURE_FREED_BYTES \
	{ "BYTES", "freed_bytes", TABLE_BYTES, 7, "bytes that were freed" }
#define FIGURE_TIME \
	{ "TIME", "time_ns", TABLE_NUMBER, 9, "start of the interval, since the recording began" }
#define FIGURE_HIGHEST \
	{ "HIGHEST", "highest", TABLE_BYTES, 7, "most bytes that were live in the interval" }
#define FIGURE_LOST \
	{ "LOST", "lost", TABLE_COUNT, 7, "events that were lost in the interval" }

/* --- the memory of a site: changes ------------------------------------------ */

#define FIGURE_LIVE_CHANGE \
	{ "CHANGE", "live_change", TABLE_BYTES_CHANGE, 8, "``live`` now less ``live`` before" }
#define FIGURE_OBJECTS_CHANGE \
	{ "+OBJECTS", "objects_change", TABLE_COUNT_CHANGE, 8, "change of ``objects``" }
#define FIGURE_REQUESTED_CHANGE \
	{ "+REQ", "requested_change", TABLE_BYTES_CHANGE, 8, "change of ``requested``" }
#define FIGURE_WASTE_CHANGE \
	{ "+WASTE", "waste_change", TABLE_BYTES_CHANGE, 7, "change of ``waste``" }
#define FIGURE_ALLOCS_CHANGE \
	{ "+ALLOCS", "allocs_change", TABLE_COUNT_CHANGE, 7, "allocations between the two moments" }
#define FIGURE_FREES_CHANGE \
	{ "+FREES", "frees_change", TABLE_COUNT_CHANGE, 7, "frees between the two moments" }
#define FIGURE_CHANGE_LOW \
	{ "LOW", "live_change_low", TABLE_BYTES_CHANGE, 8, "lower bound of ``live_change``" }
#define FIGURE_CHANGE_HIGH \
	{ "HIGH", "live_change_high", TABLE_BYTES_CHANGE, 8, "upper bound of ``live_change``" }
#define FIGURE_OBJECTS_CHANGE_LOW \
	{ "OBJLOW", "objects_change_low", TABLE_COUNT_CHANGE, 7, "lower bound of ``objects_change``" }
#define FIGURE_OBJECTS_CHANGE_HIGH \
	{ "OBJHIGH", "objects_change_high", TABLE_COUNT_CHANGE, 7, "upper bound of ``objects_change``" }
#define FIGURE_LIVE_BEFORE \
	{ "BEFORE", "live_before", TABLE_BYTES, 7, "``live`` in the earlier state" }
#define FIGURE_OBJECTS_BEFORE \
	{ "OBJBEFORE", "objects_before", TABLE_COUNT, 9, "``objects`` in the earlier state" }
#define FIGURE_SINCE_START \
	{ "+START", "live_since_start", TABLE_BYTES_CHANGE, 8, "change of ``live`` since the command began" }
#define FIGURE_LIVE_RATE \
	{ "+/s", "live_per_second", TABLE_BYTES_CHANGE, 8, "change of ``live`` in a second" }
#define FIGURE_STATE \
	{ "STATE", "state", TABLE_STRING, 6, "\"new\", \"gone\", \"grown\" or \"shrunk\"" }
#define FIGURE_MATCH \
	{ "MATCH", "match", TABLE_STRING, 8, "how the two sites were found to be the same" }
#define FIGURE_OLD_SITE \
	{ "WAS", "old_site", TABLE_STRING, 0, "the site in the earlier state" }

/* --- the memory of a site: leaks -------------------------------------------- */

#define FIGURE_GROWTH \
	{ "GROWTH/h", "growth_per_hour", TABLE_BYTES_CHANGE, 8, "trend of ``live``" }
#define FIGURE_GROWTH_LOW \
	{ "LOW", "growth_low", TABLE_BYTES_CHANGE, 8, "lower bound of ``growth_per_hour``" }
#define FIGURE_GROWTH_HIGH \
	{ "HIGH", "growth_high", TABLE_BYTES_CHANGE, 8, "upper bound of ``growth_per_hour``" }
#define FIGURE_OLD_PERCENT \
	{ "OLD", "old_percent", TABLE_PERCENT, 6, "share of ``live`` that is old" }
#define FIGURE_OLD_BYTES \
	{ "OLDBYTES", "old_bytes", TABLE_BYTES, 8, "bytes of ``live`` that are old" }
#define FIGURE_KEPT_PERCENT \
	{ "KEPT", "kept_percent", TABLE_PERCENT, 6, "share of the allocations that became old" }
#define FIGURE_FREED_OLD \
	{ "FREED", "freed_old_objects", TABLE_COUNT, 7, "old allocations that were freed meanwhile" }
#define FIGURE_LEVEL \
	{ "LEVEL", "level_ms", TABLE_NUMBER, 7, "age from which an allocation is old" }
#define FIGURE_LEFT \
	{ "LEFT", "left_bytes", TABLE_BYTES_CHANGE, 8, "bytes that a round leaves: the median" }
#define FIGURE_LEFT_LEAST \
	{ "LEAST", "least_bytes", TABLE_BYTES_CHANGE, 8, "bytes that a round leaves: the least" }
#define FIGURE_LEFT_MOST \
	{ "MOST", "most_bytes", TABLE_BYTES_CHANGE, 8, "bytes that a round leaves: the most" }
#define FIGURE_LEFT_IDLE \
	{ "IDLE", "idle_bytes", TABLE_BYTES_CHANGE, 8, "bytes that a round without the command leaves" }
#define FIGURE_LEFT_OBJECTS \
	{ "LEFTOBJ", "left_objects", TABLE_COUNT_CHANGE, 7, "allocations that a round leaves: the median" }
#define FIGURE_VERDICT \
	{ "VERDICT", "verdict", TABLE_STRING, 10, "what the behaviour of the site means" }

/* --- the memory of a site: waste -------------------------------------------- */

#define FIGURE_SAVED \
	{ "SAVE", "saved", TABLE_BYTES, 7, "bytes that the best remedy saves" }
#define FIGURE_BUCKET \
	{ "BUCKET", "bucket", TABLE_STRING, 12, "slab cache that the kernel takes the size from" }
#define FIGURE_SIZE \
	{ "SIZE", "size", TABLE_BYTES, 7, "bytes of one allocation" }
#define FIGURE_NR_SIZES \
	{ "SIZES", "nr_sizes", TABLE_COUNT, 7, "number of different sizes" }
#define FIGURE_REMEDY \
	{ "REMEDY", "remedy", TABLE_STRING, 6, "what would waste less" }
#define FIGURE_NR_SITES \
	{ "SITES", "nr_sites", TABLE_COUNT, 5, "number of sites" }
#define FIGURE_PINNED \
	{ "PINNED", "pinned", TABLE_BYTES, 7, "free memory that the site's objects keep from being returned" }
#define FIGURE_PINNED_ALONE \
	{ "PINNEDALONE", "pinned_alone", TABLE_BYTES, 11, "the part of ``pinned`` that no other site keeps" }
#define FIGURE_HELD \
	{ "HELD", "held", TABLE_BYTES, 7, "bytes of the slabs or blocks that have objects of the site" }
#define FIGURE_SLABS_ALONE \
	{ "ALONE", "slabs_alone", TABLE_COUNT, 6, "slabs or blocks with objects of this site only" }
#define FIGURE_SLABS_OTHERS \
	{ "OTHERS", "slabs_with_others", TABLE_COUNT, 6, "slabs or blocks with objects of other sites too" }
#define FIGURE_BLOCK \
	{ "BLOCK", "block_bytes", TABLE_BYTES, 7, "bytes of a slab or block" }
#define FIGURE_FRAGMENTED \
	{ "BLOCKS", "blocks", TABLE_COUNT, 6, "blocks of a huge page that hold pages of the site" }
#define FIGURE_FRAGMENTED_ALONE \
	{ "ALONE", "alone", TABLE_COUNT, 6, "the part of ``blocks`` that the site alone spoils" }
#define FIGURE_SPOILED \
	{ "SPOILED", "spoiled_bytes", TABLE_BYTES, 7, "free memory in these blocks" }

/* --- what the memory is ----------------------------------------------------- */

#define FIGURE_KIND \
	{ "KIND", "kind", TABLE_STRING, 7, "kind of the memory" }
#define FIGURE_SITE \
	{ "SITE", "site", TABLE_STRING, 0, "place of the allocation" }
#define FIGURE_NAME \
	{ "NAME", "name", TABLE_STRING, 0, "name of what the row is about" }
#define FIGURE_MODULE \
	{ "MODULE", "module", TABLE_STRING, 0, "kernel module" }
#define FIGURE_CACHE \
	{ "CACHE", "cache", TABLE_STRING, 0, "slab cache" }
#define FIGURE_ADDRESS \
	{ "CALL", "address", TABLE_ADDRESS, 18, "address of the call" }
#define FIGURE_TAG \
	{ "TAG", "tag", TABLE_NUMBER, 6, "number of the row in the file tags" }
#define FIGURE_TAGS \
	{ "TAGS", "tags", TABLE_COUNT, 4, "number of rows of the file tags" }
#define FIGURE_AGE_FROM \
	{ "AGE", "from_ns", TABLE_DURATION, 7, "least age" }
#define FIGURE_PART \
	{ "PART", "type", TABLE_STRING, 14, "part of the recording" }
#define FIGURE_CPU \
	{ "CPU", "cpu", TABLE_NUMBER, 4, "CPU" }
#define FIGURE_NODE \
	{ "NODE", "node", TABLE_NUMBER, 5, "NUMA node" }
#define FIGURE_ZONE \
	{ "ZONE", "zone", TABLE_STRING, 8, "zone of the node" }
#define FIGURE_ORDER \
	{ "ORDER", "order", TABLE_STRING, 0, "order of the blocks" }
#define FIGURE_OWNER \
	{ "OWNER", "owner", TABLE_STRING, 0, "module, or part of the kernel" }
#define FIGURE_EVENT \
	{ "EVENT", "event", TABLE_STRING, 26, "name of the event" }
#define FIGURE_ENABLED \
	{ "ENABLED", "enabled", TABLE_STRING, 7, "whether the event is recorded" }
#define FIGURE_FILTER \
	{ "FILTER", "filter", TABLE_STRING, 0, "filter of the event" }
#define FIGURE_CHUNKS \
	{ "CHUNKS", "chunks", TABLE_NUMBER, 7, "number of chunks" }
#define FIGURE_STORED \
	{ "IN FILE", "stored", TABLE_BYTES, 7, "bytes in the file" }
#define FIGURE_DECOMPRESSED \
	{ "DECOMPRESSED", "raw", TABLE_BYTES, 7, "bytes after decompression" }

/* --- pages and processes ---------------------------------------------------- */

#define FIGURE_BYTES \
	{ "BYTES", "bytes", TABLE_BYTES, 7, "bytes of the pages" }
#define FIGURE_COUNT \
	{ "COUNT", "count", TABLE_COUNT, 6, "number of the parts" }
#define FIGURE_SHARE \
	{ "SHARE", "share", TABLE_PERCENT, 6, "share of the memory" }
#define FIGURE_PAGES \
	{ "PAGES", "pages", TABLE_COUNT, 6, "pages" }
#define FIGURE_MAPPED \
	{ "MAPPED", "mapped", TABLE_COUNT, 6, "pages that a process maps" }
#define FIGURE_MAPS \
	{ "MAPS", "maps", TABLE_COUNT, 7, "number of mappings" }
#define FIGURE_NOW \
	{ "NOW", "now", TABLE_STRING, 9, "present use of the page" }
#define FIGURE_NOW_PAGES \
	{ "NOWPAGES", "now_pages", TABLE_COUNT, 8, "pages that still have that use" }
#define FIGURE_WHAT \
	{ "WHAT", "what", TABLE_STRING, 20, "part of the cost" }
#define FIGURE_FROM \
	{ "FROM", "from", TABLE_STRING, 0, "where the figure is from" }
#define FIGURE_COST \
	{ "COST", "cost", TABLE_BYTES, 6, "all memory of the process" }
#define FIGURE_PAGE_TABLES \
	{ "TABLES", "page_tables", TABLE_BYTES, 6, "page tables" }
#define FIGURE_STACKS \
	{ "STACKS", "stacks", TABLE_BYTES, 6, "kernel stacks" }
#define FIGURE_SLAB \
	{ "SLAB", "slab", TABLE_BYTES, 6, "slab memory" }
#define FIGURE_PERCPU \
	{ "PERCPU", "percpu", TABLE_BYTES, 6, "per-CPU memory" }
#define FIGURE_THREADS \
	{ "THREADS", "threads", TABLE_COUNT, 7, "threads" }
#define FIGURE_PID \
	{ "PID", "pid", TABLE_NUMBER, 7, "process id" }
#define FIGURE_RSS \
	{ "RSS", "rss", TABLE_BYTES, 6, "resident pages" }
#define FIGURE_USS \
	{ "USS", "uss", TABLE_BYTES, 6, "resident pages of this process only" }
#define FIGURE_PSS \
	{ "PSS", "pss", TABLE_BYTES, 6, "resident pages, each divided by the number of its users" }
#define FIGURE_SHARED \
	{ "SHARED", "shared", TABLE_BYTES, 6, "resident pages that other processes map as well" }
#define FIGURE_SWAP \
	{ "SWAP", "swap", TABLE_BYTES, 6, "pages in swap" }
#define FIGURE_ANON \
	{ "ANON", "anon", TABLE_BYTES, 6, "anonymous pages" }
#define FIGURE_FILE \
	{ "FILE", "file", TABLE_BYTES, 6, "pages of files" }
#define FIGURE_SOFT_DIRTY \
	{ "SDIRTY", "soft_dirty", TABLE_BYTES, 6, "pages written since the bits were cleared" }
#define FIGURE_EXCLUSIVE \
	{ "EXCL", "exclusive", TABLE_BYTES, 6, "pages that are mapped once" }
#define FIGURE_THP \
	{ "THP", "thp", TABLE_BYTES, 6, "transparent huge pages" }
#define FIGURE_HUGETLB \
	{ "HUGETLB", "hugetlb", TABLE_BYTES, 7, "huge pages of hugetlbfs" }
#define FIGURE_LOCKED \
	{ "LOCKED", "locked", TABLE_BYTES, 6, "pages locked in memory" }
#define FIGURE_KSM \
	{ "KSM", "ksm", TABLE_BYTES, 6, "merged pages" }
#define FIGURE_START \
	{ "START", "start", TABLE_ADDRESS, 12, "first address of the mapping" }
#define FIGURE_END \
	{ "END", "end", TABLE_ADDRESS, 12, "address after the mapping" }
#define FIGURE_PERMS \
	{ "PERM", "perms", TABLE_STRING, 4, "permissions of the mapping" }
#define FIGURE_OFFSET \
	{ "OFFSET", "offset", TABLE_NUMBER, 8, "offset in the file" }
#define FIGURE_DEVICE \
	{ "DEV", "device", TABLE_STRING, 5, "device of the file" }
#define FIGURE_INODE \
	{ "INODE", "inode", TABLE_NUMBER, 8, "inode of the file" }
#define FIGURE_MAPPING \
	{ "MAPPING", "mapping", TABLE_STRING, 0, "name of the mapping" }

/* --- the balance of the memory, in kib -------------------------------------- */

#define FIGURE_TITLE \
	{ "", "title", TABLE_STRING, 23, "line of the balance" }
#define FIGURE_NODE_LINE \
	{ "KiB", "kind", TABLE_STRING, 24, "line of the balance, by node" }
#define FIGURE_LINE \
	{ "KiB", "bytes", TABLE_KIB, 11, "bytes of the line" }
#define FIGURE_LINE_SHARE \
	{ "USED", "share", TABLE_PERCENT, 6, "share of the memory in use" }
#define FIGURE_LINE_MEMINFO \
	{ "MEMINFO", "meminfo", TABLE_KIB, 11, "the figure of /proc/meminfo" }
#define FIGURE_LINE_FORMULA \
	{ "", "formula", TABLE_STRING, 0, "how the figure is made" }
#define FIGURE_LINE_BEFORE \
	{ "BEFORE", "before", TABLE_KIB, 11, "bytes in the earlier state" }
#define FIGURE_LINE_NOW \
	{ "NOW", "now", TABLE_KIB, 11, "bytes in the later state" }
#define FIGURE_LINE_CHANGE \
	{ "CHANGE", "change", TABLE_KIB_CHANGE, 11, "difference of the two" }
#define FIGURE_OWNER_SLAB \
	{ "SLAB", "slab", TABLE_KIB, 9, "slab memory of the owner" }
#define FIGURE_OWNER_PAGE \
	{ "PAGE", "page", TABLE_KIB, 9, "pages of the owner" }
#define FIGURE_OWNER_VMALLOC \
	{ "VMALLOC", "vmalloc", TABLE_KIB, 9, "areas of vmalloc() of the owner" }
#define FIGURE_OWNER_CODE \
	{ "CODE", "code", TABLE_KIB, 9, "code and data of modules" }

#endif /* FIGURES_H */
