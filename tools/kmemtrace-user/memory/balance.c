// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "memory/balance.h"
#include "memory/meminfo.h"

#define OF(kind) (1u << KIND_##kind)

/* kinds that are determined from the areas of vmalloc() */
#define IN_AREAS (OF(STACK) | OF(PERCPU) | OF(MODULE) | OF(VMALLOC))

/* names and kinds of the lines, and nothing else */
static const struct balance_line lines[LINES] = {
	[LINE_TOTAL] = { "total", "total", 0, false, "MemTotal" },
	[LINE_FREE] = { "free", "free", OF(FREE), false, "MemFree",
			"the difference is on its way to or from the lists of CPUs" },
	[LINE_CPU_LISTS] = { "cpu_lists", "free, in lists of CPUs", 0 },
	[LINE_UNACCEPTED] = { "unaccepted", "free, not accepted yet", 0, false, "Unaccepted" },
	[LINE_OFFLINE] = { "offline", "given back (balloon)", 0 },
	[LINE_USED] = { "used", "used", 0 },
	[LINE_FILE] = { "file", "page cache", OF(FILE), false, "Buffers + Cached - Shmem" },
	[LINE_SHMEM] = { "shmem", "shared memory, tmpfs", OF(SHMEM), false, "Shmem" },
	[LINE_ANON] = { "anon", "anonymous", OF(ANON), false, "AnonPages",
			"AnonPages lacks pages that are only in the swap cache" },
	[LINE_HUGETLB] = { "hugetlb", "hugetlb", OF(HUGETLB), false, "Hugetlb" },
	[LINE_ZERO] = { "zero", "huge zero page", OF(ZERO) },
	[LINE_SLAB] = { "slab", "slab", OF(SLAB), false, "Slab",
			"Slab includes large kmalloc" },
	[LINE_LARGE] = { "large", "large kmalloc", OF(LARGE) },
	[LINE_LARGE_BEFORE] = { "large_before", "large kmalloc, untagged", 0 },
	[LINE_PGTABLE] = { "pgtable", "page tables", OF(PGTABLE), false, "PageTables" },
	[LINE_STACK] = { "stack", "kernel stacks", OF(STACK), false, "KernelStack",
			"KernelStack lacks stacks that are kept for new threads" },
	[LINE_PERCPU] = { "percpu", "per-CPU memory", OF(PERCPU), false, "Percpu",
			"Percpu includes the first chunk, which is not part of MemTotal" },
	[LINE_MODULE] = { "module", "modules, eBPF code", OF(MODULE) },
	[LINE_VMALLOC] = { "vmalloc", "other vmalloc", OF(VMALLOC), false, "VmallocUsed",
			"VmallocUsed includes kernel stacks and modules" },
	[LINE_VMALLOC_USED] = { "vmalloc_used", "vmalloc, with stacks", 0 },
	[LINE_MOVABLE] = { "movable", "drivers' movable pages", OF(MOVABLE) },
	[LINE_KERNEL] = { "kernel", "other kernel pages", OF(KERNEL) },
	[LINE_VMAP] = { "vmap", "untagged, in vmap()", OF(VMAP) },
	[LINE_FTRACE] = { "ftrace", "ftrace's records", 0 },
	[LINE_DMA_POOLS] = { "dma_pools", "DMA pools", 0 },
	[LINE_INTEGRITY_POOL] = { "integrity_pool", "block integrity pool", 0 },
	[LINE_HASHES] = { "hashes", "hash tables", 0 },
	[LINE_POISONED] = { "poisoned", "broken (hwpoison)", OF(POISONED), false, "HardwareCorrupted" },
	[LINE_UNEXPLAINED] = { "unexplained", "unexplained", 0 },
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
