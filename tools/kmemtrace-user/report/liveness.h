/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether frees were recorded that belong to the recorded allocations. Without
 * them, nothing can be said of what is live.
 */
#ifndef LIVENESS_H
#define LIVENESS_H

#include <stdbool.h>

#include "input.h"
#include "kmt_field.h"

/**
 * liveness_passes_frees() - whether a filter lets an object's free through
 * @text: the filter; of an event that frees
 *
 * Return: whether it looks only at what an allocation and its free have in
 * common: the address and the cache.
 */
bool liveness_passes_frees(const char *text);

/**
 * liveness_narrow() - keep the frees of what passes a filter
 * @text: the filter
 * @able: mask of the events that have its fields
 * @kinds: mask of the events that are recorded
 *
 * Return: mask of the events that the filter is to be set for: without those
 * that free, if it would keep frees out that belong to recorded allocations.
 */
u32 liveness_narrow(const char *text, u32 able, u32 kinds);

/**
 * liveness_filters_frees() - whether a filter makes live figures impossible
 * @able: mask of the events that it is set for
 * @kinds: mask of the events that are recorded
 * @text: the filter
 */
bool liveness_filters_frees(u32 able, u32 kinds, const char *text);

/** liveness_has_frees() - whether events that free belong to those of a mask */
bool liveness_has_frees(u32 kinds);

/**
 * liveness_lost() - why a recording cannot tell what is live
 * @in: the recording
 *
 * Frees were filtered, or not recorded at all, or a trigger may have switched
 * recording off meanwhile.
 *
 * Return: the reason, as half a sentence; NULL: there is none.
 */
const char *liveness_lost(const struct input *in);

#endif /* LIVENESS_H */
