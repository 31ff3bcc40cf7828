// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "memory/balance.h"
#include "memory/meminfo.h"

#define OF(kind) (1u << KIND_##kind)

/* kinds that are determined from the areas of vmalloc() */
#define IN_AREAS (OF(STACK) | OF(PERCPU) | OF(MODULE) | OF(VMALLOC))

/* names and kinds of the lines, and nothing else */
static const struct balance_line lines[LINES] = {
	[LINE_TOTAL] = { .key = "total", .title = "total", .figure = "MemTotal" },
	[LINE_FREE] = { .key = "free", .title = "free", .kinds = OF(FREE),
			.figure = "MemFree",
			.note = "the difference is on its way to or from the lists of CPUs" },
	[LINE_CPU_LISTS] = { .key = "cpu_lists", .title = "free, in lists of CPUs" },
	[LINE_UNACCEPTED] = { .key = "unaccepted", .title = "free, not accepted yet",
			.figure = "Unaccepted" },
	[LINE_OFFLINE] = { .key = "offline", .title = "given back (balloon)" },
	[LINE_USED] = { .key = "used", .title = "used" },
	[LINE_FILE] = { .key = "file", .title = "page cache", .kinds = OF(FILE),
			.figure = "Buffers + Cached - Shmem" },
	[LINE_SHMEM] = { .key = "shmem", .title = "shared memory, tmpfs", .kinds = OF(SHMEM),
			.figure = "Shmem" },
	[LINE_ANON] = { .key = "anon", .title = "anonymous", .kinds = OF(ANON),
			.figure = "AnonPages",
			.note = "AnonPages lacks pages that are only in the swap cache" },
	[LINE_HUGETLB] = { .key = "hugetlb", .title = "hugetlb", .kinds = OF(HUGETLB),
			.figure = "Hugetlb" },
	[LINE_ZERO] = { .key = "zero", .title = "huge zero page", .kinds = OF(ZERO) },
	[LINE_SLAB] = { .key = "slab", .title = "slab", .kinds = OF(SLAB), .figure = "Slab",
			.note = "Slab includes large kmalloc" },
	[LINE_LARGE] = { .key = "large", .title = "large kmalloc", .kinds = OF(LARGE) },
	[LINE_LARGE_BEFORE] = { .key = "large_before", .title = "large kmalloc, untagged" },
	[LINE_PGTABLE] = { .key = "pgtable", .title = "page tables", .kinds = OF(PGTABLE),
			.figure = "PageTables" },
	[LINE_STACK] = { .key = "stack", .title = "kernel stacks", .kinds = OF(STACK),
			.figure = "KernelStack",
			.note = "KernelStack lacks stacks that are kept for new threads" },
	[LINE_PERCPU] = { .key = "percpu", .title = "per-CPU memory", .kinds = OF(PERCPU),
			.figure = "Percpu",
			.note = "Percpu includes the first chunk, which is not part of MemTotal" },
	[LINE_MODULE] = { .key = "module", .title = "modules, eBPF code", .kinds = OF(MODULE) },
	[LINE_VMALLOC] = { .key = "vmalloc", .title = "other vmalloc", .kinds = OF(VMALLOC),
			.figure = "VmallocUsed",
			.note = "VmallocUsed includes kernel stacks and modules" },
	[LINE_VMALLOC_USED] = { .key = "vmalloc_used", .title = "vmalloc, with stacks" },
	[LINE_MOVABLE] = { .key = "movable", .title = "drivers' movable pages",
			.kinds = OF(MOVABLE) },
	[LINE_KERNEL] = { .key = "kernel", .title = "other kernel pages", .kinds = OF(KERNEL) },
	[LINE_VMAP] = { .key = "vmap", .title = "untagged, in vmap()", .kinds = OF(VMAP) },
	[LINE_FTRACE] = { .key = "ftrace", .title = "ftrace's records" },
	[LINE_DMA_POOLS] = { .key = "dma_pools", .title = "DMA pools" },
	[LINE_INTEGRITY_POOL] = { .key = "integrity_pool", .title = "block integrity pool" },
	[LINE_HASHES] = { .key = "hashes", .title = "hash tables" },
	[LINE_POISONED] = { .key = "poisoned", .title = "broken (hwpoison)",
			.kinds = OF(POISONED), .figure = "HardwareCorrupted" },
	[LINE_UNEXPLAINED] = { .key = "unexplained", .title = "unexplained" },
};

void balance_begin(struct balance *b)
{
	memset(b, 0, sizeof(*b));
	memcpy(b->line, lines, sizeof(lines));
}

static void balance_compare(struct balance_line *line, const struct balance_input *in)
{
	line->has_figure =
		line->figure &&
		(in->knows_vmalloc || !(line->kinds & IN_AREAS)) &&
		meminfo_sum(in->before, line->figure, &line->before) &&
		meminfo_sum(in->after, line->figure, &line->after);
}

void balance_name_free(struct balance *b)
{
	const struct balance_line *unaccepted = &b->line[LINE_UNACCEPTED];

	if (unaccepted->has_figure && (unaccepted->before || unaccepted->after))
		b->line[LINE_FREE].figure = "MemFree - Unaccepted";
}

static void begin_lines(struct balance *b, const struct balance_input *in)
{
	int i, kind;

	balance_begin(b);
	for (i = 0; i < LINES; i++) {
		struct balance_line *line = &b->line[i];

		for (kind = 0; kind < KINDS; kind++)
			if (line->kinds & 1u << kind)
				line->bytes += in->tally->kind[kind] *
					       in->page_size;
		balance_compare(line, in);
	}
	balance_name_free(b);
	balance_compare(&b->line[LINE_FREE], in);
}

