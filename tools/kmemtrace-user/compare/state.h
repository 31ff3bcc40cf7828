/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One side of a comparison: what each site held, read from a file of any of these kinds:
 * a recording, a saved state of accounting, or the JSON of report or allocinfo.
 */
#ifndef STATE_H
#define STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/tags.h"

/* The meaning of the figures. Figures of different sources cannot be compared. */
enum state_source {
	STATE_ACCOUNTING, /* live since accounting was switched on */
	STATE_RECORDING,  /* allocated in a recording, and live at its end */
};

/* one side of a comparison */
struct state {
	const char *path;	/* the file */
	enum state_source source; /* meaning of the figures */
	char by[128];		/* keys of the rows, as in report --by: "site" or others */
	/* the rows, and the kernel; STATE_ACCOUNTING: with the module's counters */
	struct tags tags;
	struct figures total[SITE_KINDS]; /* sums of the rows, by kind of memory */
	char *filter;		/* STATE_RECORDING: expression of report --filter; NULL: none */
	char *recorded_if;	/* STATE_RECORDING: filters while recording; NULL: none */
	/* STATE_RECORDING: time from the first record to the last; 0: not known */
	double seconds;
	uint64_t lost;		/* STATE_RECORDING: number of lost events */
	bool is_lossy;		/* STATE_RECORDING: events were lost, or snapshots removed events */
	bool is_uncertain;	/* STATE_RECORDING: rows have bounds */
	/* STATE_RECORDING: bytes of the largest allocation, by kind of memory */
	uint64_t largest[SITE_KINDS];
	char note[1024];	/* STATE_RECORDING: text that qualifies the figures; "": none */
};

/**
 * state_read() - read a file
 * @s: set; the caller calls state_free() later, also after a failure
 * @path: path of the file, which must outlive @s
 *
 * Return: EXIT_DONE, or another value after a message.
 */
int state_read(struct state *s, const char *path);

/** state_read_json() - as state_read(), for the text of a JSON document */
int state_read_json(struct state *s, const char *text);

/** state_set_kernel() - set release and build id of a recording's kernel; "": not known */
void state_set_kernel(struct state *s, const char *release, const char *build_id);

/** state_add_filter() - add to @recorded_if */
void state_add_filter(struct state *s, const char *filter, size_t len);

/** state_free() - undo state_read() */
void state_free(struct state *s);

/**
 * state_incomparable() - check whether two states cannot be compared
 * @old: the earlier one
 * @now: the later one
 * @why: set to the reason, a part of a sentence
 * @size: bytes of @why
 *
 * Return: whether they cannot.
 */
bool state_incomparable(const struct state *old, const struct state *now,
			char *why, size_t size);

#endif /* STATE_H */
