/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory of a process, by mapping: from maps, then pagemap, then kpageflags and
 * kpagecount of the frames found.
 */
#ifndef FOOTPRINT_H
#define FOOTPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/progress.h"
#include "frames/frames.h"
#include "process/filespans.h"
#include "process/pagescan.h"
#include "process/pageset.h"
#include "process/process.h"
#include "process/usage.h"

/**
 * struct footprint_row - a mapping, or the requested part of it
 * @map: the mapping
 * @start: first address
 * @end: address after the last
 * @usage: its memory
 * @both: the part of @usage that another process has as well (struct footprint_other)
 */
struct footprint_row {
	const struct mapping *map;
	uint64_t start;
	uint64_t end;
	struct usage usage;
	struct usage both;
};

/**
 * struct footprint - the memory of a process
 * @process: the process; its pagemap is closed
 * @row: its mappings, by address
 * @rows: number of mappings in @row
 * @total: sum of all rows
 * @both: the part of @total that another process has as well
 */
struct footprint {
	struct process process;
	struct footprint_row *row;
	size_t rows;
	struct usage total;
	struct usage both;
};

/**
 * struct footprint_choice - conditions that a mapping must meet
 * @name: text that the path or name contains; NULL: all
 * @start: lowest address
 * @end: address after the last; UINT64_MAX: all
 */
struct footprint_choice {
	const char *name;
	uint64_t start;
	uint64_t end;
};

/**
 * struct footprint_other - another process, to find what a process has in common with it
 * @pages: the pages that were found so far
 * @mark: mark for the pages that are found now
 * @theirs: marks of the pages of the other process; 0: it is not read yet
 * @files: parts of files that the other process maps
 */
struct footprint_other {
	struct pageset *pages;
	unsigned int mark;
	unsigned int theirs;
	struct filespans files;
};

/**
 * struct footprint_reader - state and buffers of reading processes
 * @sees_frames: pagemap shows frame numbers
 * @sees_soft_dirty: this kernel keeps soft-dirty bits
 * @sees_ksm: the KSM flag of pages can be trusted; some kernels set it on all anonymous
 *	pages (since commit dee3d0bef2b0 in 6.10, fixed in 2026)
 * @has_swap: the machine has swap areas
 * @not_shm: device of the last file that was not shared memory; its files are skipped
 * @misses_shmswap: the swap usage of some shared memory could not be determined
 * @page_size: bytes of a page
 * @frames: files about frames; open if @sees_frames
 * @scan: the walk over the pagemap
 * @pfn: frames that were found, but not looked up yet
 * @entry: pagemap entries of the frames in @pfn
 * @row: for each frame in @pfn, the row that it belongs to
 * @pending: number of frames in @pfn
 * @other: another process; the caller may set it, if @sees_frames; NULL: none
 * @progress: progress in a large process, in pages; or NULL
 * @done: number of pages read so far
 */
struct footprint_reader {
	bool sees_frames;
	bool sees_soft_dirty;
	bool sees_ksm;
	bool has_swap;
	bool misses_shmswap;
	uint64_t not_shm;
	uint64_t page_size;
	struct frames frames;
	struct pagescan *scan;
	uint64_t *pfn;
	uint64_t *entry;
	uint32_t *row;
	size_t pending;
	struct footprint_other *other;
	struct progress *progress;
	uint64_t done;
};

/* a message was printed */
#define FOOTPRINT_BROKEN 1

/**
 * footprint_start() - prepare for reading processes
 * @r: set; must be freed with footprint_stop(), also after an error
 * @progress: shows the number of pages read; NULL: no progress is shown
 *
 * Return: 0; -1 after a message.
 */
int footprint_start(struct footprint_reader *r, struct progress *progress);

/**
 * footprint_read() - read a process
 * @r: the reader
 * @f: set; must be freed with footprint_free(), also after an error
 * @pid: number of the process
 * @choice: selects the mappings
 *
 * Return: 0; -ESRCH if the process does not exist, or ended meanwhile; -EACCES if it may
 * not be read; another -errno; FOOTPRINT_BROKEN after a message.
 */
int footprint_read(struct footprint_reader *r, struct footprint *f, int pid,
		   const struct footprint_choice *choice);

/**
 * footprint_error() - print a message about a process that could not be read
 * @p: the process
 * @err: from footprint_read() or process_open(), not 0
 *
 * Return: EXIT_FAILED.
 */
int footprint_error(const struct process *p, int err);

/** footprint_advice() - what a user can do who may not read a process */
const char *footprint_advice(void);

/** footprint_name() - the name of a mapping: its path, or "[anon]" */
const char *footprint_name(const struct mapping *m);

/** footprint_keep_total() - free all but the number, the name and the total */
void footprint_keep_total(struct footprint *f);

/** footprint_free() - free the data of a process */
void footprint_free(struct footprint *f);

/** footprint_stop() - undo footprint_start() */
void footprint_stop(struct footprint_reader *r);

#endif /* FOOTPRINT_H */
