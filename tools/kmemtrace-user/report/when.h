/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --since and --until: parse times in a recording.
 */
#ifndef WHEN_H
#define WHEN_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/input.h"

/* help texts of --since and --until */
#define WHEN_SINCE                                                             \
	"only records from this time on: seconds as script shows them, 15:04:05 with or without a date, +5s after the first record, -5s before the last one, or 25% of the way between them"
#define WHEN_UNTIL "only records up to this time"

/* reference times */
struct when {
	uint64_t first;	/* time of the first record, in ns */
	uint64_t last;	/* time of the last record, in ns */
	bool has_clock;	/* @clock and @real are known */
	uint64_t clock;	/* a time on the clock of the records, in ns */
	uint64_t real;	/* the same moment, in ns since 1970 */
};

/**
 * when_parse() - parse a time
 * @w: reference times
 * @text: the time
 * @ns: set to the time in ns, on the clock of the records
 *
 * Return: NULL, or a text that describes the error.
 */
const char *when_parse(const struct when *w, const char *text, uint64_t *ns);

/**
 * when_limit() - limit an input to the records between two times
 * @in: the input, before input_begin()
 * @command: name of the command
 * @since: value of --since; NULL: from the beginning
 * @until_option: name of the option that @until is from: --until or --at
 * @until: its value; NULL: to the end
 *
 * Prints a message if a time is wrong, or outside of the recording. This is known of a
 * stream only once its records have been read: see when_check_records().
 *
 * Return: EXIT_DONE, EXIT_FAILED or EXIT_USAGE.
 */
int when_limit(struct input *in, const char *command, const char *since,
	       const char *until_option, const char *until);

/** when_no_times() - print why no record with a time was found. Return: EXIT_FAILED. */
int when_no_times(const struct input *in);

/**
 * when_check_records() - check whether --since and --until left any record
 * @in: the input; all records have been read
 *
 * Return: EXIT_DONE; EXIT_FAILED after a message, if they left none.
 */
int when_check_records(const struct input *in);

#endif /* WHEN_H */
