// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/die.h"
#include "base/msg.h"
#include "frames/pageflags.h"
#include "pages/mapped.h"

int mapped_open(struct mapped *m, struct survey *survey, bool zeros_once)
{
	*m = (struct mapped){ .survey = survey, .zeros_once = zeros_once };
	if (frames_open(&m->heads, FRAMES_FLAGS, NULL))
		return -1;
	if (!process_sees_frames()) {
		msg_error("this needs CAP_SYS_ADMIN: the kernel hides the frames of processes");
		return -1;
	}
	m->scan = pagescan_create();
	m->pfn = xcalloc(PAGESCAN_ENTRIES, sizeof(*m->pfn));
	m->head = xcalloc(PAGESCAN_ENTRIES, sizeof(*m->head));
	m->head_pfn = xcalloc(PAGESCAN_ENTRIES, sizeof(*m->head_pfn));
	return 0;
}

void mapped_close(struct mapped *m)
{
	frames_close(&m->heads);
	free(m->scan);
	free(m->pfn);
	free(m->head);
	free(m->head_pfn);
}

/*
 * Before 6.12, the tails of a compound page do not have most of its flags. The frame
 * number of the head follows from the order of the allocation.
 */
static int gather(struct mapped *m, size_t n)
{
	struct frames *f = &m->survey->frames;
	size_t i, heads = 0;

	if (frames_gather(f, m->pfn, n))
		return -1;
	for (i = 0; i < n; i++) {
		uint64_t pages = 1ull << (f->owner[i].order & 63), head;

		m->head[i] = 0;
		if (!(f->flags[i] & PAGEFLAG(COMPOUND_TAIL)) ||
		    !f->owner[i].tag)
			continue;
		head = m->pfn[i] & ~(pages - 1);
		if (!heads || m->head_pfn[heads - 1] != head)
			m->head_pfn[heads++] = head;
		m->head[i] = heads;
	}
	return heads ? frames_gather(&m->heads, m->head_pfn, heads) : 0;
}

static void get_page(struct mapped *m, size_t i, struct page *page)
{
	struct survey *s = m->survey;

	*page = (struct page){
		.pfn = m->pfn[i],
		.flags = s->frames.flags[i],
		.count = s->frames.count[i],
		.owner = &s->frames.owner[i],
		.site = sites_of(&s->sites, s->frames.owner[i].tag),
		.cgroup = s->frames.charged ? s->frames.charged[i] : 0,
	};
	if (m->head[i])
		page->kind = kind_of_tail(&s->kinds, page->pfn, page->flags,
					  m->heads.flags[m->head[i] - 1],
					  page->owner);
	else
		page->kind = kind_of_frame(&s->kinds, page->pfn, page->flags,
					   page->owner);
}

/* Return: whether the page is of a zero page that was visited. */
static bool repeats_zeros(struct mapped *m, const struct page *page)
{
	if (!m->zeros_once || !(page->flags & PAGEFLAG(ZERO_PAGE)) ||
	    page->kind == KIND_HUGETLB)
		return false;
	if (zeropages_has(&m->scan->zeros, page->pfn))
		return true;
	zeropages_add(&m->scan->zeros, page->pfn);
	return false;
}

static int visit_chunk(struct mapped *m, size_t n, mapped_visit visit, void *arg)
{
	struct page page;
	size_t i;
	int err;

	if (!n)
		return 0;
	err = gather(m, n);
	for (i = 0; i < n && !err; i++) {
		get_page(m, i, &page);
		if (page.kind != KIND_HOLE && !repeats_zeros(m, &page))
			err = visit(arg, &page);
	}
	return err;
}

/* Reading fails if the process has ended meanwhile. */
static int walk_map(struct mapped *m, const struct mapping *map,
		    mapped_visit visit, void *arg, bool *ended)
{
	uint64_t size = m->scan->page_size, first;
	size_t used;
	ssize_t n, i;
	int err = 0;

	pagescan_start(m->scan, map, map->start / size, map->end / size, false);
	while (!err && (n = pagescan_next(m->scan, &first)) != 0) {
		if (n < 0) {
			*ended = true;
			break;
		}
		for (i = used = 0; i < n; i++)
			if ((m->scan->entry[i] & PM_PRESENT) &&
			    !zeropages_has(&m->scan->zeros, PM_PFN(m->scan->entry[i])))
				m->pfn[used++] = PM_PFN(m->scan->entry[i]);
		err = visit_chunk(m, used, visit, arg);
	}
	return err;
}

int mapped_walk(struct mapped *m, const struct process *p, mapped_visit visit,
		void *arg)
{
	bool ended = false;
	size_t i;
	int err = 0;

	pagescan_process(m->scan, p);
	for (i = 0; i < p->nr_maps && !err && !ended; i++)
		err = walk_map(m, &p->map[i], visit, arg, &ended);
	return err;
}

static int walk_processes(struct mapped *m, const char *what,
			  void (*begin)(void *arg, const struct process *p),
			  mapped_visit visit, void *arg)
{
	ssize_t count, i;
	struct process p;
	int *pids, err = 0;

	count = process_list(what, &pids);
	if (!count)
		msg_error("there is no process %s", what ? what : "at all");
	progress_start(&m->survey->progress, "processes", count);
	for (i = 0; i < count && !err; i++) {
		progress_step(&m->survey->progress, i);
		if (!process_open(&p, pids[i])) {
			begin(arg, &p);
			err = mapped_walk(m, &p, visit, arg);
		}
		process_close(&p);
	}
	progress_end(&m->survey->progress);
	free(pids);
	return count > 0 ? err : -1;
}

int mapped_walk_all(struct survey *survey, bool zeros_once, const char *what,
		    void (*begin)(void *arg, const struct process *p),
		    mapped_visit visit, void *arg)
{
	struct mapped m;
	int err = mapped_open(&m, survey, zeros_once);

	if (!err)
		err = walk_processes(&m, what, begin, visit, arg);
	mapped_close(&m);
	return err;
}
