// SPDX-License-Identifier: GPL-2.0-only
#include "frames/ram.h"
#include "tempdir.h"

#define PAGE 4096

/* from a machine with 5 GB and hotplugged memory, shortened */
static const char iomem[] = "00000000-00000fff : Reserved\n"
			    "00001000-0009fbff : System RAM\n"
			    "000a0000-000bffff : PCI Bus 0000:00\n"
			    "00100000-bffdefff : System RAM\n"
			    "  01000000-021fffff : Kernel code\n"
			    "bffdf000-bfffffff : Reserved\n"
			    "fee00000-fee00fff : Local APIC\n"
			    "100000000-13fffffff : System RAM\n"
			    "140000000-147ffffff : dax0.0\n"
			    "  140000000-147ffffff : System RAM (kmem)\n";

START_TEST(memory_is_found_in_iomem)
{
	static const struct {
		uint64_t pfn;
		bool there;
	} rows[] = {
		{ 0, false },	   { 1, true },	     { 0x9f, true },
		{ 0xa0, false },	   { 0x100, true },    { 0x1200, true },
		{ 0xbffde, true },   { 0xbffdf, false }, { 0xc0000, false },
		{ 0xfee00, false },  { 0xfffff, false }, { 0x100000, true },
		{ 0x13ffff, true },  { 0x140000, true }, { 0x147fff, true },
		{ 0x148000, false },
	};
	struct ram r = { 0 };
	size_t i;

	ram_parse(&r, iomem, PAGE);
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		ck_assert_msg(ram_has(&r, rows[i].pfn) == rows[i].there, "%zu",
			      i);
	ram_free(&r);
}
END_TEST

START_TEST(unknown_frames_count_as_memory)
{
	static const char *const texts[] = {
		"",
		"\n",
		"00000000-00000000 : System RAM\n",
		"00000000-00000fff : System ROM\n",
		"System RAM\n1000-",
		"2000-1000 : System RAM",
	};
	struct ram r = { 0 };
	size_t i;

	ram_parse(&r, NULL, PAGE);
	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		ram_parse(&r, texts[i], PAGE);
	ck_assert(ram_has(&r, 0) && ram_has(&r, 1ull << 40));
	ram_free(&r);
}
END_TEST

START_TEST(a_block_that_is_offline_is_no_memory)
{
	struct ram r;

	tempdir_begin();
	tempdir_put_text("iomem", iomem);
	ram_read(&r, PAGE);
	ck_assert(ram_has(&r, 0x108000));
	ram_free(&r);
	/* blocks of 128 MB */
	tempdir_put_text("devices/system/memory/block_size_bytes", "8000000\n");
	tempdir_put_text("devices/system/memory/memory32/state", "online\n");
	tempdir_put_text("devices/system/memory/memory33/state", "offline\n");
	tempdir_put_text("devices/system/memory/memory40/state", "offline\n");
	ram_read(&r, PAGE);
	ck_assert(ram_has(&r, 0x107fff) && ram_has(&r, 0x110000));
	ck_assert(!ram_has(&r, 0x108000) && !ram_has(&r, 0x10ffff));
	ck_assert(!ram_has(&r, 0x140000));
	ram_free(&r);
	tempdir_end();
}
END_TEST

UNIT_MAIN("ram", memory_is_found_in_iomem,
	  unknown_frames_count_as_memory,
	  a_block_that_is_offline_is_no_memory)
