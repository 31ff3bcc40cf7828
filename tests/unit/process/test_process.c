// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/process.h"
#include "unit.h"

static char proc[] = "/tmp/kmt_process_XXXXXX";

/* Make the directory of a process, and a file in it unless @file is NULL. */
static void put(const char *pid, const char *file, const void *data, size_t n)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", proc, pid);
	mkdir(path, 0700);
	if (!file)
		return;
	snprintf(path, sizeof(path), "%s/%s/%s", proc, pid, file);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(data, 1, n, f), n);
	fclose(f);
}

static void put_text(const char *pid, const char *file, const char *text)
{
	put(pid, file, text, strlen(text));
}

static void put_process(const char *pid, const char *comm, const char *maps)
{
	put_text(pid, "comm", comm);
	put_text(pid, "maps", maps);
	put_text(pid, "pagemap", "");
}

static void begin(void)
{
	ck_assert_ptr_nonnull(mkdtemp(proc));
	ck_assert_int_eq(setenv("KMEMTRACE_PROC", proc, 1), 0);
}

static void end(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", proc);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(maps)
{
	static const struct mapping expected[] = {
		{ 0x55aabbc00000, 0x55aabbc02000, 0, 1234567, 0xfe, 1, "r-xp",
		  "/usr/bin/with blanks  in it (deleted)" },
		{ 0x55aabbd00000, 0x55aabbd21000, 0, 0, 0, 0, "rw-p",
		  "[heap]" },
		{ 0x7f0000000000, 0x7f0000001000, 0, 0, 0, 0, "---p", "" },
		{ 0x7f0000001000, 0x7f0000003000, 0x12000, 9, 0, 0x1a, "rw-s",
		  "/a\\012b\\033[1m\xc3\xbc" },
		{ 0xffffffffff600000, 0xffffffffff601000, 0, 0, 0, 0, "--xp",
		  "[vsyscall]" },
	};
	struct process p;
	size_t i;

	begin();
	put_process("42", "a b\033[1m\n",
		    "55aabbc00000-55aabbc02000 r-xp 00000000 fe:01 1234567"
		    "                   /usr/bin/with blanks  in it (deleted)\n"
		    "55aabbd00000-55aabbd21000 rw-p 00000000 00:00 0   [heap]\n"
		    "7f0000000000-7f0000001000 ---p 00000000 00:00 0 \n"
		    "7f0000001000-7f0000003000 rw-s 00012000 00:1a 9   "
		    "/a\\012b\033[1m\xc3\xbc\n"
		    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0  "
		    "[vsyscall]");
	ck_assert_int_eq(process_open(&p, 42), 0);
	ck_assert_int_eq(p.pid, 42);
	ck_assert_str_eq(p.name, "a b\\x1b[1m");
	ck_assert_uint_eq(p.nr_maps, 5);
	for (i = 0; i < 5; i++) {
		const struct mapping *m = &p.map[i], *x = &expected[i];

		ck_assert_uint_eq(m->start, x->start);
		ck_assert_uint_eq(m->end, x->end);
		ck_assert_uint_eq(m->offset, x->offset);
		ck_assert_uint_eq(m->inode, x->inode);
		ck_assert_uint_eq(m->major, x->major);
		ck_assert_uint_eq(m->minor, x->minor);
		ck_assert_str_eq(m->perms, x->perms);
		ck_assert_str_eq(m->path, x->path);
	}
	process_close(&p);
	process_close(&p);
	end();
}
END_TEST

START_TEST(bad_maps)
{
	static const char *const bad[] = {
		"x\n",
		"\n",
		"1000-2000 rw-p 00000000 00:00\n",
		"1000-2000 r\n1000-2000 rw-p 00000000 00:00 0\n",
		"2000-1000 rw-p 00000000 00:00 0\n",
		"1000-1000 rw-p 00000000 00:00 0\n",
		"1000-2000 rw-p 00000000 00:00 0\nnonsense",
	};
	struct process p;
	size_t i;

	begin();
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		put_process("7", "x\n", bad[i]);
		ck_assert_int_eq(process_open(&p, 7), -EINVAL);
		process_close(&p);
	}
	end();
}
END_TEST

/* No mappings; no such process; a process that ended while it was opened. */
START_TEST(absent)
{
	struct process p;

	begin();
	put_process("2", "kthreadd\n", "");
	ck_assert_int_eq(process_open(&p, 2), 0);
	ck_assert_uint_eq(p.nr_maps, 0);
	process_close(&p);
	ck_assert_int_eq(process_open(&p, 3), -ESRCH);
	process_close(&p);
	put("4", NULL, NULL, 0);
	ck_assert_int_eq(process_open(&p, 4), -ESRCH);
	process_close(&p);
	end();
}
END_TEST

