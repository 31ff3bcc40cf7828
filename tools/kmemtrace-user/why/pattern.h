/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A text that names sites: a part of their locations.
 */
#ifndef PATTERN_H
#define PATTERN_H

#include <stdbool.h>

#include "account/sitename.h"

/**
 * struct pattern - what the locations must have
 * @name: the parts; "" or NULL: any. @name.text has their memory
 */
struct pattern {
	struct sitename name;
};

/**
 * pattern_parse() - find the parts of a text
 * @p: set to the parts; the caller calls pattern_free() later, also after a failure
 * @text: "function", "function+0x12", "function+0x12/0x34", "file.c:12", each also with
 *	" [module]", or a location as the module's file tags has it
 */
void pattern_parse(struct pattern *p, const char *text);

/** pattern_is_empty() - whether the text names neither a function nor a file */
bool pattern_is_empty(const struct pattern *p);

/**
 * pattern_matches() - check a location
 * @p: the pattern
 * @location: a location, as in sitename_parse()
 *
 * A function matches with and without the compiler's suffix, but an offset belongs to one
 * symbol. A file matches if the location's path ends with it.
 *
 * Return: whether the location has all parts of the pattern.
 */
bool pattern_matches(const struct pattern *p, const char *location);

/** pattern_free() - undo pattern_parse() */
void pattern_free(struct pattern *p);

#endif /* PATTERN_H */
