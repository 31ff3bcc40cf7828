/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How what processes have in memory is shown: as text, CSV or JSON, by mapping
 * or by process.
 */
#ifndef USAGE_VIEW_H
#define USAGE_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "footprint.h"
#include "table.h"

/* in the order of addresses or of numbers of processes */
#define USAGE_VIEW_UNSORTED (-1)

/**
 * struct usage_view - what to show, and how
 * @process: what was read
 * @processes: how many
 * @sees_frames: what needs frames is known
 * @sees_soft_dirty: which pages are soft-dirty is known
 * @sees_ksm: which pages KSM merged is known
 * @summary: a row a process, instead of a row a mapping
 * @wide: all columns, also in text
 * @sort: number of a column from usage_view_column(), largest first
 * @top: this many rows; 0: all
 */
struct usage_view {
	struct footprint *process;
	size_t processes;
	bool sees_frames;
	bool sees_soft_dirty;
	bool sees_ksm;
	bool summary;
	bool wide;
	int sort;
	size_t top;
};

/** usage_view_column() - find a column that can be sorted by; -1: there is none */
int usage_view_column(const char *key);

/**
 * usage_view_print() - print it
 * @v: what, and how
 * @format: text has totals; JSON has all of it, each process and the total
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int usage_view_print(const struct usage_view *v, enum table_format format);

#endif /* USAGE_VIEW_H */
