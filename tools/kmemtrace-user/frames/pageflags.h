/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bits of /proc/kpageflags, and those that page-types adds: their numbers
 * (uapi/linux/kernel-page-flags.h up to 26; fs/proc/page.c above), and their
 * names on the running kernel, as the meaning of some differs between kernels.
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
	/* not in the file: other meanings of the bits above, and pagemap's */
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
 * struct pageflag_name - what a bit is called
 * @name: "lru"; NULL for a bit that does not exist
 * @letter: in the short form, 'l'; 0 if it has no place there
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
 * @release: of the kernel that set the bits, as uname -r; NULL: the running one
 *
 * They are those of that kernel's own page-types.
 *
 * Return: PAGEFLAGS names by bit, static.
 */
const struct pageflag_name *pageflags_names(const char *release);

/**
 * pageflags_meaning() - what a bit says of a page
 * @names: from pageflags_names()
 * @bit: the bit
 *
 * Return: a phrase, static; NULL for a bit that has no name.
 */
const char *pageflags_meaning(const struct pageflag_name *names, int bit);

/**
 * pageflags_raw() - give flags with two meanings bits of their own
 * @names: from pageflags_names()
 * @flags: as the kernel tells them
 *
 * Anonymous pages, slabs and pages read ahead use flags of others.
 */
uint64_t pageflags_raw(const struct pageflag_name *names, uint64_t flags);

/**
 * pageflags_well_known() - leave the flags whose meaning is stable
 * @flags: as the kernel tells them, or with those of pagemap
 *
 * Compound pages are then only told of hugetlbfs.
 */
uint64_t pageflags_well_known(uint64_t flags);

/**
 * pageflags_short() - flags as a row of letters, '_' for those that are not set
 * @names: from pageflags_names()
 * @flags: the flags
 * @text: gets the letters
 *
 * Return: @text.
 */
const char *pageflags_short(const struct pageflag_name *names, uint64_t flags,
			    char text[PAGEFLAGS + 1]);

/**
 * pageflags_long() - the names of the flags that are set, with commas between;
 * "bit_45" for one that has none
 * @names: from pageflags_names()
 * @flags: the flags
 * @text: gets the names
 * @size: of @text
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
