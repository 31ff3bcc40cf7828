/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one tree of calls, of report --tree and of flame. Each class of memory (slab, pages,
 * per-CPU) has a root of its own: pages include those of slabs, so the figures of different
 * classes must not be added up. Below a root are the functions of the stack traces, with the
 * outermost or the innermost function first.
 */
#ifndef CALLTREE_H
#define CALLTREE_H

#include <stdbool.h>

#include "account/siterows.h"
#include "base/pairs.h"

/* the figures of a node; flame has one, the first */
enum calltree_figure {
	CALLTREE_LIVE,
	CALLTREE_OBJECTS,
	CALLTREE_ALLOC,
	CALLTREE_ALLOCS,
	/*
	 * Sum of the peaks of the stacks. These may be at different times, so the true
	 * peak of a node with several stacks may be lower.
	 */
	CALLTREE_PEAK,
	CALLTREE_FIGURES,
	CALLTREE_ADDRESS = CALLTREE_FIGURES, /* to sort by */
};

/* no node */
#define CALLTREE_NONE UINT32_MAX

/* a function in the tree, or a root */
struct calltree_node {
	/* return address in the function, or another number of it; 0 in a root */
	uint64_t address;
	uint16_t place;				/* place of the address, for names_symbol(), or 0 */
	/* the node stands for allocations without a stack trace */
	bool no_stack;
	uint64_t figure[CALLTREE_FIGURES];	/* sums of the stacks that lead through the node */
	uint64_t own[CALLTREE_FIGURES];		/* sums of the stacks that end at the node */
	uint32_t child;				/* the first node below; CALLTREE_NONE: none */
	/* the next node with the same parent; CALLTREE_NONE: none */
	uint32_t next;
	uint32_t children;			/* number of nodes below */
};

/* a call tree */
struct calltree {
	/* a node for the root of each class, then one for each of @known */
	struct calltree_node *nodes;
	size_t count;			/* number of nodes */
	/*
	 * for each node that is not a root: its address, and a combination of its parent, @place
	 * and @no_stack
	 */
	struct pairs known;
	/* the root of each class of memory; CALLTREE_NONE: nothing was allocated */
	uint32_t roots[SITE_KINDS];
};

/** calltree_init() - make an empty tree; the caller calls calltree_free() later */
void calltree_init(struct calltree *t);

/**
 * calltree_add() - add the figures of a stack
 * @t: the tree
 * @class: the class of memory
 * @figures: CALLTREE_FIGURES figures
 * @addresses: addresses of the functions, the innermost first
 * @places: their places; NULL: all are 0
 * @depth: number of @addresses; 0: no stack was recorded
 * @callees_first: begin with the innermost function
 */
void calltree_add(struct calltree *t, enum site_kind class, const uint64_t *figures,
		  const uint64_t *addresses, const uint16_t *places, size_t depth,
		  bool callees_first);

/** calltree_sort() - sort by a figure, the largest one first, or by CALLTREE_ADDRESS */
void calltree_sort(struct calltree *t, enum calltree_figure by);

/** calltree_free() - undo calltree_init() */
void calltree_free(struct calltree *t);

/** calltree_at() - get a node; NULL for CALLTREE_NONE */
static inline const struct calltree_node *calltree_at(const struct calltree *t,
						      uint32_t number)
{
	return number == CALLTREE_NONE ? NULL : &t->nodes[number];
}

/**
 * calltree_only_child() - get the single node below, which has the same figures
 * @t: the tree
 * @n: the node
 *
 * Return: the node below; NULL if there is none, if there are several, or if stacks end at
 * @n.
 */
const struct calltree_node *calltree_only_child(const struct calltree *t,
						const struct calltree_node *n);

#endif /* CALLTREE_H */
