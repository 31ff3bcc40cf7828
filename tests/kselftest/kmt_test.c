// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kmt_test.h"

#define MODULES	 "/lib/modules/"
#define CPUS_MAX 64
#define READ_MAX (1 << 20)

/* --- KTAP ------------------------------------------------------------------ */

static int planned, done, failed;

void test_plan(int n)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	planned = n;
	printf("KTAP version 1\n1..%d\n", n);
}

void test_result(bool ok, const char *format, ...)
{
	va_list args;

	done++;
	failed += !ok;
	printf("%s %d ", ok ? "ok" : "not ok", done);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

void test_skip(const char *name, const char *why)
{
	printf("ok %d %s # SKIP %s\n", ++done, name, why);
}

void test_note(const char *format, ...)
{
	va_list args;

	fputs("# ", stdout);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

int test_exit(void)
{
	if (done != planned)
		test_note("%d tests planned, %d run", planned, done);
	return failed || done != planned;
}

bool test_quick(void)
{
	return getenv("QUICK");
}

double test_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

int test_scaled(int count, int done, double since, double seconds)
{
	double rate = done / (test_seconds() - since);
	int least = count / 20, fit = rate * seconds;

	if (fit >= count)
		return count;
	if (fit < least)
		fit = least;
	test_note("%.1f per second: %d repetitions instead of %d", rate, fit, count);
	return fit;
}

int test_cpus(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

/* --- modules ----------------------------------------------------------------- */

static int load(const char *file, const char *params)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (syscall(SYS_finit_module, fd, params, 0))
		err = -errno;
	close(fd);
	return err;
}

static int unload(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

void survey_wait(void)
{
	while (stat_get("survey_running"))
		usleep(10000);
}

int module_load_now(const char *params)
{
	return load(MODULES "kmemtrace.ko", params);
}

int module_load(const char *params)
{
	int err = module_load_now(params);

	survey_wait();
	return err;
}

int module_load_debug(const char *params)
{
	int err = load(MODULES "kmemtrace-debug.ko", params);

	survey_wait();
	return err;
}

int module_unload(void)
{
	return unload("kmemtrace");
}

int client_load(void)
{
	return load(MODULES "kmt_client.ko", "");
}

int client_unload(void)
{
	return unload("kmt_client");
}

/* --- files -------------------------------------------------------------------- */

int file_set(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

void files_each(const char *dir, void (*visit)(const char *path))
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	struct stat st;
	char path[512];

	while (d && (entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		if (!stat(path, &st) && S_ISDIR(st.st_mode))
			files_each(path, visit);
		else
			visit(path);
	}
	if (d)
		closedir(d);
}

int tags_load(void)
{
	return load(MODULES "kmt_tags.ko", "");
}

int tags_unload(void)
{
	return unload("kmt_tags");
}

int fire_load(void)
{
	return load(MODULES "kmt_fire.ko", "");
}

int fire_unload(void)
{
	return unload("kmt_fire");
}

int nmi_load(void)
{
	return load(MODULES "kmt_nmi.ko", "");
}

int nmi_unload(void)
{
	return unload("kmt_nmi");
}

int tags_run(const char *what)
{
	return file_set("/sys/kernel/debug/kmt_tags/run", what);
}

int client_run(const char *format, ...)
{
	char text[64];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return file_set("/sys/kernel/debug/kmt_client/run", text);
}

int control_set(const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), KMT_DIR "%s", name);
	return file_set(path, value);
}

const char *file_text(const char *path)
{
	static char text[4 << 20];
	size_t len = 0;
	ssize_t n = 0;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && len < sizeof(text) - 1) {
		n = read(fd, text + len, sizeof(text) - 1 - len);
		if (n <= 0)
			break;
		len += n;
	}
	if (fd >= 0)
		close(fd);
	text[len] = '\0';
	return text;
}

const char *control_text(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), KMT_DIR "%s", name);
	return file_text(path);
}

/* --- sizes -------------------------------------------------------------------- */

#define SLAB "/sys/kernel/slab/"

static long cache_attribute(const char *cache, const char *name)
{
	char path[160];

	snprintf(path, sizeof(path), SLAB "%s/%s", cache, name);
	return atol(file_text(path));
}

long cache_bytes(const char *cache)
{
	return cache_attribute(cache, "slab_size");
}

