// SPDX-License-Identifier: GPL-2.0-only
#include <elf.h>

#include "tempdir.h"
#include "why/directmap.h"

#define DIRECT	0xffff888000000000ull
#define VMALLOC 0xffffc90000000000ull
#define IMAGE	0xffffffff81000000ull

static struct {
	Elf64_Ehdr e;
	Elf64_Phdr p[5];
} file;

static void make(void)
{
	file.e = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64 },
		.e_phoff = sizeof(file.e),
		.e_phentsize = sizeof(file.p[0]),
		.e_phnum = 5,
	};
	file.p[0] = (Elf64_Phdr){ .p_type = PT_NOTE, .p_memsz = 4096 };
	file.p[1] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_vaddr = IMAGE, .p_paddr = 0x1000000,
				  .p_memsz = 0x200000 };
	file.p[2] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_vaddr = VMALLOC, .p_paddr = -1,
				  .p_memsz = 1ull << 45 };
	file.p[3] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_vaddr = DIRECT, .p_paddr = 0,
				  .p_memsz = 0x9f000 };
	file.p[4] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_vaddr = DIRECT + 0x100000,
				  .p_paddr = 0x100000, .p_memsz = 0x7ff00000 };
}

static void read_file(struct directmap *d, size_t size)
{
	tempdir_put("kcore", &file, size);
	directmap_read(d);
}

START_TEST(ranges)
{
	struct directmap d;
	uint64_t at;

	tempdir_begin();
	make();
	read_file(&d, sizeof(file));
	ck_assert_ptr_null(d.why);
	ck_assert_uint_eq(d.count, 3);
	ck_assert(directmap_physical(&d, DIRECT, &at) && at == 0);
	ck_assert(directmap_physical(&d, DIRECT + 0x9efff, &at) && at == 0x9efff);
	ck_assert(!directmap_physical(&d, DIRECT + 0x9f000, &at));
	ck_assert(directmap_physical(&d, DIRECT + 0x123456, &at) && at == 0x123456);
	ck_assert(!directmap_physical(&d, DIRECT + 0x80000000, &at));
	ck_assert(directmap_physical(&d, IMAGE + 5, &at) && at == 0x1000005);
	ck_assert(!directmap_physical(&d, VMALLOC, &at));
	ck_assert(!directmap_physical(&d, DIRECT - 1, &at));
	directmap_free(&d);
	tempdir_end();
}
END_TEST

START_TEST(damaged)
{
	struct directmap d;
	size_t size;

	tempdir_begin();
	directmap_read(&d); /* no file */
	ck_assert_ptr_nonnull(d.why);
	directmap_free(&d);
	make();
	for (size = 0; size < sizeof(file); size += 7) {
		read_file(&d, size);
		ck_assert_ptr_nonnull(d.why);
		directmap_free(&d);
	}
	file.e.e_ident[EI_CLASS] = ELFCLASS32;
	read_file(&d, sizeof(file));
	ck_assert_ptr_nonnull(d.why);
	directmap_free(&d);
	make();
	file.e.e_phentsize++;
	read_file(&d, sizeof(file));
	ck_assert_ptr_nonnull(d.why);
	directmap_free(&d);
	make();
	file.e.e_phnum = 0;
	read_file(&d, sizeof(file));
	ck_assert_ptr_nonnull(d.why);
	directmap_free(&d);
	tempdir_end();
}
END_TEST

/* A range whose end does not fit into an address is left out. */
START_TEST(overflow)
{
	struct directmap d;
	uint64_t at;

	tempdir_begin();
	make();
	file.p[4].p_memsz = UINT64_MAX - 5;
	read_file(&d, sizeof(file));
	ck_assert_uint_eq(d.count, 2);
	ck_assert(!directmap_physical(&d, DIRECT + 0x100000, &at));
	directmap_free(&d);
	tempdir_end();
}
END_TEST

UNIT_MAIN("directmap", ranges, damaged, overflow)
