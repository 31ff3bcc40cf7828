/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The finding on a site in sentences, for a bug report.
 */
#ifndef PARAGRAPH_H
#define PARAGRAPH_H

#include <stdio.h>

#include "leaks/findings.h"

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

#endif /* PARAGRAPH_H */
