// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes a file ages, as a machine that has leaked OBJECTS objects since some moment:
 *
 *   leak_objects FILE OBJECTS
 */
#include <stdlib.h>

#include "leaking.h"

int main(int argc, char **argv)
{
	return argc != 3 || !leaking_write(argv[1], 1000 + strtoull(argv[2], NULL, 10));
}
