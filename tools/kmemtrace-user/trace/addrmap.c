// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "base/pairs.h"
#include "trace/addrmap.h"
#include "trace/modules.h"
#include "trace/names.h"

/* Areas of the new addresses. No function is as large as the gap before CODE_START. */
#define UNKNOWN_START (1ull << 12)
#define UNKNOWN_STEP  16
#define CODE_START    (1ull << 40)
#define DATA_START    (1ull << 46)
/* alignment of regions; it makes addresses easier to read */
#define ALIGN	      16

/* maximum bytes of the kernel's code; more is an error in the symbols */
#define KERNEL_MAX (256u << 20)

/* pages in the largest block of the page allocator, of any architecture: order 13 */
#define BLOCK_PAGES 8192

/**
 * struct region - a function, modules whose ranges overlap, or the code of the kernel
 * @start: its old address
 * @end: the old address behind it
 * @to: its new address
 */
struct region {
	uint64_t start;
	uint64_t end;
	uint64_t to;
};

/**
 * struct addrmap - the map
 * @names: names of the recording
 * @block: bytes of a block of memory, a power of two
 * @used: code addresses of records
 * @code: new addresses, by number in @used
 * @code_room: number of elements of @code
 * @sorted: the addresses of @used in order
 * @functions: start addresses of kept functions
 * @blocks: blocks of memory
 * @regions: sorted by address; they do not overlap
 * @nr_regions: number of @regions
 * @whole_regions: number of regions that are not functions, while @regions is made
 */
struct addrmap {
	const struct names *names;
	uint64_t block;
	struct pairs used;
	uint64_t *code;
	size_t code_room;
	uint64_t *sorted;
	struct pairs functions;
	struct pairs blocks;
	struct region *regions;
	size_t nr_regions;
	size_t whole_regions;
};

struct addrmap *addrmap_create(const struct names *names)
{
	struct addrmap *m = xcalloc(1, sizeof(*m));

	m->names = names;
	pairs_init(&m->used);
	pairs_init(&m->functions);
	pairs_init(&m->blocks);
	return m;
}

void addrmap_destroy(struct addrmap *m)
{
	if (!m)
		return;
	pairs_exit(&m->used);
	pairs_exit(&m->functions);
	pairs_exit(&m->blocks);
	free(m->code);
	free(m->sorted);
	free(m->regions);
	free(m);
}

void addrmap_use(struct addrmap *m, uint64_t addr)
{
	if (addr)
		pairs_get(&m->used, addr, 0);
}

/* --- regions -------------------------------------------------------------------- */

static void add_region(struct addrmap *m, uint64_t start, uint64_t size)
{
	struct region *r;

	if (!start || !size || start + size < start)
		return;
	r = array_add(m->regions, m->nr_regions);
	*r = (struct region){ .start = start, .end = start + size };
}

