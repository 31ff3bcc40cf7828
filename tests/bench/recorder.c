// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the command record without a module, on synthetic records:
 *
 *   recorder FILE EVENTS RATE [CPUS [PATHS [MEMORY_KB [ORDER]]]]
 *
 * The recorder is the real one, but openat(), read() and poll() of the files cpu<n> are
 * replaced. As the module's, poll() waits for a full sub-buffer. A CPU makes EVENTS / CPUS
 * records, at RATE million records per second for all CPUs. Its buffer has the default size,
 * 4 MiB. Records that do not fit into it are lost, and the rate is too high. With RATE 0, each
 * read() fills its buffer. ORDER is sequence or time.
 *
 * Prints millions of events per second of elapsed time from the first read() to the
 * complete file, the same per second of CPU time, events that were lost, peak memory of
 * the recorder alone in MiB, and bytes per event.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "kmt_compact.h"
#include "record/ordering.h"
#include "record/recorder.h"
#include "synthetic.h"

#define BUFFER (4u << 20)
#define SUBBUF (BUFFER / 8)
/* time between two looks whether a sub-buffer is full, in us */
#define LOOK_US 500
/* offsets of records are stored for each block of this size */
#define BLOCK  1024
#define FDS    4096

/**
 * struct stream - the records of a CPU
 * @data: all records
 * @size: bytes of @data
 * @room: bytes that fit into @data
 * @cut: for each block of @data, offset of the last record that begins in or before it
 * @at: bytes that were read or lost
 * @next: number of the next record, in the order by time
 * @opened: number of times that the file was opened. The first time, the recorder drops
 *	earlier records
 */
struct stream {
	uint8_t *data;
	size_t size;
	size_t room;
	size_t *cut;
	size_t at;
	uint32_t next;
	unsigned int opened;
};

static struct stream streams[SYNTHETIC_CPUS_MAX];
static unsigned int nr_cpus;
static struct stream *by_fd[FDS];
static bool is_mark[FDS];
static bool by_time;
static double rate, started;
static uint64_t events, lost;
static char dir[] = "/tmp/kmt_bench_XXXXXX";

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* --- the streams ----------------------------------------------------------- */

static void append(struct stream *s, const void *data, size_t size)
{
	size_t pos = 0, block;

	if (s->size + size > s->room) {
		s->room = 2 * (s->room + size);
		s->data = realloc(s->data, s->room);
		s->cut = realloc(s->cut, (s->room / BLOCK + 2) * sizeof(*s->cut));
		if (!s->data || !s->cut)
			exit(1);
	}
	memcpy(s->data + s->size, data, size);
	while (pos < size) {
		const struct kmemtrace_event *head =
			(const void *)((const uint8_t *)data + pos);

		pos += head->event_size;
		block = (s->size + pos) / BLOCK;
		s->cut[block] = s->size + pos;
		s->cut[block + 1] = s->size + pos;
	}
	s->size += size;
}

/* Return: bytes of the compact records that are made of other records. */
static size_t make_compact(struct stream *s, uint8_t *to, const uint8_t *data, size_t size)
{
	uint8_t *end = to;

	while (size) {
		struct kmt_decoded dec;
		struct kmt_event ev;
		int used = kmt_record_decode(data, size, false, &ev, &dec);
		size_t core = kmt_compact_size(ev.event_id, ev.type_id);
		size_t extra = used - kmt_record_size(&ev, ev.features &
							   ~KMT_FEATURES_EXTRA);

		ev.seq = s->next++;
		kmt_compact_encode(end, core + extra, &ev);
		if (ev.type_id == KMEMTRACE_TYPE_CACHE)
			kmt_compact_put_cache(end, ev.event_id, ev.cache);
		memcpy(end + core, data + used - extra, extra);
		end += core + extra;
		data += used;
		size -= used;
	}
	return end - to;
}

static void put(void *arg, unsigned int cpu, const void *data, size_t size,
		uint32_t mark)
{
	static uint8_t compact[2 << 20];
	struct stream *s = &streams[cpu];

	(void)arg;
	(void)mark;
	if (by_time)
		append(s, compact, make_compact(s, compact, data, size));
	else
		append(s, data, size);
}

