// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares `kmemtrace-user pagemap` with a process whose memory is known page by page
 * (pagemap_layout.c), and with the kernel's smaps.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kmt_test.h"
#include "pagemap_layout.h"
#include "pagemap_pair.h"
#include "pagemap_run.h"

#define PSS_UNIT 4096 /* a share is kept in 4096ths of bytes */

/* --- the machine -------------------------------------------------------------------- */

static void make_swap_header(const char *path, uint64_t pages)
{
	static char header[LAYOUT_PAGE];
	uint32_t *info = (uint32_t *)(header + 1024);
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	info[0] = 1;	     /* version */
	info[1] = pages - 1; /* last page */
	memcpy(header + sizeof(header) - 10, "SWAPSPACE2", 10);
	if (fd < 0 || write(fd, header, sizeof(header)) != sizeof(header))
		test_note("%s: %s", path, strerror(errno));
	close(fd);
}

static bool swap_start(void)
{
	int fd = open("/lib/modules/brd.ko", O_RDONLY | O_CLOEXEC);

	if (syscall(SYS_finit_module, fd, "rd_nr=1 rd_size=65536", 0) &&
	    errno != EEXIST)
		test_note("brd.ko: %s", strerror(errno));
	close(fd);
	make_swap_header("/dev/ram0", 16384);
	return !swapon("/dev/ram0", 0);
}

/* Make the memory of the process deterministic: no fault-around, khugepaged, slow KSM. */
static void machine_start(void)
{
	file_set("/sys/kernel/debug/fault_around_bytes", "4096");
	file_set("/proc/sys/vm/nr_hugepages", "4");
	file_set("/sys/kernel/mm/transparent_hugepage/enabled", "madvise");
	file_set("/sys/kernel/mm/ksm/sleep_millisecs", "5");
	file_set("/sys/kernel/mm/ksm/pages_to_scan", "1000");
	file_set("/sys/kernel/mm/ksm/run", "1");
}

static void machine_stop(void)
{
	file_set("/sys/kernel/mm/ksm/run", "0");
	file_set("/sys/kernel/debug/fault_around_bytes", "65536");
	file_set("/proc/sys/vm/nr_hugepages", "0");
	file_set("/sys/kernel/mm/transparent_hugepage/enabled", "always");
	swapoff("/dev/ram0");
	syscall(SYS_delete_module, "brd", O_NONBLOCK);
}

/* Start the process with the layout. It ends when *until is closed. */
static pid_t layout_start(int *until)
{
	int ready[2], end[2];
	char text[300] = "", fd[2][12];
	size_t len = 0;
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC) || pipe2(end, O_CLOEXEC))
		return -1;
	snprintf(fd[0], sizeof(fd[0]), "%d", ready[1]);
	snprintf(fd[1], sizeof(fd[1]), "%d", end[0]);
	pid = fork();
	if (!pid) {
		fcntl(ready[1], F_SETFD, 0);
		fcntl(end[0], F_SETFD, 0);
		/* exec, so that it shares no memory with this process */
		execl("/proc/self/exe", "layout", fd[0], fd[1], NULL);
		_exit(1);
	}
	close(ready[1]);
	close(end[0]);
	while (len < sizeof(text) - 1 && read(ready[0], text + len, 1) == 1 &&
	       text[len] != '\n')
		len++;
	close(ready[0]);
	*until = end[1];
	if (text[0] == '\n')
		return pid;
	test_note("layout: %s", *text ? text : "it ended");
	return -1;
}

/* --- comparison with the layout ----------------------------------------------------- */

