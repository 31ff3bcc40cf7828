/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Errors in expressions of lib/kmt_filter.h, as the user sees them.
 */
#ifndef FILTER_ERROR_H
#define FILTER_ERROR_H

#include "kmt_filter.h"

/* number of CPUs of an unknown machine: the most that kernels are built for */
#define FILTER_CPUS_MAX 8192

/**
 * filter_error_draw() - print an error and its position, on stderr
 * @option: option that the expression was given to
 * @text: the expression
 * @error: the error
 * @groups: mask of the groups of fields that the expression may use; they are
 *	listed if a field is unknown
 */
void filter_error_draw(const char *option, const char *text,
		       const struct kmt_filter_error *error, u32 groups);

#endif /* FILTER_ERROR_H */
