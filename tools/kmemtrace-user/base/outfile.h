/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that the tool writes. It has mode 0600 whatever the umask, since it says
 * what the kernel does, and where. The file is FILE.part until it is complete; a
 * FILE that existed before is kept as FILE.old. A device, a pipe or standard
 * output ("-") is written to directly. A symbolic link stays, and its target is
 * replaced.
 */
#ifndef OUTFILE_H
#define OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

struct outfile;

/**
 * outfile_create() - start to write a file
 * @path: its name; "-" is standard output
 * @ret: set to the file
 *
 * FILE.part is locked while it is being written. A FILE.part without a lock was
 * left by a process that was killed: it is renamed to FILE.part.old. Prints a
 * message if it fails.
 *
 * Return: 0; -EISDIR if @path is a directory; -ENOTEMPTY if FILE.old is one and
 * FILE would have to be kept; -EMLINK if @path is a loop of links; -EBUSY if another process writes
 * the same file; another -errno.
 */
int outfile_create(const char *path, struct outfile **ret);

/** outfile_stream() - where to write to */
FILE *outfile_stream(const struct outfile *o);

/**
 * outfile_path() - the name of the complete file, with links resolved
 * @o: the file
 *
 * Return: the name; NULL if it is a device, a pipe or standard output.
 */
const char *outfile_path(const struct outfile *o);

/**
 * outfile_finish() - give the file its name, and free @o
 * @o: the file
 * @err: 0, or a -errno because of which the file is incomplete
 * @partial: an incomplete file is of use and stays as FILE.part; else it is
 *	removed, as is an empty one
 *
 * Prints a message that names the file which exists if @err is set or if it
 * fails. FILE is unchanged then.
 *
 * Return: 0 or -errno.
 */
int outfile_finish(struct outfile *o, int err, bool partial);

/** outfile_discard() - remove the file, and free @o; FILE is unchanged */
void outfile_discard(struct outfile *o);

#endif /* OUTFILE_H */
