// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any text as the two files of diff: JSON of report or allocinfo, saved states, or
 * something else. A form feed separates the two; without one, the file is compared with
 * an empty file.
 */
#include <string.h>
#include <zlib.h>

#include "base/msg.h"
#include "command.h"
#include "commands.h"
#include "fuzz.h"

bool fuzz_one(const uint8_t *data, size_t size)
{
	static const char *const sort[] = { "live", "live_before", "allocs",
					    "site" };
	uint32_t options = crc32(0, data, size);
	const uint8_t *feed = memchr(data, '\f', size);
	size_t first = feed ? (size_t)(feed - data) : size;
	const char *old = commands_file(0, data, first);
	const char *now = feed ? commands_file(1, feed + 1, size - first - 1) :
				 commands_file(1, "", 0);
	const char *format = options & 1 ? "--json" : "--top=3";
	int ret;

	ret = commands_run(cmd_diff, "diff", "--force", format, "--sort",
			   sort[options / 2 % 4], old, now, NULL);
	if (options & 1 && (ret == EXIT_DONE || ret == EXIT_LOST))
		commands_json(false);
	/* a file that can be read does not differ from itself */
	ret = commands_run(cmd_diff, "diff", old, old, NULL);
	if (ret == EXIT_DONE)
		FUZZ_MUST(strstr(commands_output(), "no difference"));
	return ret == EXIT_DONE;
}
