/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An analysis by two threads. Each adds the records of half of the addresses.
 */
#ifndef HALVES_H
#define HALVES_H

#include "report/analysis.h"
#include "trace/input.h"

/**
 * halves_add() - add all records, in this thread and in another, and finish
 * @a: the analysis, before the first record and without a watch. Afterwards, its tables of
 *	live allocations have only half of them
 * @in: the input, after input_begin() with 2 readers
 *
 * The sums are the same as those of one thread. If events are missing unexpectedly, the
 * bounds of the live figures may be others, and also contain the truth.
 */
void halves_add(struct analysis *a, struct input *in);

#endif /* HALVES_H */
