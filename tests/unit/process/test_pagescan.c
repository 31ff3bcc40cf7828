// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "process/pagescan.h"
#include "process/usage.h"
#include "unit.h"

#define HUGE 512

static struct process process = { .dir = -1 };
/* of a private file: the kernel is asked only on request */
static const struct mapping map = { .inode = 1, .perms = "rw-p" };
static struct pagescan *scan;

static void begin(void)
{
	FILE *f = tmpfile();

	process.pagemap = fileno(f);
	scan = pagescan_create();
	ck_assert_ptr_nonnull(scan);
	scan->whole = HUGE;
	pagescan_process(scan, &process);
}

static void put(uint64_t page, uint64_t entry)
{
	ck_assert_int_eq(pwrite(process.pagemap, &entry, 8, page * 8), 8);
}

static void put_run(uint64_t page, uint64_t pfn, size_t n)
{
	while (n--)
		put(page++, PM_PRESENT | pfn++);
}

/* Chunks are contiguous. They end at a huge page boundary or at the end of the range. */
START_TEST(chunks)
{
	static const uint64_t ends[] = { 32768, 65536, 65540 };
	uint64_t first, at = 32700;
	ssize_t n;
	int i;

	begin();
	put(32700, PM_PRESENT | 1);
	put(32768, PM_PRESENT | 2);
	put(65539, PM_SWAPPED | 3);
	pagescan_start(scan, &map, at, 65540, false);
	for (i = 0; i < 3; i++) {
		n = pagescan_next(scan, &first);
		ck_assert_uint_eq(first, at);
		ck_assert_uint_eq(first + n, ends[i]);
		if (i < 2)
			ck_assert_uint_eq(scan->entry[0], PM_PRESENT | (i + 1));
		else
			ck_assert_uint_eq(scan->entry[n - 1], PM_SWAPPED | 3);
		at = first + n;
	}
	ck_assert_int_eq(pagescan_next(scan, &first), 0);
	ck_assert_int_eq(pagescan_next(scan, &first), 0);
	free(scan);
}
END_TEST

START_TEST(marks_huge_pages)
{
	static const struct {
		uint64_t page;
		uint64_t pfn;
		size_t n;
		bool whole;
	} runs[] = {
		{ 1024, 2048, 512, true },
		{ 2048, 512 * 9, 512, true },
		{ 3072, 4097, 512, false }, /* its frames are not aligned */
		{ 4097, 4096, 512, false }, /* the pages are not */
		{ 5120, 8192, 511, false },
		{ 6656, 512 * 11, 512, true }, /* these two are neighbours */
		{ 7168, 512 * 12, 512, true },
	};
	uint64_t first, page;
	size_t i;

	begin();
	for (i = 0; i < sizeof(runs) / sizeof(*runs); i++)
		put_run(runs[i].page, runs[i].pfn, runs[i].n);
	put(8000, PM_PRESENT | PM_WHOLE | PM_ZERO | 99);
	pagescan_start(scan, &map, 1000, 8001, false);
	ck_assert_int_eq(pagescan_next(scan, &first), 7001);
	for (i = 0; i < sizeof(runs) / sizeof(*runs); i++)
		for (page = runs[i].page; page < runs[i].page + runs[i].n;
		     page++)
			ck_assert_int_eq(!!(scan->entry[page - 1000] & PM_WHOLE),
					 runs[i].whole);
	/* bits of a later kernel are not taken for PM_WHOLE and PM_ZERO */
	ck_assert_uint_eq(scan->entry[7000], PM_PRESENT | 99);
	free(scan);
}
END_TEST

/* All entries are read if the ioctl fails. */
START_TEST(works_without_the_ioctl)
{
	uint64_t first;

	begin();
	put_run(7, 70, 3);
	pagescan_start(scan, &map, 5, 10, true);
	ck_assert_int_eq(pagescan_next(scan, &first), 5);
	ck_assert_uint_eq(first, 5);
	ck_assert_uint_eq(scan->entry[4], PM_PRESENT | 72);
	ck_assert(!scan->can_ask);
	ck_assert_int_eq(pagescan_next(scan, &first), 0);
	free(scan);
}
END_TEST

