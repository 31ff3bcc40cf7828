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
 *
 * Says what it did and what went wrong. A snapshot can be saved once.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int snapfile_save(int dir, const char *file, bool compress);

#endif /* SNAPFILE_H */
