// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frames/pageflags.h"
#include "process/footprint.h"
#include "unit.h"

#define PAGE   4096ull
#define FRAMES 400000
#define FLAG(f) PAGEFLAG(f)

static char proc[] = "/tmp/kmt_footprint_XXXXXX";
static uint64_t flags[FRAMES], counts[FRAMES];
static struct footprint_reader reader;
static const struct footprint_choice all = { .end = UINT64_MAX };

/* number of frames that were looked up */
static size_t gathered;

int __real_frames_gather(struct frames *f, const uint64_t *pfn, size_t n);
int __wrap_frames_gather(struct frames *f, const uint64_t *pfn, size_t n);
int __wrap_frames_gather(struct frames *f, const uint64_t *pfn, size_t n)
{
	gathered += n;
	return __real_frames_gather(f, pfn, n);
}

static void put(const char *name, const void *data, size_t n)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", proc, name);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(data, 1, n, f), n);
	fclose(f);
}

static void put_entry(const char *pid, uint64_t page, uint64_t entry)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s/pagemap", proc, pid);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	ck_assert_int_eq(pwrite(fd, &entry, 8, page * 8), 8);
	close(fd);
}

static void put_process(const char *pid, const char *maps)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", proc, pid);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/comm", pid);
	put(path, "x\n", 2);
	snprintf(path, sizeof(path), "%s/maps", pid);
	put(path, maps, strlen(maps));
}

/* @own: pagemap entry of this process; frame 5 is an anonymous page of it */
static void begin(uint64_t own)
{
	ck_assert_ptr_nonnull(mkdtemp(proc));
	ck_assert_int_eq(setenv("KMEMTRACE_PROC", proc, 1), 0);
	put_process("self", "");
	put_entry("self", 0, own);
	flags[5] |= FLAG(ANON);
}

static void start(void)
{
	put("kpageflags", flags, sizeof(flags));
	put("kpagecount", counts, sizeof(counts));
	ck_assert_int_eq(footprint_start(&reader, NULL), 0);
}

static void end(void)
{
	char command[64];

	footprint_stop(&reader);
	snprintf(command, sizeof(command), "rm -r %s", proc);
	ck_assert_int_eq(system(command), 0);
}

/* Two mappings have more frames than one look-up takes, and in no order. */
START_TEST(many)
{
	struct footprint f;
	uint64_t i, own = PM_PRESENT | 5;

	begin(own);
	put_process("9", "10000000-40000000 rw-p 0 00:00 0\n"
			 "50000000-60000000 rw-p 0 00:00 0   /a b\n");
	/* every page of the first mapping, every second page of the other */
	for (i = 0x10000; i < 0x40000; i++)
		put_entry("9", i, PM_PRESENT | (FRAMES + 0x10000 - 1 - i));
	for (i = 0x50000; i < 0x60000; i += 2)
		put_entry("9", i, PM_PRESENT | PM_FILE | 77);
	put_entry("9", 0x60000 - 1, 0);
	for (i = 100; i < FRAMES; i++) {
		flags[i] = FLAG(ANON);
		counts[i] = 1 + i % 2;
	}
	flags[77] = 0;
	counts[77] = 0x8000;
	start();
	ck_assert_int_eq(footprint_read(&reader, &f, 9, &all), 0);
	ck_assert_uint_eq(f.rows, 2);
	ck_assert_uint_eq(f.row[0].usage.rss, 0x30000 * PAGE);
	ck_assert_uint_eq(f.row[0].usage.uss, 0x18000 * PAGE);
	ck_assert_uint_eq(f.row[0].usage.pss >> USAGE_PSS_SHIFT,
			  0x24000 * PAGE);
	ck_assert_uint_eq(f.row[1].usage.rss, 0x8000 * PAGE);
	ck_assert_uint_eq(f.row[1].usage.uss, 0);
	ck_assert_uint_eq(f.row[1].usage.pss >> USAGE_PSS_SHIFT, PAGE);
	ck_assert_uint_eq(f.total.size, 0x40000 * PAGE);
	ck_assert_uint_eq(f.total.anon, 0x30000 * PAGE);
	ck_assert_uint_eq(reader.pending, 0);
	footprint_free(&f);
	end();
}
END_TEST