/* If the entries end before the mapping does, the process has ended. */
START_TEST(ends)
{
	uint64_t first;

	begin();
	put(9, 0);
	pagescan_start(scan, &map, 5, 11, false);
	ck_assert_int_eq(pagescan_next(scan, &first), -ESRCH);
	pagescan_start(scan, &map, 20, 21, false);
	ck_assert_int_eq(pagescan_next(scan, &first), -ESRCH);
	free(scan);
}
END_TEST

/* The scan waits for a page in migration: for a limited time, once per process. */
START_TEST(moves)
{
	uint64_t first;

	begin();
	put(5, PM_SWAPPED | 27 | 0x4444 << 5);
	pagescan_start(scan, &map, 5, 6, false);
	ck_assert_uint_gt(scan->patience, 0);
	ck_assert_int_eq(pagescan_next(scan, &first), 1);
	ck_assert(usage_is_moving(scan->entry[0]));
	ck_assert_uint_eq(scan->patience, 0);
	put(5, PM_PRESENT | 3);
	pagescan_start(scan, &map, 5, 6, false);
	ck_assert_int_eq(pagescan_next(scan, &first), 1);
	ck_assert_uint_eq(scan->entry[0], PM_PRESENT | 3);
	ck_assert_uint_eq(scan->patience, 0);
	pagescan_process(scan, &process);
	ck_assert_uint_gt(scan->patience, 0);
	free(scan);
}
END_TEST

/* The pagemap of this process: three written pages among 2^20. */
START_TEST(asks)
{
	size_t pages = 1 << 20;
	uint64_t first, at, seen = 0, read = 0;
	char *own = mmap(NULL, pages * getpagesize(), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct process self;
	ssize_t n, i;

	ck_assert(own != MAP_FAILED);
	madvise(own, pages * getpagesize(), MADV_NOHUGEPAGE);
	own[700000l * getpagesize()] = 1;
	own[0] = own[1l * getpagesize()] = 1;
	begin();
	ck_assert_int_eq(process_open(&self, getpid()), 0);
	pagescan_process(scan, &self);
	at = (uintptr_t)own / getpagesize();
	pagescan_start(scan, &map, at, at + pages, true);
	while ((n = pagescan_next(scan, &first)) > 0) {
		read += n;
		for (i = 0; i < n; i++)
			if (scan->entry[i] & PM_PRESENT) {
				ck_assert(first + i - at == 700000 ||
					  first + i - at < 2);
				seen++;
			}
	}
	ck_assert_int_eq(n, 0);
	ck_assert_uint_eq(seen, 3);
	ck_assert_uint_eq(read, scan->can_ask ? 3 : pages);
	process_close(&self);
	free(scan);
}
END_TEST

/* The frames of at most two zero pages are known. */
START_TEST(two_pages)
{
	struct zeropages z = { 0 };
	uint64_t pfn;

	ck_assert(!zeropages_has(&z, 0));
	for (pfn = 512; pfn < 1024; pfn++)
		zeropages_add(&z, pfn);
	zeropages_add(&z, 7);
	zeropages_add(&z, 600);
	for (pfn = 0; pfn < 2000; pfn++)
		ck_assert(zeropages_has(&z, pfn) == (pfn == 7 || (pfn >= 512 && pfn < 1024)));
}
END_TEST

/* The oldest is forgotten. */
START_TEST(three_pages)
{
	struct zeropages z = { 0 };
	uint64_t pfn;

	for (pfn = 10; pfn <= 30; pfn += 10)
		zeropages_add(&z, pfn);
	ck_assert(!zeropages_has(&z, 10) && zeropages_has(&z, 20) && zeropages_has(&z, 30));
}
END_TEST

START_TEST(frame_0)
{
	struct zeropages z = { 0 };

	zeropages_add(&z, 0);
	zeropages_add(&z, 1);
	ck_assert(zeropages_has(&z, 0) && zeropages_has(&z, 1) && !zeropages_has(&z, 2));
}
END_TEST

UNIT_MAIN("pagescan", chunks, marks_huge_pages, works_without_the_ioctl, ends, moves,
	  asks, two_pages, three_pages, frame_0)
