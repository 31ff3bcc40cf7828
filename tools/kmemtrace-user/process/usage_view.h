/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How what processes have in memory is shown: as text, CSV or JSON, by mapping
 * or by process.
 */
#ifndef USAGE_VIEW_H
#define USAGE_VIEW_H

#include "base/table.h"
#include "process/usage_rows.h"

/**
 * usage_view_print() - print it
 * @v: what, and how
 * @format: text has totals; JSON has all of it, each process and the total
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int usage_view_print(const struct usage_view *v, enum table_format format);

#endif /* USAGE_VIEW_H */
