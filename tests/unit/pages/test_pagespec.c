// SPDX-License-Identifier: GPL-2.0-only
#include "pages/pagespec.h"
#include "unit.h"

static char why[PAGESPEC_WHY];

START_TEST(ranges)
{
	static const struct {
		const char *text;
		uint64_t start;
		uint64_t end;
	} good[] = {
		{ "5", 5, 6 },
		{ "0x10", 16, 17 },
		{ "010", 8, 9 },
		{ "5+3", 5, 8 },
		{ "5+0", 5, 5 },
		{ "5,8", 5, 8 },
		{ "5,5", 5, 5 },
		{ "5,", 5, UINT64_MAX },
		{ "5+", 5, UINT64_MAX },
		{ ",8", 0, 8 },
		{ "+8", 0, 8 },
		{ "18446744073709551615", UINT64_MAX, UINT64_MAX },
		{ "18446744073709551614+9", UINT64_MAX - 1, UINT64_MAX },
		{ "0x100,0x8000000000000000", 256, 1ull << 63 },
	};
	static const char *const bad[] = {
		"",	"x",	"-1",  "5,3",	",",	  "+",	 "5,x",
		"5+-3", "5,8,", "5 ",  " 5",	"5+3,9",  "5,3+9",
		"08",	"5x",	"0x",  "18446744073709551616", "5.0",
	};
	struct pagespec_range r;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		ck_assert_msg(pagespec_range(good[i].text, &r, why), "%s",
			      good[i].text);
		ck_assert_uint_eq(r.start, good[i].start);
		ck_assert_uint_eq(r.end, good[i].end);
	}
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		*why = '\0';
		ck_assert_msg(!pagespec_range(bad[i], &r, why), "%s", bad[i]);
		ck_assert_str_ne(why, "");
	}
}
END_TEST

#define BIT(n) (1ull << (n))

START_TEST(flags)
{
	static const struct {
		const char *text;
		uint64_t flags;
	} good[] = {
		{ "", 0 },
		{ ",", 0 },
		{ "lru", BIT(5) },
		{ "lru,", BIT(5) },
		{ "0x10,anon", BIT(4) | BIT(12) },
		{ "0x8000000000000000", BIT(63) },
		/* a prefix selects the first name that begins with it */
		{ "s", BIT(7) },
		{ "sw", BIT(13) },
		{ "swapb", BIT(14) },
		{ "compound_h", BIT(15) },
		/* a whole name selects only that name */
		{ "swap", BIT(62) },
		{ "mmap", BIT(11) },
		{ "arch", BIT(38) },
		{ "arch_2,arch_3", BIT(41) | BIT(42) },
		/* head and tails of a compound page */
		{ "compound", BIT(15) | BIT(16) },
		{ "c", BIT(15) | BIT(16) },
	};
	static const char *const bad[] = { "moon", "lru,moon", "lru;slab", "-1",
					   "0x", "~lru", "lru=slab", "LRU",
					   "swapx", "lruu", "5x",
					   "99999999999999999999" };
	const struct pageflag_name *names = pageflags_names("6.12");
	uint64_t flags;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		ck_assert_msg(pagespec_flags(names, good[i].text, &flags, why),
			      "%s", good[i].text);
		ck_assert_uint_eq(flags, good[i].flags);
	}
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		*why = '\0';
		ck_assert_msg(!pagespec_flags(names, bad[i], &flags, why), "%s",
			      bad[i]);
		ck_assert_str_ne(why, "");
	}
	pagespec_flags(names, "lru,moon,slab", &flags, why);
	ck_assert_ptr_nonnull(strstr(why, "'moon'"));
	ck_assert_ptr_nonnull(strstr(why, "mmap_exclusive"));
	ck_assert_ptr_nonnull(strstr(why, "owner_2"));
	/* names of flags of another kernel are refused */
	ck_assert(!pagespec_flags(names, "uncached", &flags, why));
	ck_assert(pagespec_flags(pageflags_names("6.1"), "uncached", &flags, why));
	ck_assert_uint_eq(flags, BIT(39));
}
END_TEST

START_TEST(conditions)
{
	static const struct {
		const char *text;
		uint64_t flags[3]; /* these match */
		uint64_t not[3]; /* these do not match */
	} good[] = {
		{ "lru", { 0x20, 0x21, 0x60 }, { 0, 1, 0x40 } },
		{ "lru,active", { 0x20, 0x40, 0x61 }, { 0, 1, 0x80 } },
		{ "lru,active=lru", { 0x20, 0x21, 0xa0 }, { 0x60, 0x40, 0 } },
		{ "lru,active=", { 0, 1, 0x80 }, { 0x60, 0x40, 0x20 } },
		{ "lru,~active", { 0x20, 0x21, 0xa0 }, { 0x60, 0x40, 0 } },
		{ "~lru,~active", { 0, 1, 0x80 }, { 0x60, 0x40, 0x20 } },
		{ "lru,slab,~active", { 0xa0, 0xa1, 0xa8 }, { 0x20, 0x80, 0xe0 } },
		{ "=lru,active", { 0x60, 0x60, 0x60 }, { 0x20, 0x61, 0 } },
		{ "=", { 0, 0, 0 }, { 1, BIT(63), 0x20 } },
		{ "0x20,0x40=0x20", { 0x20, 0x21, 0xa0 }, { 0x60, 0x40, 0 } },
	};
	static const char *const bad[] = { "", ",", "~", "lru,~lru", "lru=~slab",
					   "=lru,~slab", "lru=slab", "lru=lru=lru",
					   "~~lru", "moon", "moon=", "=moon" };
	const struct pageflag_name *names = pageflags_names("6.12");
	struct pagespec_bits bits;
	size_t i, j;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		ck_assert_msg(pagespec_bits(names, good[i].text, &bits, why),
			      "%s: %s", good[i].text, why);
		for (j = 0; j < 3; j++) {
			ck_assert(pagespec_fits(&bits, good[i].flags[j]));
			ck_assert(!pagespec_fits(&bits, good[i].not[j]));
		}
	}
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		*why = '\0';
		ck_assert_msg(!pagespec_bits(names, bad[i], &bits, why), "%s",
			      bad[i]);
		ck_assert_str_ne(why, "");
	}
}
END_TEST

UNIT_MAIN("pagespec", ranges, flags, conditions)
