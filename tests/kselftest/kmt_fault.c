// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each allocation fails once: in the first call the first one, in the next call the
 * second one, until a call makes fewer allocations. A write or a read of each file either
 * fails with -ENOMEM and changes nothing, or has its usual result. For loading and
 * unloading, the 1st, 2nd, 4th ... allocation fails, then other allocations between
 * these, for FAULT_SECONDS (60).
 *
 * Needs a kernel that injects faults (`make check-debug`).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fault.h"
#include "kmt_test.h"

#define SMALL	  "subbufs=2 subbuf_size=4096 "
#define TINY	  SMALL "max_objects=5000 max_tags=256 "
#define FAULTS	  10000 /* more than the allocations of any call */
#define SYSCTL	  "/proc/sys/vm/mem_profiling"
#define ALLOCINFO "/proc/allocinfo"
#define KMALLOC	  "events/kmem/kmalloc/"

/* --- the state of the module ------------------------------------------------ */

static int files;

static void count_file(const char *path)
{
	(void)path;
	files++;
}

static int count_files(void)
{
	files = 0;
	files_each(KMT_DIR, count_file);
	return files;
}

static bool is_gone(void)
{
	return access(KMT_DIR, F_OK) && access(ALLOCINFO, F_OK) &&
	       access(SYSCTL, F_OK) && access("/sys/module/kmemtrace", F_OK);
}

/**
 * struct whole - the state of a module that is loaded completely
 * @files: number of files in its directory
 * @functions: number of allocator functions that it has found
 * @accounting: whether accounting is on
 * @recording: whether recording is on
 */
struct whole {
	int files;
	int functions;
	int accounting;
	int recording;
};

static struct whole look(void)
{
	return (struct whole){
		.files = count_files(),
		.functions = stat_get("allocator_functions"),
		.accounting = stat_get("accounting"),
		.recording = stat_get("recording"),
	};
}

static bool is_whole(const struct whole *want)
{
	struct whole is = look();

	/* without memory for its tables, the module loads without accounting */
	if (!is.accounting && !stat_get("memory_bytes"))
		is.accounting = want->accounting;
	return !memcmp(&is, want, sizeof(is)) &&
	       stat_get("cache_layout_known") &&
	       !strstr(control_text("stats"), " open\n") &&
	       !access(ALLOCINFO, F_OK) && !access(SYSCTL, F_OK);
}

/* --- choice of the allocation that fails ------------------------------------------- */

/**
 * struct row - the allocations of a call, counted from 1
 * @nth: the allocation that fails next
 * @end: the call makes fewer allocations than this; 0: not yet known
 * @size: a power of two, at least @end
 * @place: counts the candidates below @size
 * @done: number of allocations that have failed
 * @last: time of the end, in seconds
 */
struct row {
	int nth;
	int end;
	int size;
	int place;
	int done;
	double last;
};

static struct row row_begin(void)
{
	const char *seconds = getenv("FAULT_SECONDS");

	return (struct row){ .last = test_seconds() +
				     (seconds ? atof(seconds) : 60) };
}

/*
 * Choose the first, second, fourth allocation, until no allocation fails; then the
 * others, evenly spread, until the time is over. Return: false at the end.
 */
static bool row_next(struct row *r, bool hit)
{
	if (r->nth && !hit && (!r->end || r->nth < r->end))
		r->end = r->nth;
	r->done += hit;
	if (!r->end) {
		r->size = r->nth = r->nth ? 2 * r->nth : 1;
		return r->nth < FAULTS;
	}
	do {
		/* the factor is odd, so each number occurs once */
		r->nth = 1 + (long)r->place * (r->size * 5 / 8 | 1) % r->size;
	} while (r->place++ < r->size && r->nth >= r->end);
	return r->place <= r->size && test_seconds() < r->last;
}

/* --- loading and unloading ----------------------------------------------------- */

