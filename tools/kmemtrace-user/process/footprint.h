/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a process has in memory, mapping by mapping: maps, then pagemap, then
 * kpageflags and kpagecount of the frames found.
 */
#ifndef FOOTPRINT_H
#define FOOTPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/progress.h"
#include "frames/frames.h"
#include "process/pagescan.h"
#include "process/process.h"
#include "process/usage.h"

/**
 * struct footprint_row - a mapping, or the part of it that was asked for
 * @map: the mapping
 * @start: first address
 * @end: address after the last
 * @usage: what it has
 */
struct footprint_row {
	const struct mapping *map;
	uint64_t start;
	uint64_t end;
	struct usage usage;
};

/**
 * struct footprint - a process
 * @process: it; its pagemap is closed
 * @row: its mappings, by address
 * @rows: how many
 * @total: their sum
 */
struct footprint {
	struct process process;
	struct footprint_row *row;
	size_t rows;
	struct usage total;
};

/**
 * struct footprint_choice - which mappings to read
 * @name: those with this in their path or name; NULL: all
 * @start: from this address on
 * @end: up to this one; UINT64_MAX: all
 */
struct footprint_choice {
	const char *name;
	uint64_t start;
	uint64_t end;
};

/**
 * struct footprint_reader - what is open while processes are read
 * @sees_frames: frame numbers are shown
 * @sees_soft_dirty: this kernel keeps soft-dirty bits
 * @sees_ksm: which pages KSM merged is told; some kernels say so of all that are
 *	anonymous (since dee3d0bef2b0 of 6.10, mended in 2026)
 * @has_swap: there are swap areas
 * @not_shm: device of the last file that was not shared memory: of most others
 * @misses_shmswap: what of shared memory is in swap could not be found out
 * @page_size: bytes
 * @frames: if @sees_frames
 * @scan: the walk
 * @pfn: frames that were met and not looked up yet
 * @entry: their entries of pagemap
 * @row: to which row of the process they belong
 * @pending: how many
 * @progress: of a large process, in pages
 * @done: pages read so far
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
	struct progress *progress;
	uint64_t done;
};

/* a message was printed */
#define FOOTPRINT_BROKEN 1

/**
 * footprint_start() - get ready to read processes
 * @r: set; to be freed with footprint_stop(), also after an error
 * @progress: shows how many pages were read; NULL: nothing does
 *
 * Return: 0; -1 after a message.
 */
int footprint_start(struct footprint_reader *r, struct progress *progress);

/**
 * footprint_read() - read a process
 * @r: the reader
 * @f: set; to be freed with footprint_free(), also after an error
 * @pid: its number
 * @choice: which mappings
 *
 * Return: 0; -ESRCH if it is not there, or ended meanwhile; -EACCES if it may
 * not be looked at; another -errno; FOOTPRINT_BROKEN.
 */
int footprint_read(struct footprint_reader *r, struct footprint *f, int pid,
		   const struct footprint_choice *choice);

/** footprint_name() - what a mapping is called: its path, or "[anon]" */
const char *footprint_name(const struct mapping *m);

/** footprint_keep_total() - free all but its number, its name and the total */
void footprint_keep_total(struct footprint *f);

/** footprint_free() - free */
void footprint_free(struct footprint *f);

/** footprint_stop() - free */
void footprint_stop(struct footprint_reader *r);

#endif /* FOOTPRINT_H */
