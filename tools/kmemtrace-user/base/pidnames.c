// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "base/pidnames.h"

bool pidnames_init(struct pidnames *p)
{
	*p = (struct pidnames){ 0 };
	return pairs_init(&p->pids);
}

void pidnames_exit(struct pidnames *p)
{
	size_t i;

	for (i = 0; i < p->room; i++)
		free(p->name[i]);
	free(p->name);
	pairs_exit(&p->pids);
}

/* Return: the place for the name of a process; NULL if memory ran out. */
static char **place_of(struct pidnames *p, uint64_t pid)
{
	uint32_t i = pairs_get(&p->pids, pid, 0);
	char **names;

	names = i == PAIRS_NONE ? NULL :
				  pairs_fit(&p->pids, p->name, &p->room,
					    sizeof(*names));
	if (!names) {
		msg_no_memory();
		return NULL;
	}
	p->name = names;
	return &names[i];
}

void pidnames_set(struct pidnames *p, uint64_t pid, const char *name, bool sure)
{
	char **place = place_of(p, pid), *copy;

	if (!place || (*place && (!sure || !strcmp(*place, name))))
		return;
	copy = strdup(name);
	if (!copy) {
		msg_no_memory();
		return;
	}
	free(*place);
	*place = copy;
}

const char *pidnames_get(struct pidnames *p, uint64_t pid)
{
	char **place = place_of(p, pid);

	return place && *place ? *place : "";
}
