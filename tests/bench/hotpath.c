// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the module's hot paths that are plain C, on this machine. Prints the
 * nanoseconds for each event, and the CPU cycles and instructions if they can be counted.
 * Time and cycles are the best of RUNS runs. The other parts of a probe (its guard,
 * reserving space, finding the class of a call site) run only in a kernel: see events.sh.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hotpath.h"
#include "kmt_filter.h"
#include "kmt_record.h"
#include "random.h"

#define RUNS 400

static struct kmt_event events[EVENTS];
static uint8_t records[EVENTS * KMT_RECORD_MAX];
static size_t records_size;
static struct kmt_filter *filter;
static uint32_t features;
static volatile uint64_t sink; /* keeps the compiler from removing measured code */

uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

int counter(uint64_t what)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = what,
		.exclude_kernel = 1,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

uint64_t count(int fd)
{
	uint64_t value;

	return read(fd, &value, sizeof(value)) == sizeof(value) ? value : 0;
}

static void make_events(void)
{
	uint64_t random = 1;
	size_t i;

	for (i = 0; i < EVENTS; i++) {
		next_random(&random);
		events[i] = (struct kmt_event){
			.event_id = KMEMTRACE_EVENT_ALLOC,
			.type_id = random >> 63, /* kmalloc or cache */
			.seq = i,
			.ptr = 0xffff888000000000ull + (random >> 40) * 8,
			.call_site = 0xffffffff81000000ull + (random >> 50),
			.bytes_req = 1 + (random >> 52),
			.bytes_alloc = 4096,
			.gfp_flags = 0xcc0,
			.time = 1000 * i,
			.cache = random >> 56,
			.features = KMT_FEATURES_ALL & ~KMT_FEATURES_EXTRA,
		};
	}
}

static void encode(void)
{
	uint8_t *to = records;
	size_t i, size;

	for (i = 0; i < EVENTS; i++) {
		size = kmt_record_size(&events[i], features);
		kmt_record_encode(to, size, &events[i], features);
		to += size;
	}
	records_size = to - records;
	sink += records[records_size - 1];
}

static void decode(void)
{
	struct kmt_decoded dec;
	struct kmt_event ev;
	size_t pos = 0;
	int used;

	while ((used = kmt_record_decode(records + pos, records_size - pos,
					 false, &ev, &dec)) > 0) {
		pos += used;
		sink += ev.ptr;
	}
}

static void match(void)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < EVENTS; i++)
		n += kmt_filter_match_numbers(filter, &events[i], ~0u) ==
		     KMT_FILTER_MATCH;
	sink += n;
}

void measure(const char *name, void (*run)(void))
{
	uint64_t best = UINT64_MAX, cycles = UINT64_MAX, instructions = 0;
	int c = counter(PERF_COUNT_HW_CPU_CYCLES);
	int n = counter(PERF_COUNT_HW_INSTRUCTIONS);
	int i;

	for (i = 0; i < RUNS; i++) {
		uint64_t ran = count(n), cycled = count(c), start = now(), ns;

		run();
		ns = now() - start;
		cycled = count(c) - cycled;
		ran = count(n) - ran;
		if (ns < best)
			best = ns;
		if (cycled < cycles)
			cycles = cycled;
		instructions = ran;
	}
	printf("%-36s %6.1f", name, (double)best / EVENTS);
	if (c >= 0 && n >= 0 && cycles)
		printf(" %7.1f %7.1f\n", (double)cycles / EVENTS,
		       (double)instructions / EVENTS);
	else
		printf("       -       -\n");
	close(c);
	close(n);
}

static void set_filter(const char *text)
{
	struct kmt_filter_env env = { .groups = ~KMT_GROUP_NONE, .nr_cpus = 8 };
	struct kmt_filter_error error;

	free(filter);
	filter = malloc(kmt_filter_room(strlen(text)));
	if (!filter || !kmt_filter_compile(filter, text, &env, &error))
		exit(1);
}

int main(void)
{
	make_events();
	printf("%-36s %6s %7s %7s\n", "the module's plain C", "ns", "cycles",
	       "instr.");
	measure("encode an allocation", encode);
	features = KMT_FEATURE_TIME;
	measure("encode it with its time", encode);
	features = KMT_FEATURES_ALL & ~KMT_FEATURES_EXTRA;
	measure("encode it with time, cache and page", encode);
	measure("decode it", decode);
	set_filter("bytes_req > 4096");
	measure("a filter of one term, no match", match);
	set_filter("call_site != 1 && ptr != 2 && bytes_req > 4096");
	measure("a filter of three terms, no match", match);
	set_filter("call_site != 1 && ptr != 2 && bytes_req < 8192");
	measure("a filter of three terms, a match", match);
	free(filter);
	measure_live_objects();
	print_live_memory();
	return 0;
}
