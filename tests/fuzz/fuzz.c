// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

static unsigned long inputs, good;

void fuzz_failed(const char *file, int line, const char *condition)
{
	dprintf(STDERR_FILENO, "%s:%d: not so: %s\n", file, line, condition);
	abort();
}

char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	FUZZ_MUST(text);
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

/* run.sh parses this line */
static void report(void)
{
	dprintf(STDERR_FILENO, "fuzz: %lu inputs, of which %lu are good\n",
		inputs, good);
}

/* libFuzzer calls these functions */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	atexit(report);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	inputs++;
	good += fuzz_one(data, size);
	return 0;
}
