/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of a recording that a newer version wrote and that this version skips.
 */
#ifndef SKIPPED_H
#define SKIPPED_H

#include "trace/input.h"

/**
 * skipped_text() - what a newer version wrote that this one does not know
 * @in: the input; once all was read
 *
 * Return: a sentence, good until the next call; NULL: nothing was skipped.
 */
const char *skipped_text(const struct input *in);

#endif /* SKIPPED_H */
