/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Saves the module's snapshot as a recording.
 */
#ifndef SNAPFILE_H
#define SNAPFILE_H

#include <stdbool.h>

/**
 * snapfile_save() - save the snapshot that there is
 * @dir: from control_open()
 * @file: where to
 * @compress: compress the file
 * @or_nothing: if the snapshot has no records, make no file and return EXIT_DONE
 *
 * Says what it did and what went wrong. A snapshot can be saved once, but if the
 * file cannot be written from the start, the snapshot stays.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int snapfile_save(int dir, const char *file, bool compress, bool or_nothing);

#endif /* SNAPFILE_H */