static void expect(struct row *x, const struct layout *l)
{
	uint64_t rss = 0, uss = 0, pss = 0;
	int i;

	for (i = 0; i < LAYOUT_PARTS && l->part[i].pages; i++) {
		rss += l->part[i].pages;
		if (l->part[i].mapped == 1)
			uss += l->part[i].pages;
		pss += l->part[i].pages *
		       (LAYOUT_PAGE * PSS_UNIT / l->part[i].mapped);
	}
	x->value[SIZE] = l->size * LAYOUT_PAGE;
	x->value[RSS] = rss * LAYOUT_PAGE;
	x->value[USS] = uss * LAYOUT_PAGE;
	x->value[PSS] = pss / PSS_UNIT;
	x->value[SHARED] = (rss - uss) * LAYOUT_PAGE;
	x->value[SWAP] = l->swap * LAYOUT_PAGE;
	x->value[ANON] = l->anon * LAYOUT_PAGE;
	x->value[SOFT_DIRTY] = l->soft_dirty * LAYOUT_PAGE;
	x->value[EXCLUSIVE] = (uss + l->hugetlb - l->hugetlb_shared) *
			      LAYOUT_PAGE;
	x->value[THP] = l->thp * LAYOUT_PAGE;
	x->value[HUGETLB] = l->hugetlb * LAYOUT_PAGE;
	x->value[LOCKED] = l->locked * LAYOUT_PAGE;
	x->value[KSM] = l->ksm * LAYOUT_PAGE;
}

/* Change the expected values to those that can be known without frame numbers. */
static void hide(struct row *x, const struct layout *l, bool asks)
{
	static const enum column hidden[] = { PSS, THP, HUGETLB, LOCKED, KSM };
	int64_t zeros = asks ? 0 : l->zeros * LAYOUT_PAGE;
	int64_t shared = l->hugetlb_shared * LAYOUT_PAGE;
	size_t i;

	x->value[RSS] += x->value[HUGETLB] + zeros;
	x->value[USS] += x->value[HUGETLB] - shared;
	x->value[ANON] += x->value[HUGETLB] - shared;
	x->value[SHARED] += shared + zeros;
	x->value[SWAP] -= l->shm_swap * LAYOUT_PAGE;
	for (i = 0; i < sizeof(hidden) / sizeof(*hidden); i++)
		x->value[hidden[i]] = UNKNOWN;
}

static bool same(const struct row *got, const struct row *x, int skip)
{
	bool ok = true;
	int c;

	for (c = 0; c < COLUMNS; c++) {
		if (c == skip || got->value[c] == x->value[c])
			continue;
		test_note("%s: %" PRId64 ", should be %" PRId64, column_keys[c],
			  got->value[c], x->value[c]);
		ok = false;
	}
	return ok;
}

/*
 * 6.12 sets the flag KSM for every anonymous page (kernel commit dee3d0bef2b0, fixed
 * later). The tool then has to show KSM as unknown.
 */
static bool kernel_tells_ksm(void)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t page = (uintptr_t)&fd / LAYOUT_PAGE, entry = 0, flags = 0;

	if (pread(fd, &entry, 8, page * 8) != 8)
		test_note("pagemap: %s", strerror(errno));
	close(fd);
	fd = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	if (pread(fd, &flags, 8, (entry & ((1ull << 55) - 1)) * 8) != 8)
		test_note("kpageflags: %s", strerror(errno));
	close(fd);
	return !(flags & 1 << 21);
}

static void test_layout(const struct table *t, bool tells_ksm)
{
	struct row x;
	int i;

	for (i = 0; i < layout_count(); i++) {
		expect(&x, &layouts[i]);
		if (!tells_ksm)
			x.value[KSM] = UNKNOWN;
		test_result(same(table_find(t, LAYOUT_AT(i)), &x, -1),
			    "the values of a mapping are right: %s",
			    layouts[i].name);
	}
}

/* --- comparison with smaps ---------------------------------------------------------- */

static bool agrees(const struct row *got, const struct smaps *s, bool has_ksm)
{
	bool ok = true;
	int c;

	for (c = 0; c < COLUMNS; c++) {
		if (c == SOFT_DIRTY || c == EXCLUSIVE || c == LOCKED ||
		    (c == KSM && !has_ksm) || (c == SIZE && !s->value[SIZE]) ||
		    got->value[c] >> 10 == s->value[c])
			continue;
		test_note("%" PRIx64 " %s: %" PRId64 " KiB, smaps: %" PRId64,
			  s->start, column_keys[c], got->value[c] >> 10, s->value[c]);
		ok = false;
	}
	return ok;
}

