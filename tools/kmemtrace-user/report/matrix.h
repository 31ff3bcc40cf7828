/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frees by the CPU, or the node, of the allocation and of the free.
 */
#ifndef MATRIX_H
#define MATRIX_H

#include "base/pairs.h"
#include "report/analysis.h"

/* in place of the node of a CPU: it is not known */
#define MATRIX_UNKNOWN UINT32_MAX

/**
 * struct matrix - the frees
 * @watch: watches the analysis
 * @nodes: for each CPU, its node + 1, or 0 if it is not known; NULL: the matrix is by CPU
 * @nr_nodes: number of elements of @nodes
 * @pairs: pairs of an allocating and a freeing CPU or node
 * @cells: for each of @pairs, its frees
 * @room: number of elements that fit into @cells
 */
struct matrix {
	struct analysis_watch watch;
	uint32_t *nodes;
	size_t nr_nodes;
	struct pairs pairs;
	struct matrix_cell {
		uint64_t frees;
		uint64_t bytes;
	} *cells;
	size_t room;
};

/**
 * matrix_init() - start to watch an analysis
 * @m: set to a matrix by CPU; the caller may add @nodes before the first record
 * @a: the analysis, before the first record
 */
void matrix_init(struct matrix *m, struct analysis *a);

/** matrix_exit() - free the memory */
void matrix_exit(struct matrix *m);

#endif /* MATRIX_H */
