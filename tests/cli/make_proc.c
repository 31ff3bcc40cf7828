// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a directory that looks like /proc to the tool:
 *
 *   make_proc DIR [hidden|forked]      hidden: without frame numbers; forked: process 42
 *                                      has a child, 43, which has a thread, 44
 *
 * It contains some processes, their mappings, and the frames of these.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frames/pageflags.h"
#include "process/process.h"

#define FRAMES	  4096
#define PAGE	  4096ull
#define WHOLE	  512
#define FLAG(f)	  PAGEFLAG(f)
#define EXCLUSIVE (PM_PRESENT | PM_EXCLUSIVE)
#define FILE_PAGE (PM_PRESENT | PM_FILE)

static const char *top;
static bool hidden;
static uint64_t flags[FRAMES], counts[FRAMES];

static int open_file(const char *dir, const char *name)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", top, dir);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%s/%s", top, dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0) {
		perror(path);
		exit(1);
	}
	return fd;
}

static void put(const char *dir, const char *name, const void *data, size_t n)
{
	int fd = open_file(dir, name);

	if (write(fd, data, n) != (ssize_t)n)
		exit(1);
	close(fd);
}

static void put_text(const char *dir, const char *name, const char *text)
{
	put(dir, name, text, strlen(text));
}

/**
 * struct run - contiguous pages in contiguous frames
 * @address: address of the first page
 * @n: number of pages; 0 ends a list
 * @entry: pagemap entry, without the frame number
 * @pfn: number of the first frame; 0: no frames
 * @flags: flags of the frames
 * @count: number of mappings of each frame
 */
struct run {
	uint64_t address;
	uint64_t n;
	uint64_t entry;
	uint64_t pfn;
	uint64_t flags;
	uint64_t count;
};

static void put_run(int fd, const struct run *r)
{
	uint64_t i, entry;

	for (i = 0; i < r->n; i++) {
		entry = r->entry;
		if (r->pfn) {
			flags[r->pfn + i] = r->flags;
			counts[r->pfn + i] = r->count;
			if (!hidden)
				entry |= r->pfn + i;
		}
		if (pwrite(fd, &entry, 8, (r->address / PAGE + i) * 8) != 8)
			exit(1);
	}
}

/* @r: list of runs; @end: end of the last mapping */
static void put_process(const char *pid, const char *name, const char *maps,
			const struct run *r, uint64_t end)
{
	int fd = open_file(pid, "pagemap");

	for (; r->n; r++)
		put_run(fd, r);
	if (ftruncate(fd, end / PAGE * 8))
		exit(1);
	close(fd);
	put_text(pid, "comm", name);
	put_text(pid, "maps", maps);
}

static const struct run init_runs[] = {
	{ 0x400000, 3, FILE_PAGE, 16, FLAG(UPTODATE) | FLAG(MMAP), 3 },
	{ 0x7ffc00010000, 2, EXCLUSIVE | PM_SOFT_DIRTY, 80,
	  FLAG(ANON) | FLAG(MMAP), 1 },
	{ 0 },
};

static const struct run worker_runs[] = {
	{ 0x400000, 3, FILE_PAGE, 16, FLAG(UPTODATE) | FLAG(MMAP), 3 },
	{ 0x600000, 8, EXCLUSIVE | PM_SOFT_DIRTY, 100, FLAG(ANON), 1 },
	{ 0x608000, 2, PM_SWAPPED | 7 << 5, 0, 0, 0 },
	/* a marker, not in swap */
	{ 0x60a000, 1, PM_SWAPPED | PM_GUARD | 31 | 4 << 5, 0, 0, 0 },
	{ 0x60b000, 1, PM_PRESENT, 4, FLAG(ZERO_PAGE), 0 },
	{ 0x7f0000200000, 1, EXCLUSIVE, 1024,
	  FLAG(ANON) | FLAG(THP) | FLAG(COMPOUND_HEAD) | FLAG(MLOCKED), 1 },
	/* older kernels set MLOCKED only on the head */
	{ 0x7f0000201000, WHOLE - 1, EXCLUSIVE, 1025,
	  FLAG(ANON) | FLAG(THP) | FLAG(COMPOUND_TAIL), 1 },
	{ 0x7f0010000000, WHOLE, FILE_PAGE, 2048,
	  FLAG(HUGE) | FLAG(COMPOUND_TAIL), 2 },
	{ 0x7ffd00000000, 3, PM_PRESENT, 90, FLAG(ANON) | FLAG(KSM), 3 },
	{ 0 },
};

static const struct run other_runs[] = {
	{ 0x400000, 3, FILE_PAGE, 16, FLAG(UPTODATE) | FLAG(MMAP), 3 },
	{ 0x7f0010000000, WHOLE, FILE_PAGE, 2048,
	  FLAG(HUGE) | FLAG(COMPOUND_TAIL), 2 },
	{ 0 },
};