static int by_start(const void *a, const void *b)
{
	const struct region *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Sorts the regions, and joins those that overlap. */
static void join_regions(struct addrmap *m)
{
	size_t i, last = 0;

	if (!m->nr_regions)
		return;
	qsort(m->regions, m->nr_regions, sizeof(*m->regions), by_start);
	for (i = 1; i < m->nr_regions; i++) {
		struct region *to = &m->regions[last], *r = &m->regions[i];

		if (r->start >= to->end)
			m->regions[++last] = *r;
		else if (r->end > to->end)
			to->end = r->end;
	}
	m->nr_regions = last + 1;
}

/* Return: the address of a symbol of the kernel, which is kept; 0: not known. */
static uint64_t keep_symbol(struct addrmap *m, const char *const *names)
{
	uint64_t start, size;

	for (; *names; names++) {
		if (names_function(m->names, *names, strlen(*names), 0, &start, &size)) {
			pairs_get(&m->functions, start, 0);
			return start;
		}
	}
	return 0;
}

/*
 * The code of the kernel is one region, so that its debug information can be used:
 * distances in the kernel's file are not secret.
 */
static void add_kernel(struct addrmap *m)
{
	static const char *const first[] = { "_text", "_stext", NULL };
	static const char *const last[] = { "_einittext", "_etext", NULL };
	static const char *const etext[] = { "_etext", NULL };
	uint64_t start = keep_symbol(m, first), end = keep_symbol(m, last);

	if (!start || end <= start || end - start > KERNEL_MAX)
		return;
	keep_symbol(m, etext);
	/* with the symbol at the end */
	add_region(m, start, end - start + 1);
}

static void add_whole(struct addrmap *m)
{
	const struct modules *all = names_modules(m->names);
	size_t i;

	for (i = 0; i < all->nr_ranges; i++)
		add_region(m, all->ranges[i].start, all->ranges[i].size);
	for (i = 0; i < all->nr_visits; i++) {
		const struct module_visit *v = &all->visits[i];

		add_region(m, v->text.start, v->text.size);
		add_region(m, v->init.start, v->init.size);
	}
	add_kernel(m);
	join_regions(m);
	m->whole_regions = m->nr_regions;
}

/* Return: the region of the first @count that contains an address; NULL: none. */
static const struct region *find_region(const struct addrmap *m, size_t count,
					uint64_t addr)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (m->regions[mid].end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < count && m->regions[low].start <= addr ? &m->regions[low] :
							     NULL;
}

/* A function keeps its symbol, even if another module had the address at another time. */
static void keep_functions(struct addrmap *m, uint64_t inside)
{
	const struct modules *all = names_modules(m->names);
	uint64_t start, size;
	size_t i;

	if (names_function(m->names, NULL, 0, inside, &start, &size)) {
		pairs_get(&m->functions, start, 0);
		if (!find_region(m, m->whole_regions, inside))
			add_region(m, start, size);
	}
	for (i = 0; i < all->nr_visits; i++) {
		const struct module_visit *v = &all->visits[i];
		const struct symbol *s;

		if (!module_range_has(&v->text, inside) &&
		    !module_range_has(&v->init, inside))
			continue;
		s = symtab_find(&v->symbols, inside);
		if (s)
			pairs_get(&m->functions, s->addr, 0);
	}
}

static uint64_t in_region(const struct addrmap *m, uint64_t addr)
{
	const struct region *r = find_region(m, m->nr_regions, addr);

	return r ? r->to + (addr - r->start) : 0;
}

/* As for symbols, the byte before a return address counts. */
static void assign_code(struct addrmap *m)
{
	uint64_t unknown = UNKNOWN_START;
	uint64_t *code;
	size_t i;

	if (!m->used.count)
		return;
	code = pairs_fit(&m->used, m->code, &m->code_room, sizeof(*code));
	m->code = code;
	for (i = 0; i < m->used.count; i++) {
		uint64_t to = in_region(m, m->used.pair[i].a - 1);

		if (to) {
			code[i] = to + 1;
			continue;
		}
		code[i] = unknown;
		unknown += UNKNOWN_STEP;
	}
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void sort_used(struct addrmap *m)
{
	size_t i, n = m->used.count;

	m->sorted = xcalloc(n + 1, sizeof(*m->sorted));
	for (i = 0; i < n; i++)
		m->sorted[i] = m->used.pair[i].a;
	qsort(m->sorted, n, sizeof(*m->sorted), by_value);
}

void addrmap_assign(struct addrmap *m, uint64_t page_size)
{
	uint64_t next = CODE_START;
	size_t i;

	m->block = page_size * BLOCK_PAGES;
	sort_used(m);
	add_whole(m);
	for (i = 0; i < m->used.count; i++)
		keep_functions(m, m->used.pair[i].a - 1);
	join_regions(m);
	for (i = 0; i < m->nr_regions; i++) {
		m->regions[i].to = next;
		next += (m->regions[i].end - m->regions[i].start + ALIGN - 1) /
			ALIGN * ALIGN;
	}
	assign_code(m);
}

/* --- addresses ------------------------------------------------------------------- */

bool addrmap_is_used(const struct addrmap *m, uint64_t addr)
{
	return pairs_find(&m->used, addr, 0) != PAIRS_NONE;
}

bool addrmap_keeps(const struct addrmap *m, uint64_t start)
{
	return pairs_find(&m->functions, start, 0) != PAIRS_NONE;
}

bool addrmap_range_is_used(const struct addrmap *m, uint64_t start,
			   uint64_t size)
{
	size_t low = 0, high = m->used.count;

	/* the first return address behind the start */
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (m->sorted[mid] <= start)
			low = mid + 1;
		else
			high = mid;
	}
	return low < m->used.count && m->sorted[low] - 1 - start < size;
}

uint64_t addrmap_code(const struct addrmap *m, uint64_t addr)
{
	uint32_t i = addr ? pairs_find(&m->used, addr, 0) : PAIRS_NONE;

	return i == PAIRS_NONE ? 0 : m->code[i];
}

uint64_t addrmap_start(const struct addrmap *m, uint64_t start)
{
	return in_region(m, start);
}

void addrmap_data(struct addrmap *m, uint64_t addr, uint64_t *to)
{
	uint32_t i;

	*to = 0;
	if (!addr)
		return;
	i = pairs_get(&m->blocks, addr / m->block, 0);
	*to = DATA_START + i * m->block + addr % m->block;
}

void addrmap_any(struct addrmap *m, uint64_t addr, uint64_t *to)
{
	*to = addrmap_code(m, addr);
	if (!*to)
		*to = in_region(m, addr);
	if (!*to)
		addrmap_data(m, addr, to);
}
