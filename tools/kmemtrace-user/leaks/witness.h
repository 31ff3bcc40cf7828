/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records the sites that are named for some seconds, with stacks and tasks, to find the
 * call paths that leak, and where objects of these sites are freed.
 */
#ifndef WITNESS_H
#define WITNESS_H

#include <stddef.h>

#include "account/sites.h"
#include "leaks/findings.h"
#include "leaks/paths.h"

/* number of sites that are recorded: the first ones */
#define WITNESS_SITES 8

/**
 * struct witness_text - the name of an address
 * @addr: the address
 * @text: the symbol
 */
struct witness_text {
	uint64_t addr;
	char *text;
};

/**
 * struct witness - what was recorded
 * @paths: the call paths
 * @seconds: time from the first to the last event
 * @lost: events that were lost
 * @name: names of all addresses in @paths
 * @nr_names: number of @name
 */
struct witness {
	struct paths paths;
	double seconds;
	uint64_t lost;
	struct witness_text *name;
	size_t nr_names;
};

/**
 * witness_record() - record, and read the recording
 * @w: set up; the caller calls witness_free() later, also after a failure
 * @f: the findings
 * @sites: the sites
 * @seconds: duration
 *
 * The settings of the module are restored before the function returns, also after a
 * signal. A second recorder cannot run: then the function fails.
 *
 * Return: EXIT_DONE or EXIT_FAILED, with a message.
 */
int witness_record(struct witness *w, const struct findings *f,
		   const struct sites *sites, double seconds);

/**
 * witness_read() - read a recording that exists
 * @w: as for witness_record()
 * @f: the findings; only events of the sites that are named count
 * @sites: the sites
 * @path: the recording
 *
 * Return: EXIT_DONE or EXIT_FAILED, with a message.
 */
int witness_read(struct witness *w, const struct findings *f,
		 const struct sites *sites, char *path);

/** witness_name() - get the name of an address */
const char *witness_name(const struct witness *w, uint64_t addr);

/** witness_free() - undo witness_record() */
void witness_free(struct witness *w);

#endif /* WITNESS_H */
