// SPDX-License-Identifier: GPL-2.0-only
#include "frames/kinds.h"
#include "frames/pageflags.h"

const char *const kind_names[KINDS] = {
	[KIND_HOLE] = "hole",	      [KIND_POISONED] = "poisoned",
	[KIND_OFFLINE] = "offline",   [KIND_FREE] = "free",
	[KIND_RESERVED] = "reserved", [KIND_SLAB] = "slab",
	[KIND_PGTABLE] = "pgtable",   [KIND_HUGETLB] = "hugetlb",
	[KIND_ZERO] = "zero",	      [KIND_ANON] = "anon",
	[KIND_SHMEM] = "shmem",	      [KIND_FILE] = "file",
	[KIND_STACK] = "stack",	      [KIND_PERCPU] = "percpu",
	[KIND_MODULE] = "module",     [KIND_VMALLOC] = "vmalloc",
	[KIND_LARGE] = "large",	      [KIND_MOVABLE] = "movable",
	[KIND_KERNEL] = "kernel",     [KIND_VMAP] = "vmap",
	[KIND_UNKNOWN] = "unknown",
};

/* flags of a head that also hold for its tails */
#define OF_ALL                                                        \
	(PAGEFLAG(SLAB) | PAGEFLAG(PGTABLE) | PAGEFLAG(HUGE) |        \
	 PAGEFLAG(ZERO_PAGE) | PAGEFLAG(ANON) | PAGEFLAG(SWAPCACHE) | \
	 PAGEFLAG(SWAPBACKED) | PAGEFLAG(LRU) | PAGEFLAG(UPTODATE))

static uint64_t whole_flags(struct kinds *k, uint64_t pfn, uint64_t flags)
{
	if (flags & PAGEFLAG(COMPOUND_HEAD))
		k->head_flags = flags & OF_ALL;
	else if (!(flags & PAGEFLAG(COMPOUND_TAIL)) || pfn != k->next_pfn)
		return flags;
	k->next_pfn = pfn + 1;
	return flags | k->head_flags;
}

/*
 * After 6.12, a hole has no flag. Many pages of the kernel have no flag either. If memory does
 * not end at the end of a section, kpageflags shows the rest of the section as reserved: these
 * frames belong to no node, and the module does not have them.
 */
static bool is_hole(const struct kinds *k, uint64_t pfn, uint64_t flags,
		    const struct kmemtrace_page *owner)
{
	if (owner)
		return !(owner->flags & KMEMTRACE_PAGE_EXISTS);
	return !flags && k->ram && !ram_has(k->ram, pfn);
}

/* Kinds that have their own flag. */
static enum frame_kind kind_by_type(uint64_t flags, uint32_t tag)
{
	if (flags & PAGEFLAG(NOPAGE))
		return KIND_HOLE;
	if (flags & PAGEFLAG(HWPOISON))
		return KIND_POISONED;
	if (flags & PAGEFLAG(OFFLINE))
		return KIND_OFFLINE;
	if (flags & PAGEFLAG(BUDDY))
		return KIND_FREE;
	/* drivers set this flag on pages that they allocated */
	if (flags & PAGEFLAG(RESERVED) && !tag)
		return KIND_RESERVED;
	if (flags & PAGEFLAG(SLAB))
		return KIND_SLAB;
	if (flags & PAGEFLAG(PGTABLE))
		return KIND_PGTABLE;
	if (flags & PAGEFLAG(HUGE))
		return KIND_HUGETLB;
	if (flags & PAGEFLAG(ZERO_PAGE))
		return KIND_ZERO;
	return KIND_UNKNOWN;
}

/* Kinds that processes can map, or that the kernel writes to files or swap. */
static enum frame_kind kind_by_content(uint64_t flags)
{
	/* without ANON: not mapped by a process yet, or only a part was read from swap */
	if (flags & (PAGEFLAG(ANON) | PAGEFLAG(SWAPCACHE)))
		return KIND_ANON;
	if (flags & PAGEFLAG(SWAPBACKED))
		return KIND_SHMEM;
	if (flags & (PAGEFLAG(LRU) | PAGEFLAG(UPTODATE)))
		return KIND_FILE;
	return KIND_UNKNOWN;
}

/*
 * The areas were read before the frames. A frame that was freed since then may be in the
 * free list of a CPU, and has no flag that says so. Its reference count is 0. The pages
 * of an area each have their own reference count, because vmalloc() splits its
 * allocations immediately.
 */
static enum frame_kind kind_by_area(const struct vmalloc_area *area,
				    const struct kmemtrace_page *owner)
{
	static const enum frame_kind kinds[] = {
		[VMALLOC_OTHER] = KIND_VMALLOC,
		[VMALLOC_STACK] = KIND_STACK,
		[VMALLOC_PERCPU] = KIND_PERCPU,
		[VMALLOC_MODULE] = KIND_MODULE,
	};

	if (!area->owned || (owner && !owner->refs))
		return KIND_UNKNOWN;
	return kinds[area->kind];
}

/* The tag of a page from before accounting is no site, but may tell its purpose. */
static bool is_tagged(const struct kmemtrace_page *owner)
{
	return owner->tag && (!(owner->flags & KMEMTRACE_PAGE_EARLIER) ||
			      owner->flags & KMEMTRACE_PAGE_KNOWN);
}

static enum frame_kind kind_by_owner(const struct kmemtrace_page *owner)
{
	if (owner->flags & KMEMTRACE_PAGE_LARGE)
		return KIND_LARGE;
	if (owner->flags & KMEMTRACE_PAGE_MOVABLE)
		return KIND_MOVABLE;
	return is_tagged(owner) ? KIND_KERNEL : KIND_UNKNOWN;
}

enum frame_kind kind_of_frame(struct kinds *k, uint64_t pfn, uint64_t flags,
			      const struct kmemtrace_page *owner)
{
	const struct vmalloc_area *area;
	enum frame_kind kind;

	if (is_hole(k, pfn, flags, owner))
		return KIND_HOLE;
	flags = whole_flags(k, pfn, flags);
	kind = kind_by_type(flags, owner ? owner->tag : 0);
	if (kind == KIND_UNKNOWN)
		kind = kind_by_content(flags);
	if (kind != KIND_UNKNOWN)
		return kind;
	area = k->vmallocs ? vmallocs_find(k->vmallocs, pfn) : NULL;
	if (area)
		kind = kind_by_area(area, owner);
	if (kind == KIND_UNKNOWN && owner)
		kind = kind_by_owner(owner);
	return kind == KIND_UNKNOWN && area && !area->owned ? KIND_VMAP : kind;
}

enum frame_kind kind_of_tail(struct kinds *k, uint64_t pfn, uint64_t flags,
			     uint64_t head_flags,
			     const struct kmemtrace_page *owner)
{
	k->head_flags = head_flags & OF_ALL;
	k->next_pfn = pfn;
	return kind_of_frame(k, pfn, flags, owner);
}
