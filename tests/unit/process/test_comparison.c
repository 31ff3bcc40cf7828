// SPDX-License-Identifier: GPL-2.0-only
/* Linked so that a test changes the processes before each reading, and after the last. */
#include <fcntl.h>
#include <stdio.h>

#include "base/msg.h"
#include "frames/pageflags.h"
#include "process/comparison.h"
#include "tempdir.h"

#define PAGE   4096ull
#define FRAMES 1024
#define READINGS 4
#define FILE_PAGE (PM_PRESENT | PM_FILE)
#define EXCLUSIVE (PM_PRESENT | PM_EXCLUSIVE)
#define SWAPPED(area, place) (PM_SWAPPED | (area) | (uint64_t)(place) << 5)

/* two processes with these mappings */
#define MAPS "10000-20000 rw-p 0 00:00 0  [heap]\n20000-30000 r--p 0 00:01 7  /f\n"

static const int pids[COMPARISON_SIDES] = { 41, 42 };
static struct comparison c;
static int readings;
static void (*change)(int reading);

int __real_footprint_read(struct footprint_reader *r, struct footprint *f,
			  int pid, const struct footprint_choice *choice);
int __wrap_footprint_read(struct footprint_reader *r, struct footprint *f,
			  int pid, const struct footprint_choice *choice);

int __wrap_footprint_read(struct footprint_reader *r, struct footprint *f,
			  int pid, const struct footprint_choice *choice)
{
	int err;

	if (change)
		change(readings);
	err = __real_footprint_read(r, f, pid, choice);
	if (++readings == READINGS && change)
		change(readings);
	return err;
}

static void put_entry(int pid, uint64_t page, uint64_t entry)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "%d/pagemap", pid);
	fd = open(tempdir_path(name), O_WRONLY | O_CREAT, 0600);
	ck_assert_int_eq(pwrite(fd, &entry, 8, page * 8), 8);
	close(fd);
}

static void put_process(int pid, const char *maps)
{
	char name[32];

	snprintf(name, sizeof(name), "%d/comm", pid);
	tempdir_put_text(name, "x\n");
	snprintf(name, sizeof(name), "%d/maps", pid);
	tempdir_put_text(name, maps);
	put_entry(pid, 0x2f, 0);
}

/*
 * Frames from 0x100 on are anonymous, from 0x200 on of files, from 0x300 on of hugetlb; 4
 * is the zero page.
 */
static void begin(void)
{
	static uint64_t flags[FRAMES], counts[FRAMES];
	const uint64_t own = PM_PRESENT | 5;
	size_t i;

	tempdir_begin();
	for (i = 0x100; i < FRAMES; i++) {
		flags[i] = i < 0x200 ? PAGEFLAG(ANON) :
			   i < 0x300 ? PAGEFLAG(MMAP) : PAGEFLAG(HUGE);
		counts[i] = 2;
	}
	flags[4] = PAGEFLAG(ZERO_PAGE);
	tempdir_put("self/pagemap", &own, sizeof(own));
	tempdir_put("kpageflags", flags, sizeof(flags));
	tempdir_put("kpagecount", counts, sizeof(counts));
	put_process(41, MAPS);
	put_process(42, MAPS);
	readings = 0;
}

static void end(void)
{
	comparison_free(&c);
	tempdir_end();
}

/* Check sums in pages: in both of A, in both of B, only in A, only in B. */
static void expect_rss(uint64_t both_a, uint64_t both_b, uint64_t only_a,
		       uint64_t only_b)
{
	ck_assert_uint_eq(c.side[0].both.rss, both_a * PAGE);
	ck_assert_uint_eq(c.side[1].both.rss, both_b * PAGE);
	ck_assert_uint_eq(c.side[0].total.rss, (both_a + only_a) * PAGE);
	ck_assert_uint_eq(c.side[1].total.rss, (both_b + only_b) * PAGE);
}

static void expect_error(uint64_t a, uint64_t b, uint64_t swap_a, uint64_t swap_b)
{
	ck_assert_uint_eq(c.uncertain[0], a * PAGE);
	ck_assert_uint_eq(c.uncertain[1], b * PAGE);
	ck_assert_uint_eq(c.uncertain_swap[0], swap_a * PAGE);
	ck_assert_uint_eq(c.uncertain_swap[1], swap_b * PAGE);
}

