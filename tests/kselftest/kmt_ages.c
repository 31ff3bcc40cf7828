// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files ages and mark follow their ABI. The ages of held objects are exact, and the
 * sums agree with the file tags.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/kmemtrace_ages.h>

#include "kmt_test.h"

#define BUCKETS KMEMTRACE_AGES_BUCKETS
/* enough for the tags of a guest */
#define ROOM (16 << 20)

static struct kmemtrace_ages *head;
static size_t bytes_read;

static const struct kmemtrace_ages_tag *entries(void)
{
	return (void *)((char *)head + head->size);
}

/* Read the rest of an open file, @batch bytes at a time. */
static bool read_rest(int fd, size_t batch)
{
	ssize_t n = 1;

	if (!head)
		head = malloc(ROOM);
	for (bytes_read = 0; n > 0 && bytes_read + batch <= ROOM; bytes_read += n) {
		n = read(fd, (char *)head + bytes_read, batch);
		if (n <= 0)
			break;
	}
	return !n && bytes_read >= sizeof(*head);
}

static bool read_ages(size_t batch)
{
	int fd = open(KMT_DIR "ages", O_RDONLY);
	bool ok = fd >= 0 && read_rest(fd, batch);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* --- sums of a function's tags ------------------------------------------------ */

/* Set the ids of the tags of a function. Return: their number. */
static int ids_of(const char *function, uint32_t ids[4])
{
	const char *line = control_text("tags");
	char want[128];
	int n = 0;

	snprintf(want, sizeof(want), " func:%s\n", function);
	for (; line && n < 4; line = strchr(line, '\n')) {
		const char *end;

		line += *line == '\n';
		end = strchr(line, '\n');
		if (end && end + 1 - line > (long)strlen(want) &&
		    !memcmp(end + 1 - strlen(want), want, strlen(want)) &&
		    sscanf(line, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %u",
			   &ids[n]) == 1)
			n++;
	}
	return n;
}

/* The tags of a function together; @flags: those of all of them */
static struct kmemtrace_ages_tag sum_of(const char *function)
{
	struct kmemtrace_ages_tag sum = { 0 };
	uint32_t ids[4], i, j;
	int n = ids_of(function, ids), k;

	for (i = 0; i < head->tags; i++) {
		const struct kmemtrace_ages_tag *t = &entries()[i];

		for (k = 0; k < n; k++) {
			if (ids[k] != t->tag)
				continue;
			sum.tag = t->tag;
			sum.flags |= t->flags;
			sum.marked.objects += t->marked.objects;
			sum.marked.bytes += t->marked.bytes;
			for (j = 0; j < BUCKETS; j++) {
				sum.age[j].objects += t->age[j].objects;
				sum.age[j].bytes += t->age[j].bytes;
			}
		}
	}
	return sum;
}

static struct kmemtrace_ages_sum of_all_ages(const struct kmemtrace_ages_tag *t)
{
	struct kmemtrace_ages_sum sum = { 0 };
	int i;

	for (i = 0; i < BUCKETS; i++) {
		sum.objects += t->age[i].objects;
		sum.bytes += t->age[i].bytes;
	}
	return sum;
}

static int bucket_of(uint32_t age)
{
	return age ? 32 - __builtin_clz(age) : 0;
}

/* Count the objects whose age may be @least to @most ticks, and all others. */
static uint64_t between(const struct kmemtrace_ages_tag *t, uint32_t least,
			uint32_t most, uint64_t *others)
{
	uint64_t n = 0;
	int i;

	*others = 0;
	for (i = 0; i < BUCKETS; i++) {
		if (i >= bucket_of(least) && i <= bucket_of(most))
			n += t->age[i].objects;
		else
			*others += t->age[i].objects;
	}
	return n;
}

/* --- the tests ------------------------------------------------------------------ */

static int mode_of(const char *name)
{
	struct stat st;
	char path[128];

	snprintf(path, sizeof(path), KMT_DIR "%s", name);
	return stat(path, &st) || st.st_uid ? -1 : (int)(st.st_mode & 07777);
}

static void check_header(void)
{
	uint64_t before, wall;
	uint32_t ticks;
	double start;

	test_result(mode_of("ages") == 0400 && mode_of("mark") == 0600,
		    "only root can read the ages, and set the mark");
	test_result(read_ages(65536) && head->size == sizeof(*head) &&
			    head->version == KMEMTRACE_AGES_VERSION &&
			    head->tag_size == sizeof(*entries()) &&
			    head->buckets == BUCKETS && head->tags > 30 &&
			    !head->flags &&
			    bytes_read == head->size + head->tags * head->tag_size,
		    "the header has the sizes of the file");
	test_result(head->since_ns == stat_get("accounting_since_ns"),
		    "... and the start of accounting");
	before = head->time_ns;
	ticks = head->now;
	start = test_seconds();
	sleep(3);
	read_ages(65536);
	wall = (test_seconds() - start) * 1e9;
	ticks = head->now - ticks;
	test_note("%u ticks of %llu ns in %llu ns", ticks,
		  (unsigned long long)head->tick_ns,
		  (unsigned long long)(head->time_ns - before));
	test_result(head->time_ns - before > 2900000000ull &&
			    head->time_ns - before < wall + 500000000ull &&
			    (ticks + 2) * head->tick_ns > head->time_ns - before &&
			    ticks * head->tick_ns < head->time_ns - before + 2 * head->tick_ns,
		    "ticks and nanoseconds run at the same speed");
}

static void check_order(void)
{
	uint32_t i, wrong = 0, slabs = 0;

	/* more than fits into the slabs that were there before */
	client_run("hold kmalloc 3000 500");
	read_ages(65536);
	for (i = 0; i < head->tags; i++) {
		const struct kmemtrace_ages_tag *t = &entries()[i];

		wrong += i && t->tag <= entries()[i - 1].tag;
		slabs += !!(t->flags & KMEMTRACE_AGES_BACKING);
	}
	test_note("%u tags, %u of them of allocators themselves, %u out of order",
		  head->tags, slabs, wrong);
	test_result(!wrong && slabs >= 1 && slabs < 24,
		    "tags ascend, and those of allocators themselves are flagged");
	client_run("drop kmalloc 3000");

	/* more than fits into the chunks that were there before */
	client_run("hold percpu 8192 300");
	read_ages(65536);
	test_result(sum_of("pcpu_populate_chunk").flags & KMEMTRACE_AGES_BACKING &&
			    !sum_of("client_percpu_alloc").flags,
		    "... also the pages of per-CPU memory, but not its objects");
	client_run("drop percpu 8192");
}

static void check_pieces(void)
{
	int fd = open(KMT_DIR "ages", O_RDONLY);
	bool ok = read_rest(fd, 100);
	uint64_t first = head->time_ns;
	size_t size = bytes_read;

	test_result(ok && size == head->size + head->tags * head->tag_size,
		    "reads of 100 bytes return one walk");
	ok = !lseek(fd, 0, SEEK_SET) && read_rest(fd, 65536);
	test_result(ok && head->time_ns > first, "a read at position 0 walks again");
	close(fd);
}

struct held {
	const char *kind;
	const char *function;
	int size;
	int count;
};

/* The sums must be those of the file tags, which the test of accounting checks. */
static void check_held(const struct held *h)
{
	struct kmemtrace_ages_tag t;
	struct kmemtrace_ages_sum sum;
	struct tag tag;
	bool ok;

	client_run("hold %s %d %d", h->kind, h->size, h->count);
	ok = read_ages(65536);
	tag = tag_get(h->function);
	t = sum_of(h->function);
	sum = of_all_ages(&t);
	test_note("%s: %llu objects, %llu bytes; tags: %lld, %lld", h->kind,
		  (unsigned long long)sum.objects,
		  (unsigned long long)sum.bytes, tag.objects, tag.bytes);
	ok &= (long long)sum.objects >= h->count && !t.flags &&
	      (long long)sum.objects == tag.objects &&
	      (long long)sum.bytes == tag.bytes;
	client_run("drop %s %d", h->kind, h->size);
	read_ages(65536);
	t = sum_of(h->function);
	ok &= !of_all_ages(&t).objects;
	test_result(ok, "%s %d: the sum over all ages is exact, and 0 when freed",
		    h->kind, h->size);
}

static void check_ages(void)
{
	uint32_t start, end;
	uint64_t n, others;
	struct kmemtrace_ages_tag t;

	read_ages(65536);
	start = head->now;
	client_run("hold kmalloc 100 111");
	read_ages(65536);
	end = head->now;
	t = sum_of("client_kmalloc_alloc");
	n = between(&t, 0, end - start, &others);
	test_result(n == 111 && !others, "objects are young at first");
	sleep(4);
	read_ages(65536);
	t = sum_of("client_kmalloc_alloc");
	n = between(&t, head->now - end, head->now - start, &others);
	test_note("ages of %u to %u ticks: %llu, others: %llu", head->now - end,
		  head->now - start, (unsigned long long)n,
		  (unsigned long long)others);
	test_result(n == 111 && !others, "four seconds later, they are four seconds old");
	client_run("drop kmalloc 100");
	start = head->now;
	client_run("hold pages 1 7");
	sleep(2);
	read_ages(65536);
	t = sum_of("client_pages_alloc");
	n = between(&t, 1, head->now - start, &others);
	test_result(n == 7 && !others, "so it is with pages");
	client_run("drop pages 1");
}

/* In a large kmalloc(), the second frame has no time of its own. */
static void check_large(void)
{
	struct kmemtrace_ages_tag t;
	uint64_t n, others;
	uint32_t start;
	int i, filled = 0;

	read_ages(65536);
	start = head->now;
	client_run("hold kmalloc 20000 5");
	sleep(2);
	read_ages(65536);
	t = sum_of("client_kmalloc_alloc");
	n = between(&t, 1, head->now - start, &others);
	for (i = 0; i < BUCKETS; i++)
		filled += !!t.age[i].bytes;
	test_result(n == 5 && !others && filled <= 2,
		    "all frames of a large kmalloc() have its age");
	client_run("drop kmalloc 20000");
}

static void check_mark(void)
{
	struct kmemtrace_ages_sum all;
	struct kmemtrace_ages_tag t;
	uint64_t ms;
	int i, wrong = 0;

	for (i = 0; i < 20; i++) {
		client_run("hold kmalloc 256 30");
		wrong += !!control_set("mark", "1");
		read_ages(65536);
		t = sum_of("client_kmalloc_alloc");
		wrong += t.marked.objects || t.marked.bytes ||
			 of_all_ages(&t).objects != 30;
		client_run("drop kmalloc 256");
		wrong += !!control_set("mark", "1");
		client_run("hold kmalloc 256 70");
		read_ages(65536);
		t = sum_of("client_kmalloc_alloc");
		all = of_all_ages(&t);
		/* KASAN adds bytes to each object */
		wrong += t.marked.objects != 70 || t.marked.bytes != all.bytes ||
			 all.objects != 70 || all.bytes < 70 * 256ull;
		client_run("drop kmalloc 256");
	}
	test_result(!wrong, "memory since the mark is exact, 20 times");
	sleep(1);
	ms = control_get("mark");
	test_result(ms >= 900 && ms < 20000, "the file mark has the time since then");
}

/* Read all the time until killed. */
static pid_t read_forever(void)
{
	pid_t pid = fork();

	while (!pid) {
		if (!read_ages(65536))
			_exit(1);
		control_set("mark", "mark");
	}
	return pid;
}

static void check_load(void)
{
	pid_t pids[2];
	int i, alive = 0;

	for (i = 0; i < 2; i++)
		pids[i] = read_forever();
	test_result(!client_run("storm 0 20000"),
		    "the storm ends while the ages are read");
	for (i = 0; i < 2; i++) {
		alive += pids[i] > 0 && !waitpid(pids[i], NULL, WNOHANG);
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	test_result(alive == 2, "... no reader has died");
}

static void check_compressed(void)
{
	struct kmemtrace_ages_tag t, pages;
	uint64_t n;

	client_run("hold kmalloc 64 10");
	read_ages(65536);
	t = sum_of("client_kmalloc_alloc");
	n = of_all_ages(&t).objects;
	client_run("drop kmalloc 64");
	client_run("hold pages 0 10");
	read_ages(65536);
	pages = sum_of("client_pages_alloc");
	test_result(head->flags == KMEMTRACE_AGES_NO_PAGES && n == 10 && !pages.tag,
		    "compressed: the ages of objects are known, those of pages are not");
	client_run("drop pages 0");
}

int main(void)
{
	static const struct held helds[] = {
		{ "kmalloc", "client_kmalloc_alloc", 100, 1000 },
		{ "cache", "client_cache_alloc", 0, 333 },
		{ "percpu", "client_percpu_alloc", 64, 50 },
		{ "pages", "client_pages_alloc", 2, 20 },
		{ "exact", "client_exact_alloc", 20000, 20 },
		{ "kmalloc", "client_kmalloc_alloc", 20000, 13 },
	};
	size_t i;

	test_plan(26);
	if (module_load("") || client_load()) {
		test_note("the modules cannot be loaded");
		return 1;
	}
	check_header();
	check_order();
	check_pieces();
	/* let the client and this test allocate in advance */
	client_run("kmalloc 64 10");
	for (i = 0; i < sizeof(helds) / sizeof(helds[0]); i++)
		check_held(&helds[i]);
	check_ages();
	check_large();
	check_mark();
	check_load();
	module_unload();
	test_result(!module_load("mem_profiling=1,compressed"), "the module loads, compressed");
	check_compressed();
	module_unload();
	test_result(!module_load("mem_profiling=never") && read_ages(4096) &&
			    !head->tags && bytes_read == sizeof(*head),
		    "without accounting, there is only a header");
	client_unload();
	test_result(!module_unload(), "the module unloads");
	return test_exit();
}
