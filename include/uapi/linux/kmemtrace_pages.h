/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * kmemtrace: the tag of each page frame, and the objects in it
 * ============================================================
 *
 * These files are in debugfs/kmemtrace. Only root can read them. They are read while the
 * machine runs. A frame that is allocated or freed during a read may be seen before or
 * after that. Each entry is of one moment.
 *
 * pages
 *	An array of struct kmemtrace_page by frame number, as /proc/kpageflags is an array
 *	of flags. The entry of frame N is at N * sizeof(entry). Offset and size of a read
 *	must be multiples of sizeof(entry), else EINVAL. The file ends after the last
 *	frame.
 *
 * page_cgroups
 *	A __u64 for each frame, as in pages: the id of the memory cgroup that the page is
 *	charged to, which is the inode number of its directory; 0 if there is none. The flag
 *	KMEMTRACE_CGROUP_REMOVED is set if the cgroup was removed. /proc/kpagecgroup has the
 *	parent of such a cgroup instead. The text file cgroups has the paths.
 *
 * objects
 *	A struct kmemtrace_object for each live slab object, in the order of their
 *	addresses. The position in the file is a physical address. A read returns the
 *	objects at this address and above, and sets the position to where the next read
 *	begins. So lseek() to N * page size begins at frame N, and further reads go
 *	through the whole machine. A read must have room for at least one object. It
 *	returns whole objects only. pread() does not return the new position. If it used
 *	up the room, it has returned all objects up to the last one; else all objects up
 *	to the end.
 *
 * vmalloc
 *	The mappings of the kernel, as /proc/PID/pagemap has those of a process: a __u64
 *	for each page of the ranges in /proc/vmallocinfo and of modules, at virtual
 *	address / page size * 8. Bit 63 is set if the page is mapped; bits 0 to 54 are the
 *	frame number. It is 0 if nothing is mapped. Offset and size must be multiples of
 *	8, else EINVAL. A read at any other address is at the end of the file.
 *
 * vmalloc_starts
 *	Text, to find the areas of /proc/vmallocinfo, which hashes or hides addresses
 *	(kptr_restrict). It has a row for each mapped page that follows an unmapped one or
 *	is at a boundary of 2 MiB. The row has three addresses: of the page; of the page,
 *	as vmallocinfo shows it, without 0x; and, shown likewise, of the boundary at or
 *	before the page, where an area of per-CPU memory may begin.
 *
 * Flags may be added: a reader ignores those that it does not know.
 *
 * If the layout or the meaning of an entry changes, KMEMTRACE_PAGES_VERSION is raised.
 * debugfs/kmemtrace/pages_version shows it.
 */
#ifndef _UAPI_LINUX_KMEMTRACE_PAGES_H
#define _UAPI_LINUX_KMEMTRACE_PAGES_H

#include <linux/types.h>

#define KMEMTRACE_PAGES_VERSION	1

/* flags of a page */
#define KMEMTRACE_PAGE_HEAD	0x01	/* the first page of an allocation */
#define KMEMTRACE_PAGE_LARGE	0x02	/* of a kmalloc() that is too large for a slab */
#define KMEMTRACE_PAGE_SLAB	0x04	/* allocated to be a slab */
#define KMEMTRACE_PAGE_MOVABLE	0x08	/* not on an LRU list; its driver can move it */
#define KMEMTRACE_PAGE_EXISTS	0x10	/* the frame exists, and is online */
#define KMEMTRACE_PAGE_KMALLOC	0x20	/* a slab of one of the caches of kmalloc() */
#define KMEMTRACE_PAGE_EARLIER	0x40	/* allocated before accounting; its tag is no site */
#define KMEMTRACE_PAGE_KNOWN	0x80	/* but its tag tells what the kernel uses it for */

/* flag of an entry of page_cgroups */
#define KMEMTRACE_CGROUP_REMOVED	(1ull << 63)

/* unknown values */
#define KMEMTRACE_AGE_UNKNOWN		0xffffffffu
#define KMEMTRACE_MIGRATETYPE_UNKNOWN	0xff

/**
 * struct kmemtrace_page - one page frame
 * @tag: tag of the allocation: id of its row in debugfs/kmemtrace/tags; 0 if the frame is
 *	free, or was allocated before accounting was switched on
 * @age: time since the allocation, in units of 10 ms; or KMEMTRACE_AGE_UNKNOWN
 * @order: the allocation has 1 << order pages; 0 without a tag
 * @flags: mask of KMEMTRACE_PAGE_*
 * @migratetype: migratetype of the pageblock, in the numbers of the kernel
 *	(/proc/pagetypeinfo lists their names in order); or
 *	KMEMTRACE_MIGRATETYPE_UNKNOWN
 * @zone: its zone, in the numbers of the kernel (/proc/zoneinfo lists the names of each
 *	node in order)
 * @node: its NUMA node
 * @refs: reference count of the page, or of the head of its compound page; of a page of a
 *	page_pool, the pool's count of its parts, if it is higher; 0xffff also stands for
 *	higher counts. An owner may have taken references in advance
 *
 * Without KMEMTRACE_PAGE_EXISTS, all members are 0.
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
 * @address: physical address; the frame is @address / page size. The object may extend
 *	into the next frame
 * @tag: tag of the allocation: id of its row in debugfs/kmemtrace/tags
 * @age: time since the allocation, in units of 10 ms
 * @bytes: bytes allocated
 * @requested: bytes requested
 */
struct kmemtrace_object {
	__u64	address;
	__u32	tag;
	__u32	age;
	__u32	bytes;
	__u32	requested;
};

#endif /* _UAPI_LINUX_KMEMTRACE_PAGES_H */
