/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recordings without addresses or names. Which symbols a recording needs is only known at
 * its end. So the recorder writes FILE.private, which has everything. At the end, this
 * file is copied to FILE without what is to be removed, and is then deleted.
 */
#ifndef PRIVATE_H
#define PRIVATE_H

#include "trace/anonymize.h"

/**
 * private_path() - get the file that the recorder writes
 * @how: what is to be removed
 * @file: the file of the command line
 *
 * Prints a message on failure. A pipe or standard output is refused.
 *
 * Return: the path, which the caller frees: FILE.private, or a copy of @file if nothing is
 * to be removed; NULL on failure.
 */
char *private_path(const struct anonymize *how, const char *file);

/**
 * private_finish() - make the copy, and delete the file from which it was made
 * @how: what is to be removed; if nothing, there is nothing to do
 * @path: from private_path(), complete
 * @file: the file of the command line
 *
 * If it fails, FILE.private remains, and the message names it. It also remains if a signal
 * ends the tool.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int private_finish(const struct anonymize *how, const char *path,
		   const char *file);

#endif /* PRIVATE_H */
