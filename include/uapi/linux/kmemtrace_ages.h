/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * kmemtrace: the ages of live memory, by tag
 * ==========================================
 *
 * debugfs/kmemtrace/ages has a struct kmemtrace_ages, and then a struct
 * kmemtrace_ages_tag for each tag with live memory, by ascending tag. Only root can read
 * it. It is read while the machine runs.
 *
 * The first read() at position 0 walks all live memory, and further reads return the rest
 * of its result. Another read at position 0 walks again. Each object is counted as it was
 * at one moment of the walk. Objects that are allocated, freed or moved during the walk
 * may be missing. Memory of a tag that had no live memory when the walk began is missing.
 *
 * Times are ticks of @tick_ns. An allocation's time is the number of whole ticks since an
 * arbitrary moment, modulo 2^32. The age is @now less this number.
 *
 * Writing anything to debugfs/kmemtrace/mark waits for the next tick, which takes up to
 * @tick_ns, and makes it the mark. Memory that is allocated after the write has returned
 * is then of the mark or later. Memory that was allocated before the write is earlier. Reading
 * the file returns the number of milliseconds since the mark, as text. The mark is at
 * first the moment when the module was loaded. All users share it.
 *
 * An object that waits for kfree_rcu() up to Linux 6.17 is live, and the module cannot
 * distinguish it from others. The wait takes more than five seconds, and then a grace
 * period.
 *
 * A reader uses @size and @tag_size to find the entries: later versions may append
 * members. If the meaning of a member changes, KMEMTRACE_AGES_VERSION is raised.
 */
#ifndef _UAPI_LINUX_KMEMTRACE_AGES_H
#define _UAPI_LINUX_KMEMTRACE_AGES_H

#include <linux/types.h>

#define KMEMTRACE_AGES_VERSION	1

#define KMEMTRACE_AGES_BUCKETS	32

/* flags of the file */
#define KMEMTRACE_AGES_NO_PAGES	0x01	/* the ages of pages are not known, and there is
					 * no entry for tags of pages (compressed) */
#define KMEMTRACE_AGES_NO_RECLAIMABLE 0x02 /* which caches are reclaimable is not known */

/* flags of a tag */
#define KMEMTRACE_AGES_BACKING	0x01	/* memory of an allocator, such as pages of slabs, that
					 * backs or describes objects of other tags */

/**
 * struct kmemtrace_ages - the header
 * @size: bytes of this header
 * @version: KMEMTRACE_AGES_VERSION
 * @tag_size: bytes of a struct kmemtrace_ages_tag
 * @tags: number of these
 * @buckets: KMEMTRACE_AGES_BUCKETS
 * @flags: mask of KMEMTRACE_AGES_NO_*
 * @now: tick when the walk began
 * @mark: tick of the mark
 * @tick_ns: length of a tick in nanoseconds
 * @time_ns: time when the walk began, in ns; on the clock of accounting_since_ns in the
 *	file stats
 * @since_ns: accounting_since_ns: when accounting began to count
 */
struct kmemtrace_ages {
	__u32	size;
	__u32	version;
	__u32	tag_size;
	__u32	tags;
	__u32	buckets;
	__u32	flags;
	__u32	now;
	__u32	mark;
	__u64	tick_ns;
	__u64	time_ns;
	__u64	since_ns;
};

/**
 * struct kmemtrace_ages_sum - some live memory
 * @objects: number of allocations
 * @bytes: bytes allocated
 */
struct kmemtrace_ages_sum {
	__u64	objects;
	__u64	bytes;
};

/**
 * struct kmemtrace_ages_tag - the live memory of one tag
 * @tag: the tag: id of its row in debugfs/kmemtrace/tags
 * @flags: mask of KMEMTRACE_AGES_BACKING
 * @marked: memory that was allocated at the mark or later
 * @age: memory by age: bucket 0 has ages of 0 ticks, bucket N of 1 << (N - 1) ticks and
 *	more, but less than 1 << N; the last bucket has all higher ages
 * @reclaimable: objects of slab caches that the kernel can reclaim (SLAB_RECLAIM_ACCOUNT)
 */
struct kmemtrace_ages_tag {
	__u32	tag;
	__u32	flags;
	struct kmemtrace_ages_sum marked;
	struct kmemtrace_ages_sum age[KMEMTRACE_AGES_BUCKETS];
	struct kmemtrace_ages_sum reclaimable;
};

#endif /* _UAPI_LINUX_KMEMTRACE_AGES_H */
