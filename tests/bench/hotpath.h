/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_HOTPATH_H
#define BENCH_HOTPATH_H

/* number of events in one run */
#define EVENTS 4096

/**
 * measure() - measure a function, and print a row
 * @name: name of the row
 * @run: the function; it processes EVENTS events
 */
void measure(const char *name, void (*run)(void));

/**
 * measure_live_table() - measure module/account/object.c, and print its rows
 */
void measure_live_table(void);

#endif /* BENCH_HOTPATH_H */
