// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "control/system.h"
#include "unit.h"

static const char modules[] =
	"second 8192 1 first, Live 0xffffffffc0200000 (OE)\n"
	"hidden 4096 0 - Live 0x0000000000000000\n"
	"first 4096 0 - Live 0xffffffffc0100000\n";

/* The init code of "first" was freed. "second" now has its addresses. */
START_TEST(names_of_unloaded_modules_are_dropped)
{
	char text[] = "ffffffff81000000 T _text\n"
		      "ffffffffc0100000 t first_one\t[first]\n"
		      "ffffffffc0100fff T first_last\t[first]\n"
		      "ffffffffc0101000 t first_init\t[first]\n"
		      "ffffffffc0200010 t init_module\t[first]\n"
		      "ffffffffc0200020 d first_data\t[first]\n"
		      "ffffffffc00fffff W too_low\t[first]\n"
		      "ffffffffc0200000 t second_one\t[second]\n"
		      "ffffffffc0300000 t any\t[hidden]\n"
		      "ffffffffc0400000 t any\t[firs]\n"
		      "ffffffffc0400000 t any\t[bpf]\n"
		      "0000000000000000 t no_address\t[first]\n"
		      "ffffffffc0202000 t second_init\t[second]";

	system_drop_gone(text, modules);
	ck_assert_str_eq(text, "ffffffff81000000 T _text\n"
			       "ffffffffc0100000 t first_one\t[first]\n"
			       "ffffffffc0100fff T first_last\t[first]\n"
			       "ffffffffc0200020 d first_data\t[first]\n"
			       "ffffffffc0200000 t second_one\t[second]\n"
			       "ffffffffc0300000 t any\t[hidden]\n"
			       "ffffffffc0400000 t any\t[firs]\n"
			       "ffffffffc0400000 t any\t[bpf]\n"
			       "0000000000000000 t no_address\t[first]\n");
}
END_TEST

START_TEST(nothing_to_drop)
{
	char empty[] = "", odd[] = "\n\t[\nx\t[first]\n12\t[first]";
	char same[sizeof(odd)];

	memcpy(same, odd, sizeof(odd));
	system_drop_gone(empty, modules);
	ck_assert_str_eq(empty, "");
	system_drop_gone(odd, modules);
	ck_assert_str_eq(odd, same);
	system_drop_gone(odd, "");
	ck_assert_str_eq(odd, same);
}
END_TEST

UNIT_MAIN("system", names_of_unloaded_modules_are_dropped, nothing_to_drop)