/* a child of the worker: it wrote 3 pages of the heap, read one from swap, grew its heap */
static const struct run child_runs[] = {
	{ 0x400000, 3, FILE_PAGE, 16, FLAG(UPTODATE) | FLAG(MMAP), 4 },
	{ 0x600000, 3, EXCLUSIVE | PM_SOFT_DIRTY, 120, FLAG(ANON), 1 },
	{ 0x603000, 5, PM_PRESENT, 103, FLAG(ANON), 2 },
	{ 0x608000, 1, PM_SWAPPED | 7 << 5, 0, 0, 0 },
	{ 0x609000, 1, EXCLUSIVE, 130, FLAG(ANON), 1 },
	{ 0x60b000, 1, PM_PRESENT, 4, FLAG(ZERO_PAGE), 0 },
	{ 0x610000, 6, EXCLUSIVE, 140, FLAG(ANON), 1 },
	{ 0x7f0000200000, 1, PM_PRESENT, 1024,
	  FLAG(ANON) | FLAG(THP) | FLAG(COMPOUND_HEAD) | FLAG(MLOCKED), 2 },
	{ 0x7f0000201000, WHOLE - 1, PM_PRESENT, 1025,
	  FLAG(ANON) | FLAG(THP) | FLAG(COMPOUND_TAIL), 2 },
	{ 0x7f0010000000, WHOLE, FILE_PAGE, 2048,
	  FLAG(HUGE) | FLAG(COMPOUND_TAIL), 2 },
	/* one page of the file again, elsewhere */
	{ 0x7f0020000000, 1, FILE_PAGE, 17, FLAG(UPTODATE) | FLAG(MMAP), 4 },
	{ 0x7ffd00000000, 2, PM_PRESENT, 90, FLAG(ANON) | FLAG(KSM), 3 },
	{ 0x7ffd00002000, 1, EXCLUSIVE, 150, FLAG(ANON), 1 },
	{ 0 },
};

static const struct run none[] = { { 0 } };

static void put_processes(void)
{
	put_process("1", "init\n",
		    "00400000-00403000 r-xp 00000000 fe:01 77   /sbin/init\n"
		    "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0   [stack]\n",
		    init_runs, 0x7ffc00021000);
	put_process("2", "kthreadd\n", "", none, 0);
	put_text("2", "stat", "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0\n");
	put_process("42", "worker\n",
		    "00400000-00404000 r-xp 00003000 fe:01 1077  /usr/bin/worker\n"
		    "00600000-00610000 rw-p 00000000 00:00 0    [heap]\n"
		    "7f0000000000-7f0000400000 rw-p 00000000 00:00 0 \n"
		    "7f0010000000-7f0010200000 rw-s 00000000 00:0e 9  /dev/hugepages/a\n"
		    "7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0   [stack]\n"
		    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0   [vsyscall]\n",
		    worker_runs, 0x7ffd00021000);
	put_process("100042", "worker\n",
		    "00400000-00404000 r-xp 00003000 fe:01 1077  /usr/bin/worker\n"
		    "7f0010000000-7f0010200000 rw-s 00000000 00:0e 9  /dev/hugepages/a\n",
		    other_runs, 0x7f0010200000);
	/* has mappings, but a short pagemap: the process has just ended */
	put_process("60", "gone\n",
		    "00400000-00404000 r-xp 00003000 fe:01 1077  /usr/bin/gone\n",
		    none, 0x401000);
}

static void put_forked(void)
{
	static const char maps[] =
		"00400000-00404000 r-xp 00003000 fe:01 1077  /usr/bin/worker\n"
		"00600000-00618000 rw-p 00000000 00:00 0    [heap]\n"
		"7f0000000000-7f0000400000 rw-p 00000000 00:00 0 \n"
		"7f0010000000-7f0010200000 rw-s 00000000 00:0e 9  /dev/hugepages/a\n"
		"7f0020000000-7f0020001000 r--p 00004000 fe:01 1077  /usr/bin/worker\n"
		"7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0   [stack]\n";

	put_process("43", "child\n", maps, child_runs, 0x7ffd00021000);
	put_process("44", "thread\n", maps, child_runs, 0x7ffd00021000);
	put_text("44", "status", "Name:\tthread\nTgid:\t43\nPid:\t44\n");
	/* it has ended, and its parent has not waited for it */
	put_process("45", "zombie\n", "", none, 0);
	put_text("45", "stat", "45 (zombie) Z 42 0 0 0 -1 4194316 0 0\n");
}

static void put_odd(void)
{
	put_process("70", "od\033[1md,\"x\"\n",
		    "00400000-00404000 r-xp 00000000 fe:01 5  /a,\"b\"\033[2m c\n",
		    none, 0x404000);
	put_process("80", "bad\n", "00400000-00404000 r-xp\n", none, 0x404000);
}

int main(int argc, char **argv)
{
	uint64_t own = PM_PRESENT | PM_SOFT_DIRTY | 5;

	if (argc < 2)
		return 2;
	top = argv[1];
	hidden = argc > 2 && !strcmp(argv[2], "hidden");
	mkdir(top, 0755);
	flags[5] = FLAG(ANON);
	if (hidden)
		own &= ~0xffull;
	put("self", "pagemap", &own, sizeof(own));
	put_processes();
	put_odd();
	if (argc > 2 && !strcmp(argv[2], "forked"))
		put_forked();
	put(".", "kpageflags", flags, sizeof(flags));
	put(".", "kpagecount", counts, sizeof(counts));
	return 0;
}
