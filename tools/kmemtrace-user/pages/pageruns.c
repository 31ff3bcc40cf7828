// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/msg.h"
#include "pages/pageruns.h"

/*
 * Number of frames in a batch, when frames are read by number. A range in a list ends at
 * the end of a batch, as in the kernel's page-types.
 */
#ifndef BATCH
#define BATCH 65536
#endif

int pageruns_open(struct pageruns *w, unsigned int files, const char *flags_path)
{
	memset(&w->progress, 0, sizeof(w->progress));
	w->done = 0;
	w->scan = pagescan_create();
	w->scan->can_ask = false; /* the kernel would leave out the memory of devices */
	w->pfn = xmalloc(PAGESCAN_ENTRIES * sizeof(*w->pfn));
	return frames_open(&w->frames, files, flags_path);
}

void pageruns_begin(struct pageruns *w, const char *what, uint64_t total)
{
	progress_start(&w->progress, what, total);
	if (w->quiet)
		w->progress.on = false;
}

void pageruns_close(struct pageruns *w)
{
	frames_close(&w->frames);
	free(w->scan);
	free(w->pfn);
}

bool pagerun_goes_on(const struct pagerun *run, const struct pagerun *more)
{
	return run->n && run->flags == more->flags && run->frame + run->n == more->frame &&
	       run->page + run->n == more->page && run->cgroup == more->cgroup &&
	       run->count == more->count && run->swapped == more->swapped;
}

/* --- by number ------------------------------------------------------------------ */

/* Return: number of consecutive elements, from @i on, that are equal to the first. */
static size_t alike(const uint64_t *value, size_t i, size_t n)
{
	uint64_t first = value[i];
	size_t j = i + 1;

	while (j < n && value[j] == first)
		j++;
	return j - i;
}

static int take_batch(struct pageruns *w)
{
	const struct frames *f = &w->frames;
	size_t i, len, n = f->n;

	for (i = 0; i < n; i += len) {
		struct pagerun run = { .page = i, .frame = f->pfn + i, .flags = f->flags[i] };

		len = alike(f->flags, i, n);
		if (f->cgroup) {
			run.cgroup = f->cgroup[i];
			len = alike(f->cgroup, i, i + len);
		}
		if (f->count) {
			run.count = f->count[i];
			len = alike(f->count, i, i + len);
		}
		run.n = len;
		if (w->take(w->arg, &run))
			return -1;
	}
	return 0;
}

int pageruns_frames(struct pageruns *w, const struct pagespec_range *range)
{
	struct frames *f = &w->frames;
	uint64_t end = range->end < f->end ? range->end : f->end;
	int ret;

	if (range->start >= f->end && range->start)
		msg_note("there is no page 0x%llx: memory ends at page 0x%llx",
			 (unsigned long long)range->start, (unsigned long long)f->end);
	pageruns_begin(w, "pages", end > range->start ? end - range->start : 0);
	frames_walk(f, range->start, range->end);
	while ((ret = frames_next(f, BATCH)) > 0 && !take_batch(w))
		progress_step(&w->progress, f->pfn - range->start);
	progress_end(&w->progress);
	return ret ? -1 : 0;
}

/* --- by pagemap ----------------------------------------------------------------- */

static bool has_frame(const struct pageruns *w, uint64_t entry)
{
	/* frames of device memory have numbers after the end */
	return (entry & PM_PRESENT) && PM_PFN(entry) && PM_PFN(entry) < w->frames.end;
}

static int take_entry(struct pageruns *w, uint64_t page, uint64_t entry, size_t *at)
{
	const struct frames *f = &w->frames;
	struct pagerun run = {
		.page = page,
		.n = 1,
		.flags = (entry & PM_SOFT_DIRTY ? PAGEFLAG(SOFTDIRTY) : 0) |
			 (entry & PM_EXCLUSIVE ? PAGEFLAG(MMAP_EXCLUSIVE) : 0) |
			 (entry & PM_FILE ? PAGEFLAG(FILE) : 0) |
			 (entry & PM_SWAPPED ? PAGEFLAG(SWAP) : 0),
	};

	if (has_frame(w, entry)) {
		run.frame = PM_PFN(entry);
		run.flags |= f->flags[*at];
		run.cgroup = f->cgroup ? f->cgroup[*at] : 0;
		run.count = f->count ? f->count[*at] : 0;
		++*at;
	} else if (entry & PM_SWAPPED) {
		run.frame = PM_SWAP_OFFSET(entry);
		run.swapped = true;
	} else {
		return 0;
	}
	return w->take(w->arg, &run);
}

int pageruns_entries(struct pageruns *w, uint64_t page, size_t n)
{
	const uint64_t *entry = w->scan->entry;
	size_t i, frames = 0, at = 0;

	for (i = 0; i < n; i++)
		if (has_frame(w, entry[i]))
			w->pfn[frames++] = PM_PFN(entry[i]);
	if (frames_gather(&w->frames, w->pfn, frames))
		return -1;
	for (i = 0; i < n; i++)
		if (take_entry(w, page + i, entry[i], &at))
			return -1;
	w->done += n;
	progress_step(&w->progress, w->done);
	return 0;
}

int pageruns_process(struct pageruns *w, const struct process *p,
		     const struct pagespec_range *range)
{
	uint64_t size = w->scan->page_size, page;
	ssize_t n = 0;
	int err = 0;
	size_t i;

	pageruns_begin(w, "pages of address space", 0);
	pagescan_process(w->scan, p);
	for (i = 0; i < p->nr_maps && !err && n >= 0; i++) {
		uint64_t start = p->map[i].start / size, end = p->map[i].end / size;

		pagescan_start(w->scan, &p->map[i], start > range->start ? start : range->start,
			       end < range->end ? end : range->end, false);
		while (!err && (n = pagescan_next(w->scan, &page)) > 0)
			err = pageruns_entries(w, page, n);
	}
	progress_end(&w->progress);
	if (n == -ESRCH)
		msg_note("process %d ended while it was read: not all of it is shown", p->pid);
	else if (n < 0)
		msg_error("cannot read the pages of process %d: %s", p->pid, strerror(-n));
	return err || (n < 0 && n != -ESRCH) ? -1 : 0;
}
