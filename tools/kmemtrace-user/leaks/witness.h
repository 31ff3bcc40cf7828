/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Evidence for the sites that the command leaks has named: the call paths that lead to
 * them, the processes, and the code that frees their objects. Accounting does not have
 * these data, so they are taken from events. witness_record() records the events of the
 * sites for some seconds, with stack traces and tasks. witness_read() reads them from a
 * recording that exists.
 */
#ifndef WITNESS_H
#define WITNESS_H

#include <stddef.h>

#include "account/sites.h"
#include "leaks/findings.h"
#include "leaks/paths.h"

/* maximum number of named sites whose events are used: the first ones */
#define WITNESS_SITES 8

/**
 * struct witness_text - the name of an address
 * @addr: the address
 * @text: the symbol and the offset
 */
struct witness_text {
	uint64_t addr;
	char *text;
};

/**
 * struct witness - the call paths of the named sites
 * @paths: the call paths, and the places that free
 * @seconds: time from the first to the last event
 * @lost: number of events that were lost
 * @name: names of all addresses in @paths
 * @nr_names: number of elements of @name
 */
struct witness {
	struct paths paths;
	double seconds;
	uint64_t lost;
	struct witness_text *name;
	size_t nr_names;
};

/**
 * witness_record() - record the events of the named sites, and read them
 * @w: set up; the caller calls witness_free() later, also after a failure
 * @f: the findings; they say which sites are named
 * @sites: the sites, with the addresses of their calls
 * @seconds: duration of the recording
 *
 * The recording is a temporary file. The settings of the module are restored before the
 * function returns, also after a signal. The function fails if a recorder is running.
 *
 * Return: EXIT_DONE or EXIT_FAILED, with a message.
 */
int witness_record(struct witness *w, const struct findings *f,
		   const struct sites *sites, double seconds);

/**
 * witness_read() - read the events of the named sites from a recording that exists
 * @w: as for witness_record()
 * @f: as for witness_record()
 * @sites: as for witness_record()
 * @path: the recording
 *
 * Return: EXIT_DONE or EXIT_FAILED, with a message.
 */
int witness_read(struct witness *w, const struct findings *f,
		 const struct sites *sites, char *path);

/** witness_name() - get the name of an address in @paths; "?" for another address */
const char *witness_name(const struct witness *w, uint64_t addr);

/** witness_free() - undo witness_record() or witness_read() */
void witness_free(struct witness *w);

#endif /* WITNESS_H */
