// SPDX-License-Identifier: GPL-2.0-only
#include <sys/mman.h>
#include <unistd.h>

#include "frames/vmallocs.h"
#include "unit.h"

/* /proc/vmallocinfo of 6.12 and 6.1 with kptr_restrict 0 */
static const char info[] =
	"0x0000000007a1e1cd-0x0000000058e80c0d   20480 irq_init_percpu_irqstack+0xf4/0x130 vmap\n"
	"0x0000000058e80c0d-0x00000000036cb9c7    8192 acpi_os_map_iomem+0x1a9/0x1e0 phys=0x000000003ffe1000 ioremap\n"
	"0x0000000067b83f32-0x000000004a3bcfa0    8192 gen_pool_add_owner+0x3e/0xc0 pages=1 vmalloc N0=1\n"
	"0x000000005cde30bc-0x00000000897f6e0d   20480 kernel_clone+0xc2/0x430 pages=4 vmalloc N0=4\n"
	"0x000000006cf0059a-0x000000002bc19bb3   20480 fork_idle+0x79/0x120 pages=4 vmalloc N0=4\n"
	"0x00000000c5dd725c-0x000000001d1a252d 2097152 pcpu_get_vm_areas+0x0/0x1040 vmalloc\n"
	"0x00000000d9e9a3f7-0x00000000c1c3bb01  380928 load_module+0x784/0x21b0 pages=92 vmalloc N0=92\n"
	"0x00000000dcce4939-0x00000000d0fde3de    8192 bpf_prog_alloc_no_stats+0x3d/0x240 pages=1 vmalloc N0=1\n"
	"0x00000000db000001-0x00000000d0000002    8192 relay_open_buf.part.0+0x18f/0x300 vmap\n"
	"0x00000000db000003-0x00000000d0000004    8192 kmt_frame_init+0xb3/0x260 [kmemtrace] pages=1 vmalloc N0=1\n"
	"0x00000000db000005-0x00000000d0000006    8192 vm_map_ram\n"
	"0x00000000db000007-0x00000000d0000008    8192 unpurged vm_area\n"
	"0x00000000db000009-0x00000000d000000a    8192 dup_array_user+0x1/0x2 [x y] pages=1 vmap\n"
	"0x00000000db00000b-0x00000000d000000c    8192 kernel_cloned+0x1/0x2 pages=1 vmalloc\n"
	"0x00000000db00000d-0x00000000d000000e    8192 not_found+0x1/0x2 pages=1 vmalloc\n"
	"0x00000000db00000f-0x00000000d0000010 2097152 pcpu_get_vm_areas.constprop.0+0x0/0x1040 vmalloc\n"
	"0x00000000db000011-0x00000000d0000012    8192 get+0x1/0x2 [a_name_of_a_module_that_has_55_letters_which_is_the_max] pages=1 vmalloc\n";

static const char starts[] =
	"ffffc90000000000 0000000007a1e1cd 00000000eeeeeeee\n"
	"ffffc90000005000 0000000058e80c0d 00000000eeeeeeee\n"
	"ffffc90000030000 0000000067b83f32 00000000eeeeeeee\n"
	"ffffc90000010000 000000005cde30bc 00000000eeeeeeee\n"
	"ffffc90000020000 000000006cf0059a 00000000eeeeeeee\n"
	"ffffe8ffffc03000 0000000011111111 00000000c5dd725c\n"
	"ffffffffc0100000 00000000d9e9a3f7 00000000eeeeeeee\n"
	"ffffc90000050000 00000000dcce4939 00000000eeeeeeee\n"
	"ffffc90000060000 00000000db000001 00000000eeeeeeee\n"
	"ffffc90000070000 00000000db000003 00000000eeeeeeee\n"
	"ffffc90000080000 00000000db000005 00000000eeeeeeee\n"
	"ffffc90000090000 00000000db000007 00000000eeeeeeee\n"
	"ffffffffc00a0000 00000000db000009 00000000eeeeeeee\n"
	"ffffc900000b0000 00000000db00000b 00000000eeeeeeee\n"
	"ffffc900000c0000 00000000dddddddd 00000000eeeeeeee\n"
	"ffffe8ffff003000 0000000011111113 00000000db00000f\n"
	"ffffc900000e0000 00000000db000011 00000000eeeeeeee\n"
	/* two addresses with one hash: of the same area, and of different areas */
	"ffffe8ffffd00000 0000000011111112 00000000c5dd725c\n"
	"ffffc900000d0000 00000000dddddddd 00000000eeeeeeee\n";

