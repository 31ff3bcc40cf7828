// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kmt_test.h"
#include "pagemap_layout.h"
#include "pagemap_pair.h"
#include "pagemap_run.h"

#define PFN(entry) ((entry) & ((1ull << 55) - 1))
#define PRESENT	   (1ull << 63)
#define ZERO_PAGE  (1ull << 24) /* in kpageflags */

/* --- output of the tool ------------------------------------------------------------- */

enum key {
	START_A,
	RSS_A,
	RSS_B,
	BOTH_A,
	BOTH_B,
	ONLY_A,
	ONLY_B,
	THP_BOTH_A,
	SWAP_A,
	SWAP_B,
	SWAP_BOTH_A,
	SWAP_BOTH_B,
	SWAP_ONLY_A,
	SWAP_ONLY_B,
	HUGETLB_A,
	HUGETLB_BOTH_A,
	HUGETLB_BOTH_B,
	KEYS,
};

static const char *const keys[KEYS] = {
	"start_a",     "rss_a",	      "rss_b",	     "both_a",
	"both_b",      "only_a",      "only_b",	     "thp_both_a",
	"swap_a",      "swap_b",      "swap_both_a", "swap_both_b",
	"swap_only_a", "swap_only_b", "hugetlb_a",   "hugetlb_both_a",
	"hugetlb_both_b",
};

/**
 * struct pair_row - a pair of mappings
 * @value: values by key; UNKNOWN if the process has no such mapping
 */
struct pair_row {
	int64_t value[KEYS];
};

static struct pair_row rows[PAGEMAP_ROWS];
static int count;

static void parse_row(const int *place, char *line)
{
	char *cell;
	int i, key;

	for (i = 0; (cell = strsep(&line, ",")); i++)
		for (key = 0; key < KEYS; key++)
			if (place[key] == i)
				rows[count].value[key] =
					*cell ? strtoll(cell, NULL,
							key == START_A ? 16 : 10) :
						UNKNOWN;
	count += count < PAGEMAP_ROWS - 1;
}

static void parse(char *text)
{
	char *line = strsep(&text, "\n"), *name;
	int place[KEYS], i, key;

	memset(place, -1, sizeof(place));
	for (i = 0; line && (name = strsep(&line, ",")); i++)
		for (key = 0; key < KEYS; key++)
			if (!strcmp(name, keys[key]))
				place[key] = i;
	count = 0;
	while ((line = strsep(&text, "\n")) && *line)
		parse_row(place, line);
}

static int64_t sum(enum key key)
{
	int64_t n = 0;
	int i;

	for (i = 0; i < count; i++)
		if (rows[i].value[key] != UNKNOWN)
			n += rows[i].value[key];
	return n;
}

static const struct pair_row *find(uint64_t start)
{
	static const struct pair_row none = { { -9, -9, -9, -9, -9, -9, -9, -9 } };
	int i;

	for (i = 0; i < count; i++)
		if (rows[i].value[START_A] == (int64_t)start)
			return &rows[i];
	return &none;
}

/* --- the layout --------------------------------------------------------------------- */

static bool check(const struct pair_row *row, enum key key, int64_t pages)
{
	int64_t bytes = pages == UNKNOWN ? UNKNOWN : pages * (int64_t)LAYOUT_PAGE;

	if (row->value[key] == bytes)
		return true;
	test_note("%s: %" PRId64 ", should be %" PRId64, keys[key],
		  row->value[key], bytes);
	return false;
}

static bool check_layout(const struct layout *l, const struct pair_row *row)
{
	const int64_t in_child = l->is_forked ? 0 : UNKNOWN;
	int64_t rss = 0;
	bool ok = true;
	int i;

	for (i = 0; i < LAYOUT_PARTS; i++)
		rss += l->part[i].pages;
	ok &= check(row, BOTH_A, l->both);
	ok &= check(row, BOTH_B, in_child ? in_child : (int64_t)l->both);
	ok &= check(row, ONLY_A, rss - l->both);
	ok &= check(row, ONLY_B, in_child ? in_child : (int64_t)l->child_only);
	ok &= check(row, THP_BOTH_A, l->thp_both);
	ok &= check(row, SWAP_BOTH_A, l->swap_both);
	ok &= check(row, SWAP_BOTH_B, in_child ? in_child : (int64_t)l->swap_both);
	ok &= check(row, SWAP_ONLY_A, l->swap - l->swap_both);
	ok &= check(row, SWAP_ONLY_B, in_child);
	ok &= check(row, HUGETLB_A, l->hugetlb);
	ok &= check(row, HUGETLB_BOTH_A, l->hugetlb_shared);
	ok &= check(row, HUGETLB_BOTH_B,
		    in_child ? in_child : (int64_t)l->hugetlb_shared);
	return ok;
}

