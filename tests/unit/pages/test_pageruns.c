// SPDX-License-Identifier: GPL-2.0-only
#include "pages/pageruns.h"
#include "tempdir.h"

#define MAX 32

/* the runs that the walk passed to keep(), each with those that continue it */
static struct pagerun got[MAX];
static size_t nr_got;

static int keep(void *arg, const struct pagerun *run)
{
	(void)arg;
	if (nr_got && pagerun_goes_on(&got[nr_got - 1], run)) {
		got[nr_got - 1].n += run->n;
		return 0;
	}
	ck_assert_uint_lt(nr_got, MAX);
	got[nr_got++] = *run;
	return 0;
}

static int refuse(void *arg, const struct pagerun *run)
{
	(void)arg;
	(void)run;
	nr_got++;
	return -1;
}

static void check_run(size_t i, uint64_t page, uint64_t frame, uint64_t n,
		      uint64_t flags)
{
	ck_assert_uint_lt(i, nr_got);
	ck_assert_uint_eq(got[i].page, page);
	ck_assert_uint_eq(got[i].frame, frame);
	ck_assert_uint_eq(got[i].n, n);
	ck_assert_uint_eq(got[i].flags, flags);
	ck_assert_int_eq(got[i].swapped, !!(flags & PAGEFLAG(SWAP)));
}

static void open_runs(struct pageruns *w, unsigned int files)
{
	*w = (struct pageruns){ .take = keep };
	nr_got = 0;
	ck_assert_int_eq(pageruns_open(w, files, NULL), 0);
}

START_TEST(frames_by_number)
{
	static const uint64_t flags[] = { 1, 1, 1, 2, 2, 1, 1, 1 };
	static const uint64_t count[] = { 0, 0, 5, 5, 5, 5, 5, 5 };
	static const uint64_t cgroup[] = { 0, 0, 0, 0, 0, 9, 9, 0 };
	static const struct pagespec_range all = { 0, UINT64_MAX };
	static const struct pagespec_range some = { 1, 4 };
	static const struct pagespec_range none = { 100, 200 };
	struct pageruns w;

	tempdir_begin();
	tempdir_put("kpageflags", flags, sizeof(flags));
	tempdir_put("kpagecount", count, sizeof(count));
	tempdir_put("kpagecgroup", cgroup, sizeof(cgroup));
	open_runs(&w, FRAMES_FLAGS);
	ck_assert_uint_eq(w.frames.end, 8);
	ck_assert_int_eq(pageruns_frames(&w, &all), 0);
	ck_assert_uint_eq(nr_got, 3);
	check_run(0, 0, 0, 3, 1);
	check_run(1, 3, 3, 2, 2);
	check_run(2, 5, 5, 3, 1);
	nr_got = 0;
	ck_assert_int_eq(pageruns_frames(&w, &some), 0);
	ck_assert_uint_eq(nr_got, 2);
	check_run(0, 0, 1, 2, 1);
	check_run(1, 2, 3, 1, 2);
	nr_got = 0;
	ck_assert_int_eq(pageruns_frames(&w, &none), 0);
	ck_assert_uint_eq(nr_got, 0);
	/* an error of take() ends the walk, which then fails */
	w.take = refuse;
	ck_assert_int_eq(pageruns_frames(&w, &all), -1);
	ck_assert_uint_eq(nr_got, 1);
	pageruns_close(&w);

	open_runs(&w, FRAMES_FLAGS | FRAMES_COUNT | FRAMES_CGROUP);
	ck_assert_int_eq(pageruns_frames(&w, &all), 0);
	ck_assert_uint_eq(nr_got, 5);
	check_run(0, 0, 0, 2, 1);
	check_run(1, 2, 2, 1, 1);
	ck_assert_uint_eq(got[1].count, 5);
	check_run(2, 3, 3, 2, 2);
	check_run(3, 5, 5, 2, 1);
	ck_assert_uint_eq(got[3].cgroup, 9);
	check_run(4, 7, 7, 1, 1);
	ck_assert_uint_eq(got[4].cgroup, 0);
	pageruns_close(&w);
	tempdir_end();
}
END_TEST