static const struct vmalloc_area *at(const struct vmallocs *v, uint64_t start)
{
	size_t i;

	for (i = 0; i < v->nr_areas; i++)
		if (v->area[i].start == start)
			return &v->area[i];
	return NULL;
}

START_TEST(areas_are_found_by_their_hash)
{
	const struct vmalloc_area *a;
	struct vmallocs v;
	size_t i;

	vmallocs_parse(&v, info, starts);
	ck_assert_uint_eq(v.nr_areas, 14);
	for (i = 1; i < v.nr_areas; i++)
		ck_assert(v.area[i - 1].start < v.area[i].start);
	a = at(&v, 0xffffc90000000000);
	ck_assert(a && !a->owned && a->kind == VMALLOC_OTHER);
	ck_assert_uint_eq(a->end, 0xffffc90000005000);
	ck_assert_str_eq(a->caller, "irq_init_percpu_irqstack+0xf4/0x130");
	ck_assert_msg(!at(&v, 0xffffc90000005000), "ioremap() has no memory");
	a = at(&v, 0xffffc90000070000);
	ck_assert(a && a->owned);
	ck_assert_str_eq(a->caller, "kmt_frame_init+0xb3/0x260 [kmemtrace]");
	a = at(&v, 0xffffc90000080000);
	ck_assert(a && !a->owned && !*a->caller);
	ck_assert(!at(&v, 0xffffc90000090000));
	a = at(&v, 0xffffc900000e0000);
	ck_assert(a);
	ck_assert_str_eq(a->caller,
			 "get+0x1/0x2 [a_name_of_a_module_that_has_55_letters_which_is_the_max]");
	/* vmap() that owns its pages */
	a = at(&v, 0xffffffffc00a0000);
	ck_assert(a && a->owned);
	vmallocs_free(&v);
}
END_TEST

START_TEST(callers_determine_the_kind)
{
	static const struct {
		uint64_t start;
		enum vmalloc_kind kind;
	} kinds[] = {
		{ 0xffffc90000010000, VMALLOC_STACK },
		{ 0xffffc90000020000, VMALLOC_STACK },
		{ 0xffffc90000030000, VMALLOC_OTHER },
		{ 0xffffe8ffffc00000, VMALLOC_PERCPU },
		{ 0xffffe8ffff000000, VMALLOC_PERCPU },
		{ 0xffffffffc0100000, VMALLOC_MODULE },
		{ 0xffffc90000050000, VMALLOC_MODULE },
		{ 0xffffc90000060000, VMALLOC_OTHER },
		{ 0xffffffffc00a0000, VMALLOC_MODULE },
		{ 0xffffc900000b0000, VMALLOC_OTHER },
	};
	struct vmallocs v;
	size_t i;

	vmallocs_parse(&v, info, starts);
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		ck_assert(at(&v, kinds[i].start));
		ck_assert_msg(at(&v, kinds[i].start)->kind == kinds[i].kind,
			      "%zu", i);
	}
	vmallocs_free(&v);
}
END_TEST