START_TEST(chooses)
{
	static const struct {
		struct footprint_choice choice;
		uint64_t start, end;
		size_t rows;
	} rows[] = {
		{ { NULL, 0, UINT64_MAX }, 0x1000, 0x3000, 3 },
		{ { "anon", 0, UINT64_MAX }, 0x1000, 0x3000, 1 },
		{ { "b", 0, UINT64_MAX }, 0x3000, 0x5000, 2 },
		{ { NULL, 0x2001, 0x2002 }, 0x2000, 0x3000, 1 },
		{ { NULL, 0x2fff, 0x3001 }, 0x2000, 0x3000, 2 },
		{ { NULL, 0x3000, 0x5000 }, 0x3000, 0x5000, 1 },
		{ { "a", 0x8000, 0x9000 }, 0, 0, 0 },
		{ { "moon", 0, UINT64_MAX }, 0, 0, 0 },
	};
	struct footprint f;
	size_t i;

	begin(PM_PRESENT | 5);
	put_process("9", "1000-3000 rw-p 0 00:00 0\n"
			 "3000-5000 rw-p 0 00:00 0  /ab\n"
			 "5000-6000 rw-p 0 00:00 0  [b]\n");
	put_entry("9", 5, 0);
	start();
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ck_assert_int_eq(footprint_read(&reader, &f, 9, &rows[i].choice),
				 0);
		ck_assert_uint_eq(f.rows, rows[i].rows);
		if (f.rows) {
			ck_assert_uint_eq(f.row[0].start, rows[i].start);
			ck_assert_uint_eq(f.row[0].end, rows[i].end);
			ck_assert_uint_eq(f.row[0].usage.size,
					  f.row[0].end - f.row[0].start);
		}
		footprint_free(&f);
	}
	end();
}
END_TEST

/* A tail is locked if its own head is. */
START_TEST(locked)
{
	static const uint64_t is[] = {
		FLAG(COMPOUND_HEAD) | FLAG(MLOCKED), FLAG(COMPOUND_TAIL),
		FLAG(COMPOUND_TAIL), FLAG(COMPOUND_HEAD), FLAG(COMPOUND_TAIL),
		FLAG(MLOCKED), FLAG(COMPOUND_TAIL) | FLAG(MLOCKED),
	};
	struct footprint f;
	size_t i;

	begin(PM_PRESENT | 5);
	put_process("9", "1000-a000 rw-p 0 00:00 0\n");
	for (i = 0; i < 7; i++) {
		flags[100 + i] = is[i] | FLAG(ANON);
		put_entry("9", 1 + i, PM_PRESENT | (100 + i));
	}
	/* a head without its tail, and a tail without its head */
	flags[200] = FLAG(COMPOUND_HEAD) | FLAG(MLOCKED) | FLAG(ANON);
	flags[202] = FLAG(COMPOUND_TAIL) | FLAG(ANON);
	put_entry("9", 8, PM_PRESENT | 200);
	put_entry("9", 9, PM_PRESENT | 202);
	start();
	ck_assert_int_eq(footprint_read(&reader, &f, 9, &all), 0);
	ck_assert_uint_eq(f.total.rss, 9 * PAGE);
	ck_assert_uint_eq(f.total.locked, 6 * PAGE);
	footprint_free(&f);
	end();
}
END_TEST

/* Some kernels report all anonymous pages as merged. */
START_TEST(merged)
{
	begin(PM_PRESENT | 5);
	start();
	ck_assert(reader.sees_ksm);
	footprint_stop(&reader);
	flags[5] |= FLAG(KSM);
	start();
	ck_assert(!reader.sees_ksm);
	end();
}
END_TEST

