/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The share of allocations that is live at an age, from counts of the living.
 *
 * Accounting knows when an object was allocated and whether it is live, but not when it
 * was freed. With lifetimes, see report/survival.h.
 */
#ifndef KEPT_H
#define KEPT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * kept_shares() - compute the share that is live in intervals of ages
 * @births: number of objects that were allocated in an interval of ages
 * @living: number of these that are live now; not above @births
 * @n: number of intervals, by ascending age
 * @share: set to the share that is live in each interval, which does not rise
 *
 * For such data (current status data), the maximum likelihood estimate is the isotonic
 * regression of living / births, with the weights @births (Ayer and others, An empirical
 * distribution function for sampling with incomplete information, 1955). Shares that
 * would rise are replaced by their mean, until none rises. An interval without births
 * gets the share of the one before; 1 if it is the first.
 */
void kept_shares(const double *births, const double *living, size_t n, double *share);

#endif /* KEPT_H */
