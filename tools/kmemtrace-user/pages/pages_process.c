// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory cost of processes, and of one in detail: its own memory, and the memory that the
 * kernel allocated for it.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/figures.h"
#include "base/msg.h"
#include "base/textfile.h"
#include "pages/mapped.h"
#include "pages/pages.h"
#include "process/footprint.h"
#include "report/recorded.h"

/* assumed size of a kernel stack if /proc/vmallocinfo shows none */
#define STACK_PAGES 4

/* enough for the memory of the process, a line for each kind, and the kernel's memory */
#define LINES (KINDS + 16)

/**
 * struct process_cost - the cost of one process; sizes are in bytes
 * @pid: number of the process
 * @name: name of the process
 * @usage: its memory; all 0 for a kernel thread
 * @page_tables: VmPTE of /proc/PID/status
 * @threads: number of threads
 * @stacks: kernel stacks of the threads
 * @is_recorded: @recorded is set
 * @recorded: live allocations of its threads in a recording
 */
struct process_cost {
	int pid;
	char name[64];
	struct usage usage;
	uint64_t page_tables;
	uint64_t threads;
	uint64_t stacks;
	bool is_recorded;
	struct recorded_sums recorded;
};

/**
 * struct processes - the table
 * @reader: reads the memory of processes
 * @recorded: the recording; all 0 without --input
 * @stack_bytes: bytes of a kernel stack
 * @stack_is_seen: @stack_bytes is the size of an existing stack; else it is assumed
 * @cost: cost of each process
 * @count: number of processes in @cost
 * @refused: number of processes that could not be read
 */
struct processes {
	struct footprint_reader reader;
	struct recorded recorded;
	uint64_t stack_bytes;
	bool stack_is_seen;
	struct process_cost *cost;
	size_t count;
	size_t refused;
};

static uint64_t process_cost_slab(const struct process_cost *cost)
{
	return cost->recorded.bytes[KMEMTRACE_TYPE_KMALLOC] +
	       cost->recorded.bytes[KMEMTRACE_TYPE_CACHE];
}

static uint64_t process_cost_pss(const struct process_cost *cost)
{
	return cost->usage.pss >> USAGE_PSS_SHIFT;
}

static uint64_t process_cost_sum(const struct process_cost *cost)
{
	return process_cost_pss(cost) + cost->usage.hugetlb +
	       cost->page_tables + cost->stacks + process_cost_slab(cost) +
	       cost->recorded.bytes[KMEMTRACE_TYPE_PERCPU];
}

/* --- reading -------------------------------------------------------------------- */

/* All stacks have the same size. The area of a stack ends with a guard page. */
static int find_stack_size(struct processes *p)
{
	struct vmallocs v;
	size_t i;
	int err = vmallocs_read(&v);

	p->stack_bytes = STACK_PAGES * p->reader.page_size;
	for (i = 0; i < v.nr_areas && !p->stack_is_seen; i++) {
		const struct vmalloc_area *a = &v.area[i];

		if (a->kind != VMALLOC_STACK || !a->owned)
			continue;
		p->stack_bytes = a->end - a->start - p->reader.page_size;
		p->stack_is_seen = true;
	}
	vmallocs_free(&v);
	return err;
}

/* Return: the number in the line of @key, such as "VmPTE:	      76 kB"; or 0. */
static uint64_t status_number(const char *status, const char *key)
{
	const char *at = textfile_value(status, key, strlen(key), ':');

	return at ? strtoull(at, NULL, 10) : 0;
}

/* Return: as footprint_read(). */
static int process_cost_read(struct processes *p, int pid, struct process_cost *cost)
{
	static const struct footprint_choice all = { .end = UINT64_MAX };
	struct footprint f;
	char name[32], *text;
	int err = footprint_read(&p->reader, &f, pid, &all);

	*cost = (struct process_cost){ .pid = pid };
	if (!err) {
		snprintf(cost->name, sizeof(cost->name), "%s", f.process.name);
		cost->usage = f.total;
	}
	footprint_free(&f);
	if (err)
		return err;
	snprintf(name, sizeof(name), "%d/status", pid);
	text = textfile_read_proc(name, NULL);
	if (!text)
		return errno == ENOENT ? -ESRCH : -errno;
	cost->page_tables = status_number(text, "VmPTE") * 1024;
	cost->threads = status_number(text, "Threads");
	free(text);
	cost->stacks = cost->threads * p->stack_bytes;
	if (p->recorded.path)
		cost->is_recorded = recorded_get(&p->recorded, pid, &cost->recorded);
	return 0;
}