START_TEST(hidden)
{
	struct footprint f;

	begin(PM_PRESENT);
	put_process("9", "1000-5000 rw-p 0 00:00 0\n"
			 "5000-6000 r--p 0 00:00 0   [vvar]\n"
			 "6000-7000 r--p 0 00:00 0   [vvar_vclock]\n");
	put_entry("9", 1, PM_PRESENT | PM_EXCLUSIVE);
	put_entry("9", 2, PM_PRESENT | PM_FILE);
	put_entry("9", 5, PM_PRESENT);
	put_entry("9", 6, PM_PRESENT);
	start();
	ck_assert(!reader.sees_frames && !reader.sees_ksm);
	ck_assert_int_eq(footprint_read(&reader, &f, 9, &all), 0);
	ck_assert_uint_eq(f.total.rss, 2 * PAGE);
	ck_assert_uint_eq(f.total.uss, PAGE);
	ck_assert_uint_eq(f.total.anon, PAGE);
	footprint_free(&f);
	end();
}
END_TEST

START_TEST(ends)
{
	struct footprint f;

	begin(PM_PRESENT | 5);
	put_process("9", "1000-5000 rw-p 0 00:00 0\n");
	put_entry("9", 1, PM_PRESENT | 5);
	put_process("10", "");
	put_entry("10", 0, 0);
	put_process("11", "7ffffffff000-ffff800000000000 rw-p 0 00:00 0\n");
	put_entry("11", 0, 0);
	start();
	ck_assert_int_eq(footprint_read(&reader, &f, 9, &all), -ESRCH);
	footprint_free(&f);
	ck_assert_int_eq(footprint_read(&reader, &f, 8, &all), -ESRCH);
	footprint_free(&f);
	ck_assert_int_eq(footprint_read(&reader, &f, 10, &all), 0);
	ck_assert_uint_eq(f.rows, 0);
	footprint_free(&f);
	/* pagemap has no entries for kernel addresses */
	ck_assert_int_eq(footprint_read(&reader, &f, 11, &all), 0);
	ck_assert_uint_eq(f.total.rss, 0);
	footprint_keep_total(&f);
	ck_assert_uint_eq(f.total.size, 0xffff800000000000 - 0x7ffffffff000);
	ck_assert_uint_eq(f.rows, 0);
	ck_assert_int_eq(f.process.pid, 11);
	ck_assert_str_eq(f.process.name, "x");
	end();
}
END_TEST

/* The huge zero page is mapped at 384 places, and the small one at as many pages as a half. */
START_TEST(zero_pages)
{
	static uint64_t entries[0x48000];
	struct footprint f;
	uint64_t i;

	begin(PM_PRESENT | 5);
	put_process("9", "10000000-48000000 rw-p 0 00:00 0\n");
	for (i = 0x10000; i < 0x40000; i++)
		entries[i] = PM_PRESENT | (1024 + i % 512);
	for (; i < 0x48000; i++)
		entries[i] = PM_PRESENT | (i % 2 ? 77 : 100000 + i / 2);
	put("9/pagemap", entries, sizeof(entries));
	flags[77] = FLAG(ZERO_PAGE);
	for (i = 1024; i < 1536; i++)
		flags[i] = FLAG(ZERO_PAGE);
	for (i = 100000; i < FRAMES; i++)
		flags[i] = FLAG(ANON);
	start();
	gathered = 0;
	ck_assert_int_eq(footprint_read(&reader, &f, 9, &all), 0);
	ck_assert_uint_eq(f.total.rss, 0x4000 * PAGE);
	/* the first frames are known after a batch, and the small page is in the last chunk */
	ck_assert_uint_eq(gathered, FRAMES_BATCH + PAGESCAN_ENTRIES);
	footprint_free(&f);
	/* another process maps other pages */
	put_process("8", "10000000-10200000 rw-p 0 00:00 0\n");
	for (i = 0; i < 512; i++) {
		entries[0x10000 + i] = PM_PRESENT | (1024 + i);
		flags[1024 + i] = FLAG(ANON);
	}
	put("8/pagemap", entries, 0x10200 * sizeof(*entries));
	put("kpageflags", flags, sizeof(flags));
	ck_assert_int_eq(footprint_read(&reader, &f, 8, &all), 0);
	ck_assert_uint_eq(f.total.rss, 512 * PAGE);
	footprint_free(&f);
	end();
}
END_TEST

UNIT_MAIN("footprint", many, chooses, locked, merged, hidden, ends, zero_pages)