static void check_load(const char *params)
{
	struct row row = row_begin();
	int err, failed = 0, survived = 0, wrong = 0;
	struct whole want;
	bool hit = false;

	err = module_load(params);
	want = look();
	if (err || !is_whole(&want) || module_unload())
		wrong++;
	while (wrong < 5 && row_next(&row, hit)) {
		fault_arm(row.nth);
		err = module_load(params);
		hit = fault_disarm();
		if (err ? err != -ENOMEM || !hit || !is_gone() :
			  !is_whole(&want) || module_unload() || !is_gone()) {
			test_note("allocation %d: %s", row.nth, strerror(-err));
			wrong++;
			module_unload();
		}
		failed += !!err;
		survived += hit && !err;
	}
	test_note("%d allocations, %d of them failed: loading failed %d times and succeeded %d times",
		  row.end - 1, row.done, failed, survived);
	test_result(!wrong && row.end && failed,
		    "loading succeeds or leaves nothing behind: %s", params);
}

static void check_unload(void)
{
	struct row row = row_begin();
	int err, failed = 0, wrong = 0;
	bool hit = false;

	while (wrong < 5 && row_next(&row, hit)) {
		module_load(TINY "enable=yes trigger=kmalloc.stacktrace");
		fault_arm(row.nth);
		err = module_unload();
		hit = fault_disarm();
		failed += !!err;
		if (err ? err != -ENOMEM || stat_get("recording") != 1 ||
				  module_unload() :
			  !is_gone()) {
			test_note("allocation %d: %s", row.nth, strerror(-err));
			wrong++;
		}
	}
	test_note("%d allocations, %d of them failed: unloading failed %d times",
		  row.end - 1, row.done, failed);
	test_result(!wrong && row.end, "unloading succeeds or changes nothing");
}

/* A module with static tags is loaded and unloaded. */
static void check_client(void)
{
	int nth, err, wrong = 0;
	bool hit = true;

	for (nth = 1; hit && nth < FAULTS && wrong < 5; nth++) {
		fault_arm(nth);
		err = tags_load();
		if (!err)
			tags_run("simple 10");
		err |= tags_unload();
		hit = fault_disarm();
		if (err || stat_get("accounting") != 1) {
			test_note("allocation %d: %s", nth, strerror(-err));
			wrong++;
		}
	}
	test_note("%d allocations", nth - 1);
	test_result(!wrong && !hit && nth > 2,
		    "a module with static tags can be loaded and unloaded");
}

/* --- writing ---------------------------------------------------------------------- */

/**
 * struct op - one write
 * @file: the file
 * @text: the text; NULL: open the file with O_TRUNC instead
 * @undo: text to write before, so that @text changes something
 */
static const struct op {
	const char *file;
	const char *text;
	const char *undo;
} ops[] = {
	{ "enabled", "1", "0" },
	{ "enabled", "0", "1" },
	{ "set_event", "kmem:kmalloc", "!kmem:kmalloc" },
	{ "set_event", "!*:*", "*:*" },
	{ "set_event", "*:*", "!*:*" },
	{ "set_event", NULL, "*:*" },
	{ "set_event", "*:*", "!*:*" },
	{ "set_event", "nosuch", "" },
	{ KMALLOC "enable", "2", "1" },
	{ KMALLOC "enable", "0", "1" },
	{ KMALLOC "enable", "1", "0" },
	{ "events/kmem/enable", "0", "1" },
	{ "events/enable", "1", "0" },
	{ KMALLOC "filter", "bytes_req > 100 && comm == \"some\"", "0" },
	{ KMALLOC "filter", "call_site.function == vfree", "bytes_req == 5" },
	{ KMALLOC "filter", "nosuch == 1", "bytes_req == 5" },
	{ KMALLOC "filter", "0", "bytes_req == 5" },
	{ "events/kmem/filter", "ptr != 7", "0" },
	{ "events/kmem/filter", "bytes_req > 7", "ptr != 7" },
	{ "events/kmem/filter", "nosuch == 1", "0" },
	{ "events/kmem/filter", "0", "ptr != 7" },
	{ KMALLOC "trigger", "stacktrace if bytes_req == 77777", "!stacktrace" },
	{ KMALLOC "trigger", "stacktrace if nosuch == 1", "!stacktrace" },
	{ KMALLOC "trigger", "stacktrace", "stacktrace" },
	{ KMALLOC "trigger", "!stacktrace", "stacktrace" },
	{ KMALLOC "trigger", "traceon if bytes_req == 77777", "!traceon" },
	{ KMALLOC "trigger", "!traceon", "traceon if bytes_req == 77777" },
	{ KMALLOC "trigger", "enable_event:kmem:kfree if bytes_req == 77777",
	  "!enable_event:kmem:kfree" },
	{ KMALLOC "trigger", "!enable_event:kmem:kfree",
	  "enable_event:kmem:kfree if bytes_req == 77777" },
	{ KMALLOC "trigger", "snapshot if bytes_req == 77777", "!snapshot" },
	{ KMALLOC "trigger", "!snapshot", "snapshot if bytes_req == 77777" },
	{ "triggers", "sched:sched_switch:traceoff if cpu == 5000",
	  "!sched:sched_switch:traceoff" },
	{ "triggers", "!sched:sched_switch:traceoff",
	  "sched:sched_switch:traceoff if cpu == 5000" },
	{ "triggers", "sched:moon:traceoff", "" },
	{ "features", "all", "none" },
	{ "features", "nosuch", "none" },
	{ "buffer_size_kb", "16", "8" },
	{ "overwrite", "1", "0" },
	{ "overwrite", "0", "1" },
	{ "snapshot", "1", "0" },
	{ "snapshot", "0", "1" },
	{ "codetags", "0xffffffff81000010 mm/some.c:1 some", "" },
	{ "codetags", NULL, "0xffffffff81000010 mm/some.c:1 some" },
	{ "codetags", "nonsense", "" },
	{ "wrappers", "vfree", "!vfree" },
	{ "wrappers", "!vfree", "vfree" },
	{ "wrappers", "no_such_function", "vfree" },
	{ "wrappers", NULL, "vfree" },
	{ "error_log", "", "" },
	{ SYSCTL, "0", "1" },
	{ SYSCTL, "1", "0" },
};

