/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks whether a recording has the frees of all its allocations. Without these frees,
 * the live allocations are not known.
 */
#ifndef LIVENESS_H
#define LIVENESS_H

#include "trace/input.h"

/**
 * liveness_lost() - get the reason why live allocations cannot be determined
 * @in: the recording
 *
 * A filter excluded frees, frees were not recorded at all, or a trigger may have switched
 * recording off for a part of the time.
 *
 * Return: the reason, as a clause; NULL if live allocations can be determined.
 */
const char *liveness_lost(const struct input *in);

#endif /* LIVENESS_H */
