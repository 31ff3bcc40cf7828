/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A walk over page frames for page-types: by their numbers, in the order in which a process
 * maps them, or in which they cache a file.
 */
#ifndef PAGERUNS_H
#define PAGERUNS_H

#include "base/progress.h"
#include "frames/frames.h"
#include "pages/pagespec.h"
#include "process/pagescan.h"

/**
 * struct pagerun - consecutive pages with equal values
 * @page: number of the first page in the address space or file. In a walk by number: its
 *	index in the batch, so that a run ends with its batch
 * @frame: number of the first frame, or offset of the first page in the swap area
 * @n: number of pages
 * @flags: flags of the frames, with PF_SOFTDIRTY, PF_FILE, PF_SWAP and
 *	PF_MMAP_EXCLUSIVE from pagemap
 * @cgroup: inode number of the memory cgroup; 0 if not read
 * @count: number of mappings of each page; 0 if not read
 * @swapped: the pages are in swap, and have no frame
 */
struct pagerun {
	uint64_t page;
	uint64_t frame;
	uint64_t n;
	uint64_t flags;
	uint64_t cgroup;
	uint64_t count;
	bool swapped;
};

/**
 * struct pageruns - a walk
 * @take: called for each run, in ascending order; the next one may continue it; returns 0, or
 *	-1 after a message, to end the walk
 * @arg: passed to @take
 * @frames: the files
 * @quiet: do not show the progress, because the runs are printed on the same terminal
 * @progress: the progress line
 * @done: number of pages read
 * @scan: reads pagemaps; its buffer of entries is also for the pages of files
 * @pfn: buffer for the frame numbers of these entries
 */
struct pageruns {
	int (*take)(void *arg, const struct pagerun *run);
	void *arg;
	struct frames frames;
	bool quiet;
	struct progress progress;
	uint64_t done;
	struct pagescan *scan;
	uint64_t *pfn;
};

/** pagerun_goes_on() - whether @more continues @run with equal values */
bool pagerun_goes_on(const struct pagerun *run, const struct pagerun *more);

/**
 * pageruns_open() - open the files
 * @w: set, except @take, @arg and @quiet; must be closed with pageruns_close(), also
 *	after an error
 * @files: mask of FRAMES_*
 * @flags_path: file to read instead of /proc/kpageflags, or NULL
 *
 * Return: 0; -1 after a message, as of all functions below.
 */
int pageruns_open(struct pageruns *w, unsigned int files, const char *flags_path);

/** pageruns_begin() - start to show the progress of a walk; @total: 0: not known */
void pageruns_begin(struct pageruns *w, const char *what, uint64_t total);

/** pageruns_frames() - walk over frames by their numbers */
int pageruns_frames(struct pageruns *w, const struct pagespec_range *range);

/**
 * pageruns_process() - walk over the pages that a process maps
 * @w: the walk
 * @p: the process; if it ends meanwhile, a note is printed, and this is no error
 * @range: range of pages in its address space
 */
int pageruns_process(struct pageruns *w, const struct process *p,
		     const struct pagespec_range *range);

/**
 * pageruns_entries() - walk over pages by their pagemap entries
 * @w: the walk
 * @page: number of the first page
 * @n: number of entries in @w->scan->entry
 */
int pageruns_entries(struct pageruns *w, uint64_t page, size_t n);

/** pageruns_close() - close the files */
void pageruns_close(struct pageruns *w);

#endif /* PAGERUNS_H */
