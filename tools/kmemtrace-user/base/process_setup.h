/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signals, descriptors and limits that the tool inherits and has to change.
 */
#ifndef PROCESS_SETUP_H
#define PROCESS_SETUP_H

/**
 * process_setup() - prepare the process, first thing in main()
 *
 * Ignores SIGPIPE and SIGXFSZ, so that writes fail with an error instead. Opens
 * standard input, output and error where they are closed, so that no other file
 * gets their numbers; reading and writing them fails. Raises the limit of open
 * files: a recorder opens two for each CPU.
 */
void process_setup(void);

/** process_setup_undo() - undo it for a command, between fork() and execvp() */
void process_setup_undo(void);

#endif /* PROCESS_SETUP_H */
