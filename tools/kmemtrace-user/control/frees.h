/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events that free what other events allocated, and the filters that let
 * them through. A recording without them does not show what is live.
 */
#ifndef FREES_H
#define FREES_H

#include <stdbool.h>

#include "kmt_field.h"

#define FREES_KIND(type)                                                       \
	(1u << KMT_EVENT_KIND(KMEMTRACE_EVENT_FREE, KMEMTRACE_TYPE_##type))

/* mask of the events that free */
#define FREES_KINDS                                                            \
	(FREES_KIND(KMALLOC) | FREES_KIND(CACHE) | FREES_KIND(PAGES) |         \
	 FREES_KIND(PERCPU))

/**
 * frees_pass() - whether a filter lets the free of an object through
 * @text: the filter of an event that frees
 *
 * Return: whether the filter uses only fields that an allocation and its free
 * have in common: the address and the cache.
 */
bool frees_pass(const char *text);

/**
 * frees_narrow() - exempt frees from a filter that would drop them
 * @text: the filter
 * @able: mask of the events that have its fields
 * @kinds: mask of the events that are recorded
 *
 * Return: mask of the events to set the filter for. Events that free are not
 * among them if the filter would drop frees of recorded allocations.
 */
u32 frees_narrow(const char *text, u32 able, u32 kinds);

/**
 * frees_are_filtered() - whether a filter drops frees of recorded allocations
 * @able: mask of the events that the filter is set for
 * @kinds: mask of the events that are recorded
 * @text: the filter
 */
bool frees_are_filtered(u32 able, u32 kinds, const char *text);

/**
 * frees_are_complete() - whether a mask has the free of each allocation in it
 * @kinds: mask of events
 */
bool frees_are_complete(u32 kinds);

#endif /* FREES_H */
