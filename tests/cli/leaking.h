/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file ages of a machine on which tag 3 leaks objects of 64 bytes, tag 5 holds memory,
 * and tag 6 is that of slabs.
 */
#ifndef LEAKING_H
#define LEAKING_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>
#include <linux/kmemtrace_ages.h>

/* old enough for all levels of a short observation */
#define BUCKET 20

/*
 * Writes the file. Tag 3 has leaked @leaked objects, @reclaimable of which are of a cache that
 * the kernel can reclaim, and tag 5 @pages. Returns false on errors.
 */
static inline bool leaking_write(const char *path, uint64_t leaked, uint64_t reclaimable,
				 uint64_t pages)
{
	struct {
		struct kmemtrace_ages head;
		struct kmemtrace_ages_tag tag[3];
	} file = {
		.head = {
			.size = sizeof(file.head),
			.version = KMEMTRACE_AGES_VERSION,
			.tag_size = sizeof(file.tag[0]),
			.tags = 3,
			.buckets = KMEMTRACE_AGES_BUCKETS,
			.tick_ns = 1000000,
		},
		.tag = {
			{ .tag = 3, .age[0] = { 500, 32000 },
			  .age[BUCKET] = { leaked, 64 * leaked },
			  .reclaimable = { reclaimable, 64 * reclaimable } },
			{ .tag = 5, .age[BUCKET] = { 1000 + pages, 4096 * (1000 + pages) } },
			{ .tag = 6, .flags = KMEMTRACE_AGES_BACKING, .age[BUCKET] = { 1, 4096 } },
		},
	};
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	bool written = fd >= 0 && write(fd, &file, sizeof(file)) == sizeof(file);

	return close(fd) == 0 && written;
}

#endif /* LEAKING_H */