long kmalloc_bytes(size_t size)
{
	long least = 0, bytes = sysconf(_SC_PAGESIZE);
	glob_t caches;
	size_t i;

	if (glob(SLAB "kmalloc-[0-9]*", 0, NULL, &caches))
		return 0;
	for (i = 0; i < caches.gl_pathc; i++) {
		const char *cache = caches.gl_pathv[i] + strlen(SLAB);
		long object = cache_attribute(cache, "object_size");

		if (object < (long)size || (least && object >= least))
			continue;
		least = object;
		bytes = cache_bytes(cache);
	}
	globfree(&caches);
	while (!least && bytes < (long)size)
		bytes *= 2;
	return bytes;
}

long kernel_memory_kb(void)
{
	static const char *const kinds[] = { "Slab:", "VmallocUsed:", "Percpu:" };
	const char *text = file_text("/proc/meminfo"), *line;
	long kb = 0;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		line = strstr(text, kinds[i]);
		kb += line ? atol(line + strlen(kinds[i])) : 0;
	}
	return kb;
}

/* --- tags --------------------------------------------------------------------- */

struct tag tag_get(const char *function)
{
	char want[128], kind[16], where[64];
	const char *line = control_text("tags");
	struct tag sum = { 0 }, row;

	snprintf(want, sizeof(want), " func:%s\n", function);
	for (; line; line = strchr(line, '\n')) {
		const char *end;

		line += *line == '\n';
		end = strchr(line, '\n');
		if (!end || end + 1 - line < (long)strlen(want) ||
		    memcmp(end + 1 - strlen(want), want, strlen(want)) ||
		    sscanf(line, "%15s %lld %lld %lld %llu %llu %llu %63s",
			   kind, &row.bytes, &row.objects, &row.requested,
			   &row.allocs, &row.frees, &row.peak, where) != 8)
			continue;
		sum.rows++;
		sum.bytes += row.bytes;
		sum.objects += row.objects;
		sum.requested += row.requested;
		sum.allocs += row.allocs;
		sum.frees += row.frees;
		sum.peak += row.peak;
		sum.oldest_ms = strtoull(where, NULL, 10);
	}
	return sum;
}

uint64_t control_get(const char *name)
{
	return strtoull(control_text(name), NULL, 10);
}

uint64_t stat_get(const char *name)
{
	const char *line = control_text("stats");
	size_t len = strlen(name);

	for (; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, len) && line[len] == ' ')
			return strtoull(line + len, NULL, 10);
	}
	return 0;
}

/* --- readers -------------------------------------------------------------------- */

struct reader {
	pthread_t thread;
	int cpu;
	int fd;
	struct records records;
	bool seen;
	uint32_t last;
};

static struct reader readers[CPUS_MAX];
static int nr_readers;
static bool stop;

bool pin_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

int cpu_set_online(int cpu, bool online)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online",
		 cpu);
	return file_set(path, online ? "1" : "0");
}

bool cpu_is_online(int cpu)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online",
		 cpu);
	/* a CPU that cannot go offline has no such file */
	return access(path, F_OK) ? cpu == 0 : *file_text(path) == '1';
}

static void add_record(struct reader *r, const struct record *rec)
{
	struct records *all = &r->records;

	if (all->count == all->room) {
		all->room = all->room * 2 + 1024;
		all->rec = realloc(all->rec, all->room * sizeof(*rec));
		if (!all->rec)
			abort();
	}
	all->rec[all->count++] = *rec;
	if (r->seen && (int32_t)(rec->ev.seq - r->last) <= 0)
		all->disorder++;
	r->seen = true;
	r->last = rec->ev.seq;
}

static void take_bytes(struct reader *r, const uint8_t *data, size_t size)
{
	struct record rec = { .cpu = r->cpu };
	struct kmt_extra x = { .depth = 0 };
	size_t pos = 0;

	while (pos < size) {
		rec.size = kmt_record_decode(data + pos, size - pos, false,
					     &rec.ev, &rec.dec);
		if (rec.size < 0) {
			r->records.broken++;
			return;
		}
		kmt_record_decode_extra(&rec.ev, false, &x);
		rec.depth = x.depth;
		rec.first = x.stack[0];
		rec.ev.rec = NULL; /* the buffer is used again */
		add_record(r, &rec);
		pos += rec.size;
	}
}

static void drain(struct reader *r, uint8_t *buf)
{
	ssize_t n;

	while ((n = read(r->fd, buf, READ_MAX)) != 0) {
		if (n < 0 && errno == EXDEV) {
			pin_to(r->cpu);
			usleep(1000);
			return;
		}
		if (n < 0) {
			r->records.broken++;
			return;
		}
		take_bytes(r, buf, n);
	}
}