static void test_layouts(void)
{
	int i, wrong = 0;

	for (i = 0; i < layout_count(); i++) {
		if (check_layout(&layouts[i], find(LAYOUT_AT(i))))
			continue;
		test_note("in the layout: %s", layouts[i].name);
		wrong++;
	}
	test_result(!wrong, "--compare: %d of %d mappings are right",
		    layout_count() - wrong, layout_count());
}

/* --- comparison with pagemap alone, and with the kernel's files ---------------------- */

static bool same_total(const char *pid, enum key rss, enum key both, enum key only,
		       enum key swap, enum key swap_both, enum key swap_only)
{
	static struct table t;
	struct run r = { 0 };

	table_parse(&t, RUN(&r, "--pid", pid, "--csv", "--summary"));
	test_note("rss %" PRId64 " swap %" PRId64, t.row[0].value[RSS],
		  t.row[0].value[SWAP]);
	return t.count == 1 && sum(rss) == t.row[0].value[RSS] &&
	       sum(both) + sum(only) == sum(rss) &&
	       sum(swap) == t.row[0].value[SWAP] &&
	       sum(swap_both) + sum(swap_only) == sum(swap);
}

/**
 * struct list - frames that a process maps
 * @pfn: their numbers, sorted
 * @n: number of frames
 */
struct list {
	uint64_t pfn[1 << 16];
	size_t n;
};

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static bool is_zero_page(int flags, uint64_t pfn)
{
	uint64_t value = 0;

	return pread(flags, &value, 8, pfn * 8) != 8 || (value & ZERO_PAGE);
}

static void read_list(pid_t pid, struct list *l)
{
	char path[64], line[512];
	uint64_t start, end, entry;
	int flags = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC), fd;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	l->n = 0;
	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end) != 2 ||
		    strstr(line, "[v") || end - start > 64 << 20)
			continue;
		for (; start < end; start += LAYOUT_PAGE)
			if (pread(fd, &entry, 8, start / LAYOUT_PAGE * 8) == 8 &&
			    (entry & PRESENT) && l->n < 1 << 16 &&
			    !is_zero_page(flags, PFN(entry)))
				l->pfn[l->n++] = PFN(entry);
	}
	if (maps)
		fclose(maps);
	close(fd);
	close(flags);
	qsort(l->pfn, l->n, sizeof(*l->pfn), by_number);
}

/* Return: number of pages of @l whose frames are in @other. */
static int64_t pages_in(const struct list *l, const struct list *other)
{
	int64_t n = 0;
	size_t i;

	for (i = 0; i < l->n; i++)
		n += !!bsearch(&l->pfn[i], other->pfn, other->n,
			       sizeof(*other->pfn), by_number);
	return n;
}

/* The lists have the pages of hugetlb as well. */
static void test_frames(pid_t parent, pid_t child)
{
	static struct list a, b;
	int64_t in_b, in_a;

	read_list(parent, &a);
	read_list(child, &b);
	in_b = pages_in(&a, &b) * LAYOUT_PAGE;
	in_a = pages_in(&b, &a) * LAYOUT_PAGE;
	test_note("bytes in both: %" PRId64 ", %" PRId64, in_b, in_a);
	test_result(in_b && sum(BOTH_A) + sum(HUGETLB_BOTH_A) == in_b &&
			    sum(BOTH_B) + sum(HUGETLB_BOTH_B) == in_a,
		    "--compare: the common pages are those of /proc/PID/pagemap");
}

static void test_refusals(const char *parent, const char *child)
{
	struct run r = { .hidden = true };

	RUN(&r, "--compare", parent, child);
	test_result(r.status == 1 && strstr(r.error, "needs CAP_SYS_ADMIN"),
		    "--compare: it needs CAP_SYS_ADMIN");
	r.hidden = false;
	r.nobody = true;
	RUN(&r, "--compare", parent, child);
	test_result(r.status == 1 && strstr(r.error, "could not be read") &&
			    strstr(r.error, "run as root"),
		    "--compare: it may not read processes of others");
	r.nobody = false;
	RUN(&r, "--compare", "kthreadd", parent);
	test_result(r.status == 1 && strstr(r.error, "kernel thread"),
		    "--compare: a kernel thread has no memory");
}

