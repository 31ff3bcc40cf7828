/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads what a watch shows.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include <stddef.h>

#include "watch/watch.h"

/**
 * source_refresh() - read the module's files, and refresh a watch
 * @w: the watch; its @by selects the file: caches_live, or tags
 * @why: set to the message on failure
 * @size: bytes of @why
 *
 * The time of the figures is the module's own (clock_ns in the file stats), so that rates
 * do not depend on when this process runs.
 *
 * Reading ages takes the module time for each live object and page frame. They are read
 * when the CPU time for that is below 0.25 % of the time since they were last read.
 *
 * Return: 0; another value, with @why set.
 */
int source_refresh(struct watch *w, char *why, size_t size);

#endif /* SOURCE_H */
