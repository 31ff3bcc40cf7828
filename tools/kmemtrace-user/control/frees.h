/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events that free objects, and filters that must pass them. A report shows live objects
 * only if the recording contains the frees of all recorded allocations.
 */
#ifndef FREES_H
#define FREES_H

#include <stdbool.h>

#include "kmt_field.h"

#define FREES_KIND(type)                                                       \
	(1u << KMT_EVENT_KIND(KMEMTRACE_EVENT_FREE, KMEMTRACE_TYPE_##type))

/* mask of the events that free objects */
#define FREES_KINDS                                                            \
	(FREES_KIND(KMALLOC) | FREES_KIND(CACHE) | FREES_KIND(PAGES) |         \
	 FREES_KIND(PERCPU))

/**
 * frees_pass() - check whether a filter that passes an allocation also passes its free
 * @text: the filter
 *
 * Return: true if the filter uses only fields that have the same value in an allocation
 * and in its free: the address and the cache.
 */
bool frees_pass(const char *text);

/**
 * frees_narrow() - exempt frees from a filter that would drop them
 * @text: the filter
 * @able: mask of the events that have the fields of the filter
 * @kinds: mask of the events that are recorded
 *
 * Return: mask of the events to set the filter for. It does not contain the events that
 * free objects, if the filter would drop frees of recorded allocations.
 */
u32 frees_narrow(const char *text, u32 able, u32 kinds);

/**
 * frees_are_filtered() - check whether a filter drops frees of recorded allocations
 * @able: mask of the events that the filter is set for
 * @kinds: mask of the events that are recorded
 * @text: the filter
 */
bool frees_are_filtered(u32 able, u32 kinds, const char *text);

/**
 * frees_are_complete() - check whether all allocations in a mask have their frees in it
 * @kinds: mask of the events that are recorded
 */
bool frees_are_complete(u32 kinds);

#endif /* FREES_H */
