/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time for waiting and measuring, which no one sets: CLOCK_MONOTONIC.
 */
#ifndef CLOCK_H
#define CLOCK_H

/** clock_now() - the time in seconds */
double clock_now(void);

/** clock_wait_until() - wait until clock_now() is at least @when; signals do not end it */
void clock_wait_until(double when);

#endif /* CLOCK_H */
