/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The output of the command leaks.
 */
#ifndef LEAKVIEW_H
#define LEAKVIEW_H

#include <stddef.h>
#include <stdio.h>

#include "account/tags.h"
#include "leaks/findings.h"
#include "leaks/observe.h"

struct json_t;
struct replay;
struct witness;

/* what is shown */
struct leakview {
	const struct observation *w;	/* the observation */
	const struct findings *f;	/* the findings */
	const struct tags *tags;	/* the tags, with the module's counters */
	const struct witness *witness;	/* call paths of the named sites; NULL: not recorded */
	/* the recording that was read; NULL: live memory was observed */
	const struct replay *replay;
	size_t top;			/* number of rows; 0: all that grew */
};

/** leakview_print() - print as text */
void leakview_print(const struct leakview *v);

/** leakview_json() - print as JSON; Return: EXIT_DONE or EXIT_FAILED */
int leakview_json(const struct leakview *v);

/** leakview_document() - make the document of leakview_json() */
struct json_t *leakview_document(const struct leakview *v);

/*
 * The finding on a site in sentences, for a bug report.
 */

struct pathview;

/**
 * paragraph_print() - print a finding
 * @out: stream to print to
 * @f: the finding, of a named site
 * @all: all findings, for those of which @f is the leader
 * @w: the observation, after observe_merge()
 * @paths: call paths of its site; NULL: not known
 * @release: release of the kernel, "" if it is not known; NULL: the running kernel
 */
void paragraph_print(FILE *out, const struct finding *f, const struct findings *all,
		     const struct observation *w, const struct pathview *paths,
		     const char *release);

#endif /* LEAKVIEW_H */
