// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/msg.h"

static void *allocate(size_t size)
{
	void *to = malloc(size);

	if (!to)
		msg_no_memory();
	return to;
}

void json_prepare(void)
{
	json_set_alloc_funcs(allocate, free);
}

int json_print(json_t *members)
{
	const size_t flags = JSON_INDENT(1) | JSON_REAL_PRECISION(15);
	json_t *root = json_pack("{s:i}", "version", JSON_VERSION);
	bool done = members && !json_object_update(root, members) &&
		    !json_dumpf(root, stdout, flags);

	putchar('\n');
	json_decref(members);
	json_decref(root);
	return done || ferror(stdout) ? EXIT_DONE : msg_oom();
}
