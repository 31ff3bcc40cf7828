// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/siterows.h"
#include "account/trust.h"
#include "base/die.h"
#include "base/figures.h"
#include "base/msg.h"
#include "base/pairs.h"
#include "base/pidnames.h"
#include "base/plural.h"
#include "frames/pageflags.h"
#include "pages/mapped.h"
#include "pages/pages.h"

/* besides the columns of the keys */
#define FIGURES_MAX 9

/* stands for the process of a page that no process has mapped */
#define NO_PROCESS 0

const char *const page_key_names[PAGE_KEYS] = {
	"site", "kind",	       "flags",	  "order", "zone",
	"node", "migratetype", "process", "age", "cgroup",
};

/* The other flags are left out. page-types, too, shows them only on request. */
#define SHOWN_FLAGS ((1ull << 32) - 1)

static const struct {
	uint32_t below; /* in units of 10 ms */
	const char *name;
} ages[] = {
	{ 100, "below 1s" },	   { 1000, "below 10s" },
	{ 6000, "below 1m" },	   { 60000, "below 10m" },
	{ 360000, "below 1h" },	   { 8640000, "below 1d" },
	{ UINT32_MAX, "1d or more" },
};

#define AGES (sizeof(ages) / sizeof(ages[0]))

/* The width of a key's column in text, if another key follows; 0: it must come last. */
static const struct {
	const char *title;
	enum table_kind kind;
	int width;
} key_columns[PAGE_KEYS] = {
	[PAGES_BY_SITE] = { "SITE", TABLE_STRING, 0 },
	[PAGES_BY_KIND] = { "KIND", TABLE_STRING, 8 },
	[PAGES_BY_FLAGS] = { "FLAGS", TABLE_STRING, 0 },
	[PAGES_BY_ORDER] = { "ORDER", TABLE_NUMBER, 5 },
	[PAGES_BY_ZONE] = { "ZONE", TABLE_STRING, 7 },
	[PAGES_BY_NODE] = { "NODE", TABLE_NUMBER, 4 },
	[PAGES_BY_MIGRATETYPE] = { "TYPE", TABLE_STRING, 11 },
	[PAGES_BY_PROCESS] = { "PROCESS", TABLE_STRING, 22 },
	[PAGES_BY_AGE] = { "AGE", TABLE_STRING, 10 },
	[PAGES_BY_CGROUP] = { "CGROUP", TABLE_STRING, 32 },
};

/**
 * struct page_sums - the sums of a group
 * @pages: number of pages
 * @mapped: number of pages that are mapped by processes
 * @maps: total number of their mappings
 * @ages: number of pages of known age
 * @oldest: highest age, in units of 10 ms; only valid if @ages is not 0
 * @youngest: lowest age; likewise
 * @kinds: number of pages of each current kind
 */
struct page_sums {
	uint64_t pages;
	uint64_t mapped;
	uint64_t maps;
	uint64_t ages;
	uint32_t oldest;
	uint32_t youngest;
	uint64_t kinds[KINDS];
};

/**
 * struct by - the table
 * @o: the options
 * @w: the walk
 * @keys: the values of the one or two keys of each group of pages
 * @sums: the sums of each group
 * @room: number of groups that @sums has memory for
 * @all: sums over all groups
 * @names: names of the processes
 * @pid: number of the process that is being walked
 * @columns: columns of the table
 * @nr_columns: number of columns
 * @first_key: number of the key in the first of the columns of keys, which come last
 * @known: number of pages with a tag
 * @ageless: number of pages with a tag, but of unknown age
 * @unknown: number of pages without a tag that appear to be in use
 * @has_use: with --leaks, by number of a site: its pages have a known use
 * @left_out: number of pages that are not listed because of that
 */
struct by {
	const struct pages_options *o;
	struct survey w;
	struct pairs keys;
	struct page_sums *sums;
	size_t room;
	struct page_sums all;
	struct pidnames names;
	int pid;
	struct table_column columns[FIGURES_MAX + PAGE_KEYS_MAX];
	size_t nr_columns;
	int first_key;
	uint64_t known;
	uint64_t ageless;
	uint64_t unknown;
	bool *has_use;
	uint64_t left_out;
};

/* --- groups of pages ------------------------------------------------------------ */

static int find_key(const char *name, size_t len)
{
	int i;

	for (i = 0; i < PAGE_KEYS; i++)
		if (!strncmp(page_key_names[i], name, len) &&
		    !page_key_names[i][len])
			return i;
	return -1;
}

