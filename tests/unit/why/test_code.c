// SPDX-License-Identifier: GPL-2.0-only
#include "tempdir.h"
#include "why/code.h"

static const char symbols[] = "ffffffff81000000 T first\n"
			      "ffffffff81000100 t second\n"
			      "ffffffff81000200 T _etext\n"
			      "ffffffffc0001000 t ring_entry\t[ring]\n"
			      "ffffffffc0001080 t ring_exit\t[ring]\n";

static struct code code;

static void begin(const char *kallsyms)
{
	tempdir_begin();
	tempdir_put_text("kallsyms", kallsyms);
	tempdir_put_text("modules", "ring 8192 0 - Live 0xffffffffc0001000\n");
	tempdir_put_text("codetags", "0xffffffff81000110 mm/second.c:22 second\n");
	ck_assert_int_eq(code_open(&code, NULL), 0);
}

static void end(void)
{
	code_close(&code);
	tempdir_end();
}

static void is_in(uint64_t address, const char *function, uint64_t offset)
{
	char name[64];
	uint64_t got;

	ck_assert(code_function(&code, address, name, sizeof(name), &got));
	ck_assert_str_eq(name, function);
	ck_assert_uint_eq(got, offset);
}

START_TEST(functions)
{
	uint64_t offset;
	char name[64];

	begin(symbols);
	ck_assert(!code.hidden);
	is_in(0xffffffff81000000, "first", 0);
	is_in(0xffffffff810000ff, "first", 0xff);
	is_in(0xffffffff81000100, "second", 0);
	is_in(0xffffffffc0001001, "ring_entry [ring]", 1);
	is_in(0xffffffffc0001080, "ring_exit [ring]", 0);
	/* after the code of the kernel, and after the module */
	ck_assert(!code_function(&code, 0xffffffff81000200, name, sizeof(name), &offset));
	ck_assert(!code_function(&code, 0xffffffffc0003000, name, sizeof(name), &offset));
	ck_assert(!code_function(&code, 0xffff888000000000, name, sizeof(name), &offset));
	ck_assert(!code_function(&code, 0, name, sizeof(name), &offset));
	end();
}
END_TEST

START_TEST(return_addresses)
{
	char text[64];

	begin(symbols);
	code_symbol(&code, 0xffffffff81000110, text, sizeof(text));
	ck_assert_str_eq(text, "second+0x10");
	code_symbol(&code, 0xffffffff81000100, text, sizeof(text)); /* its last call */
	ck_assert_str_eq(text, "first+0x100");
	ck_assert(code_lines(&code, 0xffffffff81000110, text, sizeof(text)));
	ck_assert_str_eq(text, "mm/second.c:22");
	ck_assert(!code_lines(&code, 0xffffffff81000111, text, sizeof(text)));
	end();
}
END_TEST

START_TEST(hidden_addresses)
{
	begin("0000000000000000 T first\n0000000000000000 t ring_entry\t[ring]\n");
	ck_assert(code.hidden);
	end();
}
END_TEST

START_TEST(no_files)
{
	uint64_t offset;
	char name[64];

	tempdir_begin();
	ck_assert_int_eq(code_open(&code, NULL), 0);
	ck_assert(code.hidden);
	ck_assert(!code_function(&code, 0xffffffff81000000, name, sizeof(name), &offset));
	code_symbol(&code, 0xffffffff81000000, name, sizeof(name));
	ck_assert_str_eq(name, "0xffffffff81000000");
	end();
}
END_TEST

UNIT_MAIN("code", functions, return_addresses, hidden_addresses, no_files)
