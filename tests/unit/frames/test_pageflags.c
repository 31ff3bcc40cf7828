// SPDX-License-Identifier: GPL-2.0-only
#include "frames/pageflags.h"
#include "unit.h"

static char text[PAGEFLAGS_LONG];

START_TEST(names_are_those_of_the_kernel)
{
	static const struct {
		const char *release;
		const char *bit_34;
		const char *bit_39;
		const char *bit_49;
	} kernels[] = {
		{ "6.1.0-53-cloud-amd64", "mappedtodisk", "uncached", "slob_free" },
		{ "6.3.9", "mappedtodisk", "uncached", "slob_free" },
		{ "6.4.0", "mappedtodisk", "uncached", NULL },
		{ "6.11.10+bpo-amd64", "mappedtodisk", "uncached", NULL },
		{ "6.12.38", "owner_2", NULL, NULL },
		{ "7.2.0-rc1", "owner_2", NULL, NULL },
		{ "5.10.0", "mappedtodisk", "uncached", "slob_free" },
	};
	size_t i;

	for (i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		const struct pageflag_name *names =
			pageflags_names(kernels[i].release);

		ck_assert_pstr_eq(names[34].name, kernels[i].bit_34);
		ck_assert_int_eq(names[34].letter, 'd');
		ck_assert_pstr_eq(names[39].name, kernels[i].bit_39);
		ck_assert_pstr_eq(names[49].name, kernels[i].bit_49);
		ck_assert_str_eq(names[0].name, "locked");
		ck_assert_int_eq(names[63].letter, '1');
	}
	/* the running kernel, and a release that is not a version, have names too */
	ck_assert_str_eq(pageflags_names(NULL)[26].name, "pgtable");
	ck_assert_str_eq(pageflags_names("gibberish")[5].name, "lru");
}
END_TEST

START_TEST(letters_have_their_places)
{
	const struct pageflag_name *old = pageflags_names("6.1");
	const struct pageflag_name *new = pageflags_names("6.12");

	ck_assert_str_eq(pageflags_short(old, 0, text),
			 "_____________________________________________");
	ck_assert_str_eq(pageflags_short(old, ~0ull, text),
			 "LERUDlASWIBMasbHTGuXnxtozigrmdPpOhcfHdIPAEFw1");
	ck_assert_str_eq(pageflags_short(new, ~0ull, text),
			 "LERUDlASWIBMasbHTGuXnxtozigrmdPpOhfHdIAEFw1");
	ck_assert_str_eq(pageflags_short(new, PAGEFLAG(LRU) | PAGEFLAG(SWAP), text),
			 "_____l___________________________________w_");
}
END_TEST

START_TEST(names_are_joined)
{
	const struct pageflag_name *names = pageflags_names("6.12");
	char small[8];

	ck_assert_str_eq(pageflags_long(names, 0, text, sizeof(text)), "");
	ck_assert_str_eq(pageflags_long(names, 1 << 5, text, sizeof(text)),
			 "lru");
	ck_assert_str_eq(pageflags_long(names, 1ull << 34 | 0x21, text,
					sizeof(text)),
			 "locked,lru,owner_2");
	/* an unknown flag of a later kernel is shown */
	ck_assert_str_eq(pageflags_long(names, 1ull << 45 | 1, text,
					sizeof(text)),
			 "locked,bit_45");
	ck_assert_uint_lt(strlen(pageflags_long(names, ~0ull, text,
						sizeof(text))),
			  sizeof(text) - 1);
	ck_assert_str_eq(pageflags_long(names, ~0ull, small, sizeof(small)),
			 "locked,");
}
END_TEST

START_TEST(flags_with_two_meanings)
{
	static const struct {
		uint64_t flags;
		uint64_t new;
		uint64_t old;
	} cases[] = {
		{ 0x20, 0x20, 0x20 },
		/* anonymous pages */
		{ 0x1000 | PAGEFLAG(OWNER_2), 0x1000 | PAGEFLAG(ANON_EXCLUSIVE),
		  0x1000 | PAGEFLAG(ANON_EXCLUSIVE) },
		{ PAGEFLAG(OWNER_2), PAGEFLAG(OWNER_2), PAGEFLAG(OWNER_2) },
		/* slabs */
		{ 0x80 | PAGEFLAG(PRIVATE), 0x80 | PAGEFLAG(PRIVATE),
		  0x80 | PAGEFLAG(SLOB_FREE) },
		{ 0x80 | PAGEFLAG(ACTIVE) | PAGEFLAG(ERROR),
		  0x80 | PAGEFLAG(SLUB_FROZEN) | PAGEFLAG(SLUB_DEBUG),
		  0x80 | PAGEFLAG(SLUB_FROZEN) | PAGEFLAG(SLUB_DEBUG) },
		{ PAGEFLAG(ACTIVE) | PAGEFLAG(ERROR) | PAGEFLAG(PRIVATE),
		  PAGEFLAG(ACTIVE) | PAGEFLAG(ERROR) | PAGEFLAG(PRIVATE),
		  PAGEFLAG(ACTIVE) | PAGEFLAG(ERROR) | PAGEFLAG(PRIVATE) },
		/* readahead and reclaim */
		{ PAGEFLAG(RECLAIM), PAGEFLAG(READAHEAD), PAGEFLAG(READAHEAD) },
		{ PAGEFLAG(RECLAIM) | PAGEFLAG(WRITEBACK),
		  PAGEFLAG(RECLAIM) | PAGEFLAG(WRITEBACK),
		  PAGEFLAG(RECLAIM) | PAGEFLAG(WRITEBACK) },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		ck_assert_uint_eq(pageflags_raw(pageflags_names("6.12"),
						cases[i].flags),
				  cases[i].new);
		ck_assert_uint_eq(pageflags_raw(pageflags_names("6.1"),
						cases[i].flags),
				  cases[i].old);
	}
}
END_TEST

START_TEST(well_known_flags)
{
	ck_assert_uint_eq(pageflags_well_known(~0ull), 0xffffffff);
	ck_assert_uint_eq(pageflags_well_known(PAGEFLAG(RESERVED) |
					       PAGEFLAG(SWAP) | PAGEFLAG(LRU)),
			  PAGEFLAG(LRU));
	ck_assert_uint_eq(pageflags_well_known(PAGEFLAG(COMPOUND_HEAD) |
					       PAGEFLAG(SLAB)),
			  PAGEFLAG(SLAB));
	ck_assert_uint_eq(pageflags_well_known(PAGEFLAG(COMPOUND_TAIL) |
					       PAGEFLAG(HUGE)),
			  PAGEFLAG(COMPOUND_TAIL) | PAGEFLAG(HUGE));
}
END_TEST

UNIT_MAIN("pageflags", names_are_those_of_the_kernel, letters_have_their_places,
	  names_are_joined, flags_with_two_meanings, well_known_flags)