int pages_parse_by(const char *text, enum page_key by[PAGE_KEYS_MAX])
{
	size_t len;
	int n, key;

	for (n = 0; n < PAGE_KEYS_MAX; n++) {
		len = strcspn(text, ",");
		key = find_key(text, len);
		if (key < 0 || (n && by[0] == (enum page_key)key))
			return 0;
		by[n] = key;
		text += len;
		if (!*text)
			return n + 1;
		text++;
	}
	return 0;
}

static uint64_t age_class(uint32_t age)
{
	uint64_t i = 0;

	if (age == KMEMTRACE_AGE_UNKNOWN)
		return AGES;
	while (age >= ages[i].below)
		i++;
	return i;
}

static uint64_t key_of(enum page_key key, const struct page *page, int pid)
{
	const uint64_t keys[PAGE_KEYS] = {
		[PAGES_BY_SITE] = page->site,
		[PAGES_BY_KIND] = page->kind,
		[PAGES_BY_FLAGS] = page->flags & SHOWN_FLAGS,
		[PAGES_BY_ORDER] = page->owner->order,
		[PAGES_BY_ZONE] = page->owner->zone,
		[PAGES_BY_NODE] = page->owner->node,
		[PAGES_BY_MIGRATETYPE] = page->owner->migratetype,
		[PAGES_BY_PROCESS] = pid,
		[PAGES_BY_AGE] = age_class(page->owner->age),
		[PAGES_BY_CGROUP] = page->cgroup,
	};

	return keys[key];
}

/* Writes the name, or the number if it has no name. */
static void numbered(const char *name, uint64_t number, char *to, size_t size)
{
	if (name && *name)
		snprintf(to, size, "%s", name);
	else
		snprintf(to, size, "%" PRIu64, number);
}

static void add_to(struct page_sums *s, const struct page *page)
{
	uint32_t age = page->owner->age;

	s->pages++;
	s->mapped += page->count > 0;
	s->maps += page->count;
	s->kinds[page->kind]++;
	if (age == KMEMTRACE_AGE_UNKNOWN)
		return;
	if (!s->ages || age > s->oldest)
		s->oldest = age;
	if (!s->ages || age < s->youngest)
		s->youngest = age;
	s->ages++;
}

static enum frame_kind page_sums_kind(const struct page_sums *s)
{
	enum frame_kind kind, most = 0;

	for (kind = 1; kind < KINDS; kind++)
		if (s->kinds[kind] > s->kinds[most])
			most = kind;
	return most;
}

static void add_page(struct by *b, const struct page *page, int pid)
{
	const enum page_key *by = b->o->by;
	uint64_t second = b->o->nr_by > 1 ? key_of(by[1], page, pid) : 0;
	uint32_t group = pairs_get(&b->keys, key_of(by[0], page, pid), second);

	b->sums = pairs_fit(&b->keys, b->sums, &b->room, sizeof(*b->sums));
	add_to(&b->sums[group], page);
	add_to(&b->all, page);
}

/* --- the table --------------------------------------------------------------- */

static bool has_key(const struct by *b, enum page_key key)
{
	return b->o->by[0] == key || (b->o->nr_by > 1 && b->o->by[1] == key);
}

/* The key without a width comes last. */
static void add_keys(struct by *b)
{
	int i, nr = b->o->nr_by;

	b->first_key = nr > 1 && !key_columns[b->o->by[0]].width;
	for (i = 0; i < nr; i++) {
		enum page_key by = b->o->by[i ^ b->first_key];

		b->columns[b->nr_columns++] = (struct table_column){
			.title = key_columns[by].title,
			.key = page_key_names[by],
			.kind = key_columns[by].kind,
			.width = i < nr - 1 ? key_columns[by].width : 0,
		};
	}
}

static void add_columns(struct by *b, const struct table_column *column, size_t count)
{
	memcpy(b->columns + b->nr_columns, column, count * sizeof(*column));
	b->nr_columns += count;
}

static bool has_now(const struct by *b)
{
	return !b->o->leaks && !has_key(b, PAGES_BY_KIND);
}

