// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"
#include "waste/slabfit.h"

/* Slabs of caches as kernels chose them: /sys/kernel/slab/CACHE on machines with so many
 * CPUs. */
START_TEST(orders_are_those_of_kernels)
{
	static const struct {
		unsigned int cpus;
		uint64_t size;
		uint64_t bytes;
		uint64_t objects;
	} caches[] = {
		{ 2, 8, 4096, 512 }, { 2, 32, 4096, 128 }, { 2, 56, 4096, 73 },
		{ 2, 80, 4096, 51 }, { 2, 96, 4096, 42 }, { 2, 104, 4096, 39 },
		{ 2, 128, 4096, 32 }, { 2, 168, 4096, 24 }, { 2, 192, 4096, 21 },
		{ 2, 216, 4096, 18 }, { 2, 248, 4096, 16 }, { 2, 280, 4096, 14 },
		{ 2, 320, 4096, 12 }, { 2, 384, 8192, 21 }, { 2, 432, 8192, 18 },
		{ 2, 456, 8192, 17 }, { 2, 512, 8192, 16 }, { 2, 584, 8192, 14 },
		{ 2, 640, 8192, 12 }, { 2, 688, 16384, 23 }, { 2, 752, 16384, 21 },
		{ 2, 896, 16384, 18 }, { 2, 1016, 16384, 16 }, { 2, 1024, 16384, 16 },
		{ 2, 1144, 16384, 14 }, { 2, 1280, 16384, 12 }, { 2, 1472, 32768, 22 },
		{ 2, 1984, 32768, 16 }, { 2, 2048, 32768, 16 }, { 2, 2168, 32768, 15 },
		{ 2, 2496, 32768, 13 }, { 2, 4096, 32768, 8 }, { 2, 4232, 32768, 7 },
		{ 2, 8192, 32768, 4 },
	};
	size_t i;

	for (i = 0; i < sizeof(caches) / sizeof(*caches); i++) {
		struct slabfit f = slabfit_of(caches[i].size, caches[i].cpus, 4096);

		ck_assert_uint_eq(f.bytes, caches[i].bytes);
		ck_assert_uint_eq(f.objects, caches[i].objects);
	}
}
END_TEST

START_TEST(impossible_sizes_have_no_slab)
{
	ck_assert_uint_eq(slabfit_of(0, 2, 4096).objects, 0);
	ck_assert_uint_eq(slabfit_of(UINT64_MAX, 2, 4096).objects, 0);
	ck_assert_uint_eq(slabfit_of((4096 << 10) + 1, 2, 4096).objects, 0);
	ck_assert_uint_eq(slabfit_of(4096 << 10, 2, 4096).objects, 1);
	ck_assert_uint_eq(slabfit_of(8, 0, 4096).objects, 512);
}
END_TEST

START_TEST(shares_and_whole_slabs)
{
	struct slabfit f = slabfit_of(1040, 4, 4096);

	ck_assert_uint_eq(f.objects, 31);
	ck_assert_uint_eq(slabfit_whole(&f, 0), 0);
	ck_assert_uint_eq(slabfit_whole(&f, 1), 32768);
	ck_assert_uint_eq(slabfit_whole(&f, 31), 32768);
	ck_assert_uint_eq(slabfit_whole(&f, 32), 65536);
	ck_assert_uint_eq(slabfit_share(&f, 31), 32768);
	ck_assert_uint_eq(slabfit_share(&f, 1), 1057);
	ck_assert_uint_eq(slabfit_share(&f, 1ull << 40),
			  (1ull << 40) / 31 * 32768 +
				  (1ull << 40) % 31 * 32768 / 31);
}
END_TEST

START_TEST(caches_of_kmalloc)
{
	ck_assert_uint_eq(slabfit_bucket(1), 8);
	ck_assert_uint_eq(slabfit_bucket(65), 96);
	ck_assert_uint_eq(slabfit_bucket(192), 192);
	ck_assert_uint_eq(slabfit_bucket(8192), 8192);
	ck_assert_uint_eq(slabfit_bucket(8193), 0);
	ck_assert_uint_eq(slabfit_below(8), 0);
	ck_assert_uint_eq(slabfit_below(96), 64);
	ck_assert_uint_eq(slabfit_below(97), 96);
	ck_assert_uint_eq(slabfit_below(2048), 1024);
	ck_assert_uint_eq(slabfit_aligned(1), 8);
	ck_assert_uint_eq(slabfit_aligned(1040), 1040);
}
END_TEST

UNIT_MAIN("slabfit", orders_are_those_of_kernels, impossible_sizes_have_no_slab,
	  shares_and_whole_slabs, caches_of_kmalloc)
