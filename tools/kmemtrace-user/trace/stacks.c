// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "kmt_event.h"
#include "trace/stacks.h"
#include "trace/columns.h"

#define GOLDEN 0x9e3779b97f4a7c15ull

/* tests use smaller hashes, to fill them */
#ifndef STACKS_BITS
#define STACKS_BITS 10
#endif

void stacks_init(struct stacks *s)
{
	*s = (struct stacks){ 0 };
	slots_init(&s->slots, STACKS_BITS);
	array_fit(s->stack, s->room, 1);
	array_fit(s->callers, s->callers_room, 1);
	s->stack[s->count++] = (struct stack){ 0, 0 };
}

void stacks_exit(struct stacks *s)
{
	slots_exit(&s->slots);
	free(s->stack);
	free(s->callers);
	*s = (struct stacks){ 0 };
}

void stacks_clear(struct stacks *s)
{
	slots_clear(&s->slots, s->slots.bits, s->count);
	s->count = 1;
	s->nr_callers = 0;
}

static uint64_t hash_callers(const uint64_t *callers, size_t depth)
{
	uint64_t hash = depth;
	size_t i;

	for (i = 0; i < depth; i++)
		hash = ((hash ^ callers[i]) * GOLDEN) ^ hash >> 32;
	return hash;
}

static uint64_t hash_of(const void *arg, uint32_t number)
{
	const struct stacks *s = arg;

	return hash_callers(s->callers + s->stack[number].first,
			    s->stack[number].depth);
}

bool stacks_is(const struct stacks *s, uint32_t number,
	       const uint64_t *callers, size_t depth)
{
	const struct stack *stack = &s->stack[number];

	return number != STACKS_NONE && stack->depth == depth &&
	       (!depth || !memcmp(s->callers + stack->first, callers,
				  depth * sizeof(*callers)));
}

/* Finds the slot of a stack, or the slot for it. Return: whether it has a number. */
static bool stacks_look_up(const struct stacks *s, const uint64_t *callers,
			   size_t depth, uint32_t *at, uint32_t *number)
{
	return slots_find(&s->slots, hash_callers(callers, depth), *at, *number,
			  stacks_is(s, *number, callers, depth));
}

/* The arrays double, because stacks are added one by one. */
static void make_room(struct stacks *s, size_t depth)
{
	size_t callers = s->nr_callers + depth;

	if (callers > UINT32_MAX || s->count == UINT32_MAX)
		die();
	if (s->count == s->room)
		array_fit(s->stack, s->room, 2 * s->room);
	if (callers > s->callers_room)
		array_fit(s->callers, s->callers_room, 2 * callers);
}

uint32_t stacks_get(struct stacks *s, const uint64_t *callers, size_t depth)
{
	uint32_t at, number;

	depth = interrupts_depth(s->interrupts, callers, depth);
	if (stacks_look_up(s, callers, depth, &at, &number))
		return number;
	if (s->count >= (1ul << s->slots.bits) / 2) {
		slots_rebuild(&s->slots, s->slots.bits + 1, STACKS_NONE + 1,
			      s->count, hash_of, s);
		stacks_look_up(s, callers, depth, &at, &number);
	}
	make_room(s, depth);
	slots_set(&s->slots, at, s->count);
	s->stack[s->count] = (struct stack){ s->nr_callers, depth };
	if (depth)
		memcpy(s->callers + s->nr_callers, callers,
		       depth * sizeof(*callers));
	s->nr_callers += depth;
	return s->count++;
}

/* --- definitions in a recording ------------------------------------------- */

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
