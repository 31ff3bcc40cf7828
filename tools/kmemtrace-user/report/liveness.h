/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether a recording has the frees of all allocations in it. Without them, it
 * does not show what is live.
 */
#ifndef LIVENESS_H
#define LIVENESS_H

#include "trace/input.h"

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