/* pages_by_cell() has the same conditions. */
static void choose_columns(struct by *b)
{
	static const struct table_column sizes[] = { FIGURE_BYTES, FIGURE_PAGES, FIGURE_SHARE };
	static const struct table_column maps[] = { FIGURE_MAPPED, FIGURE_MAPS };
	static const struct table_column ages[] = { FIGURE_OLDEST, FIGURE_YOUNGEST };
	static const struct table_column now[] = { FIGURE_NOW, FIGURE_NOW_PAGES };

	add_columns(b, sizes, TABLE_COLUMNS(sizes));
	if (!b->o->leaks)
		add_columns(b, maps, TABLE_COLUMNS(maps));
	add_columns(b, ages, TABLE_COLUMNS(ages));
	if (has_now(b))
		add_columns(b, now, TABLE_COLUMNS(now) - (b->o->format == TABLE_TEXT));
	add_keys(b);
}

/* The value of a key, of one of its kinds. */
static void get_key(struct by *b, size_t row, int key, struct table_cell *cell)
{
	const struct pair *keys = &b->keys.pair[row];
	uint64_t n = key ? keys->b : keys->a;
	const struct survey *w = &b->w;
	char *to = cell->string;
	size_t size = sizeof(cell->string);

	cell->number = n;
	switch (b->o->by[key]) {
	case PAGES_BY_SITE:
		snprintf(to, size, "%s", w->sites.location[n]);
		break;
	case PAGES_BY_KIND:
		snprintf(to, size, "%s", kind_names[n]);
		break;
	case PAGES_BY_FLAGS:
		if (n)
			pageflags_long(pageflags_names(NULL), n, to, size);
		else
			snprintf(to, size, "-");
		break;
	case PAGES_BY_ZONE:
		numbered(n < ZONES_MAX ? w->zones.zone[n] : NULL, n, to, size);
		break;
	case PAGES_BY_MIGRATETYPE:
		numbered(n < MIGRATETYPES_MAX ? w->zones.migratetype[n] : NULL, n, to, size);
		break;
	case PAGES_BY_PROCESS:
		if (n == NO_PROCESS)
			snprintf(to, size, "(none)");
		else
			snprintf(to, size, "%" PRIu64 " %s", n, pidnames_get(&b->names, n));
		break;
	case PAGES_BY_CGROUP:
		cgroups_name(&w->cgroups, n, to, size);
		break;
	case PAGES_BY_AGE:
		snprintf(to, size, "%s", n < AGES ? ages[n].name : "not known");
		break;
	default:
		snprintf(to, size, "%" PRIu64, n);
	}
}

static void pages_by_cell(void *arg, size_t i, struct table_cell *cell)
{
	struct by *b = arg;
	const struct page_sums *s = &b->sums[i];
	enum frame_kind kind = page_sums_kind(s);
	bool text = b->o->format == TABLE_TEXT;
	int k;

	row_number(cell, pages_bytes(s->pages));
	row_number(cell, s->pages);
	row_number(cell, 1000.0 * s->pages / b->all.pages + 0.5);
	if (!b->o->leaks) {
		row_number(cell, s->mapped);
		row_number(cell, s->maps);
	}
	row_known(cell, s->ages, s->oldest * 10ull);
	row_known(cell, s->ages, s->youngest * 10ull);
	if (has_now(b))
		row_format(cell, "%s%s", kind_names[kind],
			   text && s->kinds[kind] < s->pages ? "+" : "");
	if (has_now(b) && !text)
		row_number(cell, s->kinds[kind]);
	for (k = 0; k < b->o->nr_by; k++)
		if (row_wants(cell))
			get_key(b, i, k ^ b->first_key, cell);
}

/* --- totals -------------------------------------------------------------------- */

/* Live pages of all tags, from the module's counters at the start of the walk. */
static uint64_t counted_pages(const struct by *b)
{
	const struct tags *tags = &b->w.sites.tags;
	int64_t bytes = 0;
	size_t i;

	for (i = 0; i < tags->rows.count; i++)
		if (tags->rows.row[i].kind == SITE_PAGE)
			bytes += tags->rows.row[i].f.bytes;
	return bytes > 0 ? bytes / pages_bytes(1) : 0;
}

static void print_sum(const char *what, uint64_t pages)
{
	char bytes[16];

	printf("%-9s %7s in %" PRIu64 " page%s", what,
	       table_human(bytes, sizeof(bytes), pages_bytes(pages), 1), pages,
	       plural(pages));
}

/*
 * Frames in the free lists of CPUs, and frames that a confidential guest has not accepted
 * yet, are free, but have no flag that says so. The kernel reports their number.
 */
