// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a recording. All commands that read recordings must end, and must print only
 * printable characters.
 */
#include <zlib.h>

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

bool fuzz_one(const uint8_t *data, size_t size)
{
	const char *path = commands_file(0, data, size);

	commands_run(cmd_info, "info", path, NULL);
	return commands_read(&path, 1, crc32(0, data, size));
}
