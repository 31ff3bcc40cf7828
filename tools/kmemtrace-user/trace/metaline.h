/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines "KEY=VALUE" of the texts META and END of a recording.
 */
#ifndef METALINE_H
#define METALINE_H

#include <stdbool.h>

/** metaline_has_key() - whether a line has a key */
bool metaline_has_key(const char *line, const char *key);

/**
 * metaline_has_one_of() - whether a line has one of some keys
 * @line: the line; other lines may follow
 * @keys: the keys, ended by NULL
 *
 * Return: true if it has.
 */
bool metaline_has_one_of(const char *line, const char *const *keys);

/**
 * metaline_is_known() - whether this version knows the key of a line
 * @line: the line; other lines may follow
 *
 * A copy without addresses or names leaves out the other lines. So a new key of record or
 * snapshot has to be added to the list, with the part of anonymize.c that changes its value
 * if it may be an address or a name.
 *
 * Return: true if it does, or if the line is empty.
 */
bool metaline_is_known(const char *line);

#endif /* METALINE_H */
