/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Output of the memory of processes, as text, CSV or JSON, by mapping or by process.
 */
#ifndef USAGE_VIEW_H
#define USAGE_VIEW_H

#include "base/table.h"
#include "process/usage_rows.h"

/**
 * usage_view_print() - print the memory of processes
 * @v: the processes, and the form of the output
 * @format: output format; only text and JSON include totals
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int usage_view_print(const struct usage_view *v, enum table_format format);

#endif /* USAGE_VIEW_H */