/* Return: offset of the last whole record before @end. */
static size_t whole(const struct stream *s, size_t end)
{
	return end >= s->size ? s->size : s->cut[end / BLOCK] <= end ?
		       s->cut[end / BLOCK] : s->cut[end / BLOCK - 1];
}

/* Return: bytes of the records that were made up to now. */
static size_t made(const struct stream *s)
{
	double part = rate ? (now() - started) * rate * 1e6 / events : 1;

	return part >= 1 ? s->size : whole(s, s->size * part);
}

/* Return: the place of a record in the order. */
static uint64_t place(const struct kmemtrace_event *head)
{
	return by_time ? ((const struct kmemtrace_compact *)head)->time :
			 (uint32_t)head->seq_num;
}

/* Return: a place in the order, so that all records before it were made. */
static uint64_t find_mark(void)
{
	uint64_t least = by_time ? UINT64_MAX / 4 : events;
	unsigned int i;

	for (i = 0; i < nr_cpus; i++) {
		struct stream *s = &streams[i];
		const struct kmemtrace_event *head =
			(const void *)(s->data + made(s));

		if ((const uint8_t *)head < s->data + s->size &&
		    place(head) < least)
			least = place(head);
	}
	return least;
}

static void lose(struct stream *s, size_t to)
{
	while (s->at < to) {
		const struct kmemtrace_event *head =
			(const void *)(s->data + s->at);

		s->at += head->event_size;
		__atomic_fetch_add(&lost, 1, __ATOMIC_RELAXED);
	}
}

static ssize_t read_records(struct stream *s, void *to, size_t room)
{
	size_t end = made(s);

	if (rate && end - s->at > BUFFER)
		lose(s, whole(s, end - BUFFER));
	if (end > s->at + room)
		end = whole(s, s->at + room);
	memcpy(to, s->data + s->at, end - s->at);
	room = end - s->at;
	s->at = end;
	return room;
}

/* --- functions that are replaced -------------------------------------------- */

int __real_openat(int at, const char *name, int flags, ...);
ssize_t __real_read(int fd, void *to, size_t room);
ssize_t __real_pread(int fd, void *to, size_t room, off_t at);
int __real_poll(struct pollfd *pfd, nfds_t count, int ms);
int __wrap_openat(int at, const char *name, int flags, ...);
ssize_t __wrap_read(int fd, void *to, size_t room);
ssize_t __wrap_pread(int fd, void *to, size_t room, off_t at);
int __wrap_poll(struct pollfd *pfd, nfds_t count, int ms);

int __wrap_openat(int at, const char *name, int flags, ...)
{
	va_list more;
	int fd, mode;

	va_start(more, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, int) : 0;
	va_end(more);
	fd = __real_openat(at, name, flags, mode);
	if (fd < 0)
		return fd;
	if (fd >= FDS)
		exit(1);
	by_fd[fd] = NULL;
	is_mark[fd] = !strcmp(name, by_time ? ORDERING_BY_TIME : ORDERING_BY_NUMBER);
	if (!strncmp(name, "cpu", 3) && name[3] >= '0' && name[3] <= '9') {
		by_fd[fd] = &streams[atoi(name + 3)];
		if (++by_fd[fd]->opened == 2 && !started)
			started = now();
	}
	return fd;
}

ssize_t __wrap_read(int fd, void *to, size_t room)
{
	struct stream *s = fd >= 0 && fd < FDS ? by_fd[fd] : NULL;

	if (!s)
		return __real_read(fd, to, room);
	return s->opened > 1 ? read_records(s, to, room) : 0;
}

ssize_t __wrap_pread(int fd, void *to, size_t room, off_t at)
{
	return fd >= 0 && fd < FDS && is_mark[fd] ?
		       snprintf(to, room, "%llu\n", (unsigned long long)find_mark()) :
		       __real_pread(fd, to, room, at);
}

/* With a rate, the caller sleeps until a sub-buffer is full, or the time has passed. */
int __wrap_poll(struct pollfd *pfd, nfds_t count, int ms)
{
	struct stream *s = count == 1 && pfd->fd >= 0 && pfd->fd < FDS ? by_fd[pfd->fd] : NULL;
	double end = now() + ms / 1e3;

	if (!s || !rate)
		return __real_poll(pfd, count, ms);
	while (now() < end) {
		if (made(s) - s->at >= SUBBUF)
			return 1;
		usleep(LOOK_US);
	}
	return 0;
}

