// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "trace/numbering.h"
#include "trace/stackdefs.h"
#include "trace/varint.h"

void numbering_init(struct numbering *n, size_t callers_max)
{
	*n = (struct numbering){ .callers_max = callers_max };
	stacks_init(&n->stacks);
}

void numbering_exit(struct numbering *n)
{
	stacks_exit(&n->stacks);
	free(n->column);
	free(n->definitions);
	*n = (struct numbering){ 0 };
}

/* Return: bytes of the list divided by 8. */
static size_t list_length(const uint64_t *list, size_t count)
{
	size_t length = 0;

	while (count--)
		length += 1 + list[length];
	return length;
}

/*
 * Forgets all stacks if those of the chunk might be too many. Numbers are never used
 * twice, because a reader may still have earlier records in memory.
 */
static void limit(struct numbering *n, size_t count, size_t callers)
{
	if (n->stacks.count + count <= NUMBERING_STACKS_MAX &&
	    n->stacks.nr_callers + callers <= n->callers_max)
		return;
	n->generation += n->stacks.count - 1;
	stacks_clear(&n->stacks);
}

void numbering_add(struct numbering *n, const uint64_t *list, size_t count,
		   struct numbered *to)
{
	size_t length = list_length(list, count), i, before;
	uint32_t number, in_file, last = 0;
	uint8_t *column, *definitions;

	*to = (struct numbered){ 0 };
	if (!count)
		return;
	limit(n, count, length - count);
	array_fit(n->column, n->column_room, count * VARINT_MAX);
	array_fit(n->definitions, n->definitions_room, length * VARINT_MAX);
	column = n->column;
	definitions = n->definitions;
	to->first = n->generation + n->stacks.count - 1;
	for (i = 0; i < count; i++, list += 1 + list[0]) {
		before = n->stacks.count;
		number = stacks_get(&n->stacks, list + 1, list[0]);
		if (number == before)
			definitions = stackdefs_put(definitions, list + 1, list[0]);
		in_file = n->generation + number - 1;
		column = varint_put(column, zigzag((int32_t)(in_file - last)));
		last = in_file;
	}
	to->callers = (struct column){ n->column, column - n->column };
	to->definitions = n->definitions;
	to->size = definitions - n->definitions;
	to->generation = n->generation;
}

void numbering_list(const struct stacks *s, uint64_t *list)
{
	const uint64_t *callers;
	size_t depth, i;

	for (i = 1; i < s->count; i++) {
		callers = stacks_at(s, i, &depth);
		*list++ = depth;
		memcpy(list, callers, depth * sizeof(*list));
		list += depth;
	}
}
