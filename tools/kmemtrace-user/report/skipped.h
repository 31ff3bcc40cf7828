/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of a recording that a newer version wrote and that this version skips.
 */
#ifndef SKIPPED_H
#define SKIPPED_H

#include "trace/input.h"

/**
 * skipped_text() - describe the parts of a recording that were skipped
 * @in: the input; all records have been read
 *
 * Return: a sentence, valid until the next call; NULL if nothing was skipped.
 */
const char *skipped_text(const struct input *in);

#endif /* SKIPPED_H */
