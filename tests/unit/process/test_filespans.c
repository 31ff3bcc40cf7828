// SPDX-License-Identifier: GPL-2.0-only
#include "process/filespans.h"
#include "unit.h"

#define PAGE 4096ull

static struct mapping maps[] = {
	{ .start = 0x10000, .end = 0x14000, .offset = 0x2000, .inode = 7, .minor = 1 },
	/* touches the first, before it */
	{ .start = 0x20000, .end = 0x22000, .offset = 0, .inode = 7, .minor = 1 },
	/* inside of the first */
	{ .start = 0x30000, .end = 0x31000, .offset = 0x3000, .inode = 7, .minor = 1 },
	/* after a hole */
	{ .start = 0x40000, .end = 0x42000, .offset = 0x10000, .inode = 7, .minor = 1 },
	/* other files: another device, another inode, none */
	{ .start = 0x50000, .end = 0x60000, .offset = 0, .inode = 7, .minor = 2 },
	{ .start = 0x60000, .end = 0x70000, .offset = 0, .inode = 8, .minor = 1 },
	{ .start = 0x70000, .end = 0x80000 },
	/* the end of the part overflows */
	{ .start = 0x80000, .end = 0x90000, .offset = -PAGE, .inode = 7, .minor = 1 },
};

START_TEST(next)
{
	static const struct {
		size_t map;
		uint64_t from, end;
		bool found;
		uint64_t first, stop;
	} rows[] = {
		{ 0, 0, 100, true, 0, 6 },	{ 0, 6, 100, true, 16, 18 },
		{ 0, 5, 6, true, 5, 6 },	{ 0, 6, 16, false, 0, 0 },
		{ 0, 7, 17, true, 16, 17 },	{ 0, 17, 100, true, 17, 18 },
		{ 0, 18, 100, false, 0, 0 },	{ 0, 3, 3, false, 0, 0 },
		{ 4, 0, 100, true, 0, 16 },	{ 5, 15, 100, true, 15, 16 },
	};
	const struct process p = { .map = maps, .nr_maps = 8 };
	const struct mapping unknown = { .inode = 9, .minor = 1 };
	struct filespans s;
	uint64_t first, stop;
	size_t i;

	filespans_make(&s, &p, PAGE);
	ck_assert_uint_eq(s.count, 4);
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		first = rows[i].from;
		ck_assert(filespans_next(&s, &maps[rows[i].map], &first,
					 rows[i].end, &stop) == rows[i].found);
		if (!rows[i].found)
			continue;
		ck_assert_uint_eq(first, rows[i].first);
		ck_assert_uint_eq(stop, rows[i].stop);
	}
	first = 0;
	ck_assert(!filespans_next(&s, &unknown, &first, 100, &stop));
	filespans_free(&s);
	/* a process without files, and no process */
	filespans_make(&s, &(struct process){
			.map=maps + 6,
			.nr_maps=1,
		}, PAGE);
	ck_assert(!filespans_next(&s, &maps[0], &first, 100, &stop));
	filespans_free(&s);
	ck_assert(!filespans_next(&s, &maps[0], &first, 100, &stop));
}
END_TEST

UNIT_MAIN("filespans", next)