/* The total PSS is the sum before rounding, as in smaps_rollup. */
static void test_smaps(pid_t pid, struct table *t, char *summary, bool ksm)
{
	static struct smaps s[PAGEMAP_ROWS];
	bool has_ksm = ksm && strstr(file_text("/proc/self/smaps"), "\nKSM:");
	int n = smaps_read(pid, "smaps", s), i, differ = 0;

	for (i = 0; i < n; i++)
		differ += !agrees(table_find(t, s[i].start), &s[i], has_ksm);
	test_result(n == t->count && n > layout_count() && !differ,
		    "%d of %d mappings agree with smaps", n - differ, n);
	table_parse(t, summary);
	n = smaps_read(pid, "smaps_rollup", s);
	test_result(n == 1 && t->count == 1 && agrees(&t->row[0], s, has_ksm),
		    "the total agrees with smaps_rollup");
}

/* --- selection and permissions ------------------------------------------------------ */

static void test_choice(const char *pid, bool tells_ksm)
{
	static struct table t;
	struct run r = { 0 };
	struct row x;
	char range[64];

	table_parse(&t, RUN(&r, "--pid", pid, "--csv", "--map", "hugepage"));
	test_result(t.count == 2 && t.row[0].start == LAYOUT_AT(9),
		    "--map finds the mappings with that name");
	/* from the last byte of page 3 to the first byte of page 24 */
	snprintf(range, sizeof(range), "%llx-%llx", LAYOUT_AT(0) + 0x3fff,
		 LAYOUT_AT(0) + 24 * LAYOUT_PAGE + 1);
	table_parse(&t, RUN(&r, "--pid", pid, "--csv", "--range", range));
	memset(&x, 0, sizeof(x));
	x.value[SIZE] = 22 * LAYOUT_PAGE;
	x.value[RSS] = x.value[USS] = x.value[PSS] = x.value[ANON] =
		x.value[EXCLUSIVE] = 20 * LAYOUT_PAGE;
	x.value[SOFT_DIRTY] = 3 * LAYOUT_PAGE;
	x.value[KSM] = tells_ksm ? 0 : UNKNOWN;
	test_result(t.count == 1 && t.row[0].start == LAYOUT_AT(0) + 0x3000 &&
			    same(&t.row[0], &x, -1),
		    "--range cuts a mapping at pages");
	test_result(strstr(RUN(&r, "--name", "layout", "--summary", "--csv"),
			   pid) && !r.status,
		    "--name finds the process");
}

/* A kernel with PAGEMAP_SCAN also reports pages of zeros. */
static bool kernel_asks(void)
{
	uint64_t arg[12] = { sizeof(arg) };
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	int ret = syscall(SYS_ioctl, fd, 0xc0606610, arg);

	close(fd);
	return !ret;
}

static void test_hidden(const char *pid)
{
	static struct table t;
	struct run r = { .hidden = true };
	bool asks = kernel_asks(), ok = true;
	struct row x;
	int i;

	table_parse(&t, RUN(&r, "--pid", pid, "--csv"));
	for (i = 0; i < layout_count(); i++) {
		expect(&x, &layouts[i]);
		hide(&x, &layouts[i], asks);
		/* without that, a page of zeros may count as ANON or not */
		if (!same(table_find(&t, LAYOUT_AT(i)), &x,
			  layouts[i].zeros && !asks ? ANON : -1)) {
			test_note("in the layout: %s", layouts[i].name);
			ok = false;
		}
	}
	test_result(ok && !r.status,
		    "without CAP_SYS_ADMIN: the known values are right");
	test_result(strstr(r.error, "CAP_SYS_ADMIN") &&
			    !!strstr(r.error, "zero pages") == !asks &&
			    strstr(r.error, "swap lacks") &&
			    strchr(r.error, '\n')[1] == '\0',
		    "without CAP_SYS_ADMIN: one message lists the unknown values");
	r.hidden = false;
	r.nobody = true;
	RUN(&r, "--all", "--csv");
	test_result(r.status == 1 && strstr(r.error, "could not be read: 1 (") &&
			    strstr(r.error, "run as root") &&
			    !strstr(r.error, "kthreadd"),
		    "as nobody: it fails and counts the processes not read");
	RUN(&r, "--pid", "4194303");
	test_result(r.status == 1 && strstr(r.error, "no process 4194303"),
		    "an unknown process is an error");
}

