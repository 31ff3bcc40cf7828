/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How far a long walk is: one line on stderr, if that is a terminal, once it has
 * taken a second.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct progress - a walk
 * @what: is counted: "pages"
 * @total: how many there are; 0: not known
 * @next: when to show it again, in ms of the monotonic clock
 * @on: somebody looks
 * @shown: the line is there
 */
struct progress {
	const char *what;
	uint64_t total;
	uint64_t next;
	bool on;
	bool shown;
};

/**
 * progress_start() - a walk begins
 * @p: set
 * @what: is counted: "pages"; is kept
 * @total: how many there are; 0: not known
 */
void progress_start(struct progress *p, const char *what, uint64_t total);

/**
 * progress_step() - it goes on; to be called for each batch
 * @p: the walk
 * @done: how many were counted so far
 */
void progress_step(struct progress *p, uint64_t done);

/** progress_end() - it has ended: the line is removed */
void progress_end(struct progress *p);

#endif /* PROGRESS_H */
