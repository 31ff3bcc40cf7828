// SPDX-License-Identifier: GPL-2.0-only
#include "frames/pageflags.h"
#include "process/process.h"
#include "process/usage.h"

/*
 * An entry has a type from 0 to 31. The kernel uses the highest types for entries that
 * are not in swap: up to 10 types, depending on its configuration (include/linux/swap.h).
 * A swap area would get one of these types only if there were more than 22 swap areas.
 */
#define SWAP_TYPES 22

/* Offsets below this are markers. Higher ones contain a frame number. */
#define MARKERS 8

/*
 * Return: whether vm_normal_page() has a page for the entry. pagemap sets PM_FILE and
 * PM_EXCLUSIVE only for such a page. An entry without both bits belongs to an anonymous
 * page, or to a frame whose mappings are not counted: memory of a device, or the zero
 * page. For a huge page, pagemap sets the bits even if vm_normal_page_pmd() has no page.
 */
static bool is_normal(uint64_t entry, uint64_t flags)
{
	if (flags & PAGEFLAG(ZERO_PAGE))
		return false;
	if ((entry & PM_WHOLE) && (flags & PAGEFLAG(NOPAGE)))
		return false;
	return (entry & (PM_FILE | PM_EXCLUSIVE)) || (flags & PAGEFLAG(ANON));
}

/*
 * The count of the frame was read after the entry, and the page may have moved meanwhile.
 * So PM_EXCLUSIVE of the entry takes precedence over the count. For a huge page, it does
 * not: before 6.12, PM_EXCLUSIVE there depends only on the mappings of the first page.
 */
static void add_resident(struct usage *u, uint64_t entry, uint64_t flags,
			 uint64_t count, uint64_t size)
{
	if ((entry & (PM_EXCLUSIVE | PM_WHOLE)) == PM_EXCLUSIVE)
		count = 1;
	u->rss += size;
	if (count < 2)
		u->uss += size;
	u->pss += (size << USAGE_PSS_SHIFT) / (count < 2 ? 1 : count);
	if (!(entry & PM_FILE))
		u->anon += size;
	if (flags & PAGEFLAG(MLOCKED))
		u->locked += size;
	if (flags & PAGEFLAG(KSM))
		u->ksm += size;
}

static void add_marks(struct usage *u, uint64_t entry, uint64_t size)
{
	if (entry & PM_SOFT_DIRTY)
		u->soft_dirty += size;
	if (entry & PM_EXCLUSIVE)
		u->exclusive += size;
}

void usage_add_page(struct usage *u, uint64_t entry, uint64_t flags,
		    uint64_t count, uint64_t page_size)
{
	if (flags & PAGEFLAG(HUGE)) {
		u->hugetlb += page_size;
	} else if (is_normal(entry, flags)) {
		add_resident(u, entry, flags, count, page_size);
		if ((entry & PM_WHOLE) && (flags & PAGEFLAG(THP)))
			u->thp += page_size;
	} else {
		return;
	}
	add_marks(u, entry, page_size);
}

void usage_add_entry(struct usage *u, uint64_t entry, uint64_t page_size)
{
	if (entry & PM_ZERO)
		return;
	u->rss += page_size;
	if (entry & PM_EXCLUSIVE)
		u->uss += page_size;
	if (!(entry & PM_FILE))
		u->anon += page_size;
	add_marks(u, entry, page_size);
}

static bool is_swap(uint64_t entry)
{
	return !(entry & PM_GUARD) && PM_SWAP_TYPE(entry) < SWAP_TYPES;
}

bool usage_is_moving(uint64_t entry)
{
	return (entry & PM_SWAPPED) && !(entry & (PM_PRESENT | PM_GUARD)) &&
	       PM_SWAP_TYPE(entry) >= SWAP_TYPES &&
	       PM_SWAP_OFFSET(entry) >= MARKERS;
}

/*
 * An entry that keeps moving belongs to a page in the memory of a device, or to a page
 * with a hardware memory error. smaps counts it as present and shared. The number of its
 * other users is not known.
 */
void usage_add_absent(struct usage *u, uint64_t entry, uint64_t page_size)
{
	if (is_swap(entry)) {
		u->swap += page_size;
	} else if (usage_is_moving(entry)) {
		u->rss += page_size;
		u->pss += page_size << USAGE_PSS_SHIFT;
		if (!(entry & PM_FILE))
			u->anon += page_size;
	} else {
		return;
	}
	add_marks(u, entry, page_size);
}

void usage_add(struct usage *sum, const struct usage *u)
{
	sum->size += u->size;
	sum->rss += u->rss;
	sum->uss += u->uss;
	sum->pss += u->pss;
	sum->swap += u->swap;
	sum->anon += u->anon;
	sum->soft_dirty += u->soft_dirty;
	sum->exclusive += u->exclusive;
	sum->thp += u->thp;
	sum->hugetlb += u->hugetlb;
	sum->locked += u->locked;
	sum->ksm += u->ksm;
}
