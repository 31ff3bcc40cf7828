// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes a file ages, as a machine that has leaked OBJECTS objects since some moment, or has
 * put them into a cache that the kernel can reclaim:
 *
 *   leak_objects FILE OBJECTS [cache]
 */
#include <stdlib.h>

#include "leaking.h"

int main(int argc, char **argv)
{
	uint64_t objects;

	if (argc < 3)
		return 1;
	objects = 1000 + strtoull(argv[2], NULL, 10);
	return !leaking_write(argv[1], objects, argc > 3 ? objects : 0, 0);
}
