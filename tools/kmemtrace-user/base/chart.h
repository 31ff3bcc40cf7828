/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Charts and sparklines of text: block characters with UTF-8, otherwise ASCII.
 */
#ifndef CHART_H
#define CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* bytes of the longest character of a bar */
#define CHART_CHARACTER 3

/**
 * chart_row() - draw one row of a chart of vertical bars
 * @to: buffer of CHART_CHARACTER * @count + 1 bytes; gets the row, without blanks at its
 *	end
 * @values: the values of the bars
 * @count: number of bars
 * @highest: the value of a full bar
 * @row: number of the row, counted from the bottom
 * @rows: number of rows of the chart
 * @utf8: use block characters
 *
 * A value above 0 is never drawn as nothing.
 */
void chart_row(char *to, const uint64_t *values, size_t count, uint64_t highest,
	       unsigned int row, unsigned int rows, bool utf8);

/**
 * chart_sparkline() - draw a line of the last values
 * @to: buffer of @width * CHART_CHARACTER + 1 bytes
 * @values: the values
 * @count: number of values
 * @width: characters to draw; blanks are on the left, if there are fewer values
 * @utf8: use block characters
 *
 * The lowest of the values that are drawn is the lowest character, which is not a blank.
 * If all are equal, all are the lowest character.
 */
void chart_sparkline(char *to, const int64_t *values, size_t count, size_t width,
		     bool utf8);

#endif /* CHART_H */
