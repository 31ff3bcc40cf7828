// SPDX-License-Identifier: GPL-2.0-only
/* Frames of the huge zero page and of the small one. */
#include "process/zeropages.h"
#include "unit.h"

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

UNIT_MAIN("zeropages", two_pages, three_pages, frame_0)
