/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waits for input and for signals that end or resize the display. The signals are
 * blocked, and are read from a descriptor, so that none comes at a wrong moment.
 */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <stdbool.h>
#include <signal.h>

/* the descriptor */
struct signals {
	int fd;		/* the descriptor */
	sigset_t old;	/* signals that were blocked before */
};

/* what signals_wait() returns, as bits */
#define SIGNALS_INPUT  1u /* the input can be read */
#define SIGNALS_RESIZE 2u /* the terminal has another size */
#define SIGNALS_END    4u /* SIGINT, SIGQUIT, SIGTERM, SIGHUP; or the input is gone */

/**
 * signals_open() - block the signals
 * @s: set up; the caller calls signals_close() later
 *
 * Return: false on failure, with errno set.
 */
bool signals_open(struct signals *s);

/** signals_close() - undo signals_open() */
void signals_close(struct signals *s);

/**
 * signals_wait() - wait
 * @s: the descriptor
 * @input: another descriptor to wait for; -1: none
 * @seconds: time to wait at most
 *
 * Return: what happened: SIGNALS_*; 0: nothing, the time is over.
 */
unsigned int signals_wait(struct signals *s, int input, double seconds);

#endif /* SIGNALS_H */
