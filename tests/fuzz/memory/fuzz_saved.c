// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any text as the two files of memory --input and --diff. A form feed separates the two;
 * without one, the file is compared with itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/msg.h"
#include "command.h"
#include "commands.h"
#include "fuzz.h"

/* A state that is saved again is the same. */
static void save_again(const char *path)
{
	char *first;

	FUZZ_MUST(commands_run(cmd_memory, "memory", "--input", path, "--save", "-", NULL) ==
		  EXIT_DONE);
	commands_json(false);
	first = strdup(commands_output());
	FUZZ_MUST(first);
	path = commands_file(2, first, strlen(first));
	FUZZ_MUST(commands_run(cmd_memory, "memory", "--input", path, "--save", "-", NULL) ==
		  EXIT_DONE);
	FUZZ_MUST(!strcmp(first, commands_output()));
	free(first);
}

bool fuzz_one(const uint8_t *data, size_t size)
{
	const uint8_t *feed = memchr(data, '\f', size);
	size_t first = feed ? (size_t)(feed - data) : size;
	const char *old = commands_file(0, data, first);
	const char *now = feed ? commands_file(1, feed + 1, size - first - 1) : old;
	const char *format = crc32(0, data, size) & 1 ? "--json" : "--top=3";
	int ret;

	if (commands_run(cmd_memory, "memory", "--input", old, "--by-node", "-v", NULL) ==
	    EXIT_DONE)
		save_again(old);
	ret = commands_run(cmd_memory, "memory", "--input", now, "--diff", old, format,
			   NULL);
	if (ret == EXIT_DONE && !strcmp(format, "--json"))
		commands_json(false);
	return ret == EXIT_DONE;
}
