// SPDX-License-Identifier: GPL-2.0-only
#include "frames/frames.h"
#include "frames/pageflags.h"
#include "random.h"
#include "tempdir.h"

/* The entry of frame N in each file is computed from N. */
static void put_files(size_t nr_flags, size_t nr_others)
{
	uint64_t *entry = calloc(nr_flags + nr_others, sizeof(*entry));
	struct kmemtrace_page *owner = calloc(nr_others, sizeof(*owner));
	size_t i;

	for (i = 0; i < nr_flags; i++)
		entry[i] = i << 32 | 1;
	tempdir_put("kpageflags", entry, nr_flags * sizeof(*entry));
	for (i = 0; i < nr_others; i++)
		entry[i] = i * 3;
	tempdir_put("kpagecount", entry, nr_others * sizeof(*entry));
	for (i = 0; i < nr_others; i++)
		entry[i] = i * 5;
	tempdir_put("kpagecgroup", entry, nr_others * sizeof(*entry));
	for (i = 0; i < nr_others; i++)
		owner[i] = (struct kmemtrace_page){ .tag = i * 7, .refs = 9 };
	tempdir_put("pages", owner, nr_others * sizeof(*owner));
	tempdir_put_text("pages_version", "1\n");
	free(entry);
	free(owner);
}

#define ALL (FRAMES_FLAGS | FRAMES_COUNT | FRAMES_CGROUP | FRAMES_OWNER)

START_TEST(batches_follow_on_each_other)
{
	const size_t total = FRAMES_BATCH + 5000;
	struct frames f;
	uint64_t pfn = 0;
	size_t i;
	int ret;

	tempdir_begin();
	put_files(total, total);
	ck_assert_int_eq(frames_open(&f, ALL, NULL), 0);
	while ((ret = frames_next(&f, FRAMES_BATCH)) > 0) {
		ck_assert_uint_eq(f.pfn, pfn);
		for (i = 0; i < f.n; i++, pfn++) {
			ck_assert_uint_eq(f.flags[i], pfn << 32 | 1);
			ck_assert_uint_eq(f.count[i], pfn * 3);
			ck_assert_uint_eq(f.cgroup[i], pfn * 5);
			ck_assert_uint_eq(f.owner[i].tag, pfn * 7);
		}
	}
	ck_assert_int_eq(ret, 0);
	ck_assert_uint_eq(pfn, total);
	frames_walk(&f, 7, 20);
	ck_assert_int_eq(frames_next(&f, 10), 1);
	ck_assert_int_eq(frames_next(&f, 10), 1);
	ck_assert_uint_eq(f.pfn, 17);
	ck_assert_uint_eq(f.n, 3);
	ck_assert_int_eq(frames_next(&f, 10), 0);
	ck_assert_uint_eq(f.end, total);
	ck_assert_int_eq(frames_read(&f, UINT64_MAX, 7), 0);
	frames_close(&f);
	tempdir_end();
}
END_TEST

START_TEST(flags_determine_the_end_of_memory)
{
	struct frames f;
	size_t i;

	tempdir_begin();
	put_files(100, 90);
	ck_assert_int_eq(frames_open(&f, ALL, NULL), 0);
	for (i = 0; i < FRAMES_BATCH; i++) {
		f.count[i] = 1;
		f.owner[i].refs = 1;
	}
	ck_assert_int_eq(frames_read(&f, 80, 50), 20);
	ck_assert_uint_eq(f.count[9], 89 * 3);
	ck_assert_uint_eq(f.owner[9].refs, 9);
	for (i = 10; i < 20; i++) {
		ck_assert_uint_eq(f.flags[i], (80 + i) << 32 | 1);
		ck_assert_uint_eq(f.count[i], 0);
		ck_assert_uint_eq(f.cgroup[i], 0);
		ck_assert_uint_eq(f.owner[i].refs, 0);
	}
	ck_assert_uint_eq(f.end, 100);
	frames_close(&f);
	/* without flags, another file determines the end */
	ck_assert_int_eq(frames_open(&f, FRAMES_COUNT | FRAMES_OWNER, NULL), 0);
	ck_assert_ptr_null(f.flags);
	ck_assert_uint_eq(f.end, 90);
	ck_assert_int_eq(frames_read(&f, 0, FRAMES_BATCH), 90);
	frames_close(&f);
	tempdir_end();
}
END_TEST

START_TEST(ends_are_found)
{
	static const size_t ends[] = { 0, 1, 2, 3, 4, 5, 7, 8, 9, 1023, 4097 };
	struct frames f;
	size_t i;

	tempdir_begin();
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		put_files(ends[i], 1);
		ck_assert_int_eq(frames_open(&f, FRAMES_FLAGS, NULL), 0);
		ck_assert_uint_eq(f.end, ends[i]);
		frames_close(&f);
	}
	tempdir_end();
}
END_TEST

