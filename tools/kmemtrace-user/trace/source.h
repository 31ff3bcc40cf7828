/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bytes of a recording: a file; a stream, which can only be read in order, such as a
 * pipe; or a file that grows while it is read.
 *
 * SIGINT and SIGTERM do not end a process that reads a stream, because the process that
 * writes the stream gets Ctrl-C as well, and still writes the end of the recording. The
 * reader then reads what comes. It gives up at a second signal, or if nothing comes for
 * two seconds. Reading of a growing file ends at the first signal.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* no byte is left: a return value of source_read() */
#define SOURCE_END 1

/**
 * struct source - a file or a stream
 * @fd: descriptor
 * @stream: bytes can only be read in order
 * @grows: the file grows until its writer gives up its lock; @stream is set as well
 * @size: bytes of a file; for a stream, UINT64_MAX until its end was read
 * @at: for a stream: offset of the next byte
 * @signals: for a stream: signalfd; -1: none
 * @old_mask: mask of signals to be restored
 * @interrupted: a signal came
 * @interrupt: called at the first signal; may be NULL
 * @arg: argument of @interrupt
 */
struct source {
	int fd;
	bool stream;
	bool grows;
	uint64_t size;
	uint64_t at;
	int signals;
	sigset_t old_mask;
	bool interrupted;
	void (*interrupt)(void *arg);
	void *arg;
};

/** source_descriptor() - open a file to read it, or "-"; return the descriptor, or -1 */
int source_descriptor(const char *path);

/** source_name() - get the name of a file for messages: that of "-" is standard input */
const char *source_name(const char *path);

/** source_is_stream() - whether a path is a pipe, a FIFO, a socket, or such on "-" */
bool source_is_stream(const char *path);

/**
 * source_open() - open a file or a stream
 * @s: set; undefined after an error
 * @path: the path; "-" is standard input
 * @grows: read a regular file as one that grows
 *
 * Return: 0 or -errno.
 */
int source_open(struct source *s, const char *path, bool grows);

/** source_close() - undo source_open() */
void source_close(struct source *s);

/**
 * source_read() - read bytes
 * @s: the source
 * @to: gets the bytes
 * @size: number of bytes
 * @offset: their offset; in a stream, not before the end of the last read
 *
 * Waits for the writer of a stream.
 *
 * Return: 0; SOURCE_END if the source has fewer bytes; or -errno.
 */
int source_read(struct source *s, void *to, size_t size, uint64_t offset);

#endif /* SOURCE_H */
