// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/pidnames.h"

void pidnames_init(struct pidnames *p)
{
	*p = (struct pidnames){ 0 };
	pairs_init(&p->pids);
}

void pidnames_exit(struct pidnames *p)
{
	size_t i;

	for (i = 0; i < p->room; i++)
		free(p->name[i]);
	free(p->name);
	pairs_exit(&p->pids);
}

/* Return: the place for the name of a process. */
static char **place_of(struct pidnames *p, uint64_t pid)
{
	uint32_t i = pairs_get(&p->pids, pid, 0);

	p->name = pairs_fit(&p->pids, p->name, &p->room, sizeof(*p->name));
	return &p->name[i];
}

void pidnames_set(struct pidnames *p, uint64_t pid, const char *name, bool sure)
{
	char **place = place_of(p, pid);

	if (*place && (!sure || !strcmp(*place, name)))
		return;
	free(*place);
	*place = xstrdup(name);
}

const char *pidnames_get(struct pidnames *p, uint64_t pid)
{
	char **place = place_of(p, pid);

	return *place ? *place : "";
}
