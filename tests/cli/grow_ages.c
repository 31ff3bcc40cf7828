// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes a file ages again and again, as a machine on which tag 3 leaks 100 objects of 64
 * bytes in a second, and tag 5 holds memory. Until it is killed, or once, as if some
 * objects had leaked before:
 *
 *   grow_ages FILE [OBJECTS]
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/kmemtrace_ages.h>

#define TICK_NS 1000000ull
/* old enough for all levels of a short observation */
#define BUCKET 20

static struct {
	struct kmemtrace_ages head;
	struct kmemtrace_ages_tag tag[3];
} file = {
	.head = {
		.size = sizeof(file.head),
		.version = KMEMTRACE_AGES_VERSION,
		.tag_size = sizeof(file.tag[0]),
		.tags = 3,
		.buckets = KMEMTRACE_AGES_BUCKETS,
		.tick_ns = TICK_NS,
	},
	.tag = {
		{ .tag = 3, .age[0] = { 500, 32000 } },
		{ .tag = 5, .age[BUCKET] = { 1000, 4096000 } },
		{ .tag = 6, .flags = KMEMTRACE_AGES_SLAB, .age[BUCKET] = { 1, 4096 } },
	},
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	/* without O_TRUNC: leaks may read the file at any moment */
	int fd = argc > 1 ? open(argv[1], O_WRONLY | O_CREAT, 0600) : -1;
	uint64_t before = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, leaked;
	double start = now();

	do {
		leaked = 1000 + before + (uint64_t)((now() - start) * 100);
		file.tag[0].age[BUCKET].objects = leaked;
		file.tag[0].age[BUCKET].bytes = 64 * leaked;
		if (pwrite(fd, &file, sizeof(file), 0) != sizeof(file))
			return 1;
		usleep(5000);
	} while (argc == 2);
	return 0;
}
