/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bits of /proc/kpageflags, and those that page-types adds. Their numbers are from
 * uapi/linux/kernel-page-flags.h up to 26, and from fs/proc/page.c above 26. Their names
 * depend on the kernel, because the meaning of some bits differs between kernels.
 */
#ifndef PAGEFLAGS_H
#define PAGEFLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pageflag {
	PF_LOCKED,
	PF_ERROR,
	PF_REFERENCED,
	PF_UPTODATE,
	PF_DIRTY,
	PF_LRU,
	PF_ACTIVE,
	PF_SLAB,
	PF_WRITEBACK,
	PF_RECLAIM,
	PF_BUDDY,
	PF_MMAP,
	PF_ANON,
	PF_SWAPCACHE,
	PF_SWAPBACKED,
	PF_COMPOUND_HEAD,
	PF_COMPOUND_TAIL,
	PF_HUGE,
	PF_UNEVICTABLE,
	PF_HWPOISON,
	PF_NOPAGE,
	PF_KSM,
	PF_THP,
	PF_OFFLINE,
	PF_ZERO_PAGE,
	PF_IDLE,
	PF_PGTABLE,
	PF_RESERVED = 32,
	PF_MLOCKED,
	PF_OWNER_2, /* before 6.12: mappedtodisk */
	PF_PRIVATE,
	PF_PRIVATE_2,
	PF_OWNER_PRIVATE,
	PF_ARCH,
	PF_UNCACHED,
	PF_SOFTDIRTY,
	PF_ARCH_2,
	PF_ARCH_3,
	/* not in the file: second meanings of the bits above, and bits of pagemap */
	PF_ANON_EXCLUSIVE = 47,
	PF_READAHEAD,
	PF_SLOB_FREE,
	PF_SLUB_FROZEN,
	PF_SLUB_DEBUG,
	PF_FILE = 61,
	PF_SWAP,
	PF_MMAP_EXCLUSIVE,
};

#define PAGEFLAG(name) (1ull << PF_##name)

/**
 * struct pageflag_name - the name of a bit
 * @name: name, for example "lru"; NULL for a bit that does not exist
 * @letter: letter in the short form, for example 'l'; 0 if the bit has no place there
 */
struct pageflag_name {
	const char *name;
	char letter;
};

#define PAGEFLAGS 64
/* room for all names */
#define PAGEFLAGS_LONG 1024

/**
 * pageflags_names() - the names of the bits
 * @release: release of the kernel that set the bits, as in uname -r; NULL: that of the
 *	machine whose /proc is read
 *
 * The names are the same as in that kernel's page-types.
 *
 * Return: a static array of PAGEFLAGS names, by bit.
 */
const struct pageflag_name *pageflags_names(const char *release);

/**
 * pageflags_meaning() - the meaning of a bit
 * @names: from pageflags_names()
 * @bit: number of the bit
 *
 * Return: a static phrase; NULL for a bit that has no name.
 */
const char *pageflags_meaning(const struct pageflag_name *names, int bit);

/**
 * pageflags_raw() - give each meaning of a flag its own bit
 * @names: from pageflags_names()
 * @flags: flags from /proc/kpageflags
 *
 * Some flags have a second meaning for anonymous pages, slabs, and pages that start
 * readahead.
 */
uint64_t pageflags_raw(const struct pageflag_name *names, uint64_t flags);

/**
 * pageflags_well_known() - keep only the flags whose meaning is stable
 * @flags: flags from /proc/kpageflags, also with bits of pagemap
 *
 * Removes the flags of compound pages, except for pages of hugetlbfs.
 */
uint64_t pageflags_well_known(uint64_t flags);

/**
 * pageflags_short() - flags as a row of letters, with '_' for each flag that is not set
 * @names: from pageflags_names()
 * @flags: the flags
 * @text: gets the letters
 *
 * Return: @text.
 */
const char *pageflags_short(const struct pageflag_name *names, uint64_t flags,
			    char text[PAGEFLAGS + 1]);

/**
 * pageflags_long() - the names of the flags that are set, separated by commas
 * @names: from pageflags_names()
 * @flags: the flags
 * @text: gets the names; "bit_45" for bit 45, if it has no name
 * @size: size of @text, in bytes
 *
 * Return: @text.
 */
const char *pageflags_long(const struct pageflag_name *names, uint64_t flags,
			   char *text, size_t size);

struct json_t;

/** pageflags_json() - the names of the flags that are set, as an array */
struct json_t *pageflags_json(const struct pageflag_name *names,
			      uint64_t flags);

#endif /* PAGEFLAGS_H */
