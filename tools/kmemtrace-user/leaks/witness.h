/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Evidence for some sites: the call paths that lead to them, the processes, and the code
 * that frees their objects. Accounting does not have these data, so they are taken from
 * events: witness_record() records the events of the sites for some seconds, with stack
 * traces and tasks. witness_read() reads a recording that exists.
 */
#ifndef WITNESS_H
#define WITNESS_H

#include <stddef.h>

#include "account/tags.h"
#include "leaks/paths.h"

struct names;

/* number of sites that a recording is made of */
#define WITNESS_SITES 16

/* the name of an address */
struct witness_text {
	uint64_t addr;	/* the address */
	char *text;	/* the symbol */
};

/* what was recorded */
struct witness {
	struct paths paths;		/* the call paths */
	double seconds;			/* time from the first to the last event */
	uint64_t lost;			/* events that were lost */
	size_t left_out;		/* tags that had no place in the filter of the recording */
	struct witness_text *name;	/* names of all addresses in @paths */
	size_t nr_names;		/* number of @name */
	/* name of the slab cache of each path in @paths; NULL: not known */
	char **cache;
	char build_id[128];		/* build id of the recorded kernel; "": not known */
};

/* how a recording is read */
struct witness_reading {
	/* whether the site of an allocation is wanted. NULL: all are wanted */
	bool (*is_wanted)(void *arg, const struct names *names,
			  const struct kmt_event *ev);
	void *arg;		/* argument of @is_wanted */
	const char *debuginfo;	/* path for lines_open(), or NULL */
};

/**
 * witness_record() - record, and read the recording
 * @w: set up; the caller calls witness_free() later, also after a failure
 * @tags: the tags
 * @wanted: for each of @tags, whether it is recorded; those without an address are not
 * @seconds: duration
 * @how: how the recording is read
 *
 * The settings of the module are restored before the function returns, also after a
 * signal. A second recorder cannot run: then the function fails.
 *
 * Return: EXIT_DONE or EXIT_FAILED, with a message.
 */
int witness_record(struct witness *w, const struct tags *tags, const bool *wanted,
		   double seconds, const struct witness_reading *how);

/**
 * witness_read() - read a recording that the user made
 * @w: set up; the caller calls witness_free() later, also after a failure
 * @path: path of the recording
 * @how: how it is read
 *
 * Return: EXIT_DONE or another value, with a message.
 */
int witness_read(struct witness *w, const char *path, const struct witness_reading *how);

/**
 * witness_read_tags() - read a recording with the addresses of some tags
 * @w: as for witness_read()
 * @path: path of the recording
 * @tags: the tags
 * @wanted: for each of @tags, whether its events count
 * @debuginfo: path for lines_open(), or NULL
 *
 * Return: EXIT_DONE or another value, with a message.
 */
int witness_read_tags(struct witness *w, const char *path, const struct tags *tags,
		      const bool *wanted, const char *debuginfo);

/** witness_name() - get the name of an address */
const char *witness_name(const struct witness *w, uint64_t addr);

/** witness_free() - undo witness_record() or witness_read() */
void witness_free(struct witness *w);

#endif /* WITNESS_H */