static int read_processes(struct processes *p, const char *what)
{
	struct progress progress;
	ssize_t count, i;
	int *pids, err = 0;

	count = process_list(what, &pids);
	if (count < 0)
		return EXIT_FAILED;
	p->cost = xcalloc(count + 1, sizeof(*p->cost));
	progress_start(&progress, "processes", count);
	for (i = 0; i < count && err != FOOTPRINT_BROKEN; i++) {
		progress_step(&progress, i);
		err = process_cost_read(p, pids[i], &p->cost[p->count]);
		/* a process that has ended meanwhile is skipped */
		p->count += !err;
		p->refused += err && err != -ESRCH;
	}
	progress_end(&progress);
	free(pids);
	if (err == FOOTPRINT_BROKEN)
		return EXIT_FAILED;
	if (p->count)
		return EXIT_DONE;
	return what ? msg_error(p->refused ? "process %s cannot be read: run as root" :
					     "there is no process %s",
				what) :
		      msg_error("no process can be read: run as root");
}

/* --- several processes ------------------------------------------------------------------ */

static const struct table_column processes_columns[] = {
	FIGURE_COST, FIGURE_PSS, FIGURE_USS, FIGURE_RSS, FIGURE_SWAP,
	FIGURE_PAGE_TABLES, FIGURE_STACKS, FIGURE_SLAB, FIGURE_PID, FIGURE_NAME,
	/* not in text */
	FIGURE_PERCPU, FIGURE_HUGETLB, FIGURE_THREADS,
};

static void pages_process_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct process_cost *cost = &((const struct processes *)arg)->cost[i];

	row_number(cell, process_cost_sum(cost));
	row_number(cell, process_cost_pss(cost));
	row_number(cell, cost->usage.uss);
	row_number(cell, cost->usage.rss);
	row_number(cell, cost->usage.swap);
	row_number(cell, cost->page_tables);
	row_number(cell, cost->stacks);
	row_known(cell, cost->is_recorded, process_cost_slab(cost));
	row_number(cell, cost->pid);
	row_text(cell, cost->name);
	row_known(cell, cost->is_recorded, cost->recorded.bytes[KMEMTRACE_TYPE_PERCPU]);
	row_number(cell, cost->usage.hugetlb);
	row_number(cell, cost->threads);
}

static void print_below(const struct processes *p)
{
	char b[16];

	puts("\nCOST is PSS, huge pages of hugetlb, page tables, stacks, and slab and per-CPU\n"
	     "objects. TABLES are VmPTE of /proc/PID/status.");
	printf("STACKS are %s for each thread%s.\n",
	       table_human(b, sizeof(b), p->stack_bytes, 1),
	       p->stack_is_seen ? "" : ", which is assumed");
	if (p->recorded.path)
		printf("SLAB was allocated by its threads in %s and is live at its end.\n",
		       p->recorded.path);
	else
		puts("For SLAB, give a recording with the feature task: --input FILE.");
	if (p->refused)
		printf("%zu process%s could not be read.\n", p->refused,
		       p->refused == 1 ? "" : "es");
}

static int pages_process_print_table(const struct pages_options *o, struct processes *p,
				     size_t column)
{
	struct listing l = {
		processes_columns, TABLE_COLUMNS(processes_columns), TABLE_COLUMNS(processes_columns) - 3, p->count,
		pages_process_cell, p, NULL, 0,
	};
	int ret = EXIT_DONE;

	listing_sort(&l, column, o->top);
	if (o->format == TABLE_JSON)
		ret = pages_print_json(listing_json(&l), NULL, NULL);
	else
		listing_print(&l, o->format);
	if (o->format == TABLE_TEXT)
		print_below(p);
	listing_free(&l);
	return ret;
}

