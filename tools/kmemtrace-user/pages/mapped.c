// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/die.h"
#include "base/msg.h"
#include "frames/pageflags.h"
#include "pages/mapped.h"
#include "process/pagescan.h"

/**
 * struct mapped - state and buffers of a walk
 * @survey: has the kinds and sites; must be at its end
 * @scan: the walk over the pagemap entries of a process
 * @heads: flags of the heads of compound pages
 * @pfn: frame numbers of a chunk
 * @head: for each frame in @pfn, the index of its head in @heads, plus 1; 0: the frame
 *	does not need the flags of a head
 * @head_pfn: frame numbers of the heads in @heads
 * @zeros_once: see mapped_walk_all()
 * @visit: called for each page
 * @arg: its argument
 */
struct mapped {
	struct survey *survey;
	struct pagescan *scan;
	struct frames heads;
	uint64_t pfn[PAGESCAN_ENTRIES];
	uint32_t head[PAGESCAN_ENTRIES];
	uint64_t head_pfn[PAGESCAN_ENTRIES];
	bool zeros_once;
	mapped_visit visit;
	void *arg;
};

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

	page->pfn = m->pfn[i];
	survey_get(s, i, page);
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

static int visit_chunk(struct mapped *m, size_t n)
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
			err = m->visit(m->arg, &page);
	}
	return err;
}

static int walk_process(struct mapped *m, const struct process *p)
{
	struct pagescan *scan = m->scan;
	uint64_t first;
	ssize_t n = 0, k;
	size_t i, used;
	int err = 0;

	pagescan_process(scan, p);
	/* reading fails if the process has ended meanwhile */
	for (i = 0; i < p->nr_maps && !err && n >= 0; i++) {
		pagescan_start(scan, &p->map[i], p->map[i].start / scan->page_size,
			       p->map[i].end / scan->page_size, false);
		while (!err && (n = pagescan_next(scan, &first)) > 0) {
			for (k = used = 0; k < n; k++)
				if ((scan->entry[k] & PM_PRESENT) &&
				    !zeropages_has(&scan->zeros, PM_PFN(scan->entry[k])))
					m->pfn[used++] = PM_PFN(scan->entry[k]);
			err = visit_chunk(m, used);
		}
	}
	return err;
}

int mapped_walk_all(struct survey *survey, bool zeros_once, const char *what,
		    void (*begin)(void *arg, const struct process *p),
		    mapped_visit visit, void *arg)
{
	struct mapped *m = xcalloc(1, sizeof(*m));
	ssize_t count = -1, i;
	struct process p;
	int *pids = NULL, err = 0;

	m->survey = survey;
	m->scan = pagescan_create();
	m->zeros_once = zeros_once;
	m->visit = visit;
	m->arg = arg;
	if (frames_open(&m->heads, FRAMES_FLAGS, NULL))
		goto out;
	if (!process_sees_frames()) {
		msg_error("this needs CAP_SYS_ADMIN: the kernel hides the frames of processes");
		goto out;
	}
	count = process_list(what, &pids);
	if (!count)
		msg_error("there is no process %s", what ? what : "at all");
	progress_start(&survey->progress, "processes", count);
	for (i = 0; i < count && !err; i++) {
		progress_step(&survey->progress, i);
		if (!process_open(&p, pids[i])) {
			if (begin)
				begin(arg, &p);
			err = walk_process(m, &p);
		}
		process_close(&p);
	}
	progress_end(&survey->progress);
out:
	free(pids);
	frames_close(&m->heads);
	free(m->scan);
	free(m);
	return count > 0 ? err : -1;
}
