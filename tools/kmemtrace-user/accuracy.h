/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How far the numbers of accounting can be trusted: what the module's file stats
 * says of what it could not see.
 */
#ifndef ACCURACY_H
#define ACCURACY_H

#include <stdint.h>

struct json_t;

/**
 * accuracy_counter() - a counter of the file stats
 * @stats: text of the file
 * @name: of the counter
 *
 * Return: the counter; 0 if it is not there.
 */
uint64_t accuracy_counter(const char *stats, const char *name);

/** accuracy_print() - say it in a few lines; @stats may be "" */
void accuracy_print(const char *stats);

/** accuracy_json() - the bound of the error, and what it is made of */
struct json_t *accuracy_json(const char *stats);

/** accuracy_json_holes() - the state of each hole, by its name */
struct json_t *accuracy_json_holes(const char *stats);

#endif /* ACCURACY_H */