#define OPS ((int)(sizeof(ops) / sizeof(ops[0])))

static const char *path_of(const struct op *op)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s%s", *op->file == '/' ? "" : KMT_DIR,
		 op->file);
	return path;
}

static int truncated(const char *path)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int perform(const struct op *op)
{
	return op->text ? file_set(path_of(op), op->text) :
			  truncated(path_of(op));
}

/* The state that a write may change, as one text. The caller frees it. */
static char *state_after(const struct op *op)
{
	static const char *const names[] = { "enabled", "set_event", "features",
					     "overwrite", "buffer_size_kb" };
	bool is_snapshot = !strcmp(op->file, "snapshot");
	char *text = NULL;
	size_t size, i;
	FILE *f = open_memstream(&text, &size);

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		fprintf(f, "%s: %s", names[i], control_text(names[i]));
	fprintf(f, "accounting: %lu\n", stat_get("accounting"));
	/* the counters and the time in snapshot change each time: only its first line */
	fprintf(f, "%.*s", is_snapshot ? 8 : 1 << 20,
		strcmp(op->file, "error_log") ? file_text(path_of(op)) : "");
	fclose(f);
	return text;
}

static char *state_before(const struct op *op)
{
	if (op->undo)
		file_set(path_of(op), op->undo);
	return state_after(op);
}

/* Return: number of allocations; -1 if a write had a wrong result. */
static int check_op(const struct op *op)
{
	char *before, *after, *good;
	int nth, err, normally, wrong = 0;
	bool hit = true;

	free(state_before(op));
	normally = perform(op);
	good = state_after(op);
	for (nth = 1; hit && nth < FAULTS && wrong < 3; nth++) {
		before = state_before(op);
		fault_arm(nth);
		err = perform(op);
		hit = fault_disarm();
		after = state_after(op);
		if (err == normally ? normally == 0 && strcmp(after, good) :
				      err != -ENOMEM || !hit || strcmp(after, before)) {
			test_note("%s: allocation %d: %s, normally %s; before: '%s' after: '%s'",
				  op->text ? op->text : "(truncated)", nth,
				  strerror(-err), strerror(-normally), before,
				  after);
			wrong++;
		}
		free(before);
		free(after);
	}
	free(good);
	/* a final ENOMEM means that an earlier failure has left something behind */
	return wrong || hit || normally == -ENOMEM ? -1 : nth - 1;
}