START_TEST(kinds)
{
	begin();
	/* 3 common pages, at other addresses; 2 of A, 1 of B; the zero page in both */
	put_entry(41, 0x10, PM_PRESENT | 0x100);
	put_entry(41, 0x11, EXCLUSIVE | 0x101);
	put_entry(41, 0x12, PM_PRESENT | 4);
	put_entry(41, 0x20, FILE_PAGE | 0x200);
	put_entry(41, 0x21, FILE_PAGE | 0x201);
	put_entry(41, 0x22, FILE_PAGE | 0x202);
	put_entry(42, 0x15, PM_PRESENT | 0x100);
	put_entry(42, 0x16, EXCLUSIVE | 0x102);
	put_entry(42, 0x17, PM_PRESENT | 4);
	put_entry(42, 0x20, FILE_PAGE | 0x200);
	put_entry(42, 0x21, FILE_PAGE | 0x201);
	/* hugetlb: 2 common pages, 1 of B */
	put_entry(41, 0x2a, FILE_PAGE | 0x300);
	put_entry(41, 0x2b, FILE_PAGE | 0x301);
	put_entry(42, 0x2a, FILE_PAGE | 0x300);
	put_entry(42, 0x2b, FILE_PAGE | 0x301);
	put_entry(42, 0x2c, FILE_PAGE | 0x302);
	/* swap: 1 common page, 1 of A, 2 of B, a marker that is not in swap */
	put_entry(41, 0x18, SWAPPED(1, 9));
	put_entry(41, 0x19, SWAPPED(1, 10));
	put_entry(42, 0x18, SWAPPED(1, 9));
	put_entry(42, 0x19, SWAPPED(0, 10));
	put_entry(42, 0x1a, SWAPPED(0, 11));
	put_entry(41, 0x1b, SWAPPED(31, 2));
	put_entry(42, 0x1b, SWAPPED(31, 2));
	ck_assert_int_eq(comparison_read(&c, pids), EXIT_DONE);
	ck_assert_int_eq(readings, READINGS);
	expect_rss(3, 3, 2, 1);
	ck_assert_uint_eq(c.side[0].both.anon, PAGE);
	ck_assert_uint_eq(c.side[0].both.hugetlb, 2 * PAGE);
	ck_assert_uint_eq(c.side[0].total.hugetlb, 2 * PAGE);
	ck_assert_uint_eq(c.side[1].both.hugetlb, 2 * PAGE);
	ck_assert_uint_eq(c.side[1].total.hugetlb, 3 * PAGE);
	ck_assert_uint_eq(c.side[0].both.swap, PAGE);
	ck_assert_uint_eq(c.side[0].total.swap, 2 * PAGE);
	ck_assert_uint_eq(c.side[1].both.swap, PAGE);
	ck_assert_uint_eq(c.side[1].total.swap, 3 * PAGE);
	ck_assert_uint_eq(c.once.both, 5 * PAGE);
	ck_assert_uint_eq(c.once.only[0], 2 * PAGE);
	ck_assert_uint_eq(c.once.only[1], 2 * PAGE);
	ck_assert_uint_eq(c.pairs, 2);
	ck_assert_uint_eq(c.pair[0].side[0]->both.rss, PAGE);
	ck_assert_uint_eq(c.pair[1].side[1]->both.rss, 2 * PAGE);
	expect_error(0, 0, 0, 0);
	ck_assert_uint_eq(c.changed[0] + c.changed[1], 0);
	end();
}
END_TEST

/* A page counts as often as it is mapped, and in @once only once. */
START_TEST(several)
{
	size_t i;

	begin();
	for (i = 0; i < 3; i++)
		put_entry(41, 0x20 + i, FILE_PAGE | 0x200);
	put_entry(42, 0x20, FILE_PAGE | 0x200);
	ck_assert_int_eq(comparison_read(&c, pids), EXIT_DONE);
	expect_rss(3, 1, 0, 0);
	ck_assert_uint_eq(c.once.both, PAGE);
	ck_assert_uint_eq(c.once.only[0] + c.once.only[1], 0);
	end();
}
END_TEST

/* Readings 0 and 2 are of process 41, the others of 42. */
static void come_and_go(int reading)
{
	/* 41 replaces a common page by an own one, between its readings */
	if (reading == 2) {
		put_entry(41, 0x10, EXCLUSIVE | 0x110);
		put_entry(41, 0x14, 0);
	}
	/* 42 gets a page in common, after its first reading, and one of its own */
	if (reading == 3) {
		put_entry(42, 0x11, PM_PRESENT | 0x101);
		put_entry(42, 0x12, PM_PRESENT | 0x120);
		put_entry(42, 0x13, SWAPPED(0, 5));
		/* the frame of a page that 41 had in its first reading: in no figure */
		put_entry(42, 0x14, PM_PRESENT | 0x102);
	}
}

