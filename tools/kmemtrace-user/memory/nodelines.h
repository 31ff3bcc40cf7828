/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lines of the balance, divided among the NUMA nodes. The lines of a node add up to its
 * total, which is MemTotal of the node in sysfs.
 */
#ifndef MEMORY_NODELINES_H
#define MEMORY_NODELINES_H

#include <jansson.h>

#include "memory/memory.h"

/**
 * nodelines_print() - print the lines of each node
 * @m: the data
 * @old: NULL; or the data before, to print the changes
 */
void nodelines_print(const struct memory *m, const struct memory *old);

/**
 * nodelines_json() - get the changes of the lines of each node
 * @m: the data
 * @old: the data before
 *
 * Return: an array of nodes, each of which is an array of lines.
 */
json_t *nodelines_json(const struct memory *m, const struct memory *old);

#endif /* MEMORY_NODELINES_H */
