// SPDX-License-Identifier: GPL-2.0-only
/*
 * The semantics of filters. Random filters are given to ftrace, to kmemtrace and to the
 * tool's engine. Then events are fired, and all three must accept the same ones.
 *
 *   kmt_filter_random [FILTERS [SEED]]
 *
 * The default is 10000 filters; 2000 on several CPUs, because a new filter waits for
 * each CPU, which is slow on emulated CPUs.
 *
 * KMT_FILTER_SELF=1 in the environment compares ftrace with another instance of itself,
 * to check the test.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "filter_random.h"
#include "kmt_filter.h"
#include "kmt_record.h"
#include "kmt_test.h"

#define TRACING	   "/sys/kernel/tracing/"
#define KMALLOC	   "events/kmem/kmalloc/"
#define FIRE	   "/sys/kernel/debug/kmt_fire/"
#define EXPEDITED  "/sys/kernel/rcu_expedited"
#define RECORD_CMD TRACING "options/record-cmd"
#define CPUS	   8
#define EVENTS	   64 /* events for each filter; each is one bit of a u64 */
#define BATCH	   16 /* events with the same task name */
#define STAY	   64 /* filters until the test moves to the next CPU */
#define SHOWN	   5

/* A system that gets the filters and records events. */
struct side {
	const char *name;
	const char *dir; /* directory of its files */
	bool (*start)(struct side *side);
	void (*collect)(struct side *side, int fd, uint64_t first);
	int filter;
	int streams[CPUS];
	unsigned int ptr_at, type; /* ftrace: offset of ptr, and type of the event */
	uint64_t set; /* mask of the fired events that it recorded */
	uint64_t refused, stale, twice, lost;
};

static struct fire_site sites[FIRE_SITES];
static struct fired fired[EVENTS];
static struct filter_world world = {
	.events = fired,
	.count = EVENTS,
	.sites = sites,
};
static unsigned long long seed = 1;
static int nr_cpus, fire_fd;
static uint64_t matched, split, mismatches, tool_mismatches;

/* --- the tool's engine ------------------------------------------------------- */

static bool find_site(void *arg, const char *name, size_t len, uint64_t address,
		      uint64_t *start, uint64_t *size)
{
	const char *colon = name ? memchr(name, ':', len) : NULL;
	int i;

	(void)arg;
	if (colon) { /* module:function; the names of the functions are unique */
		len -= colon + 1 - name;
		name = colon + 1;
	}
	for (i = 0; i < FIRE_SITES; i++) {
		const struct fire_site *s = &sites[i];

		if (name ? strlen(s->name) != len || memcmp(s->name, name, len) :
			   address - s->start >= s->size)
			continue;
		*start = s->start;
		*size = s->size;
		return true;
	}
	return false;
}

static const struct kmt_filter *compile(const char *text)
{
	const struct kmt_filter_env env = {
		.groups = KMT_GROUP_ALLOC | KMT_GROUP_CPU | KMT_FEATURE_TASK,
		.nr_cpus = world.last_cpu + 1,
		.function = find_site,
	};
	struct kmt_filter_error error;
	static struct kmt_filter *filter;

	free(filter);
	filter = malloc(kmt_filter_room(strlen(text)));
	if (filter && kmt_filter_compile(filter, text, &env, &error))
		return filter;
	if (tool_mismatches < SHOWN)
		test_note("the tool refuses %s", text);
	free(filter);
	return filter = NULL;
}

/*
 * Do what the tool does with an event: encode it as a record with the feature task, decode
 * it, and match the result.
 */
static bool tool_matches(const struct kmt_filter *filter, const struct fired *f)
{
	struct kmt_extra x = { .pid = f->pid, .cpu = f->cpu };
	uint8_t record[KMT_RECORD_MAX];
	struct kmt_decoded dec;
	struct kmt_event ev;
	size_t size = kmt_record_size(&f->ev, 0);

	snprintf(x.comm, sizeof(x.comm), "%s", f->comm);
	kmt_record_encode(record,
			  size + kmt_record_extra_size(&x, KMT_FEATURE_TASK),
			  &f->ev, 0);
	kmt_record_encode_extra(record + size, &x, KMT_FEATURE_TASK);
	if (kmt_record_decode(record, sizeof(record), false, &ev, &dec) < 0)
		return false;
	memset(&x, 0, sizeof(x));
	kmt_record_decode_extra(&ev, false, &x);
	x.cpu = f->cpu;
	x.have |= KMT_GROUP_CPU;
	return kmt_filter_match(filter, &ev, &x, NULL);
}