START_TEST(changes)
{
	begin();
	put_entry(41, 0x10, PM_PRESENT | 0x100);
	put_entry(41, 0x11, PM_PRESENT | 0x101);
	put_entry(41, 0x13, SWAPPED(0, 5));
	put_entry(41, 0x14, PM_PRESENT | 0x102);
	put_entry(42, 0x10, PM_PRESENT | 0x100);
	change = come_and_go;
	ck_assert_int_eq(comparison_read(&c, pids), EXIT_DONE);
	change = NULL;
	/* A: 101 and 110 are not in the first reading of B; B: 100 was in A then */
	expect_rss(0, 1, 2, 0);
	ck_assert_uint_eq(c.side[0].both.swap, 0);
	expect_error(1, 1, 1, 0);
	ck_assert_uint_eq(c.changed[0], 3 * PAGE);
	ck_assert_uint_eq(c.changed[1], 4 * PAGE);
	end();
}
END_TEST

static void run_program(int reading)
{
	if (reading != 2)
		return;
	put_process(41, "50000-60000 rw-p 0 00:00 0\n");
	put_entry(41, 0x50, PM_PRESENT | 0x130);
	put_entry(41, 0x5f, 0);
}

/* A process that executes a program meanwhile: everything is uncertain. */
START_TEST(executes)
{
	begin();
	put_entry(41, 0x10, PM_PRESENT | 0x100);
	put_entry(42, 0x10, PM_PRESENT | 0x100);
	change = run_program;
	ck_assert_int_eq(comparison_read(&c, pids), EXIT_DONE);
	change = NULL;
	expect_rss(0, 1, 1, 0);
	expect_error(0, 1, 0, 0);
	ck_assert_uint_eq(c.side[0].row[0].start, 0x50000);
	end();
}
END_TEST

static int ends_at;

static void end_process(int reading)
{
	char command[160];

	if (reading != ends_at)
		return;
	snprintf(command, sizeof(command), "rm -r %s", tempdir_path("42"));
	ck_assert_int_eq(system(command), 0);
}

static void become_zombie(int reading)
{
	if (reading == ends_at)
		put_process(42, "");
}

static int read_ending(void (*how)(int reading), int at)
{
	int ret;

	strcpy(tempdir + strlen(tempdir) - 6, "XXXXXX");
	begin();
	ends_at = at;
	change = how;
	ret = comparison_read(&c, pids);
	change = NULL;
	end();
	return ret;
}

/* Before each of the readings, and after the last one. */
START_TEST(ends)
{
	int i;

	for (i = 0; i < READINGS; i++) {
		ck_assert_int_eq(read_ending(end_process, i), EXIT_FAILED);
		ck_assert_int_eq(read_ending(become_zombie, i), EXIT_FAILED);
	}
	ck_assert_int_eq(read_ending(end_process, READINGS), EXIT_FAILED);
	ck_assert_int_eq(read_ending(become_zombie, READINGS), EXIT_DONE);
}
END_TEST

START_TEST(refuses)
{
	static const int same[] = { 41, 41 }, gone[] = { 41, 9 };
	static const int threads[] = { 41, 43 }, kernel[] = { 2, 41 };
	static const int other[] = { 43, 42 };
	const uint64_t hidden = PM_PRESENT;

	begin();
	put_process(43, MAPS);
	tempdir_put_text("43/status", "Name:\tx\nTgid:\t41\nPid:\t43\n");
	put_process(2, "");
	tempdir_put_text("2/stat", "2 (x) S 0 0 0 0 -1 2129984 0 0\n");
	ck_assert_int_eq(comparison_read(&c, same), EXIT_FAILED);
	comparison_free(&c);
	ck_assert_int_eq(comparison_read(&c, gone), EXIT_FAILED);
	comparison_free(&c);
	ck_assert_int_eq(comparison_read(&c, threads), EXIT_FAILED);
	comparison_free(&c);
	ck_assert_int_eq(comparison_read(&c, kernel), EXIT_FAILED);
	comparison_free(&c);
	ck_assert_int_eq(readings, 0);
	ck_assert_int_eq(comparison_read(&c, other), EXIT_DONE);
	comparison_free(&c);
	tempdir_put("self/pagemap", &hidden, sizeof(hidden));
	readings = 0;
	ck_assert_int_eq(comparison_read(&c, pids), EXIT_FAILED);
	ck_assert_int_eq(readings, 0);
	ck_assert_int_eq(process_find("42"), 42);
	ck_assert_int_eq(process_find("x"), 0);
	ck_assert_int_eq(process_find("moon"), 0);
	tempdir_put_text("2/comm", "one\n");
	ck_assert_int_eq(process_find("one"), 2);
	end();
}
END_TEST

UNIT_MAIN("comparison", kinds, several, changes, executes, ends, refuses)
