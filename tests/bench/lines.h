/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the benchmark kmt_lines.c tells the plugin lines_plugin.c what it does: it executes
 * nopl LINES_MAGIC + n(%rax), where n is one of these numbers.
 */
#ifndef BENCH_LINES_H
#define BENCH_LINES_H

#define LINES_MAGIC 0x4b4d5400

enum {
	LINES_ROW, /* a new row begins; the next load has the address of CPU 0's byte */
	LINES_TURN, /* a CPU's turn begins; the next load has the address of its byte */
	LINES_BEGIN, /* an event begins */
	LINES_END, /* it ends */
	LINES_PRINT, /* print the row, and stop counting */
	LINES_TEXT, /* the next two loads have the addresses of the module's code */
	LINES_NR,
};

#endif /* BENCH_LINES_H */
