// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/textfile.h"
#include "frames/pageflags.h"

#define COMMON                                                                 \
	[PF_LOCKED] = { "locked", 'L' },                                       \
	[PF_ERROR] = { "error", 'E' },                                         \
	[PF_REFERENCED] = { "referenced", 'R' },                               \
	[PF_UPTODATE] = { "uptodate", 'U' },                                   \
	[PF_DIRTY] = { "dirty", 'D' },                                         \
	[PF_LRU] = { "lru", 'l' },                                             \
	[PF_ACTIVE] = { "active", 'A' },                                       \
	[PF_SLAB] = { "slab", 'S' },                                           \
	[PF_WRITEBACK] = { "writeback", 'W' },                                 \
	[PF_RECLAIM] = { "reclaim", 'I' },                                     \
	[PF_BUDDY] = { "buddy", 'B' },                                         \
	[PF_MMAP] = { "mmap", 'M' },                                           \
	[PF_ANON] = { "anonymous", 'a' },                                      \
	[PF_SWAPCACHE] = { "swapcache", 's' },                                 \
	[PF_SWAPBACKED] = { "swapbacked", 'b' },                               \
	[PF_COMPOUND_HEAD] = { "compound_head", 'H' },                         \
	[PF_COMPOUND_TAIL] = { "compound_tail", 'T' },                         \
	[PF_HUGE] = { "huge", 'G' },                                           \
	[PF_UNEVICTABLE] = { "unevictable", 'u' },                             \
	[PF_HWPOISON] = { "hwpoison", 'X' },                                   \
	[PF_NOPAGE] = { "nopage", 'n' },                                       \
	[PF_KSM] = { "ksm", 'x' },                                             \
	[PF_THP] = { "thp", 't' },                                             \
	[PF_OFFLINE] = { "offline", 'o' },                                     \
	[PF_ZERO_PAGE] = { "zero_page", 'z' },                                 \
	[PF_IDLE] = { "idle_page", 'i' },                                      \
	[PF_PGTABLE] = { "pgtable", 'g' },                                     \
	[PF_RESERVED] = { "reserved", 'r' },                                   \
	[PF_MLOCKED] = { "mlocked", 'm' },                                     \
	[PF_PRIVATE] = { "private", 'P' },                                     \
	[PF_PRIVATE_2] = { "private_2", 'p' },                                 \
	[PF_OWNER_PRIVATE] = { "owner_private", 'O' },                         \
	[PF_ARCH] = { "arch", 'h' },                                           \
	[PF_SOFTDIRTY] = { "softdirty", 'f' },                                 \
	[PF_ARCH_2] = { "arch_2", 'H' },                                       \
	/* page-types has no column for it */                                  \
	[PF_ARCH_3] = { "arch_3", 0 },                                         \
	[PF_ANON_EXCLUSIVE] = { "anon_exclusive", 'd' },                       \
	[PF_READAHEAD] = { "readahead", 'I' },                                 \
	[PF_SLUB_FROZEN] = { "slub_frozen", 'A' },                             \
	[PF_SLUB_DEBUG] = { "slub_debug", 'E' },                               \
	[PF_FILE] = { "file", 'F' },                                           \
	[PF_SWAP] = { "swap", 'w' },                                           \
	[PF_MMAP_EXCLUSIVE] = { "mmap_exclusive", '1' }

/* The kernel versions that changed names of flags, the newest first. */
static const struct {
	unsigned int major;
	unsigned int minor;
	struct pageflag_name name[PAGEFLAGS];
} kernels[] = {
	{ 6, 12, { COMMON, [PF_OWNER_2] = { "owner_2", 'd' } } },
	/* SLOB was removed */
	{ 6, 4,
	  { COMMON,
	    [PF_OWNER_2] = { "mappedtodisk", 'd' },
	    [PF_UNCACHED] = { "uncached", 'c' } } },
	{ 0, 0,
	  { COMMON,
	    [PF_OWNER_2] = { "mappedtodisk", 'd' },
	    [PF_UNCACHED] = { "uncached", 'c' },
	    [PF_SLOB_FREE] = { "slob_free", 'P' } } },
};

const struct pageflag_name *pageflags_names(const char *release)
{
	static const struct pageflag_name *of_this_kernel;
	unsigned int major = 0, minor = 0;
	char *own = NULL;
	size_t i = 0;

	if (!release && of_this_kernel)
		return of_this_kernel;
	if (!release)
		own = textfile_read_proc("sys/kernel/osrelease", NULL);
	if ((release || own) && sscanf(release ? release : own, "%u.%u", &major, &minor) == 2)
		while (kernels[i].major > major ||
		       (kernels[i].major == major && kernels[i].minor > minor))
			i++;
	free(own);
	if (!release)
		of_this_kernel = kernels[i].name;
	return kernels[i].name;
}

