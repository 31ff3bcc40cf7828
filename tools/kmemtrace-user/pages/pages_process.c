// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/die.h"
#include "base/figures.h"
#include "base/msg.h"
#include "pages/pages.h"
#include "pages/process_cost.h"

/**
 * struct processes - the table
 * @c: reads the costs
 * @recorded: the recording; all 0 without --input
 * @cost: cost of each process
 * @count: number of processes in @cost
 * @refused: number of processes that could not be read
 */
struct processes {
	struct process_costs c;
	struct recorded recorded;
	struct process_cost *cost;
	size_t count;
	size_t refused;
};

/* --- the table ------------------------------------------------------------------ */

static const struct table_column columns[] = {
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
	       table_human(b, sizeof(b), p->c.stack_bytes, 1),
	       p->c.stack_is_seen ? "" : ", which is assumed");
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
		columns, TABLE_COLUMNS(columns), TABLE_COLUMNS(columns) - 3, p->count,
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

/* --- reading -------------------------------------------------------------------- */

/* A process that has ended meanwhile is skipped. Return: 0; -1 after a message. */
static int add_process(struct processes *p, int pid)
{
	struct process_cost *cost = &p->cost[p->count];
	int err = process_costs_read(&p->c, pid, cost);

	if (err == FOOTPRINT_BROKEN)
		return -1;
	p->count += !err;
	p->refused += err && err != -ESRCH;
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
	for (i = 0; i < count && !err; i++) {
		progress_step(&progress, i);
		err = add_process(p, pids[i]);
	}
	progress_end(&progress);
	free(pids);
	if (err)
		return EXIT_FAILED;
	if (p->count)
		return EXIT_DONE;
	return what ? msg_error(p->refused ? "process %s cannot be read: run as root" :
					     "there is no process %s",
				what) :
		      msg_error("no process can be read: run as root");
}

int pages_process(const struct pages_options *o)
{
	int column = pages_sort_column(o, columns, TABLE_COLUMNS(columns), "cost");
	struct processes p = { 0 };
	int ret = EXIT_DONE;

	if (column < 0)
		return EXIT_USAGE;
	if (o->input)
		ret = recorded_read(&p.recorded, o->input);
	if (!ret) {
		ret = EXIT_FAILED;
		if (!process_costs_start(&p.c, o->input ? &p.recorded : NULL))
			ret = read_processes(&p, o->process);
		if (!ret && o->process && p.count == 1)
			ret = pages_cost(o, &p.c, p.cost);
		else if (!ret)
			ret = pages_process_print_table(o, &p, column);
		process_costs_stop(&p.c);
	}
	free(p.cost);
	recorded_free(&p.recorded);
	return ret;
}
