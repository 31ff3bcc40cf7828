/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Removes unfinished files when SIGHUP, SIGINT or SIGTERM ends the tool.
 */
#ifndef UNFINISHED_H
#define UNFINISHED_H

#include <signal.h>

/**
 * unfinished_hold() - let these signals wait, while a file is created and added
 * @old: set to the mask of signals, for unfinished_release()
 */
void unfinished_hold(sigset_t *old);

/** unfinished_release() - undo unfinished_hold() */
void unfinished_release(const sigset_t *old);

/**
 * unfinished_add() - remove a file if a signal arrives
 * @path: the file or directory. A directory is added before the files in it, of which there
 *	are at most two
 */
void unfinished_add(const char *path);

/** unfinished_clear() - forget all files: they are finished, or removed */
void unfinished_clear(void);

#endif /* UNFINISHED_H */