static bool refuses(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t entry[2];
	bool ok = fd >= 0 && pread(fd, entry, 8, 8) == 8 &&
		  pread(fd, entry, 8, 12) < 0 && errno == EINVAL &&
		  pread(fd, entry, 12, 8) < 0 && errno == EINVAL;

	close(fd);
	return ok;
}

static void test_unaligned(void)
{
	test_result(refuses("/proc/kpageflags") &&
			    refuses("/proc/kpagecount") &&
			    refuses("/proc/self/pagemap"),
		    "the kernel refuses reads that are not aligned");
}

/* --- memory that changes ------------------------------------------------------------ */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Start processes that allocate memory, run another program, and end. */
static void churn(void)
{
	for (;;) {
		pid_t pid = fork();
		char *at;

		if (!pid) {
			at = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			memset(at, 1, 1 << 20);
			if (getpid() & 1)
				execl("/bin/busybox", "true", NULL);
			munmap(at, 1 << 19);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

static void test_churn(bool ksm)
{
	struct run r = { 0 };
	pid_t pid[3];
	int i, rounds = 0, wrong = 0;
	double until;

	for (i = 0; i < 3; i++) {
		pid[i] = fork();
		if (!pid[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			churn();
		}
	}
	for (until = now() + 20; rounds < 4 || now() < until; rounds++) {
		char *text = RUN(&r, "--all", "--csv",
				 rounds & 1 ? "--summary" : "--mappings");

		if (!r.status && !*r.error == ksm && strstr(text, "kmt_pagemap"))
			continue;
		wrong++;
		test_note("exit %d: %s", r.status, r.error);
	}
	for (i = 0; i < 3; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	test_result(!wrong, "--all works while processes start and end, %d times",
		    rounds);
}

#define SPARSE (8ull << 40)

/* With PAGEMAP_SCAN, the tool skips empty ranges. */
static void test_sparse(void)
{
	static const char name[] = "8 TiB of holes take less than 10 s";
	static struct table t;
	struct run r = { 0 };
	char pid[12], range[64];
	double start;
	char *at;
	int i;

	if (!kernel_asks()) {
		test_skip(name, "this kernel has no PAGEMAP_SCAN");
		return;
	}
	at = mmap(NULL, SPARSE, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	for (i = 1; i < 6 && at != MAP_FAILED; i++)
		at[SPARSE / 7 * i] = 1;
	snprintf(pid, sizeof(pid), "%d", getpid());
	snprintf(range, sizeof(range), "%lx-%lx", (long)at, (long)(at + SPARSE));
	start = now();
	table_parse(&t, RUN(&r, "--pid", pid, "--csv", "--range", range));
	test_note("%.3f s", now() - start);
	test_result(now() - start < 10 && t.count == 1 &&
			    t.row[0].value[RSS] == 5 * (int64_t)LAYOUT_PAGE,
		    "%s", name);
	munmap(at, SPARSE);
}

static void set_block(int block, const char *state)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/memory/memory%d/state",
		 block);
	file_set(path, state);
}

static void give_up(int signal)
{
	(void)signal;
}

/*
 * Compact memory; then take it offline, block after block, so that its pages move. If a
 * page cannot move, the kernel tries again until it gets a signal; if there are too many
 * such pages, it refuses at once.
 */
static void move_pages_about(void)
{
	const struct sigaction action = { .sa_handler = give_up };
	const struct itimerval every = { { 3, 0 }, { 3, 0 } };
	int block;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	file_set("/proc/sys/vm/compact_memory", "1");
	for (;;) {
		for (block = 1; block < 16; block++) {
			set_block(block, "offline");
			set_block(block, "online");
		}
	}
}

static uint64_t moved(void)
{
	const char *at = strstr(file_text("/proc/vmstat"), "pgmigrate_success ");

	return at ? strtoull(at + 18, NULL, 10) : 0;
}

#define MOVING (300ll << 20)
#define HOLES  (MOVING / 4)

/*
 * Touch all pages. In the first part, pages alternate with pages that are freed
 * afterwards, so that compaction has work to do.
 */
static void fill_with_holes(char *at)
{
	char *holes = mmap(NULL, HOLES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long i;

	madvise(holes, HOLES, MADV_NOHUGEPAGE);
	for (i = 0; i < HOLES; i += LAYOUT_PAGE)
		at[i] = holes[i] = 1;
	memset(at, 1, MOVING);
	munmap(holes, HOLES);
}

/* While a page is being migrated, it counts as present and unshared. */
static void test_moving(void)
{
	static struct table t;
	char *at = mmap(NULL, MOVING, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t before = moved();
	double end = test_seconds() + 300;
	char pid[12], range[64];
	struct run r = { 0 };
	int i, wrong = 0, block;
	pid_t mover;

	madvise(at, MOVING, MADV_NOHUGEPAGE);
	madvise(at, MOVING, MADV_DONTFORK);
	fill_with_holes(at);
	snprintf(pid, sizeof(pid), "%d", getpid());
	snprintf(range, sizeof(range), "%lx-%lx", (long)at, (long)(at + MOVING));
	mover = fork();
	if (!mover) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		move_pages_about();
	}
	/* the kernel may need some time to move pages */
	for (i = 0; i < 15 || (moved() - before <= 1000 &&
			       test_seconds() < end); i++) {
		const int64_t *v = t.row[0].value;

		table_parse(&t, RUN(&r, "--pid", pid, "--csv", "--range", range));
		if (t.count == 1 && v[RSS] == MOVING && v[USS] == MOVING &&
		    v[PSS] == MOVING && v[ANON] == MOVING && !v[SWAP])
			continue;
		wrong++;
		test_note("rss %" PRId64 " uss %" PRId64 " pss %" PRId64
			  " anon %" PRId64 " swap %" PRId64,
			  v[RSS], v[USS], v[PSS], v[ANON], v[SWAP]);
	}
	kill(mover, SIGKILL);
	waitpid(mover, NULL, 0);
	for (block = 1; block < 16; block++)
		set_block(block, "online");
	before = moved() - before;
	test_result(!wrong && before > 1000,
		    "values are right while %d pages are moved", (int)before);
	munmap(at, MOVING);
}

int main(int argc, char **argv)
{
	static struct table t;
	struct run r = { 0 };
	bool ksm = kernel_tells_ksm();
	char pid[12];
	int until = -1;

	if (argc == 3)
		return layout_main(atoi(argv[1]), atoi(argv[2]));
	test_plan(layout_count() + 15 + PAIR_TESTS);
	machine_start();
	test_result(swap_start(), "there is swap");
	snprintf(pid, sizeof(pid), "%d", layout_start(&until));
	/* both processes map this program: keep its pages in memory */
	mlockall(MCL_CURRENT);
	table_parse(&t, RUN(&r, "--pid", pid, "--csv"));
	test_result(!r.status && !*r.error == ksm &&
			    !!strstr(r.error, "ksm is not known") == !ksm,
		    "the tool reads the process");
	test_layout(&t, ksm);
	test_smaps(atoi(pid), &t, RUN(&r, "--pid", pid, "--csv", "--summary"),
		   ksm);
	test_choice(pid, ksm);
	test_hidden(pid);
	pair_tests(atoi(pid));
	munlockall();
	close(until);
	waitpid(atoi(pid), NULL, 0);
	test_unaligned();
	pair_test_changes();
	test_churn(ksm);
	test_sparse();
	test_moving();
	machine_stop();
	return test_exit();
}