/* --- read the recorded events ---------------------------------------------------- */

static void note_event(struct side *side, uint64_t ptr, uint64_t first)
{
	uint64_t n = (ptr - FIRE_PTR) / FIRE_PTR_STEP;

	if (ptr < FIRE_PTR || n >= FIRE_MAX)
		return; /* a real allocation of another task */
	if (n - first >= EVENTS) {
		side->stale++;
		return;
	}
	side->twice += side->set >> (n - first) & 1;
	side->set |= 1ull << (n - first);
}

static uint32_t load32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Take one event of ftrace's buffer (events/header_event). Return: its size in bytes. */
static size_t take_event(struct side *side, const uint8_t *p, size_t left,
			 uint64_t first)
{
	unsigned int type = load32(p) & 31, head = 4;
	size_t len = type * 4;
	uint64_t ptr;

	if (type > 29) /* time extend, time stamp */
		return 8;
	if (type == 0 || type == 29) { /* data with its length; or padding */
		if (left < 8 || (type == 29 && !(load32(p) >> 5)))
			return left;
		len = load32(p + 4);
		if (type == 29)
			return len + 4;
		len -= 4;
		head = 8;
	}
	if (left >= head + len && len >= side->ptr_at + 8 &&
	    (load32(p + head) & 0xffff) == side->type) {
		memcpy(&ptr, p + head + side->ptr_at, sizeof(ptr));
		note_event(side, ptr, first);
	}
	return head + len;
}

static void collect_ftrace(struct side *side, int fd, uint64_t first)
{
	static uint8_t page[65536];
	ssize_t n;

	while ((n = read(fd, page, sizeof(page))) > 16) {
		size_t pos = 16, end = 16 + (load32(page + 8) & 0xfffff);

		side->lost += load32(page + 8) >> 31;
		while (pos + 4 <= end && end <= (size_t)n)
			pos += take_event(side, page + pos, end - pos, first);
	}
}

static void collect_kmemtrace(struct side *side, int fd, uint64_t first)
{
	static uint8_t buf[1 << 20];
	struct kmt_event ev;
	struct kmt_decoded dec;
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		ssize_t pos = 0;
		int len;

		for (; pos < n; pos += len) {
			len = kmt_record_decode(buf + pos, n - pos, false, &ev,
						&dec);
			if (len < 0)
				break;
			if (!dec.unknown_id)
				note_event(side, ev.ptr, first);
		}
		side->lost += pos < n;
	}
}

/* --- the sides --------------------------------------------------------------------- */

static int open_at(const char *dir, const char *file, int flags)
{
	char path[256];

	snprintf(path, sizeof(path), "%s%s", dir, file);
	return open(path, flags | O_CLOEXEC);
}

static int set_at(const char *dir, const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s%s", dir, file);
	return file_set(path, text);
}

static bool open_streams(struct side *side, const char *format)
{
	char name[64];
	int cpu;

	side->filter = open_at(side->dir, KMALLOC "filter", O_WRONLY);
	if (side->filter < 0)
		return false;
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		snprintf(name, sizeof(name), format, cpu);
		side->streams[cpu] =
			open_at(side->dir, name, O_RDONLY | O_NONBLOCK);
		if (side->streams[cpu] < 0)
			return false;
	}
	return true;
}

static bool start_ftrace(struct side *side)
{
	const char *format, *ptr;

	if (mkdir(side->dir, 0700) && errno != EEXIST)
		return false;
	format = file_text(TRACING KMALLOC "format");
	ptr = strstr(format, "ptr;\toffset:");
	if (!ptr || sscanf(format, "name: %*s ID: %u", &side->type) != 1 ||
	    sscanf(ptr, "ptr;\toffset:%u", &side->ptr_at) != 1)
		return false;
	return open_streams(side, "per_cpu/cpu%d/trace_pipe_raw") &&
	       !set_at(side->dir, KMALLOC "enable", "1");
}

/* Accounting is off: it is not needed here, and would take most of the time. */
static bool start_kmemtrace(struct side *side)
{
	return !module_load("mem_profiling=never") &&
	       open_streams(side, "cpu%d") && !control_set("set_event", "!*:*") &&
	       !control_set("set_event", "kmem:kmalloc") &&
	       !control_set("enabled", "1");
}

