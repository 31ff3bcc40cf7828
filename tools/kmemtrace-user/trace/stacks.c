// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "trace/stacks.h"

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