START_TEST(kthread)
{
	static const struct {
		const char *stat;
		bool is;
	} rows[] = {
		{ "2 (a) S 0 0 0 0 -1 2129984 0 0 0", true },
		{ "2 (a) S 1 (b) R 0 0 0 0 -1 2097152 0", true },
		{ "2 (x) S 1 2 3 4 5 4194560 0 0 0", false },
		{ "2 (x", false },
		{ "", false },
	};
	struct process p;
	size_t i;

	begin();
	put_process("2", "x\n", "");
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		put_text("2", "stat", rows[i].stat);
		ck_assert_int_eq(process_open(&p, 2), 0);
		ck_assert_int_eq(process_is_kthread(&p), rows[i].is);
		process_close(&p);
	}
	end();
}
END_TEST

START_TEST(pagemap)
{
	static const uint64_t made[] = { 0, PM_PRESENT | 77, PM_SWAPPED | 0x46,
					 PM_PRESENT | PM_FILE | 3 };
	uint64_t entry[8];
	struct process p;

	begin();
	put_process("9", "x", "0-4000 rw-p 00000000 00:00 0\n");
	put("9", "pagemap", made, sizeof(made));
	ck_assert_int_eq(process_open(&p, 9), 0);
	ck_assert_int_eq(process_pagemap(&p, 1, entry, 2), 2);
	ck_assert_uint_eq(PM_PFN(entry[0]), 77);
	ck_assert_uint_eq(PM_SWAP_TYPE(entry[1]), 6);
	ck_assert_uint_eq(PM_SWAP_OFFSET(entry[1]), 2);
	ck_assert_int_eq(process_pagemap(&p, 2, entry, 8), 2);
	ck_assert_int_eq(process_pagemap(&p, 4, entry, 8), 0);
	process_close(&p);
	ck_assert_int_eq(process_pagemap(&p, 1, entry, 2), 0);
	end();
}
END_TEST

static void check_list(const char *what, size_t n, ...)
{
	va_list args;
	int *pids;
	size_t i;

	ck_assert_int_eq(process_list(what, &pids), n);
	va_start(args, n);
	for (i = 0; i < n; i++)
		ck_assert_int_eq(pids[i], va_arg(args, int));
	va_end(args);
	free(pids);
}

START_TEST(lists)
{
	int *pids;

	begin();
	put_process("100", "sleep\n", "");
	put_process("1", "init\n", "");
	put_process("20", "sleep\n", "");
	put_process("3", "systemd-journal\n", "");
	put_process("4", "systemd-journa\n", "");
	put("5", NULL, NULL, 0);
	put("sys", NULL, NULL, 0);
	put_process("6x", "sleep\n", "");
	check_list(NULL, 6, 1, 3, 4, 5, 20, 100);
	check_list("sleep", 2, 20, 100);
	check_list("slee", 0);
	check_list("systemd-journald", 1, 3);
	check_list("systemd-journal", 1, 3);
	check_list("20", 1, 20);
	check_list("21", 0);
	check_list("99999999999999999999", 0);
	check_list("sys", 0);
	end();
	ck_assert_int_eq(setenv("KMEMTRACE_PROC", "/nowhere", 1), 0);
	ck_assert_int_eq(process_list(NULL, &pids), -1);
	ck_assert_ptr_null(pids);
}
END_TEST

START_TEST(sees)
{
	static const uint64_t hidden = PM_PRESENT | PM_SOFT_DIRTY;
	static const uint64_t shown = PM_PRESENT | 5;

	begin();
	ck_assert(!process_sees_frames());
	put("self", "pagemap", &hidden, sizeof(hidden));
	ck_assert(!process_sees_frames());
	ck_assert(process_own_entry() & PM_SOFT_DIRTY);
	put("self", "pagemap", &shown, sizeof(shown));
	ck_assert(process_sees_frames());
	ck_assert(!(process_own_entry() & PM_SOFT_DIRTY));
	end();
}
END_TEST

/* Use the real /proc; check facts that hold on any machine. */
START_TEST(self)
{
	struct process p;
	uint64_t entry;
	size_t i;
	bool found = false;

	unsetenv("KMEMTRACE_PROC");
	ck_assert_int_eq(process_open(&p, getpid()), 0);
	for (i = 0; i < p.nr_maps; i++)
		if (p.map[i].start <= (uintptr_t)&p &&
		    (uintptr_t)&p < p.map[i].end)
			found = !strcmp(p.map[i].path, "[stack]");
	ck_assert(found);
	ck_assert_int_eq(process_pagemap(&p, (uintptr_t)&p / getpagesize(),
					 &entry, 1), 1);
	ck_assert(entry & PM_PRESENT);
	ck_assert_int_eq(PM_PFN(entry) != 0, process_sees_frames());
	process_close(&p);
}
END_TEST

UNIT_MAIN("process", maps, bad_maps, absent, kthread, pagemap, lists, sees, self)
