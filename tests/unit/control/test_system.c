// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/system.h"
#include "tempdir.h"

/* text of /proc/modules: name, size, uses, users, state, address */
static const char modules[] =
	"second 8192 1 first, Live 0xffffffffc0200000 (OE)\n"
	"hidden 4096 0 - Live 0x0000000000000000\n"
	"first 4096 0 - Live 0xffffffffc0100000\n";

/*
 * The init code of "first" was freed, and "second" now has its addresses. Symbols outside
 * of their module are dropped. Symbols stay if the address of their module is hidden (0),
 * if /proc/modules lacks their module, or if they have no address.
 */
START_TEST(symbols_of_freed_code_are_dropped)
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

/*
 * The size of "first" counts data that is elsewhere, so that its freed init code seems to be
 * in it. "second" was loaded there.
 */
START_TEST(code_of_two_modules_does_not_mix)
{
	static const char large[] = "first 65536 0 - Live 0xffffffffc0100000\n"
				    "second 65536 0 - Live 0xffffffffc0104000\n"
				    "third 4096 0 - Live 0xffffffffc0200000\n";
	char text[] = "ffffffffc0100000 t first_one\t[first]\n"
		      "ffffffffc0103ff0 t first_last\t[first]\n"
		      "ffffffffc0104000 t first_init\t[first]\n"
		      "ffffffffc0104016 t first_more\t[first]\n"
		      "ffffffffc0104000 t second_one\t[second]\n"
		      "ffffffffc0104010 t second_two\t[second]\n"
		      "ffffffffc010f000 t second_far\t[second]\n"
		      "ffffffffc0200000 t third_one\t[third]\n";

	system_drop_gone(text, large);
	ck_assert_str_eq(text, "ffffffffc0100000 t first_one\t[first]\n"
			       "ffffffffc0103ff0 t first_last\t[first]\n"
			       "ffffffffc0104000 t second_one\t[second]\n"
			       "ffffffffc0104010 t second_two\t[second]\n"
			       "ffffffffc010f000 t second_far\t[second]\n"
			       "ffffffffc0200000 t third_one\t[third]\n");
}
END_TEST

/* A text that is empty or has other lines, and an empty /proc/modules. */
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

START_TEST(kallsyms_lacks_freed_code_and_says_whether_addresses_are_hidden)
{
	static const char zeros[] = "0000000000000000 A fixed_percpu_data\n";
	char symbols[256], *text;
	bool hidden = false;

	tempdir_begin();
	ck_assert_ptr_null(system_kallsyms(&hidden));
	ck_assert(hidden);

	tempdir_put_text("kallsyms", zeros);
	text = system_kallsyms(&hidden);
	ck_assert_str_eq(text, zeros);
	ck_assert(hidden);
	free(text);

	snprintf(symbols, sizeof(symbols), "%sffffffffc0101000 t first_init\t[first]\n", zeros);
	tempdir_put_text("kallsyms", symbols);
	tempdir_put_text("modules", modules);
	text = system_kallsyms(&hidden);
	ck_assert_str_eq(text, zeros);
	ck_assert(!hidden);
	free(text);
	tempdir_end();
}
END_TEST

/*
 * Notes as in /sys/kernel/notes: size of the name, size of the contents, type, name,
 * contents. A build id has type 3 and the name GNU; OTHER has the type alone.
 */
#define XEN	 "\4\0\0\0" "\5\0\0\0" "\6\0\0\0" "Xen\0" "12345\0\0\0"
#define OTHER	 "\4\0\0\0" "\2\0\0\0" "\3\0\0\0" "Xen\0" "12\0\0"
#define BUILD_ID "\4\0\0\0" "\6\0\0\0" "\3\0\0\0" "GNU\0" "\xab\1\0\xff" "45"

