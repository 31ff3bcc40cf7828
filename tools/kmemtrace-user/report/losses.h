/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lost events, and parts that were not read, qualify the figures of a recording.
 */
#ifndef LOSSES_H
#define LOSSES_H

#include <stdbool.h>
#include <stdio.h>

#include "trace/input.h"

/**
 * losses_exit() - get the exit status of a command that has finished
 * @in: the recording; all records have been read
 *
 * Return: EXIT_LOST if the recording lost events, or if snapshots removed events from it;
 * otherwise EXIT_DONE.
 */
int losses_exit(const struct input *in);

/**
 * losses_buffer() - get the size of each CPU's buffer that would have lost no event
 * @in: the recording; all records have been read
 *
 * A buffer never fills if it has room for what the smaller one has lost, too.
 *
 * Return: bytes, a power of two; 0 if nothing was lost, if it is not known, or if the module
 * cannot have such a buffer.
 */
uint64_t losses_buffer(const struct input *in);

/** losses_are_overwritten() - whether a recording that keeps the last records lacks others */
bool losses_are_overwritten(const struct input *in);

/** losses_none() - whether nothing was lost, overwritten, taken by a snapshot, or cut off */
bool losses_none(const struct input *in);

/**
 * losses_skipped() - describe the parts that a newer version wrote, and that were skipped
 * @in: the recording; all records have been read
 *
 * Return: a sentence, valid until the next call; NULL if nothing was skipped.
 */
const char *losses_skipped(const struct input *in);

/**
 * losses_write() - write a line about lost events, if there are any
 * @in: the recording; all records have been read
 * @out: stream to write to
 */
void losses_write(const struct input *in, FILE *out);

/**
 * losses_write_faults() - write what qualifies all figures, except lost events
 * @in: the recording; all records have been read
 * @note: begins the line about a damaged file; NULL: leave out what changes no figure
 * @out: gets a line for each
 */
void losses_write_faults(const struct input *in, const char *note, FILE *out);

/**
 * losses_text() - get the lines of losses_write_faults() that change figures as one text
 * @in: the recording; all records have been read
 *
 * Return: sentences separated by "; ", empty if there is none; the caller frees it.
 */
char *losses_text(const struct input *in);

/** losses_json() - get losses_text() as JSON, null if it is empty */
struct json_t *losses_json(const struct input *in);

/** losses_note() - print to stderr what is missing in the recording, after all records */
void losses_note(const struct input *in);

/*
 * Checks whether a recording has the frees of all its allocations. Without these frees,
 * the live allocations are not known.
 */

/**
 * liveness_lost() - get the reason why live allocations cannot be determined
 * @in: the recording
 *
 * A filter excluded frees, frees were not recorded at all, or a trigger may have switched
 * recording off for a part of the time.
 *
 * Return: the reason, as a clause; NULL if live allocations can be determined.
 */
const char *liveness_lost(const struct input *in);

#endif /* LOSSES_H */
