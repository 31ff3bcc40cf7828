/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How far what accounting says can be trusted.
 */
#ifndef TRUST_H
#define TRUST_H

#include <stdbool.h>
#include <stdint.h>

#include "account/tags.h"

struct json_t;

/** trust_counter() - a counter of the module; 0 if there is none of the name */
uint64_t trust_counter(const struct tags *tags, const char *name);

/**
 * trust_seconds_on() - for how long accounting has been on
 * @tags: the tags, with the module's counters
 *
 * Return: seconds; -1 if it is off, or if this is not known.
 */
double trust_seconds_on(const struct tags *tags);

/**
 * trust_print() - print how exact the live figures are, in one line
 * @tags: the tags, with the module's counters
 * @verbose: also print each kind of error, and the frees without an allocation
 *
 * The line says "exact", or how large the error is and why. A second line says that
 * accounting is off, if it is.
 */
void trust_print(const struct tags *tags, bool verbose);

/** trust_json() - how large the error can be, with all that it consists of */
struct json_t *trust_json(const struct tags *tags);

/** trust_json_holes() - what cannot be seen on this kernel: "open", by name */
struct json_t *trust_json_holes(const struct tags *tags);

#endif /* TRUST_H */
