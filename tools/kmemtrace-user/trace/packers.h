/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads that pack chunks, and one that writes them in the order in which they were
 * added. If buffers become scarce, one more thread moves records to a temporary file.
 *
 * All of them work for the thread that adds chunks. This thread never waits for them.
 */
#ifndef PACKERS_H
#define PACKERS_H

#include "trace/pack.h"

struct packers;
struct sink;

/**
 * packers_start() - start the threads
 * @threads: number of threads that pack; if fewer can be started, they are enough
 * @buffers: pool of the chunks' buffers
 * @spill_dir: descriptor of the directory for the temporary file; -1: no such file
 * @sink: the file; from now on, only a thread of the packers uses it
 * @ret: set to the packers
 *
 * The threads ignore all signals.
 *
 * Return: 0 or -errno.
 */
int packers_start(unsigned int threads, struct buffers *buffers, int spill_dir, struct sink *sink,
		  struct packers **ret);

/**
 * packers_add() - add the next chunk of the file
 * @p: the packers
 * @c: the chunk, from malloc(). The packers free it, put its buffer back, and free its copy
 */
void packers_add(struct packers *p, struct chunk *c);

/** packers_cut() - discard the chunks that are not written yet, and later ones */
void packers_cut(struct packers *p);

/** packers_end() - there are no further chunks; the threads end after the last one */
void packers_end(struct packers *p);

/** packers_joined() - whether the threads have ended, after packers_end(); never waits */
bool packers_joined(struct packers *p);

/** packers_free() - free the packers, after packers_joined() */
void packers_free(struct packers *p);

/** packers_backlog() - bytes in the temporary file; any thread */
uint64_t packers_backlog(struct packers *p);

#endif /* PACKERS_H */
