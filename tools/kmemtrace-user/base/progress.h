/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The progress of a long operation: one line on stderr, if stderr is a terminal and the
 * operation takes more than 1 s.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct progress - progress of an operation
 * @what: the counted objects: "pages"
 * @total: number of objects; 0: not known
 * @next: time of the next output, in ms of the monotonic clock
 * @on: stderr is a terminal
 * @shown: the terminal shows the line
 */
struct progress {
	const char *what;
	uint64_t total;
	uint64_t next;
	bool on;
	bool shown;
};

/**
 * progress_start() - start to show the progress of an operation
 * @p: set up
 * @what: the counted objects: "pages"; it must live as long as @p
 * @total: number of objects; 0: not known
 */
void progress_start(struct progress *p, const char *what, uint64_t total);

/**
 * progress_step() - update the line if it is due; called after each batch
 * @p: the progress
 * @done: number of objects counted so far
 */
void progress_step(struct progress *p, uint64_t done);

/** progress_end() - remove the line */
void progress_end(struct progress *p);

#endif /* PROGRESS_H */
