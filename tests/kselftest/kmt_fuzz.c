// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes random texts to each file of the module, and reads the files, for FUZZ_SECONDS
 * (default 5), with the seed FUZZ_SEED (default 1); both are in the environment.
 * The texts are valid, nearly valid, or noise, of any length, at any offset, in pieces,
 * or from memory that is not mapped. No call hangs or returns an unexpected error, and
 * afterwards the module works.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kmt_fire.h"
#include "kmt_test.h"

#define FILES_MAX  256
#define TEXT_MAX   4200 /* a little more than any file accepts */
#define BIG	   (1 << 18)
#define HANG_S	   60
#define COUNT(a)   ((unsigned int)(sizeof(a) / sizeof((a)[0])))
#define PARAMETERS "/sys/module/kmemtrace/parameters"

/* Any of these texts may be written to any file, but mostly to the file named. */
static const struct {
	const char *file, *text;
} valid[] = {
	{ "enabled", "0\n" },
	{ "enabled", "1\n" },
	{ "enabled", "yes" },
	{ "mem_profiling", "0\n" },
	{ "mem_profiling", "1\n" },
	{ "enable", "0" },
	{ "enable", "1" },
	{ "set_event", "kmem:kmalloc kmem:kfree\n" },
	{ "set_event", "*:*" },
	{ "set_event", "!percpu" },
	{ "features", "all" },
	{ "features", "none" },
	{ "features", "+time -cache" },
	{ "features", "stack,task" },
	{ "buffer_size_kb", "64" },
	{ "buffer_size_kb", "0x2000" },
	{ "overwrite", "0" },
	{ "overwrite", "1" },
	{ "snapshot", "0" },
	{ "snapshot", "1" },
	{ "error_log", "" },
	{ "wrappers", "vfree kvfree\n!vfree" },
	{ "wrappers", "kmemdup" },
	{ "codetags", "0xffffffff81000010 mm/some.c:1 some\n" },
	{ "codetags", "ffffffff81000020 mm/other.c:2 other [kmemtrace]\n" },
	{ "filter", "bytes_req > 100 && comm == \"true\"" },
	{ "filter", "call_site.function == vfree || !(cpu & 1)" },
	{ "filter", "gfp_flags & GFP_KERNEL && live_bytes >= 0x1000" },
	{ "filter", "comm ~ \"*sh*\" || ptr != 7 && (node == -1)" },
	{ "filter", "0" },
	{ "trigger", "stacktrace:5 if bytes_req > 400" },
	{ "trigger", "!stacktrace" },
	{ "trigger", "traceoff:3 if bytes_alloc == 64" },
	{ "trigger", "traceon" },
	{ "trigger", "enable_event:kmem:kfree:2" },
	{ "trigger", "!enable_event:kmem:kfree" },
	{ "trigger", "disable_event:percpu:percpu_alloc_percpu if cpu == 0" },
	{ "trigger", "snapshot if live_objects > 5" },
	{ "triggers", "sched:sched_switch:traceon:3 if comm ~ \"*sh\"" },
	{ "triggers", "!sched:sched_switch:traceon" },
	{ "triggers", "syscalls:sys_enter_write:disable_event:kmem:kfree:2" },
	{ "triggers", "irq:softirq_entry:snapshot:5 if cpu == 0" },
	{ "triggers", "!irq:softirq_entry:snapshot" },
	{ "triggers", "kmem:kmalloc:stacktrace:5 if bytes_req > 400" },
	{ "debug", "1" },
	{ "snapshot_on_oom", "N" },
};

/**
 * struct progress - shared with the process that writes and reads
 * @steps: number of files handled
 * @writes: writes that were accepted
 * @refused: writes that failed
 * @reads: reads that returned data
 * @strange: unexpected results
 * @path: path of the current file
 */
static struct progress {
	uint64_t steps, writes, refused, reads, strange;
	char path[256];
} *progress;

static char *paths[FILES_MAX];
static bool writable[FILES_MAX];
static unsigned int files;
static unsigned long long state;
static char text[BIG];
static char *no_memory; /* a page that is mapped, and then one that is not */

static unsigned int pick(unsigned int n)
{
	return fire_random(&state) % n;
}

static void add_file(const char *path)
{
	struct stat st;

	if (files == FILES_MAX || stat(path, &st))
		return;
	writable[files] = st.st_mode & 0200;
	paths[files++] = strdup(path);
}

/* --- texts -------------------------------------------------------------------- */

static size_t noise(char *to, size_t len)
{
	static const char common[] = "0123456789 \t\n!:;,()\"&|=<>~*-+x.";
	bool readable = pick(2);
	size_t i;

	for (i = 0; i < len; i++)
		to[i] = readable ? common[pick(sizeof(common))] : (char)pick(256);
	return len;
}