static void *read_cpu(void *arg)
{
	struct reader *r = arg;
	struct pollfd pfd = { .fd = r->fd, .events = POLLIN };
	uint8_t *buf = malloc(READ_MAX);
	bool last;

	pin_to(r->cpu);
	do {
		last = __atomic_load_n(&stop, __ATOMIC_ACQUIRE);
		if (!last)
			poll(&pfd, 1, 20);
		drain(r, buf);
	} while (!last);
	free(buf);
	return NULL;
}

int stream_open(int cpu)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), KMT_DIR "cpu%d", cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

void readers_start(void)
{
	int cpu;

	stop = false;
	nr_readers = 0;
	for (cpu = 0; cpu < CPUS_MAX; cpu++) {
		struct reader *r = &readers[nr_readers];

		memset(r, 0, sizeof(*r));
		r->cpu = cpu;
		r->fd = stream_open(cpu);
		if (r->fd < 0)
			continue;
		pthread_create(&r->thread, NULL, read_cpu, r);
		nr_readers++;
	}
}

struct records readers_stop(void)
{
	struct records all = { 0 };
	int i;

	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	for (i = 0; i < nr_readers; i++) {
		struct records *r = &readers[i].records;

		pthread_join(readers[i].thread, NULL);
		close(readers[i].fd);
		all.rec = realloc(all.rec, (all.count + r->count + 1) *
						   sizeof(*all.rec));
		if (!all.rec)
			abort();
		if (r->count)
			memcpy(all.rec + all.count, r->rec,
			       r->count * sizeof(*all.rec));
		all.count += r->count;
		all.broken += r->broken;
		all.disorder += r->disorder;
		free(r->rec);
	}
	return all;
}

static int by_number(const void *a, const void *b)
{
	const struct record *x = a, *y = b;
	int32_t d = x->ev.seq - y->ev.seq;

	return d < 0 ? -1 : d > 0;
}

void records_sort(struct records *r)
{
	qsort(r->rec, r->count, sizeof(*r->rec), by_number);
}

void records_free(struct records *r)
{
	free(r->rec);
	memset(r, 0, sizeof(*r));
}

uint64_t records_missing(const struct records *r, uint32_t from, uint32_t to)
{
	uint64_t missing = 0;
	uint32_t next = from;
	size_t i;

	for (i = 0; i < r->count; i++) {
		missing += (uint32_t)(r->rec[i].ev.seq - next);
		next = r->rec[i].ev.seq + 1;
	}
	return missing + (uint32_t)(to - next);
}

/* --- symbols ---------------------------------------------------------------------- */

static struct symbol {
	uint64_t addr;
	char name[64];
} symbols[128];
static int nr_symbols;

static void load_symbols(void)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[512], module[64];

	nr_symbols = 0;
	while (f && nr_symbols < 128 && fgets(line, sizeof(line), f)) {
		struct symbol *s = &symbols[nr_symbols];

		if (sscanf(line, "%lx %*c %63s [%63[^]]]", &s->addr, s->name,
			   module) == 3 &&
		    !strcmp(module, "kmt_client"))
			nr_symbols++;
	}
	if (f)
		fclose(f);
}

void symbols_forget(void)
{
	nr_symbols = 0;
}

const char *symbol_name(uint64_t addr)
{
	const struct symbol *best = NULL;
	int i;

	if (!nr_symbols)
		load_symbols();
	for (i = 0; i < nr_symbols; i++)
		if (symbols[i].addr < addr && addr - symbols[i].addr < 4096 &&
		    (!best || symbols[i].addr > best->addr))
			best = &symbols[i];
	return best ? best->name : "";
}

static bool is_kmalloc_event(const struct kmt_event *ev, int event_id,
			     const char *function)
{
	return ev->event_id == event_id &&
	       ev->type_id == KMEMTRACE_TYPE_KMALLOC &&
	       !strcmp(symbol_name(ev->call_site), function);
}

bool is_client_alloc(const struct kmt_event *ev)
{
	return is_kmalloc_event(ev, KMEMTRACE_EVENT_ALLOC, "client_kmalloc_alloc");
}

bool is_client_free(const struct kmt_event *ev)
{
	return is_kmalloc_event(ev, KMEMTRACE_EVENT_FREE, "client_kmalloc_free");
}
