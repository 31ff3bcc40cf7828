/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes a file ages. */
#ifndef UNIT_AGES_H
#define UNIT_AGES_H

#include <linux/kmemtrace_ages.h>

#include "tempdir.h"

/** ages_write() - write a file ages with some tags */
static inline void ages_write(const struct kmemtrace_ages_tag *tags, uint32_t count,
			      uint32_t now, uint64_t tick_ns)
{
	struct kmemtrace_ages head = {
		.size = sizeof(head),
		.version = KMEMTRACE_AGES_VERSION,
		.tag_size = sizeof(*tags),
		.tags = count,
		.buckets = KMEMTRACE_AGES_BUCKETS,
		.now = now,
		.tick_ns = tick_ns,
		.time_ns = now * tick_ns,
	};
	FILE *out = fopen(tempdir_path("ages"), "w");

	ck_assert_ptr_nonnull(out);
	fwrite(&head, sizeof(head), 1, out);
	fwrite(tags, sizeof(*tags), count, out);
	ck_assert_int_eq(fclose(out), 0);
}

#endif /* UNIT_AGES_H */
