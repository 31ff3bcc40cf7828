/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Saving of the module's snapshot as a recording.
 */
#ifndef SNAPFILE_H
#define SNAPFILE_H

#include <stdbool.h>

#include "trace/anonymize.h"

/**
 * snapfile_save() - save the snapshot
 * @dir: descriptor from control_open()
 * @file: path of the file
 * @how: what to remove from the recording
 * @or_nothing: if the snapshot has no records, make no file and return EXIT_DONE
 *
 * Prints the result or a message. A snapshot can be saved only once, because reading
 * removes its records. If writing fails before the first record, the snapshot stays.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int snapfile_save(int dir, const char *file, const struct anonymize *how,
		  bool or_nothing);

#endif /* SNAPFILE_H */