static void check_writes(const char *when)
{
	int i, n, allocations = 0;

	for (i = 0; i < OPS; i++) {
		const struct op *op = &ops[i];

		n = check_op(op);
		allocations += n;
		test_result(n >= 0, "%s: writing %s to %s", when,
			    op->text ? op->text : "(nothing)", op->file);
	}
	test_note("%s: %d allocations", when, allocations);
}

/* --- reading ------------------------------------------------------------------------ */

static char bytes[1 << 16];

/* Some files have no end, or are long: read a part. */
static int read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), i, err = 0;
	ssize_t n = 1;

	if (fd < 0)
		return -errno;
	for (i = 0; i < 8 && n > 0; i++) {
		n = read(fd, bytes, sizeof(bytes));
		if (n < 0)
			err = -errno;
	}
	close(fd);
	return err;
}

static int read_wrong, read_allocations;

static void check_read(const char *path)
{
	int nth, err, normally = read_file(path);
	bool hit = true;

	for (nth = 1; hit && nth < FAULTS; nth++, read_allocations++) {
		fault_arm(nth);
		err = read_file(path);
		hit = fault_disarm();
		if (err == normally || (hit && err == -ENOMEM))
			continue;
		test_note("%s: allocation %d: %s, normally %s", path, nth,
			  strerror(-err), strerror(-normally));
		read_wrong++;
		return;
	}
	read_wrong += hit;
}

static void check_reads(const char *when)
{
	int n = count_files();

	read_wrong = read_allocations = 0;
	files_each(KMT_DIR, check_read);
	check_read(ALLOCINFO);
	check_read(SYSCTL);
	test_note("%s: %d files, %d allocations", when, n + 2, read_allocations);
	test_result(!read_wrong && n > 40,
		    "%s: each read succeeds or fails with ENOMEM", when);
}

/* --- the test ---------------------------------------------------------------------- */

/* After all failures, recording and accounting still work. */
static void check_sound(void)
{
	struct records r;
	struct tag t;

	control_set("enabled", "0");
	control_set("overwrite", "0");
	control_set("buffer_size_kb", "1024");
	control_set("set_event", "*:*");
	readers_start();
	control_set("enabled", "1");
	client_run("hold kmalloc 100 500");
	control_set("enabled", "0");
	r = readers_stop();
	t = tag_get("client_kmalloc_alloc");
	test_result(r.count >= 500 && !r.broken && !r.disorder &&
			    r.count + stat_get("lost_events") ==
				    stat_get("events") &&
			    t.objects == 500,
		    "afterwards, recording and accounting work");
	records_free(&r);
	client_run("drop kmalloc 100 0");
	test_result(!tag_get("client_kmalloc_alloc").objects &&
			    !stat_get("untracked_objects"),
		    "... live figures return to zero");
}

static void check_files(void)
{
	test_result(!module_load(SMALL) && !client_load(), "modules load");
	fault_only_in(NULL);
	check_writes("recording is off");
	check_reads("recording is off");
	control_set("buffer_size_kb", "8");
	control_set("overwrite", "1");
	control_set("enabled", "1");
	check_writes("recording is on");
	control_set("enabled", "1");
	check_reads("recording is on");
	fault_only_in_module("kmemtrace");
	check_client();
	check_sound();
	test_result(!client_unload() && !module_unload() && is_gone(),
		    "modules unload");
}

int main(void)
{
	static const char *const loads[] = {
		TINY,
		TINY "enable=yes features=all set_event=kmem:kmalloc,kmem:kfree",
		TINY "overwrite=1 mem_profiling=1,compressed filter=\"kmem.ptr!=7\" trigger=\"kmalloc.snapshot if bytes_req==77777; kfree.stacktrace:5\"",
		TINY "mem_profiling=never",
	};
	const int count = 4 + 1 + 1 + 2 * (OPS + 1) + 1 + 2 + 1;
	int i;

	if (!fault_init()) {
		test_plan(1);
		test_skip("out of memory", "this kernel injects no faults");
		return test_exit();
	}
	test_plan(count);
	pin_to(0); /* while recording is on, only cpu0 can be read on CPU 0 */
	file_set("/sys/kernel/rcu_expedited", "1");
	fault_only_in("do_init_module");
	for (i = 0; i < 4; i++)
		check_load(loads[i]);
	fault_only_in("__do_sys_delete_module");
	check_unload();
	check_files();
	return test_exit();
}
