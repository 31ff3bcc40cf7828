/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocation sites. The module's page files refer to tags by id. Tags with the same
 * location are one site: several calls on one line, copies of an inlined function, slab
 * and pages. The same place in each load of a module is also one site: function, offset
 * and name of the module are equal.
 */
#ifndef SITES_H
#define SITES_H

#include <stddef.h>
#include <stdint.h>

#include "account/tags.h"

/* sites of memory without a tag, and of tags that the file tags did not list yet */
#define SITE_UNKNOWN 0
#define SITE_NEWER   1
#define SITE_FIRST   2

/**
 * struct sites - the sites
 * @tags: the rows of tags, and the module's counters
 * @location: location of each site, by number of the site
 * @count: number of sites, including SITE_UNKNOWN and SITE_NEWER
 * @site: number of the site, by id of the tag
 * @row: row in @tags plus 1, by id of the tag; 0: not listed
 * @ids: length of @site and @row
 */
struct sites {
	struct tags tags;
	const char **location;
	size_t count;
	uint32_t *site;
	uint32_t *row;
	size_t ids;
};

/**
 * sites_init() - make sites from tags
 * @s: set up; the caller calls sites_free() later, also after a failure
 * @tags: tags from tags_read() or tags_parse(); sites_free() frees them
 */
void sites_init(struct sites *s, const struct tags *tags);

/**
 * sites_read() - make sites from the module's tags
 * @s: set up; the caller calls sites_free() later, also after a failure
 *
 * Return: 0; -1, with a message.
 */
int sites_read(struct sites *s);

/** sites_of() - get the number of a tag's site, by the tag's id; or SITE_* */
uint32_t sites_of(const struct sites *s, uint32_t id);

/** sites_tag() - get the row of a tag, by its id; NULL if it is not listed */
const struct site_row *sites_tag(const struct sites *s, uint32_t id);

/** sites_free() - undo sites_init() or sites_read() */
void sites_free(struct sites *s);

#endif /* SITES_H */
