/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signals, descriptors and limits that the tool inherits and must change.
 */
#ifndef PROCESS_SETUP_H
#define PROCESS_SETUP_H

/**
 * process_setup() - prepare the process
 *
 * Ignores SIGPIPE and SIGXFSZ, so that writes fail with an error instead.
 *
 * If standard input, output or error is closed, opens it, so that no other file gets its
 * number. Reading and writing it fails.
 *
 * Raises the limit of open files, because a recorder opens two files for each CPU.
 *
 * Context: at the start of main().
 */
void process_setup(void);

/** process_setup_undo() - undo process_setup(), between fork() and execvp() */
void process_setup_undo(void);

#endif /* PROCESS_SETUP_H */
