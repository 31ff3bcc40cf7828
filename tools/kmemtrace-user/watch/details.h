/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Everything that is known about a row, as lines of text.
 */
#ifndef DETAILS_H
#define DETAILS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "watch/watch.h"

/**
 * details_write() - write the lines
 * @w: the watch
 * @row: index of the row
 * @utf8: the sparkline may have characters other than ASCII
 * @out: stream to write to
 *
 * Writes its figures, their changes, what is known about the time since the mark, the
 * history, each of its tags, and the error of all figures.
 */
void details_write(const struct watch *w, uint32_t row, bool utf8, FILE *out);

#endif /* DETAILS_H */
