// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "base/table.h"
#include "base/textfile.h"
#include "why/slabcaches.h"

#define TUNABLES " : tunables "
#define SLABS	 " : slabdata "

/*
 * A line is "NAME ACTIVE TOTAL SIZE PER-SLAB PAGES : tunables ... : slabdata ACTIVE
 * SLABS SHARED". The name may contain blanks, so the numbers are counted from the colon.
 */
static bool parse_line(const char *line, struct slabcache *c)
{
	const char *end = strchrnul(line, '\n'), *at, *slabs;
	uint64_t per_slab, nr_slabs;
	int blanks = 0;

	at = memmem(line, end - line, TUNABLES, strlen(TUNABLES));
	slabs = at ? memmem(at, end - at, SLABS, strlen(SLABS)) : NULL;
	if (!slabs ||
	    textfile_scan(slabs + strlen(SLABS), "%*u %" SCNu64, &nr_slabs) !=
		    1 ||
	    !nr_slabs)
		return false;
	while (blanks < 5 && at > line) {
		while (at > line && at[-1] != ' ')
			at--;
		blanks++;
		while (blanks < 5 && at > line && at[-1] == ' ')
			at--;
	}
	if (textfile_scan(at, "%*u %*u %" SCNu64 " %" SCNu64 " %" SCNu64,
			  &c->size, &per_slab, &c->pages) != 3)
		return false;
	while (at > line && at[-1] == ' ')
		at--;
	if (at == line)
		return false;
	c->name = xstrndup(line, at - line);
	table_clean(c->name);
	return true;
}

void slabcaches_parse(struct slabcaches *c, const char *text)
{
	struct slabcache cache;
	const char *line;

	*c = (struct slabcaches){ 0 };
	for (line = text; line; line = textfile_next_line(line)) {
		if (parse_line(line, &cache))
			*array_add(c->cache, c->count) = cache;
	}
}

void slabcaches_read(struct slabcaches *c)
{
	char *text = textfile_read_proc("slabinfo", NULL);

	slabcaches_parse(c, text);
	free(text);
}

static bool is_kmalloc(const char *name)
{
	return !strncmp(name, "kmalloc-", 8) || !strncmp(name, "dma-kmalloc-", 12);
}

size_t slabcaches_find(const struct slabcaches *c, const struct slabcache_want *want,
		       const char **name, size_t max)
{
	size_t i, found = 0;

	for (i = 0; i < c->count; i++) {
		const struct slabcache *cache = &c->cache[i];

		if (cache->size != want->size ||
		    (want->pages && cache->pages != want->pages) ||
		    is_kmalloc(cache->name) != want->kmalloc)
			continue;
		if (found < max)
			name[found] = cache->name;
		found++;
	}
	return found;
}

void slabcaches_free(struct slabcaches *c)
{
	size_t i;

	for (i = 0; i < c->count; i++)
		free(c->cache[i].name);
	free(c->cache);
}
