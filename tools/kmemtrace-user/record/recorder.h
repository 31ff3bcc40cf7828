/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording from start to end: the module's settings, the readers, the file.
 */
#ifndef RECORDER_H
#define RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "control/steer.h"
#include "record/settings.h"
#include "trace/anonymize.h"

/**
 * struct recorder_options - the options of "record"
 * @file: path of the file; "-" is standard output
 * @seconds: duration; 0: until it is stopped or the command ends
 * @cpus: list of the CPUs to record, for example "0-3,7"; NULL: all
 * @memory_kb: maximum memory of the recorder, in KiB; 0: memory_default()
 * @quiet: print errors only, no progress and no result
 * @settings: settings of the module; with @settings.flight, the records are saved at
 *	the end
 * @steer: filters and triggers
 * @anonymize: what to remove from the recording
 * @command: words of the command to run, the last one NULL; NULL: no command
 */
struct recorder_options {
	const char *file;
	double seconds;
	const char *cpus;
	uint64_t memory_kb;
	bool quiet;
	struct settings_wanted settings;
	struct steer steer;
	struct anonymize anonymize;
	char **command;
};

/**
 * recorder_run() - make a recording
 * @options: the options
 *
 * Prints progress, results and errors on stderr. If standard output is a pipe and its
 * reader ends, the recording ends; the reader has all that it wanted, so no error is
 * printed.
 *
 * Return: EXIT_FAILED on failure. If the command ended by itself and failed: its exit
 * status, or 128 + the number of its signal. Otherwise EXIT_LOST if events were lost,
 * else EXIT_DONE.
 */
int recorder_run(const struct recorder_options *options);

#endif /* RECORDER_H */
