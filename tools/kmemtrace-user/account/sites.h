/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who allocated: the tags that the module's page files name by number. Tags of
 * one location (several calls on a line, copies of an inlined function, slab and
 * pages) are one site.
 */
#ifndef SITES_H
#define SITES_H

#include <stddef.h>
#include <stdint.h>

#include "account/tags.h"

/* what has no tag, and what has one that tags did not list yet */
#define SITE_UNKNOWN 0
#define SITE_NEWER   1
#define SITE_FIRST   2

/**
 * struct sites - the sites
 * @tags: the rows of tags, and the module's counters
 * @location: of a site, by number
 * @count: how many sites, the two above included
 * @site: by id of a tag: number of its site
 * @row: by id of a tag: its row in @tags plus 1
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
 * sites_init() - make sites of tags
 * @s: set; to be freed with sites_free(), also after an error
 * @tags: from tags_read() or tags_parse(); @s frees them
 *
 * Return: 0; -1 after a message.
 */
int sites_init(struct sites *s, const struct tags *tags);

/**
 * sites_read() - make sites of the module's tags
 * @s: set; to be freed with sites_free(), also after an error
 *
 * Return: 0; -1 after a message.
 */
int sites_read(struct sites *s);

/** sites_of() - the site of a tag, by the tag's id; SITE_* */
uint32_t sites_of(const struct sites *s, uint32_t id);

/** sites_tag() - the row of a tag, by its id; NULL if it is not listed */
const struct tag *sites_tag(const struct sites *s, uint32_t id);

/** sites_free() - free it */
void sites_free(struct sites *s);

#endif /* SITES_H */
