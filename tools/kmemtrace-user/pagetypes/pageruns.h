/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Goes through page frames: by their numbers, as a process maps them, or as they
 * hold a file. What follows on each other and is alike is handed on at once.
 */
#ifndef PAGERUNS_H
#define PAGERUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/progress.h"
#include "frames/frames.h"
#include "pagetypes/pagespec.h"
#include "process/process.h"

/**
 * struct pagerun - pages that are alike
 * @page: number of the first one in the address space or in the file; of frames
 *	by number in their batch, so that what goes on in the next one is not
 *	taken for the same
 * @frame: of the first one, or its offset in the swap
 * @n: how many
 * @flags: of the frames; with PF_SOFTDIRTY, PF_FILE, PF_SWAP and
 *	PF_MMAP_EXCLUSIVE of pagemap
 * @cgroup: inode number of their memory cgroup, if that is read
 * @count: how often each is mapped, if that is read
 * @swapped: they are in the swap, and have no frame
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
 * typedef pageruns_take - what to do with pages
 * @arg: of struct pageruns
 * @run: the pages
 *
 * Return: 0; -1 after a message, which ends the walk.
 */
typedef int (*pageruns_take)(void *arg, const struct pagerun *run);

/**
 * struct pageruns - a walk
 * @take: is given the pages, in ascending order
 * @arg: is given to it
 * @frames: the files
 * @end: number after that of the last frame
 * @quiet: do not show how far it is: what is taken is shown on the same terminal
 * @progress: how far it is
 * @done: pages that were looked at
 * @run: what was not handed on yet
 * @entry: of pagemap, FRAMES_BATCH
 * @pfn: of these, as many
 */
struct pageruns {
	pageruns_take take;
	void *arg;
	struct frames frames;
	uint64_t end;
	bool quiet;
	struct progress progress;
	uint64_t done;
	struct pagerun run;
	uint64_t *entry;
	uint64_t *pfn;
};

/** pagerun_goes_on() - whether more pages follow on a run, and are like it */
bool pagerun_goes_on(const struct pagerun *run,
		      const struct pagerun *more);

/**
 * pageruns_open() - open what is to be read
 * @w: set, but for take, arg and quiet; to be closed with pageruns_close(), also after
 *	an error
 * @files: mask of FRAMES_*
 * @flags_path: to read instead of /proc/kpageflags, or NULL
 *
 * Return: 0; -1 after a message.
 */
int pageruns_open(struct pageruns *w, unsigned int files,
		  const char *flags_path);

/**
 * pageruns_begin() - a walk begins: show how far it is
 * @w: the walk
 * @what: its pages are called, to show how far it is
 * @total: how many there are; 0: not known
 */
void pageruns_begin(struct pageruns *w, const char *what, uint64_t total);

/**
 * pageruns_frames() - go through frames by their numbers
 * @w: the walk
 * @range: some of them
 *
 * Return: 0; -1 after a message.
 */
int pageruns_frames(struct pageruns *w, const struct pagespec_range *range);

/**
 * pageruns_process() - go through what a process maps
 * @w: the walk
 * @p: the process; that it ends meanwhile is noted, and no error
 * @range: pages of its address space
 *
 * Return: 0; -1 after a message.
 */
int pageruns_process(struct pageruns *w, const struct process *p,
		     const struct pagespec_range *range);

/**
 * pageruns_entries() - go through pages by what pagemap says of them
 * @w: the walk
 * @page: number of the first one
 * @entry: of pagemap
 * @n: how many, at most FRAMES_BATCH
 *
 * Pages that are alike are kept back, as those to come may be like them.
 *
 * Return: 0; -1 after a message.
 */
int pageruns_entries(struct pageruns *w, uint64_t page, const uint64_t *entry,
		     size_t n);

/**
 * pageruns_flush() - hand on what was kept back
 * @w: the walk
 *
 * Return: 0; -1 after a message.
 */
int pageruns_flush(struct pageruns *w);

/** pageruns_close() - close the files */
void pageruns_close(struct pageruns *w);

#endif /* PAGERUNS_H */