/* --- lines by count -------------------------------------------------------------- */

static void balance_take(struct balance *b, uint64_t *rest, enum balance_id id,
			 int64_t bytes, uint64_t most)
{
	uint64_t taken = bytes < 0 ? 0 : (uint64_t)bytes;

	if (taken > most)
		taken = most;
	if (taken > *rest)
		taken = *rest;
	b->line[id].bytes = taken;
	b->line[id].by_count = true;
	*rest -= taken;
}

/* Return: live bytes of pages allocated in functions whose names start with @function. */
static int64_t tagged_bytes(const struct tags *tags, const char *function)
{
	int64_t bytes = 0;
	const char *name;
	size_t i;

	for (i = 0; tags && i < tags->rows.count; i++) {
		name = strstr(tags->rows.row[i].location, " func:");
		if (tags->rows.row[i].kind == SITE_PAGE && name &&
		    !strncmp(name + strlen(" func:"), function,
			     strlen(function)))
			bytes += tags->rows.row[i].f.bytes;
	}
	return bytes;
}

/* The figure Slab includes kmalloc() of sizes that are too large for a slab. */
static int64_t large_before(const struct balance *b)
{
	const struct balance_line *slab = &b->line[LINE_SLAB];

	if (!slab->has_figure)
		return 0;
	return slab->before - (int64_t)slab->bytes -
	       (int64_t)b->line[LINE_LARGE].bytes;
}

static void divide_unknown(struct balance *b, const struct balance_input *in)
{
	const struct tally *t = in->tally;
	uint64_t rest = t->kind[KIND_UNKNOWN] * in->page_size;
	int64_t vmalloc_used;

	balance_take(b, &rest, LINE_CPU_LISTS, in->per_cpu_pages * in->page_size,
		     t->idle * in->page_size);
	balance_take(b, &rest, LINE_UNACCEPTED, in->unaccepted_pages * in->page_size,
		     t->idle * in->page_size - b->line[LINE_CPU_LISTS].bytes);
	balance_take(b, &rest, LINE_LARGE_BEFORE, large_before(b),
		     t->compound * in->page_size);
	/* with tags, an unknown part of VmallocUsed is tagged, and not of KIND_UNKNOWN */
	if (!in->knows_vmalloc && !in->tags &&
	    meminfo_sum(in->before, "VmallocUsed", &vmalloc_used))
		balance_take(b, &rest, LINE_VMALLOC_USED, vmalloc_used, rest);
	/* tagged frames are not of KIND_UNKNOWN */
	balance_take(b, &rest, LINE_FTRACE,
		     in->ftrace_pages * in->page_size - tagged_bytes(in->tags, "ftrace_"),
		     rest);
	balance_take(b, &rest, LINE_DMA_POOLS,
		     in->dma_pool_bytes - tagged_bytes(in->tags, "atomic_pool_"), rest);
	balance_take(b, &rest, LINE_INTEGRITY_POOL, in->integrity_pool_bytes, rest);
	balance_take(b, &rest, LINE_HASHES, in->hash_bytes, rest);
	b->line[LINE_UNEXPLAINED].bytes = rest;
}

/* --- sums -------------------------------------------------------------------------- */

/*
 * Some balloon drivers subtract the memory that they give back from MemTotal, others do
 * not. So this memory is added to the total if the total is then closer to MemTotal.
 */
static void place_offline(struct balance *b, uint64_t offline)
{
	int64_t lacks = b->line[LINE_TOTAL].before -
			(int64_t)b->line[LINE_TOTAL].bytes;

	if (!b->line[LINE_TOTAL].has_figure || lacks < (int64_t)(offline / 2)) {
		b->offline = offline;
		return;
	}
	b->line[LINE_OFFLINE].bytes = offline;
	b->line[LINE_TOTAL].bytes += offline;
}

void balance_make(struct balance *b, const struct balance_input *in)
{
	struct balance_line *total = &b->line[LINE_TOTAL];
	const uint64_t *kind = in->tally->kind;
	int i;

	begin_lines(b, in);
	divide_unknown(b, in);
	for (i = LINE_USED + 1; i < LINES; i++)
		b->line[LINE_USED].bytes += b->line[i].bytes;
	for (i = 0; i < KINDS; i++)
		if (i != KIND_HOLE && i != KIND_RESERVED && i != KIND_OFFLINE)
			total->bytes += kind[i] * in->page_size;
	place_offline(b, kind[KIND_OFFLINE] * in->page_size);
	b->reserved = kind[KIND_RESERVED] * in->page_size;
	if (total->has_figure)
		b->difference = (int64_t)total->bytes - total->before;
}

bool balance_sums(const struct balance *b)
{
	uint64_t free = 0, used = 0;
	int i;

	for (i = LINE_TOTAL + 1; i < LINE_USED; i++)
		free += b->line[i].bytes;
	for (i = LINE_USED + 1; i < LINES; i++)
		used += b->line[i].bytes;
	return used == b->line[LINE_USED].bytes &&
	       free + used == b->line[LINE_TOTAL].bytes;
}

double balance_explained(const struct balance *b)
{
	double used = b->line[LINE_USED].bytes;

	if (!used)
		return 100;
	return 100 - b->line[LINE_UNEXPLAINED].bytes * 100.0 / used;
}

bool balance_differs(const struct balance_line *line)
{
	int64_t bytes = line->bytes;

	if (!line->has_figure)
		return false;
	return (bytes < line->before && bytes < line->after) ||
	       (bytes > line->before && bytes > line->after);
}
