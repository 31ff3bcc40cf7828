/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Removes unfinished files when SIGHUP, SIGINT or SIGTERM ends the tool.
 */
#ifndef UNFINISHED_H
#define UNFINISHED_H

/**
 * unfinished_hold() - let signals wait until unfinished_release()
 * @path: the file that is created in between; NULL: a file with a new name
 *
 * In between, a file is created and added: no signal may end the tool before it is added. A
 * pipe or a device is not added, and a pipe waits for its reader when it is opened: signals
 * then do not wait.
 */
void unfinished_hold(const char *path);

/** unfinished_release() - undo unfinished_hold() */
void unfinished_release(void);

/**
 * unfinished_add() - remove a file if a signal arrives
 * @path: the file or directory. A directory is added before the files in it. There are at
 *	most six
 */
void unfinished_add(const char *path);

/** unfinished_clear() - forget all files: they are finished, or removed */
void unfinished_clear(void);

#endif /* UNFINISHED_H */
