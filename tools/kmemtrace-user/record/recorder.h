/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording from start to end: the module's settings, the readers, the file.
 */
#ifndef RECORDER_H
#define RECORDER_H

#include <stdbool.h>

#include "control/steer.h"
#include "record/settings.h"

/**
 * struct recorder_options - what `record` was asked for
 * @file: where to; "-" is standard output
 * @seconds: how long; 0 is until it is stopped or the command ends
 * @cpus: list of the CPUs to record, as "0-3,7"; NULL is all
 * @no_compress: do not compress the file
 * @settings: what the module is to record; with @settings.flight, what it kept is
 *	saved at the end
 * @steer: filters and triggers
 * @command: what to run, ended by NULL; NULL is nothing
 */
struct recorder_options {
	const char *file;
	double seconds;
	const char *cpus;
	bool no_compress;
	struct settings_wanted settings;
	struct steer steer;
	char **command;
};

/**
 * recorder_run() - record
 * @options: what and how
 *
 * Says on stderr what it does and what went wrong.
 *
 * Return: EXIT_FAILED; if the command ended by itself and failed, its exit status, or
 * 128 and the number of the signal that ended it; otherwise EXIT_LOST if events were
 * lost, or EXIT_DONE.
 */
int recorder_run(const struct recorder_options *options);

#endif /* RECORDER_H */