static size_t valid_for(const char *path, char *to)
{
	const char *name = strrchr(path, '/') + 1;
	unsigned int i = pick(COUNT(valid)), tries = pick(4) ? 400 : 0;

	while (tries-- && strcmp(valid[i].file, name))
		i = pick(COUNT(valid));
	return strlen(strcpy(to, valid[i].text));
}

/* Insert, remove or change some bytes, or repeat the whole text. */
static size_t mutate(char *to, size_t len)
{
	size_t at, n, changes = pick(4) + 1;

	while (changes-- && len && len < TEXT_MAX / 2) {
		at = pick(len);
		n = pick(len - at) + 1;
		switch (pick(5)) {
		case 0:
			to[at] = (char)pick(256);
			break;
		case 1:
			memmove(to + at, to + at + n, len - at - n);
			len -= n;
			break;
		case 2:
			memmove(to + at + n, to + at, len - at);
			len += n;
			break;
		case 3:
			noise(to + at, n);
			break;
		default:
			memcpy(to + len, to, len);
			len *= 2;
		}
	}
	return len;
}

static size_t make_text(const char *path)
{
	size_t len;

	switch (pick(8)) {
	case 0:
		return noise(text, pick(64));
	case 1:
		return noise(text, pick(TEXT_MAX));
	case 2:
	case 3:
		return valid_for(path, text);
	case 4: /* two valid texts */
		len = valid_for(path, text);
		text[len++] = pick(2) ? '\n' : ' ';
		return len + valid_for(path, text + len);
	case 5: /* sometimes very long */
		return pick(20) ? mutate(text, valid_for(path, text)) :
				  noise(text, BIG);
	default:
		return mutate(text, valid_for(path, text));
	}
}

/* --- calls ---------------------------------------------------------------------- */

static void expect(long answer, size_t most)
{
	static const int known[] = {
		EINVAL, ENOENT, EEXIST, EBUSY, ENOMEM,	EFAULT, EACCES, EAGAIN,
		ENODATA, EXDEV, ERANGE, E2BIG, ENOSPC, ENOTTY, ESPIPE, EBADF,
		EPERM,	ENODEV, EFBIG,	ENXIO,	EIO,	EOVERFLOW,
	};
	unsigned int i;
	int err = errno;

	if (answer >= 0 && (size_t)answer <= most)
		return;
	for (i = 0; answer < 0 && i < COUNT(known); i++)
		if (err == known[i])
			return;
	progress->strange++;
	test_note("%s: %ld of %zu, %s", progress->path, answer, most,
		  answer < 0 ? strerror(err) : "no error");
}

static off_t any_offset(void)
{
	static const off_t edges[] = { -1, 0, 1, 4095, 4096, 1l << 31, 1l << 32,
				       0xffffc90000000000ul / 4096 * 8,
				       0x7ffffffffffff000, 0x7fffffffffffffff };

	return pick(2) ? edges[pick(COUNT(edges))] : (off_t)pick(1 << 20);
}

static void do_write(int fd)
{
	size_t len = make_text(progress->path), part = pick(len + 1);
	struct iovec iov[] = { { text, part }, { text + part, len - part } };
	long n;

	switch (pick(8)) {
	case 0:
		n = pwrite(fd, text, len, any_offset());
		break;
	case 1:
		n = writev(fd, iov, 2);
		break;
	case 2: /* the end of the text is not mapped */
		part = pick(64);
		n = write(fd, no_memory + 4096 - part, part + pick(64));
		len = part + 64;
		break;
	default:
		n = write(fd, text, len);
	}
	expect(n, len);
	progress->writes += n >= 0;
	progress->refused += n < 0;
}

static void do_read(int fd)
{
	size_t len = pick(4) ? pick(8192) : pick(BIG), part = pick(64);
	long n;

	switch (pick(4)) {
	case 0:
		n = pread(fd, text, len, any_offset());
		break;
	case 1:
		n = read(fd, no_memory + 4096 - part, len);
		break;
	default:
		n = read(fd, text, len);
	}
	expect(n, len);
	progress->reads += n > 0;
}

static void do_other(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = (short)pick(256) };
	void *p;

	switch (pick(5)) {
	case 0:
		expect(poll(&pfd, 1, 0), 1);
		break;
	case 1:
		if (lseek(fd, any_offset(), pick(5)) < 0)
			expect(-1, 0);
		break;
	case 2:
		expect(ioctl(fd, pick(1 << 16), no_memory), 0);
		break;
	case 3:
		p = mmap(NULL, 4096, pick(4), MAP_SHARED, fd, 0);
		if (p == MAP_FAILED)
			expect(-1, 0);
		else
			munmap(p, 4096);
		break;
	default:
		expect(ftruncate(fd, any_offset()), 0);
	}
}

