// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes each filter of tests/filter_vectors.h and tests/filter_refused.h to a separate
 * file.
 *
 *   vectors DIR
 */
#include <stdio.h>
#include <stdlib.h>

#include "filter_refused.h"

static void save(const char *dir, const char *kind, size_t i, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s-%zu", dir, kind, i);
	f = fopen(path, "w");
	if (!f || fputs(text, f) == EOF || fclose(f))
		exit(1);
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc != 2)
		return 2;
	for (i = 0; i < FV_VECTORS; i++)
		save(argv[1], "good", i, fv_vectors[i].text);
	for (i = 0; i < FV_REFUSED; i++)
		save(argv[1], "bad", i, fv_refused[i].text);
	return 0;
}
