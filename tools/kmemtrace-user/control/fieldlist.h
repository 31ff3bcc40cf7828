/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list of fields for filters and --fields.
 */
#ifndef FIELDLIST_H
#define FIELDLIST_H

#include <stdbool.h>

#include "kmt_field.h"

/** typedef fieldlist_wanted - check whether the list contains a field of kmt_fields */
typedef bool (*fieldlist_wanted)(const struct kmt_field *f, void *arg);

/**
 * fieldlist_print() - print names, types and meanings of fields
 * @first: a field to print before those of kmt_fields, or NULL
 * @wanted: selects the fields of kmt_fields
 * @arg: argument of @wanted
 * @json: print JSON
 *
 * Return: EXIT_DONE; EXIT_FAILED, with a message.
 */
int fieldlist_print(const struct kmt_field *first, fieldlist_wanted wanted,
		    void *arg, bool json);

#endif /* FIELDLIST_H */
