/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pages that two processes have in common: pages in memory with the same frame, and
 * pages at the same place in swap.
 *
 * The processes A and B run on while they are read, so each is read twice, in the order A,
 * B, A, B. The figures of B are from its first reading, which is between those of A. The
 * figures of A are from its second reading, which is between those of B. A page of one
 * process is uncertain if only one of the two readings of the other process found it.
 */
#ifndef COMPARISON_H
#define COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/footprint.h"
#include "process/mappairs.h"
#include "process/usage_rows.h"

/* the processes */
enum { COMPARISON_A, COMPARISON_B, COMPARISON_SIDES };

/**
 * struct comparison_once - bytes in memory, including those of hugetlb; each frame is
 * counted once, even if a process maps it several times
 * @both: both processes have them
 * @only: only this process has them
 */
struct comparison_once {
	uint64_t both;
	uint64_t only[COMPARISON_SIDES];
};

/**
 * struct comparison - two processes
 * @opened: the processes, to notice when they end; their mappings are not used
 * @side: the memory of each process; the part @both is what the other one has as well
 * @pair: their mappings
 * @pairs: number of pairs
 * @once: bytes in memory
 * @uncertain: bytes in memory of each process, of which it is uncertain whether the other
 *	one has them
 * @uncertain_swap: the same of bytes in swap
 * @changed: bytes in memory and in swap that only one of the two readings of a process
 *	found
 * @misses_shmswap: the swap usage of some shared memory could not be determined
 * @pages: the pages that were found
 */
struct comparison {
	struct process opened[COMPARISON_SIDES];
	struct footprint side[COMPARISON_SIDES];
	struct mappair *pair;
	size_t pairs;
	struct comparison_once once;
	uint64_t uncertain[COMPARISON_SIDES];
	uint64_t uncertain_swap[COMPARISON_SIDES];
	uint64_t changed[COMPARISON_SIDES];
	bool misses_shmswap;
	struct pageset pages;
};

/**
 * comparison_read() - read and compare two processes
 * @c: set; must be freed with comparison_free(), also after an error
 * @pid: their numbers
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int comparison_read(struct comparison *c, const int pid[COMPARISON_SIDES]);

/**
 * comparison_find_key() - find a value to sort by
 * @key: a column of sums, for example "both_a", or "both", for the sum of both processes
 *
 * Return: a number for @sort of struct usage_view; -1 if there is none.
 */
int comparison_find_key(const char *key);

/** comparison_no_key() - print a message with the keys to sort by; EXIT_USAGE */
int comparison_no_key(const char *key);

/**
 * comparison_print() - print a comparison, by mapping
 * @c: the comparison
 * @v: form of the output
 * @name: text that the path or name of a mapping contains; NULL: all mappings
 * @format: output format; only text and JSON include totals
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int comparison_print(const struct comparison *c, const struct usage_view *v, const char *name,
		     enum table_format format);

/** comparison_free() - undo comparison_read() */
void comparison_free(struct comparison *c);

#endif /* COMPARISON_H */
