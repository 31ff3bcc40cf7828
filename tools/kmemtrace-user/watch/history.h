/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values of the last minutes.
 *
 * Time is divided into slots of equal length. A history has the last value in each of
 * the last slots. All histories of a watch have the same clock.
 */
#ifndef HISTORY_H
#define HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* slots of a history, and their length: five minutes */
#define HISTORY_SLOTS	60
#define HISTORY_SLOT_NS 5000000000ull

/**
 * struct history_clock - the current slot of several histories
 * @start_ns: time of the first value
 * @slot: number of the current slot, from 0
 */
struct history_clock {
	uint64_t start_ns;
	uint64_t slot;
};

/**
 * struct history - values
 * @value: the values; the value of slot N is at N modulo HISTORY_SLOTS
 */
struct history {
	int64_t value[HISTORY_SLOTS];
};

/**
 * history_advance() - move the clock
 * @c: the clock
 * @ns: the time, not before @c->start_ns
 *
 * Return: number of slots that began, at most HISTORY_SLOTS.
 */
unsigned int history_advance(struct history_clock *c, uint64_t ns);

/**
 * history_put() - store the value of the current slot
 * @h: the history
 * @c: its clock
 * @began: what history_advance() returned
 * @before: the value that was stored before; slots that were skipped get it
 * @value: the value
 */
void history_put(struct history *h, const struct history_clock *c,
		 unsigned int began, int64_t before, int64_t value);

/** history_known() - get the number of slots that have a value */
static inline size_t history_known(const struct history_clock *c)
{
	return c->slot < HISTORY_SLOTS ? c->slot + 1 : HISTORY_SLOTS;
}

/**
 * history_add() - add the values of a history, oldest first
 * @to: history_known() sums
 * @h: the history
 * @c: its clock
 */
void history_add(int64_t *to, const struct history *h,
		 const struct history_clock *c);

#endif /* HISTORY_H */
