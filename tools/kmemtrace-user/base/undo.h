/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list of what must be undone however the tool ends: unfinished files are removed, the
 * settings of the module and the terminal are restored. die(), main(), SIGHUP, SIGINT and
 * SIGTERM undo it, the last entry first.
 */
#ifndef UNDO_H
#define UNDO_H

/**
 * struct undo - an entry; it must not move while it is on the list
 * @run: undoes it
 * @arg: argument of @run
 * @next: the entry before it
 */
struct undo {
	void (*run)(void *arg);
	void *arg;
	struct undo *next;
};

/**
 * undo_push() - put an entry on the list
 * @u: the entry
 * @run: undoes it. It may be called by a signal handler, unless the caller blocks the
 *	three signals; or by another thread, for which memory ran out
 * @arg: argument of @run
 */
void undo_push(struct undo *u, void (*run)(void *arg), void *arg);

/** undo_drop() - take an entry off the list, if it is there: it need not be undone */
void undo_drop(struct undo *u);

/** undo_now() - take an entry off the list and undo it, if it is there */
void undo_now(struct undo *u);

/** undo_all() - undo all entries; the list is then empty */
void undo_all(void);

/**
 * undo_hold() - let signals and other threads that end the tool wait for undo_release()
 *
 * In between, a file is created and its entry pushed. May be nested.
 */
void undo_hold(void);

/** undo_release() - undo undo_hold() */
void undo_release(void);

/** undo_forget() - empty the list after fork(): the parent undoes its entries */
void undo_forget(void);

#endif /* UNDO_H */
