// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/die.h"
#include "base/figures.h"
#include "base/msg.h"
#include "pages/mapped.h"
#include "pages/pages.h"

/* enough for the memory of the process, a line for each kind, and the kernel's memory */
#define LINES (KINDS + 16)

/**
 * struct line - one part of the cost
 * @what: name of the part
 * @bytes: its size
 * @count: number of pages, threads or objects
 * @has_count: @count is set
 * @from: source of the numbers
 */
struct line {
	const char *what;
	uint64_t bytes;
	uint64_t count;
	bool has_count;
	char from[512];
};

/**
 * struct lines - all parts of the cost of a process
 * @cost: the sums
 * @line: the lines
 * @count: number of lines
 * @pages: number of pages that the process maps, by current kind
 */
struct lines {
	const struct process_cost *cost;
	struct line line[LINES];
	size_t count;
	uint64_t pages[KINDS];
};

static const struct table_column columns[] = {
	FIGURE_BYTES, FIGURE_COUNT, FIGURE_WHAT, FIGURE_FROM,
};

static void pages_cost_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct line *l = &((const struct lines *)arg)->line[i];

	row_number(cell, l->bytes);
	row_known(cell, l->has_count, l->count);
	row_text(cell, l->what);
	row_text(cell, l->from);
}

/* --- the lines ------------------------------------------------------------------ */

static struct line *pages_cost_add(struct lines *l, const char *what, uint64_t bytes,
				   const char *from, ...)
	__attribute__((format(printf, 4, 5)));

static struct line *pages_cost_add(struct lines *l, const char *what, uint64_t bytes,
				   const char *from, ...)
{
	struct line *line = &l->line[l->count++];
	va_list args;

	line->what = what;
	line->bytes = bytes;
	va_start(args, from);
	vsnprintf(line->from, sizeof(line->from), from, args);
	va_end(args);
	return line;
}

static void add_counted(struct lines *l, const char *what, uint64_t bytes,
			uint64_t count, const char *from)
{
	struct line *line = pages_cost_add(l, what, bytes, "%s", from);

	line->count = count;
	line->has_count = true;
}

/* The kernel's RSS includes neither zero pages nor huge pages of hugetlb. */
static bool is_resident(enum frame_kind kind)
{
	return kind != KIND_RESERVED && kind != KIND_ZERO &&
	       kind != KIND_HUGETLB;
}

static void add_memory(struct lines *l)
{
	const struct usage *u = &l->cost->usage;
	enum frame_kind kind;

	pages_cost_add(l, "resident (RSS)", u->rss, "its pagemap");
	pages_cost_add(l, "its own (USS)", u->uss, "of that, mapped once: /proc/kpagecount");
	pages_cost_add(l, "its part (PSS)", process_cost_pss(l->cost),
		       "each page divided by how often it is mapped");
	pages_cost_add(l, "swapped out", u->swap, "its pagemap");
	if (u->hugetlb)
		pages_cost_add(l, "hugetlb", u->hugetlb, "its pagemap, not in RSS");
	for (kind = 0; kind < KINDS; kind++)
		if (l->pages[kind])
			add_counted(l, kind_names[kind],
				    pages_bytes(l->pages[kind]),
				    l->pages[kind],
				    is_resident(kind) ?
					    "kind of the pages: /proc/kpageflags" :
					    "it maps these, but they are not in RSS");
}

static void add_kernel(struct lines *l, const struct process_costs *c)
{
	const struct process_cost *cost = l->cost;

	pages_cost_add(l, "page tables", cost->page_tables, "VmPTE of /proc/%d/status",
		       cost->pid);
	add_counted(l, "kernel stacks", cost->stacks, cost->threads,
		    c->stack_is_seen ?
			    "its threads, stacks as in /proc/vmallocinfo" :
			    "its threads, a size that is assumed");
}

