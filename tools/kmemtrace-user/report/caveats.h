/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reasons, besides lost events, for which figures of a recording may be wrong.
 */
#ifndef CAVEATS_H
#define CAVEATS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "report/report.h"

/**
 * caveats_is_complete() - whether no event is missing
 * @r: the report
 *
 * Return: false if events were lost, overwritten, or taken by a snapshot, or if the file is
 * cut short or damaged.
 */
bool caveats_is_complete(const struct report *r);

/**
 * caveats_write() - write what qualifies all figures, except lost events
 * @r: the report; all records have been read
 * @out: gets a line for each, and a line "NOTE: ..." if the file is damaged or truncated
 */
void caveats_write(const struct report *r, FILE *out);

/**
 * caveats_text() - get what qualifies figures as one text, without "NOTE: "
 * @r: the report; all records have been read
 *
 * Return: sentences separated by "; ", empty if there is none; the caller frees it.
 */
char *caveats_text(const struct report *r);

/** caveats_json() - get caveats_text() as JSON, null if it is empty */
json_t *caveats_json(const struct report *r);

#endif /* CAVEATS_H */