/* From the kernel's Documentation/admin-guide/mm/pagemap.rst, and from page-types. */
static const char *const meanings[PAGEFLAGS] = {
	[PF_LOCKED] = "locked for exclusive use, for example during I/O",
	[PF_ERROR] = "an I/O error occurred",
	[PF_REFERENCED] = "referenced since it was last considered for reclaim",
	[PF_UPTODATE] = "its contents are valid",
	[PF_DIRTY] = "changed since it was last written back",
	[PF_LRU] = "on an LRU list, where reclaim looks for pages",
	[PF_ACTIVE] = "on the active LRU list",
	[PF_SLAB] = "holds objects of the slab allocator",
	[PF_WRITEBACK] = "being written back",
	[PF_RECLAIM] = "to be reclaimed as soon as it is written back",
	[PF_BUDDY] = "head of a free block of the page allocator",
	[PF_MMAP] = "mapped into a process",
	[PF_ANON] = "anonymous memory of a process, not of a file",
	[PF_SWAPCACHE] = "has an entry in the swap cache",
	[PF_SWAPBACKED] = "reclaim writes it to swap or shared memory, not to a file",
	[PF_COMPOUND_HEAD] = "first page of a compound page",
	[PF_COMPOUND_TAIL] = "a further page of a compound page",
	[PF_HUGE] = "part of a huge page of hugetlbfs",
	[PF_UNEVICTABLE] = "on the unevictable list: reclaim leaves it alone",
	[PF_HWPOISON] = "the hardware reported a memory error in it",
	[PF_NOPAGE] = "there is no page at this address",
	[PF_KSM] = "one page shared by equal contents (KSM)",
	[PF_THP] = "part of a transparent huge page",
	[PF_OFFLINE] = "logically offline, for example given to the hypervisor",
	[PF_ZERO_PAGE] = "the page of zeros, which processes share",
	[PF_IDLE] = "not accessed since it was marked idle",
	[PF_PGTABLE] = "holds a page table",
	[PF_RESERVED] = "reserved: the page allocator does not manage it",
	[PF_MLOCKED] = "locked into memory by mlock()",
	[PF_OWNER_2] = "for the owner's use; in the page cache: blocks on disk are mapped",
	[PF_PRIVATE] = "has private data of the file system",
	[PF_PRIVATE_2] = "has more private data of the file system",
	[PF_OWNER_PRIVATE] = "for the owner's use",
	[PF_ARCH] = "for the architecture's use",
	[PF_UNCACHED] = "mapped uncached",
	[PF_SOFTDIRTY] = "written to since soft-dirty bits were cleared",
	[PF_ARCH_2] = "for the architecture's use, the second",
	[PF_ARCH_3] = "for the architecture's use, the third",
	[PF_ANON_EXCLUSIVE] = "anonymous, and of this process alone",
	[PF_READAHEAD] = "reading it starts more readahead",
	[PF_SLOB_FREE] = "a slab of SLOB that has free objects",
	[PF_SLUB_FROZEN] = "a slab that one CPU allocates from",
	[PF_SLUB_DEBUG] = "a slab whose cache is being debugged",
	[PF_FILE] = "of a file or of shared memory (pagemap)",
	[PF_SWAP] = "swapped out (pagemap)",
	[PF_MMAP_EXCLUSIVE] = "mapped by this process alone (pagemap)",
};

const char *pageflags_meaning(const struct pageflag_name *names, int bit)
{
	return names[bit].name ? meanings[bit] : NULL;
}

/* Clears @from; sets @to if @from was set. */
static uint64_t rename_bit(uint64_t flags, enum pageflag from, enum pageflag to)
{
	uint64_t bit = flags >> from & 1;

	return (flags & ~(1ull << from)) | bit << to;
}

uint64_t pageflags_raw(const struct pageflag_name *names, uint64_t flags)
{
	if (flags & PAGEFLAG(ANON))
		flags = rename_bit(flags, PF_OWNER_2, PF_ANON_EXCLUSIVE);
	if (flags & PAGEFLAG(SLAB)) {
		if (names[PF_SLOB_FREE].name)
			flags = rename_bit(flags, PF_PRIVATE, PF_SLOB_FREE);
		flags = rename_bit(flags, PF_ACTIVE, PF_SLUB_FROZEN);
		flags = rename_bit(flags, PF_ERROR, PF_SLUB_DEBUG);
	}
	if (!(flags & PAGEFLAG(WRITEBACK)))
		flags = rename_bit(flags, PF_RECLAIM, PF_READAHEAD);
	return flags;
}

uint64_t pageflags_well_known(uint64_t flags)
{
	flags &= PAGEFLAG(RESERVED) - 1;
	if (!(flags & PAGEFLAG(HUGE)))
		flags &= ~(PAGEFLAG(COMPOUND_HEAD) | PAGEFLAG(COMPOUND_TAIL));
	return flags;
}

const char *pageflags_short(const struct pageflag_name *names, uint64_t flags,
			    char text[PAGEFLAGS + 1])
{
	char *to = text;
	int i;

	for (i = 0; i < PAGEFLAGS; i++)
		if (names[i].letter)
			*to++ = flags >> i & 1 ? names[i].letter : '_';
	*to = '\0';
	return text;
}

/* The name of a bit, or "bit_" and its number if it has no name. */
static const char *name_of(const struct pageflag_name *names, int bit,
			   char number[16])
{
	if (names[bit].name)
		return names[bit].name;
	snprintf(number, 16, "bit_%d", bit);
	return number;
}

const char *pageflags_long(const struct pageflag_name *names, uint64_t flags,
			   char *text, size_t size)
{
	char number[16];
	size_t used = 0;
	int i;

	*text = '\0';
	for (i = 0; i < PAGEFLAGS && used < size; i++)
		if (flags >> i & 1)
			used += snprintf(text + used, size - used, "%s%s",
					 used ? "," : "",
					 name_of(names, i, number));
	return text;
}

json_t *pageflags_json(const struct pageflag_name *names, uint64_t flags)
{
	json_t *all = json_array();
	char number[16];
	int i;

	for (i = 0; i < PAGEFLAGS; i++)
		if (flags >> i & 1)
			json_array_append_new(
				all, json_string(name_of(names, i, number)));
	return all;
}
