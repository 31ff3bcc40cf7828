/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The exit status of a command that reads a recording from which events are missing, and
 * its notes.
 */
#ifndef LOSSES_H
#define LOSSES_H

#include "trace/input.h"

/**
 * losses_exit() - get the exit status of a command that has finished
 * @in: the recording; all records have been read
 *
 * Return: EXIT_LOST if the recording lost events, or if snapshots removed events from it;
 * otherwise EXIT_DONE.
 */
int losses_exit(const struct input *in);

/** losses_note() - print to stderr what is missing in the recording, after all records */
void losses_note(const struct input *in);

#endif /* LOSSES_H */