START_TEST(hidden_areas_are_not_found)
{
	static const char hidden[] =
		"0x0000000000000000-0x0000000000000000    8192 a+0x1/0x2 pages=1 vmalloc\n"
		"0x0000000000000000-0x0000000000000000    8192 b+0x1/0x2 pages=1 vmalloc\n";
	static const char *const texts[] = {"",
					    "\n",
					    "0x",
					    "0x1-0x2",
					    "0x1-0x2 99999999999999999999 x",
					    "0x1-0x2 144115188075855873 x"};
	struct vmallocs v;
	size_t i;

	vmallocs_parse(&v, hidden,
		       "ffffc90000000000 0000000000000000 0000000000000000\n"
		       "ffffc90000004000 0000000000000000 0000000000000000\n");
	ck_assert_uint_eq(v.nr_areas, 0);
	vmallocs_free(&v);
	vmallocs_parse(&v, hidden,
		       "ffffc90000000000 0000000000000000 0000000000000000\n");
	ck_assert_uint_eq(v.nr_areas, 0);
	vmallocs_free(&v);
	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		vmallocs_parse(&v, texts[i], "8000 1 1\n");
		ck_assert_uint_eq(v.nr_areas, 0);
		vmallocs_free(&v);
	}
}
END_TEST

static void map(int fd, uint64_t address, uint64_t pfn)
{
	uint64_t entry = 1ull << 63 | pfn;

	ck_assert_int_eq(pwrite(fd, &entry, sizeof(entry), address / 4096 * 8),
			 sizeof(entry));
}

START_TEST(frames_are_those_that_areas_map)
{
	int fd = memfd_create("vmalloc", 0);
	const struct vmalloc_area *a;
	struct vmallocs v;

	ck_assert_int_ge(fd, 0);
	map(fd, 0xffffc90000000000, 0x50); /* irq stack in per-CPU memory */
	map(fd, 0xffffc90000010000, 0x12);
	map(fd, 0xffffc90000013000, 0x11);
	map(fd, 0xffffc90000015000, 0x99); /* after the end of the area */
	map(fd, 0xffffc90000060000, 0x12); /* mapped by vmap() as well */
	map(fd, 0xffffc90000060000 + 4096, 0x13);
	map(fd, 0xffffe8ffffc00000 + 511 * 4096, 0x50);
	vmallocs_parse(&v, info, starts);
	ck_assert_int_eq(vmallocs_map(&v, fd), 0);
	ck_assert_uint_eq(v.nr_frames, 6);
	a = vmallocs_find(&v, 0x11);
	ck_assert(a && a->start == 0xffffc90000010000);
	a = vmallocs_find(&v, 0x12);
	ck_assert(a && a->start == 0xffffc90000010000);
	a = vmallocs_find(&v, 0x13);
	ck_assert(a && !a->owned);
	a = vmallocs_find(&v, 0x50);
	ck_assert(a && a->kind == VMALLOC_PERCPU);
	ck_assert(!vmallocs_find(&v, 0x99) && !vmallocs_find(&v, 0));
	vmallocs_free(&v);
	close(fd);
}
END_TEST

START_TEST(areas_are_found_by_an_address)
{
	const struct vmalloc_area *a;
	struct vmallocs v;
	size_t i;

	vmallocs_parse(&v, info, starts);
	ck_assert_uint_gt(v.nr_areas, 2);
	for (i = 0; i < v.nr_areas; i++) {
		ck_assert_ptr_eq(vmallocs_area(&v, v.area[i].start), &v.area[i]);
		ck_assert_ptr_eq(vmallocs_area(&v, v.area[i].end - 1), &v.area[i]);
		a = vmallocs_area(&v, v.area[i].end);
		ck_assert(!a || a == &v.area[i + 1]);
	}
	ck_assert_ptr_null(vmallocs_area(&v, v.area[0].start - 1));
	ck_assert_ptr_null(vmallocs_area(&v, 0));
	ck_assert_ptr_null(vmallocs_area(&v, UINT64_MAX));
	vmallocs_free(&v);
}
END_TEST

UNIT_MAIN("vmallocs", areas_are_found_by_their_hash, areas_are_found_by_an_address,
	  callers_determine_the_kind, hidden_areas_are_not_found,
	  frames_are_those_that_areas_map)
