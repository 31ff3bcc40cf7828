// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/die.h"
#include "base/textfile.h"
#include "process/pagescan.h"
#include "process/usage.h"

/* PAGEMAP_SCAN: kernel headers before 6.7 do not have it */
#define SCAN	   _IOWR('f', 16, struct scan_arg)
#define IS_PRESENT 0x08
#define IS_SWAPPED 0x10
#define IS_ZERO	   0x20
#define IS_HUGE	   0x40

struct scan_arg {
	uint64_t size;
	uint64_t flags;
	uint64_t start;
	uint64_t end;
	uint64_t walk_end;
	uint64_t vec;
	uint64_t vec_len;
	uint64_t max_pages;
	uint64_t category_inverted;
	uint64_t category_mask;
	uint64_t category_anyof_mask;
	uint64_t return_mask;
};

/* Regions are read together if there are at most this number of empty pages between. */
#define GAP 64

/*
 * In ms. Moving a page takes 1 to 2 ms, unless the task that moves it must wait for a
 * CPU, or for free memory for other pages that it moves.
 */
#define PATIENCE 2000
#define NAP_MAX	 64

/* Addresses from here on belong to the kernel. No pagemap has entries for them. */
#define KERNEL_HALF (1ull << 63)

/* bytes of a huge page, if the kernel does not report its size */
#define HUGE (2ull << 20)

static uint64_t whole_pages(uint64_t page_size)
{
	uint64_t size = 0;
	char *text = textfile_read(
		AT_FDCWD, "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size",
		NULL);

	if (text)
		size = strtoull(text, NULL, 10);
	free(text);
	size /= page_size;
	/* a chunk must consist of whole huge pages */
	if (!size || PAGESCAN_ENTRIES % size)
		size = HUGE / page_size ? HUGE / page_size : 1;
	return size;
}

struct pagescan *pagescan_create(void)
{
	struct pagescan *s = xmalloc(sizeof(*s));

	s->page_size = sysconf(_SC_PAGESIZE);
	s->whole = whole_pages(s->page_size);
	s->can_ask = true;
	return s;
}

void pagescan_process(struct pagescan *s, const struct process *p)
{
	s->process = p;
	s->patience = PATIENCE;
	s->zeros = (struct zeropages){ 0 };
}

/*
 * Asking the kernel for empty ranges saves time only in a large mapping, which may be mostly
 * empty. The kernel would leave out mappings by frame number, and with them pages of a private
 * mapping of a device that were copied on write.
 */
void pagescan_start(struct pagescan *s, const struct mapping *m, uint64_t first, uint64_t end,
		    bool ask)
{
	if (m->end >= KERNEL_HALF)
		end = first;
	if (end - first >= s->whole && (!m->inode || m->perms[3] == 's'))
		ask = true;
	s->at = first;
	s->end = end;
	s->asking = ask && s->can_ask;
	s->next_region = 0;
	s->regions = 0;
}

/* --- entries -------------------------------------------------------------------- */

static ssize_t read_run(struct pagescan *s, uint64_t first, size_t from,
			size_t n)
{
	uint64_t *entry = s->entry + from;
	ssize_t got = process_pagemap(s->process, first + from, entry, n);
	ssize_t i;

	for (i = 0; i < got; i++)
		entry[i] &= ~(PM_WHOLE | PM_ZERO);
	return got < 0 || got == (ssize_t)n ? got : -ESRCH;
}

/* Reads entries that are moving again. Return: number of entries that still are. */
static ssize_t read_moving(struct pagescan *s, uint64_t first, size_t n)
{
	size_t i, j, moving = 0;
	ssize_t got;

	for (i = 0; i < n; i = j + 1) {
		for (j = i; j < n && usage_is_moving(s->entry[j]); j++)
			;
		if (i == j)
			continue;
		got = read_run(s, first, i, j - i);
		if (got < 0)
			return got;
		for (; i < j; i++)
			moving += usage_is_moving(s->entry[i]);
	}
	return moving;
}

static bool any_moves(const uint64_t *entry, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (usage_is_moving(entry[i]))
			return true;
	return false;
}

/* Waits for moving pages. Once the time is used up, later calls do not wait any more. */
static ssize_t read_entries(struct pagescan *s, uint64_t first, size_t n)
{
	ssize_t got = read_run(s, first, 0, n), moving;
	unsigned int nap = 1;

	if (got < 0 || !s->patience || !any_moves(s->entry, n))
		return got;
	while (s->patience) {
		moving = read_moving(s, first, n);
		if (moving < 0)
			return moving;
		if (!moving) {
			s->patience = PATIENCE;
			break;
		}
		nap = nap < s->patience ? nap : s->patience;
		usleep(nap * 1000);
		s->patience -= nap;
		nap = nap < NAP_MAX ? nap * 2 : nap;
	}
	return got;
}

/* Return: page number after the last page that a chunk with @first may contain. */
static uint64_t chunk_end(uint64_t first)
{
	return first - first % PAGESCAN_ENTRIES + PAGESCAN_ENTRIES;
}

