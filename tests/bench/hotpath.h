/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_HOTPATH_H
#define BENCH_HOTPATH_H

/* what one run of a row does so often */
#define EVENTS 4096

/**
 * measure() - print a row
 * @name: of the row
 * @run: does EVENTS times what is measured
 */
void measure(const char *name, void (*run)(void));

/**
 * measure_live_table() - print the rows of module/account/object.c
 */
void measure_live_table(void);

#endif /* BENCH_HOTPATH_H */
