// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares the slabs that the tool computes with those that the kernel chose:
 *
 *   slab_orders CPUS
 *
 * reads lines "SIZE ORDER OBJECTS" of caches from stdin, and prints those that differ.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "waste/slabfit.h"

int main(int argc, char **argv)
{
	unsigned int cpus = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, order;
	uint64_t size, objects;
	int wrong = 0;

	while (scanf("%" SCNu64 " %u %" SCNu64, &size, &order, &objects) == 3) {
		struct slabfit f = slabfit_of(size, cpus, 4096);

		if (f.bytes == 4096ull << order && f.objects == objects)
			continue;
		printf("size %" PRIu64 ": %" PRIu64 " in %" PRIu64
		       " bytes, the kernel has %" PRIu64 " in order %u\n",
		       size, f.objects, f.bytes, objects, order);
		wrong++;
	}
	return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