/* --- walk without PAGEMAP_SCAN ---------------------------------------------------- */

static bool is_whole(const uint64_t *entry, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!(entry[i] & PM_PRESENT) ||
		    PM_PFN(entry[i]) != PM_PFN(entry[0]) + i)
			return false;
	return !(PM_PFN(entry[0]) % n);
}

/*
 * Without PAGEMAP_SCAN, pagemap does not show whether a huge page is mapped as one piece.
 * Contiguous frames with the alignment of a huge page are assumed to be. They may also be
 * a huge page of which all pages are mapped one by one.
 */
static void mark_by_frames(struct pagescan *s, uint64_t first, size_t n)
{
	size_t i = (s->whole - first % s->whole) % s->whole, j;

	for (; i + s->whole <= n; i += s->whole) {
		if (!is_whole(s->entry + i, s->whole))
			continue;
		for (j = i; j < i + s->whole; j++)
			s->entry[j] |= PM_WHOLE;
	}
}

static ssize_t next_plain(struct pagescan *s, uint64_t *first)
{
	uint64_t end = chunk_end(s->at);
	ssize_t got;

	if (s->at >= s->end)
		return 0;
	*first = s->at;
	got = read_entries(s, s->at, (end < s->end ? end : s->end) - s->at);
	if (got > 0) {
		mark_by_frames(s, *first, got);
		s->at += got;
	}
	return got;
}

/* --- walk with PAGEMAP_SCAN --------------------------------------------------------- */

/* If the ioctl fails, all further entries are read. */
static int ask(struct pagescan *s)
{
	struct scan_arg arg = {
		.size = sizeof(arg),
		.start = s->at * s->page_size,
		.end = s->end * s->page_size,
		.vec = (uintptr_t)s->region,
		.vec_len = PAGESCAN_REGIONS,
		.category_anyof_mask = IS_PRESENT | IS_SWAPPED,
		.return_mask = IS_PRESENT | IS_SWAPPED | IS_ZERO | IS_HUGE,
	};
	int n;

	do
		n = ioctl(s->process->pagemap, SCAN, &arg);
	while (n < 0 && errno == EINTR);
	if (n < 0) {
		if (errno == ESRCH)
			return -ESRCH;
		s->can_ask = s->can_ask && errno != ENOTTY && errno != EINVAL;
		s->asking = false;
		return 0;
	}
	s->next_region = 0;
	s->regions = n;
	/* if the walk made no progress, it would not do so later either */
	s->asking = arg.walk_end > arg.start;
	s->at = arg.walk_end / s->page_size;
	return 0;
}

static void pagescan_mark(struct pagescan *s, const struct pagescan_region *r,
			  uint64_t first, uint64_t end)
{
	uint64_t last = r->end / s->page_size, bits = 0;
	uint64_t page = r->start / s->page_size;

	if (r->categories & IS_HUGE)
		bits |= PM_WHOLE;
	if (r->categories & IS_ZERO)
		bits |= PM_ZERO;
	for (; bits && page < last && page < end; page++)
		if (s->entry[page - first] & PM_PRESENT)
			s->entry[page - first] |= bits;
}

/* Reads one region, or several with small gaps between them, up to the end of a chunk. */
static ssize_t next_regions(struct pagescan *s, uint64_t *first)
{
	struct pagescan_region *r = s->region;
	size_t from = s->next_region, to = from, i;
	uint64_t limit, end;
	ssize_t got;

	*first = r[from].start / s->page_size;
	limit = chunk_end(*first);
	end = r[from].end / s->page_size;
	while (to + 1 < s->regions && end < limit &&
	       r[to + 1].start / s->page_size <= end + GAP &&
	       r[to + 1].start / s->page_size < limit)
		end = r[++to].end / s->page_size;
	if (end > limit)
		end = limit;
	got = read_entries(s, *first, end - *first);
	if (got <= 0)
		return got;
	for (i = from; i <= to; i++)
		pagescan_mark(s, &r[i], *first, end);
	s->next_region = to + (r[to].end / s->page_size <= end);
	if (s->next_region == to)
		r[to].start = end * s->page_size;
	return got;
}

ssize_t pagescan_next(struct pagescan *s, uint64_t *first)
{
	int err;

	while (s->asking) {
		if (s->next_region < s->regions)
			return next_regions(s, first);
		if (s->at >= s->end)
			return 0;
		err = ask(s);
		if (err)
			return err;
	}
	return next_plain(s, first);
}

void zeropages_add(struct zeropages *z, uint64_t pfn)
{
	int i;

	if (zeropages_has(z, pfn))
		return;
	for (i = 0; i < 2; i++)
		if (z->end[i] == pfn && z->first[i] < pfn) {
			z->end[i]++;
			return;
		}
	z->first[z->next] = pfn;
	z->end[z->next] = pfn + 1;
	z->next = !z->next;
}
