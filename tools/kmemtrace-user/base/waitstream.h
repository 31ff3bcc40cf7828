/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A stream to a pipe, a socket or a device. It waits until the other side reads, and asks
 * meanwhile whether to give up. A plain stream would wait in write(), where only a signal
 * could end the wait.
 */
#ifndef WAITSTREAM_H
#define WAITSTREAM_H

#include <stdbool.h>
#include <stdio.h>

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

#endif /* WAITSTREAM_H */