static void add_recorded(struct lines *l, const struct recorded *r)
{
	static const char *const types[ANALYSIS_TYPES] = {
		[KMEMTRACE_TYPE_KMALLOC] = "kmalloc",
		[KMEMTRACE_TYPE_CACHE] = "slab caches",
		[KMEMTRACE_TYPE_PERCPU] = "per-CPU",
		[KMEMTRACE_TYPE_PAGES] = "(pages)",
	};
	const struct recorded_sums *s = &l->cost->recorded;
	struct line *line;
	int type;

	if (!l->cost->is_recorded)
		return;
	for (type = 0; type < ANALYSIS_TYPES; type++) {
		bool pages = type == KMEMTRACE_TYPE_PAGES;

		line = pages_cost_add(l, types[type], s->bytes[type], "%s in %s%s",
				      pages ? "allocated" : "allocated by its threads",
				      r->path,
				      pages ? ": its memory, page tables and slabs as well, not in COST" :
					      ", live at its end");
		line->count = s->objects[type];
		line->has_count = true;
	}
}

/* --- printing ------------------------------------------------------------------- */

static void pages_cost_print_text(const struct listing *list, const struct lines *l,
				  const struct recorded *r)
{
	char name[64];

	snprintf(name, sizeof(name), "%s", l->cost->name);
	table_clean(name);
	printf("process %d (%s)\n", l->cost->pid, name);
	listing_print(list, TABLE_TEXT);
	if (!r)
		puts("For what else the kernel allocated for it, give a recording with the feature\n"
		     "task: --input FILE.");
	else if (!l->cost->is_recorded)
		printf("It began after %s ended.\n", r->path);
}

static json_t *json_process(const struct process_cost *cost)
{
	return json_pack("{s:i,s:s,s:I}", "pid", cost->pid, "name", cost->name,
			 "cost", (json_int_t)process_cost_sum(cost));
}

static int pages_cost_print(const struct pages_options *o, struct lines *l,
			    const struct recorded *r)
{
	struct listing list = {
		columns, TABLE_COLUMNS(columns), TABLE_COLUMNS(columns), l->count,
		pages_cost_cell, l, NULL, l->count,
	};
	int ret = EXIT_DONE;

	listing_keep(&list, 0);
	if (o->format == TABLE_JSON)
		ret = pages_print_json(listing_json(&list),
				       json_process(l->cost), NULL);
	else if (o->format == TABLE_CSV)
		listing_print(&list, TABLE_CSV);
	else
		pages_cost_print_text(&list, l, r);
	listing_free(&list);
	return ret;
}

/* --- pages of the process -------------------------------------------------------- */

static int count_page(void *arg, const struct page *page)
{
	struct lines *l = arg;

	l->pages[page->kind]++;
	return 0;
}

static int count_pages(struct lines *l)
{
	static const struct page_filter all = PAGE_FILTER_NONE;
	struct process p;
	struct mapped m;
	struct survey w;
	int err = survey_open(&w, &all);

	if (!err) {
		err = mapped_open(&m, &w, true);
		/* if the process has ended meanwhile, it has no pages */
		if (!err && !process_open(&p, l->cost->pid)) {
			err = mapped_walk(&m, &p, count_page, l);
			process_close(&p);
		}
		mapped_close(&m);
	}
	survey_close(&w);
	return err;
}

int pages_cost(const struct pages_options *o, const struct process_costs *c,
	       const struct process_cost *cost)
{
	struct lines *l = xcalloc(1, sizeof(*l));
	int ret = EXIT_FAILED;

	l->cost = cost;
	if (!count_pages(l)) {
		add_memory(l);
		add_kernel(l, c);
		if (c->recorded)
			add_recorded(l, c->recorded);
		pages_cost_add(l, "COST", process_cost_sum(cost),
			       "PSS, hugetlb, page tables, stacks, slab and per-CPU objects");
		ret = pages_cost_print(o, l, c->recorded);
	}
	free(l);
	return ret;
}