static uint64_t unknown_pages(const struct by *b)
{
	uint64_t free = b->w.zones.per_cpu_pages + b->w.zones.unaccepted_pages;

	return b->unknown > free ? b->unknown - free : 0;
}

/* All memory from before accounting is known by now. */
static bool is_surveyed(const struct by *b)
{
	const struct tags *tags = &b->w.sites.tags;

	return trust_counter(tags, "survey") && trust_counter(tags, "survey_complete");
}

static void print_leaks(const struct by *b)
{
	if (b->left_out) {
		print_sum("left out", b->left_out);
		puts(", of page tables, of the map of memory and of kmemtrace itself");
	}
	puts("No process, file, slab, page table, vmalloc() or per-CPU area has these pages.\n"
	     "A buffer that a driver reaches by a pointer in its own data looks the same.\n"
	     "Suspect sites whose pages become more and older.");
}

static void print_below(void *arg)
{
	const struct by *b = arg;
	uint64_t counted = counted_pages(b);

	if (b->all.pages != b->known) {
		print_sum("listed", b->all.pages);
		putchar('\n');
	}
	print_sum("known", b->known);
	if (counted == b->known)
		puts(", as many as accounting counts");
	else
		printf("; accounting counted %" PRIu64
		       " just before (%+" PRId64 ")\n",
		       counted, (int64_t)(b->known - counted));
	print_sum("not known", unknown_pages(b));
	puts(is_surveyed(b) ? ", in the lists of CPUs or allocated while the frames were read" :
			      ", in use since before accounting began");
	if (b->o->filter.min_age && b->ageless)
		printf("%" PRIu64
		       " of the known pages have an unknown age and are left out\n",
		       b->ageless);
	if (has_key(b, PAGES_BY_CGROUP))
		cgroups_print(&b->w.cgroups);
	if (has_key(b, PAGES_BY_PROCESS))
		puts("A page that several processes have mapped is in the row of each.");
	if (b->o->leaks)
		print_leaks(b);
}

static json_t *json_below(void *arg)
{
	const struct by *b = arg;
	json_t *root = json_pack("{s:I,s:I,s:I,s:I,s:I,s:I}", "listed_pages",
			 (json_int_t)b->all.pages, "known_pages",
			 (json_int_t)b->known, "ageless_pages",
			 (json_int_t)b->ageless, "counted_pages",
			 (json_int_t)counted_pages(b), "unknown_pages",
			 (json_int_t)unknown_pages(b), "left_out_pages",
			 (json_int_t)b->left_out);

	if (has_key(b, PAGES_BY_CGROUP))
		json_object_set_new(root, "removed_cgroups",
				    json_integer(b->w.cgroups.removed));
	return root;
}

/* --- sites of known use --------------------------------------------------------- */

/*
 * Functions that allocate tables of pages of the kernel, which have no flag before Linux 7,
 * and the map of memory. A '*' ends a prefix.
 */
static const char *const tables[] = {
	"pgd_alloc",	    "_pgd_alloc",
	"__pgd_alloc",	    "__p4d_alloc",
	"__pud_alloc",	    "__pmd_alloc",
	"__pte_alloc",	    "__pte_alloc_kernel",
	"pte_alloc_one",    "pte_alloc_one_kernel",
	"pmd_alloc_one",    "pagetable_alloc",
	"alloc_pte_page",   "alloc_pmd_page",
	"alloc_low_pages",  "spp_getpage",
	"split_large_page", "__split_large_page",
	"vmemmap_*",	    "__change_page_attr*",
};

static bool allocates_tables(const char *function)
{
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		size_t len = strcspn(tables[i], "*");

		if (!strncmp(function, tables[i], len) &&
		    (tables[i][len] || !function[len]))
			return true;
	}
	return false;
}

static void find_uses(struct by *b)
{
	const struct sites *sites = &b->w.sites;
	struct sitename name;
	size_t i;

	b->has_use = xcalloc(sites->count, sizeof(*b->has_use));
	for (i = SITE_FIRST; i < sites->count; i++) {
		sitename_parse(&name, sites->location[i]);
		b->has_use[i] = *name.module ? !strcmp(name.module, "kmemtrace")
					     : allocates_tables(name.plain);
		sitename_free(&name);
	}
}

/* --- the walk ------------------------------------------------------------------- */

/* Not free, and under the control of the page allocator. */
static bool is_in_use(const struct page *page)
{
	return page->kind > KIND_RESERVED;
}

