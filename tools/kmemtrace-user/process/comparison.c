// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/progress.h"
#include "process/comparison.h"

/* maximum number of processes with the same name that a message lists */
#define LISTED 5

/* marks of the readings, in their order */
#define FIRST_A	 (1u << 0)
#define FIRST_B	 (1u << 1)
#define SECOND_A (1u << 2)
#define SECOND_B (1u << 3)

/* --- the processes ------------------------------------------------------------------ */

static void list_all(char *to, size_t size, const int *pid, ssize_t count)
{
	size_t len = 0;
	ssize_t i;

	for (i = 0; i < count && i < LISTED; i++)
		len += snprintf(to + len, size - len, "%s%d", i ? ", " : "",
				pid[i]);
	if (count > LISTED)
		snprintf(to + len, size - len, ", ...");
}

int comparison_find(const char *what, int *pid)
{
	char list[LISTED * 16 + 8];
	ssize_t count;
	int *all, ret = EXIT_FAILED;

	count = process_list(what, &all);
	if (count == 1) {
		*pid = *all;
		ret = EXIT_DONE;
	} else if (!count) {
		msg_error("there is no process %s", what);
	} else if (count > 1) {
		list_all(list, sizeof(list), all, count);
		msg_error("%zd processes have the name %s; give the number of one: %s",
			  count, what, list);
	}
	free(all);
	return ret;
}

static int comparison_check(const struct process *p)
{
	if (p->nr_maps)
		return EXIT_DONE;
	if (process_is_kthread(p))
		return msg_error("process %d (%s) is a kernel thread: it has no memory to compare",
				 p->pid, p->name);
	return msg_error("process %d (%s) has no memory to compare: it has ended, but its parent did not wait for it",
			 p->pid, p->name);
}

static int open_process(struct process *p, int pid)
{
	int err = process_open(p, pid);

	return err ? footprint_error(p, err) : comparison_check(p);
}

static int check_differ(const struct process *a, const struct process *b)
{
	int leader = process_leader(a);

	if (a->pid == b->pid)
		return msg_error("A and B are the same process, %d: give two",
				 a->pid);
	if (leader == process_leader(b))
		return msg_error("%d and %d are threads of the same process, %d: they have the same memory",
				 a->pid, b->pid, leader);
	return EXIT_DONE;
}

static int check_alive(const struct process *p)
{
	return process_is_gone(p) ? footprint_error(p, -ESRCH) : EXIT_DONE;
}

/* --- readings ----------------------------------------------------------------------- */

/* Sets @f to the process, and @other->files to its files for the next reading. */
static int read_one(struct comparison *c, struct footprint_reader *r, int side,
		    struct footprint *f)
{
	static const struct footprint_choice all = { .end = UINT64_MAX };
	int err = footprint_read(r, f, c->opened[side].pid, &all);

	if (!err && !f->process.nr_maps)
		err = -ESRCH;
	if (err)
		return footprint_error(&c->opened[side], err);
	filespans_free(&r->other->files);
	filespans_make(&r->other->files, &f->process, r->page_size);
	return EXIT_DONE;
}

static int comparison_read_all(struct comparison *c, struct footprint_reader *r)
{
	static const struct {
		int side;
		unsigned int mark, theirs;
		bool keep;
	} reading[] = {
		{ COMPARISON_A, FIRST_A, 0, false },
		{ COMPARISON_B, FIRST_B, FIRST_A, true },
		{ COMPARISON_A, SECOND_A, FIRST_B, true },
		{ COMPARISON_B, SECOND_B, SECOND_A, false },
	};
	struct footprint_other other = { .pages = &c->pages };
	struct footprint f;
	size_t i;
	int ret = EXIT_DONE;

	r->other = &other;
	for (i = 0; i < sizeof(reading) / sizeof(*reading) && !ret; i++) {
		other.mark = reading[i].mark;
		other.theirs = reading[i].theirs;
		ret = read_one(c, r, reading[i].side, &f);
		if (reading[i].keep && !ret)
			c->side[reading[i].side] = f;
		else
			footprint_free(&f);
	}
	r->other = NULL;
	filespans_free(&other.files);
	return ret;
}