static struct side ftrace = {
	.name = "ftrace",
	.dir = TRACING "instances/kmt_random/",
	.start = start_ftrace,
	.collect = collect_ftrace,
};

static struct side kmemtrace = {
	.name = "kmemtrace",
	.dir = KMT_DIR,
	.start = start_kmemtrace,
	.collect = collect_kmemtrace,
};

static struct side again = {
	.name = "ftrace's other instance",
	.dir = TRACING "instances/kmt_random_again/",
	.start = start_ftrace,
	.collect = collect_ftrace,
};

static struct side *other = &kmemtrace;

static void close_side(struct side *side)
{
	int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++)
		close(side->streams[cpu]);
	close(side->filter);
}

static bool give(struct side *side, const char *text)
{
	side->set = 0;
	if (write(side->filter, text, strlen(text)) > 0)
		return true;
	if (side->refused++ < SHOWN)
		test_note("%s refused: %s", side->name, text);
	return false;
}

/* --- firing ---------------------------------------------------------------------------- */

static bool read_sites(void)
{
	FILE *f = fopen(FIRE "sites", "r");
	int i;

	for (i = 0; f && i < FIRE_SITES; i++)
		if (fscanf(f, "%63s %llx %llu", sites[i].name, &sites[i].start,
			   &sites[i].size) != 3)
			break;
	if (f)
		fclose(f);
	return i == FIRE_SITES;
}

/* Compute the events that will be fired: the filter is made for them. */
static void plan_events(unsigned long long *state, unsigned long long events,
			uint64_t first, int cpu)
{
	const char *comm = "";
	int i;

	for (i = 0; i < EVENTS; i++) {
		struct fired *f = &fired[i];
		struct fire_event ev;

		fire_make(events, first + i, &ev);
		f->ev.event_id = KMEMTRACE_EVENT_ALLOC;
		f->ev.type_id = KMEMTRACE_TYPE_KMALLOC;
		f->ev.call_site = fire_call_site(&ev, sites[ev.site].start,
						 sites[ev.site].size);
		f->ev.ptr = FIRE_PTR + (first + i) * FIRE_PTR_STEP;
		f->ev.bytes_req = ev.bytes_req;
		f->ev.bytes_alloc = ev.bytes_alloc;
		f->ev.gfp_flags = ev.gfp_flags;
		f->ev.node = ev.node;
		if (i % BATCH == 0)
			comm = filter_comms[fire_random(state) %
					    filter_nr_comms];
		snprintf(f->comm, sizeof(f->comm), "%s", comm);
		f->pid = getpid();
		f->cpu = cpu;
	}
}

static bool fire(unsigned long long events, uint64_t first)
{
	char text[80];
	int i;

	for (i = 0; i < EVENTS; i += BATCH) {
		prctl(PR_SET_NAME, fired[i].comm);
		snprintf(text, sizeof(text), "fire %lu %d %llu", first + i,
			 BATCH, events);
		if (pwrite(fire_fd, text, strlen(text), 0) < 0)
			return false;
	}
	return true;
}

/* --- comparing --------------------------------------------------------------------------- */

static void show_mismatch(const char *who, const char *filter, uint64_t f,
			  uint64_t o)
{
	int i = __builtin_ctzll(f ^ o);
	const struct fired *e = &fired[i];

	test_note("filter: %s", filter);
	test_note("  %d events; the first: %s %s it, %s %s it",
		  __builtin_popcountll(f ^ o), ftrace.name,
		  f >> i & 1 ? "accepts" : "drops", who,
		  o >> i & 1 ? "accepts" : "drops");
	test_note(
		"  call_site=0x%lx ptr=0x%lx bytes_req=%lu bytes_alloc=%lu gfp_flags=0x%lx node=%d comm=\"%s\" pid=%d CPU=%d",
		e->ev.call_site, e->ev.ptr, e->ev.bytes_req, e->ev.bytes_alloc,
		e->ev.gfp_flags, e->ev.node, e->comm, e->pid, e->cpu);
}

static void compare(const char *filter)
{
	uint64_t tool = 0;
	const struct kmt_filter *compiled = compile(filter);
	int i;

	matched += __builtin_popcountll(ftrace.set);
	split += ftrace.set && ~ftrace.set;
	if (ftrace.set != other->set && mismatches++ < SHOWN)
		show_mismatch(other->name, filter, ftrace.set, other->set);
	for (i = 0; compiled && i < EVENTS; i++)
		tool |= (uint64_t)tool_matches(compiled, &fired[i]) << i;
	if (ftrace.set != tool && tool_mismatches++ < SHOWN)
		show_mismatch("the tool", filter, ftrace.set, tool);
}

