// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "codetags/codesites.h"

void codesites_add(struct codesites *sites, const struct codesite *site)
{
	struct codesite *new = array_add(sites->site, sites->count);

	*new = *site;
	new->file = xstrdup(site->file);
	new->function = xstrdup(site->function);
}

int codesites_section(struct codesites *sites, const char *name)
{
	unsigned int i;

	for (i = 0; i < sites->nr_sections; i++)
		if (!strcmp(sites->section[i], name))
			return i;
	array_reserve(sites->section, sites->nr_sections);
	sites->section[i] = xstrdup(name);
	sites->nr_sections++;
	return i;
}

void codesites_take(struct codesites *to, struct codesites *from)
{
	while (from->count) {
		struct codesite *new = array_add(to->site, to->count);

		*new = from->site[--from->count];
	}
	codesites_clear(from);
}

static int by_address(const void *a, const void *b)
{
	const struct codesite *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void free_site(struct codesite *site)
{
	free(site->file);
	free(site->function);
}

void codesites_sort(struct codesites *sites)
{
	size_t i, kept = 0;

	if (sites->count)
		qsort(sites->site, sites->count, sizeof(*sites->site), by_address);
	for (i = 0; i < sites->count; i++) {
		if (kept && sites->site[kept - 1].address == sites->site[i].address)
			free_site(&sites->site[i]);
		else
			sites->site[kept++] = sites->site[i];
	}
	sites->count = kept;
}

void codesites_clear(struct codesites *sites)
{
	size_t i;

	for (i = 0; i < sites->count; i++)
		free_site(&sites->site[i]);
	free(sites->site);
	for (i = 0; i < sites->nr_sections; i++)
		free(sites->section[i]);
	free(sites->section);
	*sites = (struct codesites){ 0 };
}
