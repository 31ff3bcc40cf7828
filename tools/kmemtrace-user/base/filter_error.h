/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages for errors in expressions of lib/kmt_filter.h.
 */
#ifndef FILTER_ERROR_H
#define FILTER_ERROR_H

#include "kmt_filter.h"

/* number of CPUs of an unknown machine: the largest CONFIG_NR_CPUS */
#define FILTER_CPUS_MAX 8192

/**
 * filter_error_draw() - print an error and its position on stderr
 * @option: option whose value is the expression
 * @text: the expression
 * @error: the error
 * @groups: mask of the groups of fields that the expression may use, or
 *	KMT_FOREIGN_GROUPS; if a field is
 *	unknown, the message lists the fields of these groups
 */
void filter_error_draw(const char *option, const char *text,
		       const struct kmt_filter_error *error, u32 groups);

#endif /* FILTER_ERROR_H */