/* --- one process ----------------------------------------------------------------- */

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
 * @p: how it was read
 * @cost: the sums
 * @line: the lines
 * @count: number of lines
 * @pages: number of pages that the process maps, by current kind
 */
struct lines {
	const struct processes *p;
	const struct process_cost *cost;
	struct line line[LINES];
	size_t count;
	uint64_t pages[KINDS];
};

static const struct table_column cost_columns[] = {
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

static void add_kernel(struct lines *l)
{
	const struct process_cost *cost = l->cost;

	pages_cost_add(l, "page tables", cost->page_tables, "VmPTE of /proc/%d/status",
		       cost->pid);
	add_counted(l, "kernel stacks", cost->stacks, cost->threads,
		    l->p->stack_is_seen ?
			    "its threads, stacks as in /proc/vmallocinfo" :
			    "its threads, a size that is assumed");
}

static void add_recorded(struct lines *l)
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
				      l->p->recorded.path,
				      pages ? ": its memory, page tables and slabs as well, not in COST" :
					      ", live at its end");
		line->count = s->objects[type];
		line->has_count = true;
	}
}

/* --- printing ------------------------------------------------------------------- */

static int pages_cost_print(const struct pages_options *o, struct lines *l)
{
	const struct process_cost *cost = l->cost;
	struct listing list = LISTING(cost_columns, l->count, pages_cost_cell, l);
	char name[64];
	int ret = EXIT_DONE;

	listing_keep(&list, 0);
	snprintf(name, sizeof(name), "%s", cost->name);
	table_clean(name);
	if (o->format == TABLE_JSON)
		ret = pages_print_json(listing_json(&list),
				       json_pack("{s:i,s:s,s:I}", "pid", cost->pid, "name",
						 cost->name, "cost",
						 (json_int_t)process_cost_sum(cost)),
				       NULL);
	else if (o->format == TABLE_TEXT)
		printf("process %d (%s)\n", cost->pid, name);
	if (o->format != TABLE_JSON)
		listing_print(&list, o->format);
	if (o->format == TABLE_TEXT && !l->p->recorded.path)
		puts("For what else the kernel allocated for it, give a recording with the feature\n"
		     "task: --input FILE.");
	else if (o->format == TABLE_TEXT && !cost->is_recorded)
		printf("It began after %s ended.\n", l->p->recorded.path);
	listing_free(&list);
	return ret;
}

static int count_page(void *arg, const struct page *page)
{
	struct lines *l = arg;

	l->pages[page->kind]++;
	return 0;
}

static int pages_cost(const struct pages_options *o, const struct processes *p)
{
	static const struct page_filter all = PAGE_FILTER_NONE;
	const struct process_cost *cost = p->cost;
	struct lines *l = xcalloc(1, sizeof(*l));
	char pid[16];
	struct survey w;
	int ret = EXIT_FAILED;

	l->p = p;
	l->cost = cost;
	snprintf(pid, sizeof(pid), "%d", cost->pid);
	if (!survey_open(&w, &all) && !mapped_walk_all(&w, true, pid, NULL, count_page, l)) {
		add_memory(l);
		add_kernel(l);
		if (p->recorded.path)
			add_recorded(l);
		pages_cost_add(l, "COST", process_cost_sum(cost),
			       "PSS, hugetlb, page tables, stacks, slab and per-CPU objects");
		ret = pages_cost_print(o, l);
	}
	survey_close(&w);
	free(l);
	return ret;
}

int pages_process(const struct pages_options *o)
{
	int column = pages_sort_column(o, processes_columns, TABLE_COLUMNS(processes_columns),
				       "cost");
	struct processes p = { 0 };
	int ret = EXIT_DONE;

	if (column < 0)
		return EXIT_USAGE;
	if (o->input)
		ret = recorded_read(&p.recorded, o->input);
	if (!ret) {
		ret = EXIT_FAILED;
		if (!footprint_start(&p.reader, NULL) && !find_stack_size(&p))
			ret = read_processes(&p, o->process);
		if (!ret && o->process && p.count == 1)
			ret = pages_cost(o, &p);
		else if (!ret)
			ret = pages_process_print_table(o, &p, column);
		footprint_stop(&p.reader);
	}
	free(p.cost);
	recorded_free(&p.recorded);
	return ret;
}
