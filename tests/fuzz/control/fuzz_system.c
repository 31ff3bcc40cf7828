// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as lines of /proc/modules, and as ELF notes.
 */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "control/system.h"
#include "fuzz.h"

static bool check_modules(char *text)
{
	struct system_module m;
	bool any = false;
	char *line;

	while ((line = strsep(&text, "\n"))) {
		memset(&m, 0xa5, sizeof(m));
		if (!system_parse_module(line, &m))
			continue;
		any = true;
		FUZZ_MUST(memchr(m.name, 0, sizeof(m.name)));
		FUZZ_MUST(*m.name && !strpbrk(m.name, " \t\n"));
		FUZZ_MUST(strstr(line, m.name));
	}
	return any;
}

/* @room: size of the buffer, so that ASan reports writes behind it */
static bool check_notes(const char *path, size_t room)
{
	char *hex = malloc(room);
	bool found;

	FUZZ_MUST(hex);
	found = system_build_id(path, hex, room);
	if (found) {
		FUZZ_MUST(strlen(hex) < room && strlen(hex) % 2 == 0);
		FUZZ_MUST(strspn(hex, "0123456789abcdef") == strlen(hex));
	}
	free(hex);
	return found;
}

bool fuzz_one(const uint8_t *data, size_t size)
{
	const char *path = commands_file(0, data, size);
	char *text = fuzz_text(data, size);
	bool good = check_modules(text);

	if (check_notes(path, 12))
		FUZZ_MUST(check_notes(path, 128));
	good |= check_notes(path, 128);
	free(text);
	return good;
}
