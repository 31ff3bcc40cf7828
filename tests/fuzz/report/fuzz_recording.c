// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a recording. All commands that read recordings must end, and must print only
 * printable characters. The same applies to a copy without addresses and names.
 */
#include <zlib.h>

#include "base/msg.h"
#include "command.h"
#include "commands.h"
#include "fuzz.h"
#include "recording.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
			       unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
			       unsigned int seed)
{
	return recording_mutate(data, size, max, seed);
}

static void read_copy(const char *path, uint32_t options)
{
	const char *copy = commands_file(1, "", 0);
	int ret = commands_run(cmd_export, "export", "--to", "recording",
			       "--no-addresses", "--hash-names", "key", "-o",
			       copy, path, NULL);

	if (ret == EXIT_DONE || ret == EXIT_LOST)
		commands_read(&copy, 1, options);
}

bool fuzz_one(const uint8_t *data, size_t size)
{
	const char *path = commands_file(0, data, size);
	uint32_t options = crc32(0, data, size);

	commands_run(cmd_info, "info", path, NULL);
	read_copy(path, options);
	return commands_read(&path, 1, options);
}
