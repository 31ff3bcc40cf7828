/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Live objects by slab cache, from the module's file caches_live. The module does not
 * count the allocations and frees of a cache, and tags have no caches.
 */
#ifndef CACHES_H
#define CACHES_H

#include <stddef.h>

#include "account/tags.h"

/**
 * caches_parse() - parse the text of the file caches_live
 * @tags: set to a row of the kind slab for each cache, with bytes, objects, and the name
 *	of the cache as location. The other figures are 0, the age is not known. The caller
 *	calls tags_free() later, also after a failure
 * @text: the text
 * @why: set to the error, with the number of the line, on failure
 * @size: bytes of @why
 *
 * Return: 0 or -EINVAL.
 */
int caches_parse(struct tags *tags, const char *text, char *why, size_t size);

/**
 * caches_read_module() - read the caches and the counters from the module
 * @tags: as for caches_parse()
 * @why: set to the message on failure
 * @size: bytes of @why
 *
 * Return: 0; -errno, with @why set; see tags_read_file().
 */
int caches_read_module(struct tags *tags, char *why, size_t size);

#endif /* CACHES_H */
