/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sites that the user names. Tags with the same location are one site.
 */
#ifndef MATCHES_H
#define MATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/tags.h"

/**
 * struct match - a site
 * @location: its location
 * @tag: its tags
 * @count: number of tags
 * @bytes: live bytes of all tags
 */
struct match {
	const char *location;
	const struct site_row **tag;
	size_t count;
	int64_t bytes;
};

/**
 * struct matches - all sites
 * @match: the sites, those with the most live bytes first
 * @count: number of sites
 * @tags: memory of the lists of tags
 */
struct matches {
	struct match *match;
	size_t count;
	const struct site_row **tags;
};

/**
 * matches_find() - find sites
 * @m: set; must be freed with matches_free()
 * @tags: the tags; they must live as long as @m
 * @is: whether a tag is one that is searched
 * @arg: argument of @is
 */
void matches_find(struct matches *m, const struct tags *tags,
		 bool (*is)(void *arg, const struct site_row *tag), void *arg);

/** matches_free() - undo matches_find() */
void matches_free(struct matches *m);

#endif /* MATCHES_H */
