/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time for waiting and measuring, which no one sets: CLOCK_MONOTONIC.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdbool.h>

/** clock_now() - the time in seconds */
double clock_now(void);

/** clock_wait_until() - wait until clock_now() is at least @when; signals do not end it */
void clock_wait_until(double when);

/**
 * clock_wait_for_signal() - wait until clock_now() is at least @when, or for a signal
 * @when: the time in seconds
 * @signal: the signal; the caller has blocked it
 *
 * Return: whether the signal arrived. It is not pending any more.
 */
bool clock_wait_for_signal(double when, int signal);

#endif /* CLOCK_H */
