/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list of fields that filters and --fields know.
 */
#ifndef FIELDLIST_H
#define FIELDLIST_H

#include <stdbool.h>

#include "kmt_field.h"

/** typedef fieldlist_wanted - whether a field of kmt_fields is in the list */
typedef bool (*fieldlist_wanted)(const struct kmt_field *f, void *arg);

/**
 * fieldlist_print() - print names, types and meanings of fields
 * @first: a field that comes before those of kmt_fields, or NULL
 * @wanted: which of kmt_fields to print
 * @arg: passed to @wanted
 * @json: as JSON
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int fieldlist_print(const struct kmt_field *first, fieldlist_wanted wanted,
		    void *arg, bool json);

#endif /* FIELDLIST_H */
