/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * kmemtrace: who allocated each page frame, and what lives on it
 * ==============================================================
 *
 * Files under debugfs/kmemtrace, readable by root alone. They
 * are read while the machine runs: a frame that is allocated or freed
 * meanwhile may be seen either way, each entry is of one moment.
 *
 * pages
 *	An array of struct kmemtrace_page by frame number, as /proc/kpageflags
 *	is one of flags: the entry of frame N lies at N * sizeof(entry).
 *	Offset and size of a read must be multiples of that, else EINVAL; it
 *	ends after the last frame.
 *
 * objects
 *	A struct kmemtrace_object for each live slab object, by where it lies.
 *	The position is a physical address: a read gives the objects at and
 *	after it, and moves it on to where the next read has to begin, so that
 *	lseek() to N * page size begins at frame N and reading on goes through
 *	the whole machine. The size of a read must be at least that of one
 *	object; only whole objects are given. Reads with a position of their
 *	own (pread()) do not tell how far they came: all objects up to the
 *	last one, if the room was used up; else all there are.
 *
 * vmalloc
 *	What /proc/PID/pagemap is for a process, for the kernel's own mappings:
 *	a __u64 for each page of the ranges in /proc/vmallocinfo and of modules,
 *	at virtual address / page size * 8, with bit 63 (mapped) and the frame
 *	number in bits 0 to 54; 0 where nothing is mapped. Offset and size must
 *	be multiples of 8, else EINVAL. A read that begins at any other address
 *	is at the end of the file.
 *
 * vmalloc_starts
 *	Text, to find the areas of /proc/vmallocinfo, where addresses are hashed
 *	or hidden (kptr_restrict): a row for each page that is mapped where the
 *	one before is not, or at a boundary of 2 MB: its address; the address as
 *	vmallocinfo shows it, without 0x; and, shown likewise, the boundary at or
 *	before it, where an area of per-CPU memory may begin.
 *
 * A change of an entry's layout or meaning raises KMEMTRACE_PAGES_VERSION,
 * which debugfs/kmemtrace/pages_version tells.
 */
#ifndef _UAPI_LINUX_KMEMTRACE_PAGES_H
#define _UAPI_LINUX_KMEMTRACE_PAGES_H

#include <linux/types.h>

#define KMEMTRACE_PAGES_VERSION	1

/* flags of a page */
#define KMEMTRACE_PAGE_HEAD	0x01	/* the first of those allocated together */
#define KMEMTRACE_PAGE_LARGE	0x02	/* of a kmalloc too large for a slab */
#define KMEMTRACE_PAGE_SLAB	0x04	/* allocated to be a slab */
#define KMEMTRACE_PAGE_MOVABLE	0x08	/* not of the LRU, but its driver can move it */
#define KMEMTRACE_PAGE_EXISTS	0x10	/* there is such a frame, and it is online */

/* what is not known */
#define KMEMTRACE_AGE_UNKNOWN		0xffffffffu
#define KMEMTRACE_MIGRATETYPE_UNKNOWN	0xff

/**
 * struct kmemtrace_page - one page frame
 * @tag: who allocated it: id of the row in debugfs/kmemtrace/tags; 0 if it is
 *	free, or was allocated before accounting was switched on
 * @age: since then, in hundredths of a second; KMEMTRACE_AGE_UNKNOWN
 * @order: it was allocated together with 1 << order pages; 0 without a tag
 * @flags: mask of KMEMTRACE_PAGE_*
 * @migratetype: of the pageblock that it lies in, as the kernel numbers them
 *	(/proc/pagetypeinfo lists their names in order);
 *	KMEMTRACE_MIGRATETYPE_UNKNOWN
 * @zone: its zone, as the kernel numbers them (/proc/zoneinfo lists the names
 *	of each node in order)
 * @node: its NUMA node
 * @refs: reference count of the page, or of the head of its compound page;
 *	0 to 0xffff, where that stands for more
 *
 * Without KMEMTRACE_PAGE_EXISTS all is 0.
 */
struct kmemtrace_page {
	__u32	tag;
	__u32	age;
	__u8	order;
	__u8	flags;
	__u8	migratetype;
	__u8	zone;
	__u16	node;
	__u16	refs;
};

/**
 * struct kmemtrace_object - one live slab object
 * @address: physical; the frame is @address / page size. An object may go on
 *	in the next frame
 * @tag: who allocated it: id of the row in debugfs/kmemtrace/tags
 * @age: since then, in hundredths of a second
 * @bytes: allocated
 * @requested: bytes of these that were asked for
 */
struct kmemtrace_object {
	__u64	address;
	__u32	tag;
	__u32	age;
	__u32	bytes;
	__u32	requested;
};

#endif /* _UAPI_LINUX_KMEMTRACE_PAGES_H */
