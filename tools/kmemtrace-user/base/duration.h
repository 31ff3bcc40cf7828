/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Durations as users write them, for example 90, 0.5, 500ms, 10m or 2h.
 */
#ifndef DURATION_H
#define DURATION_H

#include <stdbool.h>
#include <stdint.h>

/* text for messages about wrong durations */
#define DURATION_FORMS "a time such as 90, 500ms, 10m or 2h"

/**
 * struct duration_number - a decimal number
 * @whole: the part before the point; UINT64_MAX if it is larger
 * @billionths: the part after the point; more than nine digits are cut off
 */
struct duration_number {
	uint64_t whole;
	uint64_t billionths;
};

/**
 * duration_number() - parse a number without a sign, for example 12, 0.25 or .5
 * @text: the text; set to the first character after the number
 * @n: set to the number
 *
 * Return: false if the text does not begin with a number.
 */
bool duration_number(const char **text, struct duration_number *n);

/**
 * duration_ns() - get a fraction of a duration
 * @n: the number
 * @unit: what the number counts, in ns
 *
 * Return: the product in ns, rounded down; UINT64_MAX if it is larger.
 */
uint64_t duration_ns(const struct duration_number *n, uint64_t unit);

/**
 * duration_parse() - parse a duration
 * @text: a number as for duration_number(), and a unit: ns, us, ms, s, m or min, h; none:
 *	seconds
 * @ns: set to the duration, as by duration_ns()
 *
 * Return: false if the text has another form.
 */
bool duration_parse(const char *text, uint64_t *ns);

/**
 * duration_seconds() - parse a duration within limits
 * @text: as for duration_parse()
 * @min: smallest duration allowed, in seconds
 * @max: largest duration allowed, in seconds
 * @seconds: set to the duration if it is allowed
 *
 * Return: false if the text has another form, or the duration is not allowed.
 */
bool duration_seconds(const char *text, double min, double max,
		      double *seconds);

#endif /* DURATION_H */
