/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What processes are called, by their numbers.
 */
#ifndef PIDNAMES_H
#define PIDNAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pairs.h"

/**
 * struct pidnames - the names
 * @pids: numbers the processes
 * @name: of each, or NULL
 * @room: for how many there is memory
 */
struct pidnames {
	struct pairs pids;
	char **name;
	size_t room;
};

/** pidnames_init() - know none; false if memory ran out */
bool pidnames_init(struct pidnames *p);

/** pidnames_exit() - undo pidnames_init() */
void pidnames_exit(struct pidnames *p);

/**
 * pidnames_set() - a process is called so
 * @p: the names
 * @pid: number of the process
 * @name: its name
 * @sure: also if it has another one already
 *
 * Without memory it keeps what it has.
 */
void pidnames_set(struct pidnames *p, uint64_t pid, const char *name, bool sure);

/** pidnames_get() - a name, "" if there is none */
const char *pidnames_get(struct pidnames *p, uint64_t pid);

#endif /* PIDNAMES_H */