/* @room: bytes for the result; the 12 digits of BUILD_ID and the NUL need 13 */
static bool find_build_id(const char *notes, size_t size, size_t room)
{
	static char hex[32];

	memset(hex, 'x', sizeof(hex));
	tempdir_put("notes", notes, size);
	if (!system_build_id(tempdir_path("notes"), hex, room))
		return false;
	ck_assert_str_eq(hex, "ab0100ff3435");
	return true;
}

START_TEST(a_build_id_is_found_among_notes)
{
	static const char notes[] = XEN OTHER BUILD_ID "\0\0";
	const size_t last = sizeof(notes) - 1, others = sizeof(XEN OTHER) - 1;
	size_t size;

	tempdir_begin();
	ck_assert(find_build_id(notes, last, 13));
	ck_assert(find_build_id(notes + others, last - others, 13));
	ck_assert(!find_build_id(notes, last, 12));
	ck_assert(!find_build_id(notes, others, 13));
	for (size = 0; size < last - 2; size++)
		ck_assert(!find_build_id(notes, size, 13));
	ck_assert(!system_build_id(tempdir_path("missing"), (char[13]){ 0 }, 13));
	tempdir_end();
}
END_TEST

static void put_cache(const char *name, const char *size, const char *red_zone)
{
	char path[64];

	snprintf(path, sizeof(path), "kernel/slab/%s/object_size", name);
	tempdir_put_text(path, "64\n");
	snprintf(path, sizeof(path), "kernel/slab/%s/slab_size", name);
	tempdir_put_text(path, size);
	snprintf(path, sizeof(path), "kernel/slab/%s/red_zone", name);
	tempdir_put_text(path, red_zone);
}

/* The alignment of a kmem_cache is no debugging data. */
START_TEST(slabs_are_padded_if_one_cache_is)
{
	tempdir_begin();
	ck_assert(!system_slabs_padded());
	put_cache("kmalloc-64", "64\n", "0\n");
	put_cache("dentry", "128\n", "0\n");
	ck_assert(!system_slabs_padded());
	put_cache("filp", "128\n", "1\n");
	ck_assert(system_slabs_padded());
	put_cache("filp", "128\n", "0\n");
	put_cache("kmalloc-64", "128\n", "0\n");
	ck_assert(system_slabs_padded());
	tempdir_end();
}
END_TEST

static bool meta_has(const char *line)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool found;

	ck_assert(out);
	system_write_meta(out);
	fclose(out);
	found = strstr(text, line);
	free(text);
	return found;
}

START_TEST(meta_has_the_memory_of_the_machine)
{
	tempdir_begin();
	ck_assert(!meta_has("mem_total="));
	tempdir_put_text("meminfo", "MemTotal: many kB\n");
	ck_assert(!meta_has("mem_total="));
	tempdir_put_text("meminfo", "MemFree:  8 kB\nMemTotal:         12 kB\n");
	ck_assert(meta_has("\nmem_total=12288\n"));
	tempdir_end();
}
END_TEST

START_TEST(unpurged_areas_are_counted)
{
	uint64_t n = 7;

	tempdir_begin();
	ck_assert(!system_unpurged_areas(&n));
	tempdir_put_text("vmallocinfo",
			 "0xffffc90000000000-0xffffc90000005000   20480 relay_open+0x1/0x2 pages=4 vmalloc\n"
			 "0xffffc90000008000-0xffffc9000000d000   20480 unpurged vm_area\n"
			 "0xffffc90000010000-0xffffc90000015000   20480 unpurged vm_area\n");
	ck_assert(system_unpurged_areas(&n));
	ck_assert_uint_eq(n, 2);
	tempdir_end();
}
END_TEST

UNIT_MAIN("system", symbols_of_freed_code_are_dropped, code_of_two_modules_does_not_mix,
	  nothing_to_drop, kallsyms_lacks_freed_code_and_says_whether_addresses_are_hidden,
	  a_build_id_is_found_among_notes, slabs_are_padded_if_one_cache_is,
	  meta_has_the_memory_of_the_machine, unpurged_areas_are_counted)
