/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The error bound of live figures after frees without an event.
 */
#ifndef BOUNDS_H
#define BOUNDS_H

#include <stdbool.h>

struct report;

/**
 * bounds_by_site() - calculate the uncertain bytes of each class from call sites
 * @r: a report, after its records were added
 *
 * The analysis adds up the live bytes of its groups that had implicit frees. Finer groups
 * have a smaller sum. So if the call site is one of several keys, the groups of each call
 * site are added up first: the bound is that of a report of call sites. Keys without the
 * call site leave the bound as it is.
 */
void bounds_by_site(struct report *r);

#endif /* BOUNDS_H */
