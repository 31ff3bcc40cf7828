/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of processes, by PID.
 */
#ifndef PIDNAMES_H
#define PIDNAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pairs.h"

/**
 * struct pidnames - the names
 * @pids: gives each PID an index of @name
 * @name: the names; NULL: no name is known
 * @room: number of elements in @name
 */
struct pidnames {
	struct pairs pids;
	char **name;
	size_t room;
};

/** pidnames_init() - set up without a name */
void pidnames_init(struct pidnames *p);

/** pidnames_exit() - undo pidnames_init() */
void pidnames_exit(struct pidnames *p);

/**
 * pidnames_set() - set the name of a process
 * @p: the names
 * @pid: PID of the process
 * @name: name of the process
 * @sure: replace another name that the process has
 */
void pidnames_set(struct pidnames *p, uint64_t pid, const char *name, bool sure);

/** pidnames_get() - get the name of a process; "" if no name is known */
const char *pidnames_get(struct pidnames *p, uint64_t pid);

#endif /* PIDNAMES_H */