static void check_gathered(struct frames *f, const uint64_t *pfn, size_t n,
			   size_t end)
{
	size_t i;

	ck_assert_int_eq(frames_gather(f, pfn, n), 0);
	for (i = 0; i < n; i++) {
		bool in = pfn[i] < end;

		ck_assert_uint_eq(f->flags[i], in ? pfn[i] << 32 | 1 :
						    PAGEFLAG(NOPAGE));
		ck_assert_uint_eq(f->count[i], in ? pfn[i] * 3 : 0);
		ck_assert_uint_eq(f->cgroup[i], in ? pfn[i] * 5 : 0);
		ck_assert_uint_eq(f->owner[i].tag, in ? pfn[i] * 7 : 0);
	}
}

START_TEST(frames_are_gathered)
{
	static const uint64_t few[] = { 7, 6, 6, 40, 9999, 39, 10001, 0, 72,
					UINT64_MAX, 10000, 9998, 105, 138,
					1ull << 61, 1ull << 60 };
	const size_t end = 30000;
	uint64_t *pfn = calloc(FRAMES_BATCH, sizeof(*pfn));
	uint64_t random = 12345;
	struct frames f;
	size_t i;

	tempdir_begin();
	put_files(end, end);
	ck_assert_int_eq(frames_open(&f, ALL, NULL), 0);
	check_gathered(&f, few, 0, end);
	check_gathered(&f, few, sizeof(few) / sizeof(*few), end);
	/* ascending, over more than one read; descending; at random */
	for (i = 0; i < FRAMES_BATCH; i++)
		pfn[i] = i / 4;
	check_gathered(&f, pfn, FRAMES_BATCH, end);
	for (i = 0; i < FRAMES_BATCH; i++)
		pfn[i] = (FRAMES_BATCH - i) / 4;
	check_gathered(&f, pfn, FRAMES_BATCH, end);
	for (i = 0; i < FRAMES_BATCH; i++)
		pfn[i] = random_below(&random, end + 100);
	check_gathered(&f, pfn, FRAMES_BATCH, end);
	check_gathered(&f, pfn, 50, end);
	frames_close(&f);
	free(pfn);
	tempdir_end();
}
END_TEST

START_TEST(another_file_of_flags)
{
	uint64_t flags[3] = { 4, 5, 6 };
	struct frames f;
	char path[128];

	tempdir_begin();
	put_files(10, 10);
	tempdir_put("other", flags, sizeof(flags));
	snprintf(path, sizeof(path), "%s", tempdir_path("other"));
	ck_assert_int_eq(frames_open(&f, FRAMES_FLAGS | FRAMES_COUNT, path), 0);
	ck_assert_int_eq(frames_read(&f, 0, 10), 3);
	ck_assert_uint_eq(f.flags[2], 6);
	ck_assert_uint_eq(f.count[2], 6);
	/* an incomplete last entry is an error, not the end */
	tempdir_put("other", flags, sizeof(flags) - 1);
	ck_assert_int_eq(frames_read(&f, 0, 10), -1);
	ck_assert_int_eq(frames_gather(&f, (uint64_t[]){ 0, 1, 2 }, 3), -1);
	frames_close(&f);
	ck_assert_int_eq(frames_open(&f, FRAMES_FLAGS, path), -1);
	frames_close(&f);
	/* a directory can be opened, but not read */
	ck_assert_int_eq(frames_open(&f, FRAMES_FLAGS, tempdir), -1);
	frames_close(&f);
	tempdir_end();
}
END_TEST

START_TEST(missing_files_are_errors)
{
	struct frames f;

	tempdir_begin();
	put_files(10, 10);
	tempdir_put_text("pages_version", "2\n");
	ck_assert_int_eq(frames_open(&f, FRAMES_OWNER, NULL), -1);
	frames_close(&f);
	unlink(tempdir_path("pages"));
	ck_assert_int_eq(frames_open(&f, FRAMES_FLAGS | FRAMES_OWNER, NULL), -1);
	frames_close(&f);
	unlink(tempdir_path("kpagecgroup"));
	ck_assert_int_eq(frames_open(&f, FRAMES_CGROUP, NULL), -1);
	frames_close(&f);
	ck_assert_int_eq(frames_open(&f, FRAMES_FLAGS, "/nowhere"), -1);
	frames_close(&f);
	setenv("KMEMTRACE_DIR", "/nowhere", 1);
	ck_assert_int_eq(frames_open(&f, FRAMES_OWNER, NULL), -1);
	frames_close(&f);
	tempdir_end();
}
END_TEST

UNIT_MAIN("frames", batches_follow_on_each_other, flags_determine_the_end_of_memory,
	  ends_are_found, frames_are_gathered, another_file_of_flags,
	  missing_files_are_errors)