static bool try_filter(uint64_t round)
{
	unsigned long long state = seed + round * 2, events = state + 1;
	uint64_t first = round * EVENTS % FIRE_MAX;
	int cpu = round / STAY % nr_cpus;
	static char filter[4000];

	if (round % STAY == 0 && !pin_to(cpu))
		return false;
	plan_events(&state, events, first, cpu);
	filter_random(&state, &world, filter, sizeof(filter));
	if (!give(&ftrace, filter) | !give(other, filter))
		return true; /* give() has counted it */
	if (!fire(events, first))
		return false;
	ftrace.collect(&ftrace, ftrace.streams[cpu], first);
	other->collect(other, other->streams[cpu], first);
	compare(filter);
	return true;
}

/* --- the test ------------------------------------------------------------------------------ */

static bool start(void)
{
	const char *possible;
	struct utsname u;

	uname(&u);
	world.later = strncmp(u.release, "6.1.", 4);
	nr_cpus = test_cpus() < CPUS ? test_cpus() : CPUS;
	possible = file_text("/sys/devices/system/cpu/possible");
	if (strchr(possible, '-'))
		world.last_cpu = atoi(strchr(possible, '-') + 1);
	if (getenv("KMT_FILTER_SELF"))
		other = &again;
	if (fire_load() || !read_sites())
		return false;
	fire_fd = open(FIRE "run", O_WRONLY | O_CLOEXEC);
	file_set(EXPEDITED, "1");
	/*
	 * With this option, ftrace patches the scheduler when the event is switched on
	 * or off, which fails in QEMU with several CPUs (tests/vm/run.sh).
	 */
	file_set(RECORD_CMD, "0");
	return fire_fd >= 0 && pin_to(0) && ftrace.start(&ftrace) &&
	       other->start(other);
}

static bool stop(void)
{
	bool ok;

	close_side(&ftrace);
	close_side(other);
	close(fire_fd);
	file_set(EXPEDITED, "0");
	file_set(RECORD_CMD, "1");
	ok = !rmdir(ftrace.dir);
	if (other == &again)
		ok = !rmdir(again.dir) && ok;
	else
		ok = !control_set("enabled", "0") && !module_unload() && ok;
	return !fire_unload() && ok;
}

static void check(uint64_t filters, uint64_t done)
{
	uint64_t pairs = done * EVENTS;

	test_note(
		"%lu filters, %lu pairs of filter and event, %lu of them match (%lu %%); %lu filters accept some events and not all; seed %llu",
		done, pairs, matched, pairs ? matched * 100 / pairs : 0, split,
		seed);
	test_note(
		"events lost: %lu and %lu, from before this filter: %lu and %lu, recorded twice: %lu and %lu",
		ftrace.lost, other->lost, ftrace.stale, other->stale,
		ftrace.twice, other->twice);
	test_result(done == filters && !ftrace.refused && !other->refused,
		    "%lu filters are valid", filters);
	test_result(matched > pairs / 10 && matched < pairs - pairs / 10 &&
			    split > done / 4,
		    "many filters accept some events and not all");
	test_result(!ftrace.lost && !other->lost && !ftrace.stale &&
			    !other->stale && !ftrace.twice && !other->twice,
		    "every event is recorded at most once, none is lost");
	test_result(!mismatches,
		    "%s accepts the same events as ftrace (%lu mismatches)",
		    other->name, mismatches);
	test_result(!tool_mismatches,
		    "the tool accepts the same events as ftrace (%lu mismatches)",
		    tool_mismatches);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	uint64_t filters = test_cpus() > 1 ? 2000 : 10000, i;
	double from;
	bool ok;

	if (argc > 1)
		filters = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		seed = strtoull(argv[2], NULL, 0);
	test_plan(7);
	ok = start();
	test_result(ok, "modules load, both filter files can be opened");
	if (!ok)
		return test_exit();
	from = now();
	for (i = 0; i < filters && try_filter(i); i++)
		;
	test_note("%.2f ms for each filter", (now() - from) * 1000 / (i ? i : 1));
	check(filters, i);
	test_result(stop(), "modules unload");
	return test_exit();
}
