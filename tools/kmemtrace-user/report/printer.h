/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints all records of an input, each as a line. If that is faster, two threads make the
 * lines.
 */
#ifndef PRINTER_H
#define PRINTER_H

#include "report/event_filter.h"
#include "report/render.h"
#include "trace/input.h"

/**
 * struct printer_job - what to print
 * @in: the input; after printer_print(), input_begin() has been called
 * @render: how to print a record, and where
 * @filter: print only the records that match; NULL: all
 * @cpus: print only the records of these CPUs, in the format of cpulist.h; NULL: all
 * @alone: the lines must be made in this thread
 */
struct printer_job {
	struct input *in;
	struct render *render;
	struct event_filter *filter;
	const char *cpus;
	bool alone;
};

/**
 * printer_print() - print all records, and where records were lost
 * @job: what to print
 *
 * Flushes the output. Prints a message if reading fails. If writing fails, or if memory
 * runs out for a line, the error is in the output of @job->render, and the rest is not read.
 *
 * Return: EXIT_DONE, also if writing failed, or EXIT_FAILED.
 */
int printer_print(const struct printer_job *job);

#endif /* PRINTER_H */
