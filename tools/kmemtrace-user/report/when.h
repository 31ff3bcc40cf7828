/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --since and --until: times in a recording, as people say them.
 */
#ifndef WHEN_H
#define WHEN_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/input.h"

/* what --since and --until are for, in --help */
#define WHEN_SINCE                                                             \
	"only records from this time on: seconds as script shows them, 15:04:05 with or without a date, +5s after the first record, -5s before the last one, or 25% of the way between them"
#define WHEN_UNTIL "only records up to this time"

/**
 * struct when - what times refer to
 * @first: time of the first record
 * @last: time of the last one
 * @has_clock: @clock and @real are known
 * @clock: a time on the clock of the records
 * @real: the same moment, in nanoseconds since 1970
 */
struct when {
	uint64_t first;
	uint64_t last;
	bool has_clock;
	uint64_t clock;
	uint64_t real;
};

/**
 * when_parse() - make sense of a time
 * @w: what it may refer to
 * @text: the time
 * @ns: set to it, on the clock of the records
 *
 * Return: NULL, or a sentence that says what is wrong.
 */
const char *when_parse(const struct when *w, const char *text, uint64_t *ns);

/**
 * when_limit() - read only what happened between two times
 * @in: the input, before input_begin()
 * @command: name of the command
 * @since: of --since; NULL: from the beginning
 * @until: of --until; NULL: to the end
 *
 * Says what is wrong.
 *
 * Return: EXIT_DONE, EXIT_FAILED or EXIT_USAGE.
 */
int when_limit(struct input *in, const char *command, const char *since,
	       const char *until);

#endif /* WHEN_H */
