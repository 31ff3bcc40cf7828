// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "report/calltree.h"

static void add_figures(uint64_t *sums, const uint64_t *figures)
{
	int i;

	for (i = 0; i < CALLTREE_FIGURES; i++)
		sums[i] += figures[i];
}

/* Return: a node without figures. */
static struct calltree_node *new_node(struct calltree *t)
{
	struct calltree_node *n = array_add(t->nodes, t->count);

	*n = (struct calltree_node){ .child = CALLTREE_NONE,
				     .next = CALLTREE_NONE };
	return n;
}

/* Return: the node below @parent with an address. */
static uint32_t get_child(struct calltree *t, uint32_t parent, uint64_t address,
			  uint16_t place, bool no_stack)
{
	uint64_t below = (uint64_t)parent << 17 | place << 1 | no_stack;
	uint32_t pair = pairs_get(&t->known, address, below);
	uint32_t number = SITE_KINDS + pair;
	struct calltree_node *n;

	if (number < t->count)
		return number;
	n = new_node(t);
	n->address = address;
	n->place = place;
	n->no_stack = no_stack;
	n->next = t->nodes[parent].child;
	t->nodes[parent].child = number;
	t->nodes[parent].children++;
	return number;
}

void calltree_init(struct calltree *t)
{
	size_t i;

	*t = (struct calltree){ 0 };
	pairs_init(&t->known);
	for (i = 0; i < SITE_KINDS; i++) {
		t->roots[i] = CALLTREE_NONE;
		new_node(t);
	}
}

void calltree_add(struct calltree *t, enum site_kind class, const uint64_t *figures,
		  const uint64_t *addresses, const uint16_t *places, size_t depth,
		  bool callees_first)
{
	uint32_t at = t->roots[class] = class;
	size_t i, k;

	for (i = 0;; i++) {
		add_figures(t->nodes[at].figure, figures);
		if (i >= depth)
			break;
		k = callees_first ? i : depth - 1 - i;
		at = get_child(t, at, addresses[k], places ? places[k] : 0, false);
	}
	if (!depth) {
		at = get_child(t, at, 0, 0, true);
		add_figures(t->nodes[at].figure, figures);
	}
	add_figures(t->nodes[at].own, figures);
}

/* a node to be sorted */
struct sorted {
	uint64_t value;		/* the figure to sort by; 0 with CALLTREE_ADDRESS */
	uint64_t address;	/* address of the node, if values are equal */
	uint32_t number;	/* the node */
};

static int by_value(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

void calltree_sort(struct calltree *t, enum calltree_figure by)
{
	struct sorted *room = xcalloc(t->count + 1, sizeof(*room));
	uint32_t i, at, *link;
	size_t count, k;

	for (i = 0; i < t->count; i++) {
		count = 0;
		for (at = t->nodes[i].child; at != CALLTREE_NONE; at = t->nodes[at].next)
			room[count++] = (struct sorted){
				by == CALLTREE_ADDRESS ? 0 : t->nodes[at].figure[by],
				t->nodes[at].address, at };
		qsort(room, count, sizeof(*room), by_value);
		link = &t->nodes[i].child;
		for (k = 0; k < count; k++) {
			*link = room[k].number;
			link = &t->nodes[*link].next;
		}
		*link = CALLTREE_NONE;
	}
	free(room);
}

void calltree_free(struct calltree *t)
{
	pairs_exit(&t->known);
	free(t->nodes);
}

const struct calltree_node *calltree_only_child(const struct calltree *t,
						const struct calltree_node *n)
{
	const struct calltree_node *child = calltree_at(t, n->child);
	int i;

	if (n->children != 1)
		return NULL;
	for (i = 0; i < CALLTREE_FIGURES; i++)
		if (n->own[i])
			return NULL;
	return child;
}