START_TEST(a_batch_ends_a_run)
{
	uint64_t *flags = calloc(200000, sizeof(*flags));
	static const struct pagespec_range some = { 10, 150000 };
	struct pageruns w;

	tempdir_begin();
	tempdir_put("kpageflags", flags, 200000 * sizeof(*flags));
	free(flags);
	open_runs(&w, FRAMES_FLAGS);
	ck_assert_int_eq(pageruns_frames(&w, &some), 0);
	ck_assert_uint_eq(nr_got, 3);
	check_run(0, 0, 10, 65536, 0);
	check_run(1, 0, 10 + 65536, 65536, 0);
	check_run(2, 0, 10 + 131072, 150000 - 10 - 131072, 0);
	ck_assert(!pagerun_goes_on(&got[0], &got[1]));
	pageruns_close(&w);
	tempdir_end();
}
END_TEST

#define FRAME(pfn, bits) (PM_PRESENT | (bits) | (pfn))
#define SWAP(offset)	 (PM_SWAPPED | (offset) << 5 | 3)

/* Process 7 maps pages 2 to 9 and 12 to 15, and [vsyscall]. */
static const uint64_t pagemap[] = {
	[2] = FRAME(5, 0),
	FRAME(6, 0),
	FRAME(7, PM_FILE),
	0,
	SWAP(10ull),
	SWAP(11ull),
	SWAP(5ull) | PM_SOFT_DIRTY,
	FRAME(1000, 0), /* device memory */
	/* not mapped: these entries are not read */
	FRAME(1, 0),
	FRAME(2, 0),
	[12] = FRAME(4, 0),
	FRAME(3, 0),
	FRAME(0, 0), /* number hidden from unprivileged readers */
	FRAME(3, PM_EXCLUSIVE | PM_SOFT_DIRTY),
};

static void put_process(void)
{
	static const uint64_t flags[] = { 9, 9, 9, 8, 7, 1, 1, 1 };

	tempdir_put("kpageflags", flags, sizeof(flags));
	tempdir_put_text("7/comm", "seven\n");
	tempdir_put_text("7/maps",
			 "2000-a000 rw-p 00000000 00:00 0 \n"
			 "c000-10000 rw-p 00000000 00:00 0 \n"
			 "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n");
	tempdir_put("7/pagemap", pagemap, sizeof(pagemap));
}

START_TEST(pages_of_a_process)
{
	static const struct pagespec_range all = { 0, UINT64_MAX };
	static const struct pagespec_range some = { 3, 13 };
	struct pageruns w;
	struct process p;

	tempdir_begin();
	put_process();
	open_runs(&w, FRAMES_FLAGS);
	ck_assert_int_eq(process_open(&p, 7), 0);
	ck_assert_int_eq(pageruns_process(&w, &p, &all), 0);
	ck_assert_uint_eq(nr_got, 7);
	check_run(0, 2, 5, 2, 1);
	check_run(1, 4, 7, 1, 1 | PAGEFLAG(FILE));
	check_run(2, 6, 10, 2, PAGEFLAG(SWAP));
	check_run(3, 8, 5, 1, PAGEFLAG(SWAP) | PAGEFLAG(SOFTDIRTY));
	check_run(4, 12, 4, 1, 7);
	check_run(5, 13, 3, 1, 8);
	check_run(6, 15, 3, 1,
		  8 | PAGEFLAG(MMAP_EXCLUSIVE) | PAGEFLAG(SOFTDIRTY));
	nr_got = 0;
	ck_assert_int_eq(pageruns_process(&w, &p, &some), 0);
	ck_assert_uint_eq(nr_got, 5);
	check_run(0, 3, 6, 1, 1);
	check_run(4, 12, 4, 1, 7);
	/* the pagemap of a process that has ended is empty */
	tempdir_put("7/pagemap", "", 0);
	nr_got = 0;
	ck_assert_int_eq(pageruns_process(&w, &p, &all), 0);
	ck_assert_uint_eq(nr_got, 0);
	process_close(&p);
	pageruns_close(&w);
	tempdir_end();
}
END_TEST

UNIT_MAIN("pageruns", frames_by_number, a_batch_ends_a_run, pages_of_a_process)
