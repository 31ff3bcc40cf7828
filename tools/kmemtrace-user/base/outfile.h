/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that the tool writes. It has mode 0600, whatever the umask, because it contains
 * kernel addresses. The file is FILE.part until it is complete. If FILE existed before,
 * it is kept as FILE.old. A file that has other data than the tool writes keeps its name and
 * its content, also if its name is FILE.old or FILE.part. The tool writes directly to a
 * device, a pipe, standard output ("-") or another descriptor that it has (/dev/stdout,
 * /dev/fd/3), also if that is a file. If FILE is another symbolic link, the target of the
 * link is replaced.
 */
#ifndef OUTFILE_H
#define OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

/*
 * A stream to a pipe, a socket or a device. It waits until the other side reads, and asks
 * meanwhile whether to give up. A plain stream would wait in write(), where only a signal
 * could end the wait.
 */

/**
 * struct waitstream - a stream that may wait
 * @fd: descriptor to write to
 * @gives_up: called every 20 ms while a write waits, with the time in ms since it began to
 *	wait; runs in the thread that writes. If it returns true, this write and all later
 *	ones fail with ECANCELED. NULL: the stream never gives up
 * @arg: argument of @gives_up
 * @has_given_up: @gives_up has returned true
 */
struct waitstream {
	int fd;
	bool (*gives_up)(void *arg, unsigned int ms);
	void *arg;
	bool has_given_up;
};

/** waitstream_is_needed() - whether writes to a descriptor may wait: it is no plain file */
bool waitstream_is_needed(int fd);

/**
 * waitstream_open() - open a stream
 * @s: @fd is set, the rest is zero; @gives_up and @arg may be set before the first write
 *
 * Return: the stream; fclose() leaves @fd open.
 */
FILE *waitstream_open(struct waitstream *s);

struct outfile;

/**
 * outfile_create() - start to write a file
 * @path: name of the file; "-" is standard output
 * @begins: the bytes with which each file of this kind begins, less than 128; NULL: they
 *	differ, so that no file is replaced
 * @ret: set to the file
 *
 * FILE.part is locked while it is being written. A FILE.part without a lock was left by
 * a process that was killed, or that found the disk full. It is renamed to FILE.part.old; if it
 * is empty, it is removed. Prints a message on failure.
 *
 * Return: 0; -EISDIR if @path is a directory; -EEXIST if a file would be replaced that
 * does not begin with @begins; -EMLINK if @path is a loop of links; -EBUSY if another
 * process writes the same file; another -errno.
 */
int outfile_create(const char *path, const char *begins, struct outfile **ret);

/**
 * outfile_is() - whether writing a file would replace or rename another file
 * @path: the file that would be written
 * @other: the other file, for example an input
 *
 * Besides @path itself, these are FILE.old, FILE.part and FILE.part.old.
 *
 * Return: true if it would.
 */
bool outfile_is(const char *path, const char *other);

/**
 * outfile_is_stdout() - whether a path is standard output
 * @path: name of a file: "-", or for example "/dev/stdout"
 *
 * Return: true if it is.
 */
bool outfile_is_stdout(const char *path);

/** outfile_is_direct() - whether a path is a device, a pipe or a descriptor */
bool outfile_is_direct(const char *path);

/** outfile_stream() - get the stream to write to */
FILE *outfile_stream(const struct outfile *o);

/**
 * outfile_path() - get the name of the complete file, with links resolved
 * @o: the file
 *
 * Return: the name; NULL if the file is a device, a pipe or a descriptor.
 */
const char *outfile_path(const struct outfile *o);

/**
 * outfile_part() - get the name of the file to write to
 * @o: the file
 *
 * A library may write to it instead of outfile_stream(). outfile_finish() then reports
 * only the failed writes of the stream.
 *
 * Return: FILE.part; NULL if the file is a device, a pipe or a descriptor.
 */
const char *outfile_part(const struct outfile *o);

/**
 * outfile_finish() - rename FILE.part to FILE, and free @o
 * @o: the file
 * @err: 0; or the -errno for which the file is incomplete
 * @partial: an incomplete file is useful: keep it as FILE.part, unless it is empty; else
 *	remove it
 *
 * If @err is set or the function fails, FILE is unchanged. The function prints a
 * message, except for -EPIPE and -ECANCELED. The message names FILE.part, if it is kept.
 *
 * Return: 0 or -errno.
 */
int outfile_finish(struct outfile *o, int err, bool partial);

/**
 * outfile_keep_part() - keep FILE.part if a signal or lack of memory ends the tool
 * @o: the file
 *
 * FILE.part is then removed only if it is empty.
 */
void outfile_keep_part(struct outfile *o);

/** outfile_discard() - remove FILE.part, and free @o; FILE is unchanged */
void outfile_discard(struct outfile *o);

/**
 * outfile_write_error() - flush a stream, and get why it, or an earlier write, failed
 * @file: the stream
 *
 * It finds the reason of an earlier one by another write: at the end of a file, where it
 * undoes it, or of an empty line. At the end of a file that is opened to append, it asks only
 * for blocks.
 *
 * Return: 0 or -errno.
 */
int outfile_write_error(FILE *file);

/** outfile_flush() - outfile_write_error(), and write the file to the disk */
int outfile_flush(FILE *file);

/**
 * outfile_is_written() - whether a process still writes a file
 * @part: the path FILE.part
 *
 * Return: true also if the file system has no locks.
 */
bool outfile_is_written(const char *part);

/**
 * outfile_explain_part() - print an error if there is no FILE, but FILE.part
 * @path: the path FILE
 *
 * Return: whether it is so.
 */
bool outfile_explain_part(const char *path);

/**
 * outfile_unreadable() - print why a file that the tool writes cannot be read
 * @path: the path FILE; errno has the reason
 *
 * If there is no FILE, but FILE.part, names that; see outfile_explain_part().
 *
 * Return: EXIT_FAILED.
 */
int outfile_unreadable(const char *path);

#endif /* OUTFILE_H */
