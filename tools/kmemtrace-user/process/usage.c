// SPDX-License-Identifier: GPL-2.0-only
#include "frames/pageflags.h"
#include "process/process.h"
#include "process/usage.h"

/*
 * The kernel takes the highest of the 32 types of swap areas for entries that
 * are no swap: up to ten, as it is configured (include/linux/swap.h). A machine
 * would need as many swap areas as this for one of them to be a real one.
 */
#define SWAP_TYPES 22

/* offsets of the entries that are only marks; the others have frames there */
#define MARKERS 8

/*
 * Whether vm_normal_page() has a page for the entry: only then pagemap says that
 * it is of a file, or mapped just once. What is left is anonymous, or mapped
 * without being counted: memory of devices, the page of zeros. Of the entry of a
 * huge page it says so unasked, also where vm_normal_page_pmd() has none.
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
 * The frame was looked at later: its page may have moved away. Hence what the
 * entry tells is believed rather; but of a huge page, before 6.12, it only tells
 * how often the first one is mapped.
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
 * What does not stop moving is a page that a device has, or one with broken
 * memory: smaps counts it as present and shared, nobody knows with whom.
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