/*
 * No kernel structure accounts for the page. In an allocation that is not a compound
 * page, only the first page has a reference count.
 */
static bool is_lost(const struct survey *w, const struct page *page)
{
	return page->kind == KIND_KERNEL &&
	       !(page->owner->flags & KMEMTRACE_PAGE_KNOWN) &&
	       (page->owner->refs ||
		!(page->owner->flags & KMEMTRACE_PAGE_HEAD)) &&
	       !page->count && !(page->flags & PAGEFLAG(MMAP)) &&
	       !vmallocs_find(&w->vmallocs, page->pfn);
}

/* Return: whether --leaks lists the page; if not because of its known use, it is counted. */
static bool is_leak(struct by *b, const struct page *page)
{
	if (!is_lost(&b->w, page))
		return false;
	b->left_out += b->has_use[page->site];
	return !b->has_use[page->site];
}

static bool is_listed(struct by *b, const struct page *page)
{
	return survey_wants(&b->w, page) &&
	       (!b->o->leaks || is_leak(b, page)) &&
	       (!has_key(b, PAGES_BY_PROCESS) || !page->count) &&
	       !b->o->process;
}

/* Pages that came into the lists of CPUs during the walk are free as well. */
static int count_free_again(struct by *b)
{
	struct zones now;

	if (zones_read(&now))
		return EXIT_FAILED;
	if (now.per_cpu_pages > b->w.zones.per_cpu_pages)
		b->w.zones.per_cpu_pages = now.per_cpu_pages;
	return EXIT_DONE;
}

static int pages_by_walk(struct by *b)
{
	struct page page;
	int ret;

	while ((ret = survey_next(&b->w, &page)) > 0) {
		if (!page.owner->tag) {
			b->unknown += is_in_use(&page);
			continue;
		}
		b->known++;
		b->ageless += page.owner->age == KMEMTRACE_AGE_UNKNOWN;
		if (is_listed(b, &page))
			add_page(b, &page, NO_PROCESS);
	}
	return ret ? EXIT_FAILED : count_free_again(b);
}

static void begin_process(void *arg, const struct process *p)
{
	struct by *b = arg;
	char name[sizeof(p->name)];

	snprintf(name, sizeof(name), "%s", p->name);
	table_clean(name);
	pidnames_set(&b->names, p->pid, name, true);
	b->pid = p->pid;
}

/*
 * The huge zero page may be mapped thousands of times by a process, of which it is no cost.
 * pages_by_walk() lists it once, because no process counts as its user.
 */
static int pages_by_visit(void *arg, const struct page *page)
{
	struct by *b = arg;

	if (page->owner->tag && page->kind != KIND_ZERO && survey_wants(&b->w, page))
		add_page(b, page, b->pid);
	return 0;
}

int pages_by(const struct pages_options *o)
{
	struct by b = { .o = o };
	struct page_filter filter = o->filter;
	struct listing l;
	int column, ret = EXIT_FAILED;

	choose_columns(&b);
	column = pages_sort_column(o, b.columns, b.nr_columns, "bytes");
	if (column < 0)
		return EXIT_USAGE;
	pairs_init(&b.keys);
	pidnames_init(&b.names);
	filter.cgroups = has_key(&b, PAGES_BY_CGROUP);
	if (!survey_open(&b.w, &filter)) {
		if (o->leaks && b.w.vmallocs.why)
			ret = msg_error("pages of vmalloc() cannot be distinguished from leaks: %s",
					b.w.vmallocs.why);
		else {
			if (o->leaks)
				find_uses(&b);
			ret = pages_by_walk(&b);
		}
	}
	if (!ret && !o->leaks && (o->process || has_key(&b, PAGES_BY_PROCESS)))
		ret = mapped_walk_all(&b.w, true, o->process, begin_process, pages_by_visit,
				      &b) ?
			      EXIT_FAILED :
			      EXIT_DONE;
	progress_end(&b.w.progress);
	l = (struct listing){
		.columns = b.columns,
		.nr_columns = b.nr_columns,
		.nr_rows = b.keys.count,
		.get = pages_by_cell,
		.arg = &b,
	};
	if (!ret)
		ret = pages_show(o, &l, column, print_below, json_below, &b.w);
	survey_close(&b.w);
	pairs_exit(&b.keys);
	free(b.sums);
	pidnames_exit(&b.names);
	free(b.has_use);
	return ret;
}
