/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A directory that the tool writes. It is DIR.part until it is complete. It has mode 0700,
 * and its files 0600, whatever the umask, because they contain kernel addresses.
 */
#ifndef OUTDIR_H
#define OUTDIR_H

#include <stdio.h>

#define OUTDIR_FILES 2

struct outdir;

/**
 * outdir_create() - start to write a directory
 * @path: name of the directory, which must stay allocated; it does not exist, or it is an
 *	empty directory, but not the current one. A link to an empty directory stays
 * @ret: set to the directory
 *
 * DIR.part is locked while it is being written. A DIR.part without a lock was left by a
 * process that was killed. It is renamed to DIR.part.old; if it is empty, it is removed.
 * Prints a message on failure.
 *
 * Return: 0 or -errno.
 */
int outdir_create(const char *path, struct outdir **ret);

/**
 * outdir_open() - create a file in the directory
 * @d: the directory; it has at most OUTDIR_FILES files
 * @name: name of the file
 *
 * Return: the stream; NULL with errno set.
 */
FILE *outdir_open(struct outdir *d, const char *name);

/** outdir_close() - flush and close a file, to the disk; return 0 or -errno */
int outdir_close(FILE *file);

/**
 * outdir_finish() - rename DIR.part to DIR, and free @d
 * @d: the directory; its files are closed
 *
 * Prints a message on failure, and removes DIR.part.
 *
 * Return: 0 or -errno.
 */
int outdir_finish(struct outdir *d);

/** outdir_discard() - remove DIR.part, and free @d */
void outdir_discard(struct outdir *d);

#endif /* OUTDIR_H */