static void do_file(const char *path)
{
	static const int modes[] = { O_RDONLY, O_WRONLY, O_WRONLY, O_RDWR };
	static const int more[] = { 0, 0, 0, 0, O_TRUNC, O_APPEND, O_NONBLOCK };
	unsigned int n = pick(6);
	int fd;

	strcpy(progress->path, path);
	fd = open(path, modes[pick(COUNT(modes))] | more[pick(COUNT(more))] |
				O_CLOEXEC);
	if (fd < 0) {
		expect(-1, 0);
		return;
	}
	while (n--) {
		switch (pick(8)) {
		case 0:
			do_other(fd);
			break;
		case 1:
		case 2:
			do_read(fd);
			break;
		default:
			do_write(fd);
		}
	}
	close(fd);
}

/* --- the test ----------------------------------------------------------------------- */

static pid_t start(void (*step)(void))
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid)
		return pid;
	for (;;)
		step();
}

static void fuzz(void)
{
	unsigned int i = pick(files), tries = pick(8);

	while (!writable[i] && tries--)
		i = pick(files);
	do_file(paths[i]);
	__atomic_fetch_add(&progress->steps, 1, __ATOMIC_SEQ_CST);
}

/* Make events, so that filters and triggers run. */
static void make_events(void)
{
	client_run("mixed 0 100");
	usleep(1000);
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Return: false if a call hangs for HANG_S seconds. */
static bool fuzz_for(double seconds)
{
	pid_t load = start(make_events), pid = start(fuzz);
	double now = test_seconds(), end = now + seconds, moved = now;
	uint64_t before = 0, steps;

	while (now < end && now - moved < HANG_S) {
		usleep(100000);
		now = test_seconds();
		steps = __atomic_load_n(&progress->steps, __ATOMIC_SEQ_CST);
		if (steps != before)
			moved = now;
		before = steps;
	}
	if (now - moved >= HANG_S)
		test_note("hangs at %s", progress->path);
	stop(pid);
	stop(load);
	return now - moved < HANG_S;
}

/* With any settings, accounting is exact after it is switched on again. */
static bool is_sound(void)
{
	struct tag t;

	close(open(KMT_DIR "wrappers", O_WRONLY | O_TRUNC | O_CLOEXEC));
	file_set("/proc/sys/vm/mem_profiling", "0");
	if (file_set("/proc/sys/vm/mem_profiling", "1"))
		return false;
	client_run("hold kmalloc 100 500");
	t = tag_get("client_kmalloc_alloc");
	client_run("drop kmalloc 100 0");
	return t.objects == 500 && t.bytes == 500 * kmalloc_bytes(100) &&
	       !tag_get("client_kmalloc_alloc").objects;
}

static void find_files(void)
{
	while (files)
		free(paths[--files]);
	files_each(KMT_DIR, add_file);
	files_each(PARAMETERS, add_file);
	add_file("/proc/allocinfo");
	add_file("/proc/sys/vm/mem_profiling");
}

static void check_round(const char *params, double seconds)
{
	uint64_t steps = progress->steps, writes = progress->writes;

	test_result(!module_load(params) && !client_load(), "loaded with %s",
		    params);
	find_files();
	test_result(fuzz_for(seconds), "... no call hangs");
	test_result(progress->steps > steps && progress->writes > writes &&
			    files > 60,
		    "... some writes were accepted");
	test_result(is_sound(), "... afterwards, accounting is exact");
	/* a read that was killed, or a work item, may hold the module for a moment */
	usleep(100000);
	test_result(!client_unload() && !module_unload(),
		    "... the module unloads with all settings in force");
}

static void set_up(void)
{
	const char *seed = getenv("FUZZ_SEED");

	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	no_memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (progress == MAP_FAILED || no_memory == MAP_FAILED ||
	    munmap(no_memory + 4096, 4096))
		abort();
	state = seed ? strtoull(seed, NULL, 0) : 1;
}

int main(void)
{
	const char *text = getenv("FUZZ_SECONDS");
	double seconds = text ? atof(text) : 5;

	test_plan(11);
	set_up();
	check_round("subbufs=2 subbuf_size=4096", seconds / 2);
	pick(1); /* the child had a copy of the state: do not repeat its choices */
	check_round("overwrite=1 enable=yes mem_profiling=1,compressed",
		    seconds / 2);
	test_note("%lu steps: %lu writes taken, %lu refused, %lu reads",
		  progress->steps, progress->writes, progress->refused,
		  progress->reads);
	test_result(!progress->strange, "no call returned an unexpected result");
	return test_exit();
}
