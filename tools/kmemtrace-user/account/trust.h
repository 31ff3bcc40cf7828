/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The accuracy of accounting.
 */
#ifndef TRUST_H
#define TRUST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "account/tags.h"

struct json_t;

/* what to do if accounting is off */
#define TRUST_SWITCH_ON "switch it on with sysctl vm.mem_profiling=1"

/** trust_counter() - get a counter of the module; 0 if it does not exist */
uint64_t trust_counter(const struct tags *tags, const char *name);

/**
 * trust_seconds_on() - get the time for which accounting has been on
 * @tags: the tags, with the module's counters
 *
 * Return: seconds; -1 if accounting is off, or the time is not known.
 */
double trust_seconds_on(const struct tags *tags);

/** trust_is_exact() - check whether accounting is on, and the live figures have no known error */
bool trust_is_exact(const struct tags *tags);

/**
 * trust_write() - write the accuracy of the live figures, in one line
 * @tags: the tags, with the module's counters
 * @out: stream to write to
 *
 * The line contains "exact", or the error and its reasons, or that accounting is off.
 */
void trust_write(const struct tags *tags, FILE *out);

/** trust_write_reasons() - write a line for each kind of error, also if it is 0 */
void trust_write_reasons(const struct tags *tags, FILE *out);

/**
 * trust_print() - print the accuracy of the live figures
 * @tags: the tags, with the module's counters
 * @verbose: also print each kind of error, and the frees without an allocation
 */
void trust_print(const struct tags *tags, bool verbose);

/**
 * struct trust_changes - the accuracy of a difference
 * @is_known: both lists have counters
 * @is_bound: @bytes is an upper limit; if not, the error is at least @bytes
 * @bytes: errors of both lists
 */
struct trust_changes {
	bool is_known;
	bool is_bound;
	uint64_t bytes;
};

/** trust_changes() - get the accuracy of the difference of two lists */
struct trust_changes trust_changes(const struct tags *old,
				   const struct tags *now);

/**
 * trust_print_changes() - print the accuracy of a difference, and of both lists
 * @old: the previous tags, with the module's counters
 * @now: the current tags
 * @verbose: as for trust_print()
 */
void trust_print_changes(const struct tags *old, const struct tags *now,
			 bool verbose);

/** trust_json() - make an object with the error and all its parts */
struct json_t *trust_json(const struct tags *tags);

/** trust_json_holes() - make an object with the holes: their state, "open" or not, by name */
struct json_t *trust_json_holes(const struct tags *tags);

#endif /* TRUST_H */