/* Return: the first child of a process; 0 if it has none. */
static pid_t first_child(pid_t parent)
{
	char path[64];
	const char *fields;
	int pid, of;

	for (pid = parent + 1; pid < parent + 100; pid++) {
		snprintf(path, sizeof(path), "/proc/%d/stat", pid);
		fields = strrchr(file_text(path), ')');
		if (fields && sscanf(fields, ") %*c %d", &of) == 1 && of == parent)
			return pid;
	}
	return 0;
}

void pair_tests(pid_t parent)
{
	char a[12], b[12];
	struct run r = { 0 };
	pid_t child = first_child(parent);
	const char *text;

	snprintf(a, sizeof(a), "%d", parent);
	snprintf(b, sizeof(b), "%d", child);
	parse(RUN(&r, "--compare", a, b, "--csv"));
	if (r.status)
		test_note("exit %d: %s", r.status, r.error);
	test_layouts();
	test_result(same_total(a, RSS_A, BOTH_A, ONLY_A, SWAP_A, SWAP_BOTH_A,
			       SWAP_ONLY_A) &&
			    same_total(b, RSS_B, BOTH_B, ONLY_B, SWAP_B,
				       SWAP_BOTH_B, SWAP_ONLY_B),
		    "--compare: the parts add up to what pagemap shows of each");
	test_frames(parent, child);
	text = RUN(&r, "--compare", a, b, "--top", "3", "--sort", "both");
	test_result(!r.status && strstr(text, "exact: no page changed"),
		    "--compare: processes that sleep have no error");
	test_refusals(a, b);
}

/* --- processes that change ------------------------------------------------------------ */

#define FIXED  50
#define TOGGLE 64

/* Map pages of the shared memory, and unmap them, for ever. */
static void toggle(char *at)
{
	int i;

	for (;;) {
		for (i = 0; i < TOGGLE; i++)
			(void)*(volatile char *)(at + i * LAYOUT_PAGE);
		usleep(30000);
		madvise(at, TOGGLE * LAYOUT_PAGE, MADV_DONTNEED);
		usleep(30000);
	}
}

/* The first pages of @at stay mapped in both, the others come and go in the child. */
static pid_t start_toggle(char *at)
{
	pid_t pid = fork();
	int i;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (i = 0; i < FIXED; i++)
		(void)*(volatile char *)(at + i * LAYOUT_PAGE);
	toggle(at + FIXED * LAYOUT_PAGE);
	_exit(0);
}

static uint64_t number_after(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/*
 * The row has the pages that stay, and some of the others. If the two readings of the child
 * differ, these are uncertain.
 */
void pair_test_changes(void)
{
	const uint64_t least = FIXED * LAYOUT_PAGE;
	const uint64_t most = least + TOGGLE * LAYOUT_PAGE;
	char *at = mmap(NULL, most, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	double end = test_seconds() + 120;
	int rounds = 0, uncertain = 0, wrong = 0;
	struct run r = { 0 };
	char a[12], b[12];
	pid_t child;

	memset(at, 1, most);
	child = start_toggle(at);
	snprintf(a, sizeof(a), "%d", getpid());
	snprintf(b, sizeof(b), "%d", child);
	usleep(200000);
	for (; rounds < 10 || (!uncertain && test_seconds() < end); rounds++) {
		const char *text = RUN(&r, "--compare", a, b, "--json", "--map",
				       "/dev/zero");
		uint64_t both = number_after(text, "\"both_a\": ");
		uint64_t error = number_after(text, "\"memory_a\": ");

		uncertain += error > 0;
		if (!r.status && both >= least && both <= most)
			continue;
		wrong++;
		test_note("exit %d %s: both_a %" PRIu64 ", uncertain %" PRIu64,
			  r.status, r.error, both, error);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	test_result(!wrong && uncertain,
		    "--compare: pages that come and go are uncertain in %d of %d runs",
		    uncertain, rounds);
	munmap(at, most);
}