/* --- results ------------------------------------------------------------------------ */

static bool differ(unsigned int marks, unsigned int x, unsigned int y)
{
	return !(marks & x) != !(marks & y);
}

/* @marks: marks of @bytes in memory, or in swap */
static void add_error(struct comparison *c, unsigned int marks, uint64_t bytes,
		      uint64_t uncertain[COMPARISON_SIDES])
{
	bool a_changed = differ(marks, FIRST_A, SECOND_A);
	bool b_changed = differ(marks, FIRST_B, SECOND_B);

	if (a_changed)
		c->changed[COMPARISON_A] += bytes;
	if (b_changed)
		c->changed[COMPARISON_B] += bytes;
	if ((marks & SECOND_A) && b_changed)
		uncertain[COMPARISON_A] += bytes;
	if ((marks & FIRST_B) && a_changed)
		uncertain[COMPARISON_B] += bytes;
}

static void add_up(struct comparison *c, uint64_t page_size)
{
	struct pageset_counts counts;
	unsigned int marks;

	pageset_count(&c->pages, &counts);
	for (marks = 1; marks < PAGESET_COMBINATIONS; marks++) {
		uint64_t bytes = counts.frames[marks] * page_size;
		bool a = marks & SECOND_A, b = marks & FIRST_B;

		if (a && b)
			c->once.both += bytes;
		else if (a || b)
			c->once.only[a ? COMPARISON_A : COMPARISON_B] += bytes;
		add_error(c, marks, bytes, c->uncertain);
		add_error(c, marks, counts.places[marks] * page_size,
			  c->uncertain_swap);
	}
}

static int comparison_compare(struct comparison *c, struct footprint_reader *r)
{
	int i, ret;

	pageset_init(&c->pages);
	ret = comparison_read_all(c, r);
	for (i = 0; i < COMPARISON_SIDES && !ret; i++)
		ret = check_alive(&c->opened[i]);
	if (ret)
		return ret;
	c->misses_shmswap = r->misses_shmswap;
	add_up(c, r->page_size);
	mappairs_make(&c->side[COMPARISON_A], &c->side[COMPARISON_B], &c->pair,
		      &c->pairs);
	return EXIT_DONE;
}

static int open_both(struct comparison *c, const int pid[COMPARISON_SIDES])
{
	int i, ret = EXIT_DONE;

	for (i = 0; i < COMPARISON_SIDES && !ret; i++)
		ret = open_process(&c->opened[i], pid[i]);
	if (ret)
		return ret;
	return check_differ(&c->opened[COMPARISON_A], &c->opened[COMPARISON_B]);
}

int comparison_read(struct comparison *c, const int pid[COMPARISON_SIDES])
{
	static const struct process none = { .dir = -1, .pagemap = -1 };
	struct footprint_reader r;
	struct progress progress;
	int i, ret;

	*c = (struct comparison){ 0 };
	for (i = 0; i < COMPARISON_SIDES; i++)
		c->opened[i] = c->side[i].process = none;
	ret = open_both(c, pid);
	if (ret)
		return ret;
	progress_start(&progress, "pages", 0);
	ret = footprint_start(&r, &progress) ? EXIT_FAILED : EXIT_DONE;
	if (!ret && !r.sees_frames)
		ret = msg_error("--compare needs CAP_SYS_ADMIN: the kernel hides the frames of processes; run as root");
	if (!ret)
		ret = comparison_compare(c, &r);
	progress_end(&progress);
	footprint_stop(&r);
	return ret;
}

void comparison_free(struct comparison *c)
{
	int i;

	for (i = 0; i < COMPARISON_SIDES; i++) {
		footprint_free(&c->side[i]);
		process_close(&c->opened[i]);
	}
	free(c->pair);
	pageset_exit(&c->pages);
}