/* --- the recording ---------------------------------------------------------- */

static void put_text(const char *name, const char *text)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file))
		exit(1);
}

static void make_dir(void)
{
	static const char *const files[][2] = {
		{ "enabled", "0\n" },	{ "overwrite", "0\n" },
		{ "features", "none\n" },	{ "set_event", "\n" },
		{ "stats", "events 1\n" }, { "lost_events", "0\n" },
		{ "caches", "1 8 8 one\n" }, { "gfp_flags", "0x1 A\n" },
		{ "sequence", "0\n" },	{ "clock", "0\n" },
		{ "triggers", "" },
	};
	char text[128];
	size_t i;

	if (!mkdtemp(dir))
		exit(1);
	snprintf(text, sizeof(text), "%s/session", dir);
	if (symlink("enabled", text))
		exit(1);
	put_text("order", by_time ? "time\n" : "sequence\n");
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		put_text(files[i][0], files[i][1]);
	for (i = 0; i < nr_cpus; i++) {
		snprintf(text, sizeof(text), "cpu%zu", i);
		put_text(text, "");
	}
	setenv("KMEMTRACE_DIR", dir, 1);
}

static void remove_dir(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	if (system(command))
		exit(1);
}

static double cpu_seconds(void)
{
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	return use.ru_utime.tv_sec + use.ru_utime.tv_usec / 1e6 +
	       use.ru_stime.tv_sec + use.ru_stime.tv_usec / 1e6;
}

/* Return: a line of /proc/self/status, in KiB. */
static long status_kb(const char *name)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[128];
	long kb = 0;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			kb = atol(line + strlen(name) + 1);
	if (file)
		fclose(file);
	return kb;
}

/* The peak is that of the recorder: the records were made before. */
static long reset_peak(void)
{
	int fd = open("/proc/self/clear_refs", O_WRONLY);

	if (fd < 0 || write(fd, "5", 1) != 1)
		exit(1);
	close(fd);
	return status_kb("VmRSS");
}

/* The command sleeps until all records are made. It ends the recording. */
static int record(const char *file, uint64_t memory_kb)
{
	char *command[] = { "sleep", NULL, NULL }, seconds[32];
	struct recorder_options options = {
		.file = file,
		.quiet = true,
		.memory_kb = memory_kb,
		.settings.features = by_time ? "time,cache,page" : "none",
		.settings.order = by_time ? "time" : "sequence",
		.command = command,
	};

	snprintf(seconds, sizeof(seconds), "%f",
		 rate ? events / rate / 1e6 : 0);
	command[1] = seconds;
	return recorder_run(&options);
}

int main(int argc, char **argv)
{
	struct synthetic s = { .live = 1000000, .put = put };
	double own, passed;
	struct stat st = { 0 };
	long before;
	int ret;

	if (argc < 4)
		return 2;
	s.events = events = strtoull(argv[2], NULL, 0);
	rate = atof(argv[3]);
	s.cpus = nr_cpus = argc > 4 ? atoi(argv[4]) : 2;
	s.paths = argc > 5 ? atoi(argv[5]) : 0;
	by_time = argc > 7 && !strcmp(argv[7], "time");
	if (!events || !nr_cpus || nr_cpus > SYNTHETIC_CPUS_MAX ||
	    !synthetic_make(&s))
		return 2;
	make_dir();
	before = reset_peak();
	own = cpu_seconds();
	ret = record(argv[1], argc > 6 ? atoi(argv[6]) : 0);
	passed = now() - started;
	own = cpu_seconds() - own;
	stat(argv[1], &st);
	printf("%9.2f %9.2f %9llu %7.1f %7.1f\n", (events - lost) / passed / 1e6,
	       (events - lost) / own / 1e6, (unsigned long long)lost,
	       (status_kb("VmHWM") - before) / 1024.0,
	       (double)st.st_size / events);
	remove_dir();
	return ret;
}
