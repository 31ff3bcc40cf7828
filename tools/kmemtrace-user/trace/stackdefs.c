// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "kmt_event.h"
#include "trace/stackdefs.h"
#include "trace/varint.h"

/*
 * A gap in the numbers means that a chunk is damaged. No chunk defines this many stacks,
 * so a larger gap means that the number itself is damaged.
 */
#define GAP_MAX (1u << 20)

void stackdefs_init(struct stackdefs *d)
{
	*d = (struct stackdefs){ 0 };
	stacks_init(&d->stacks);
}

void stackdefs_exit(struct stackdefs *d)
{
	stacks_exit(&d->stacks);
	free(d->numbers);
	*d = (struct stackdefs){ 0 };
}

/* Set @i to the index of a number in @d->numbers, behind the last one. */
static int skip_to(struct stackdefs *d, uint32_t first)
{
	uint32_t gap;

	if (!d->begun) {
		d->begun = true;
		d->base = first;
	}
	gap = first - (d->base + (uint32_t)d->count);
	if (gap > GAP_MAX)
		return -EBADMSG;
	for (; gap; gap--) {
		array_reserve(d->numbers, d->count);
		d->numbers[d->count++] = STACKS_NONE;
	}
	return 0;
}

static void add_number(struct stackdefs *d, const uint64_t *callers,
		      size_t depth)
{
	uint32_t number = stacks_get(&d->stacks, callers, depth);

	array_reserve(d->numbers, d->count);
	d->numbers[d->count++] = number;
}

int stackdefs_add(struct stackdefs *d, uint32_t first, const uint8_t *data,
		  size_t size)
{
	uint64_t callers[KMT_STACK_MAX], depth, value;
	const uint8_t *at = data, *end = data + size;
	int err = skip_to(d, first);
	size_t i;

	while (!err && at < end) {
		if (!varint_get(&at, end, &depth) || depth > KMT_STACK_MAX)
			return -EBADMSG;
		for (i = 0; i < depth; i++) {
			if (!varint_get(&at, end, &value))
				return -EBADMSG;
			callers[i] = unzigzag(value);
		}
		add_number(d, callers, depth);
		err = 0;
	}
	return err;
}

uint8_t *stackdefs_put(uint8_t *to, const uint64_t *callers, size_t depth)
{
	size_t i;

	to = varint_put(to, depth);
	for (i = 0; i < depth; i++)
		to = varint_put(to, zigzag(callers[i]));
	return to;
}
