// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdio.h>

#include "base/json.h"
#include "base/msg.h"

int json_print(json_t *root, size_t flags)
{
	bool done = root && !json_dumpf(root, stdout, flags);

	putchar('\n');
	json_decref(root);
	return done || ferror(stdout) ? EXIT_DONE : msg_error("memory ran out");
}
