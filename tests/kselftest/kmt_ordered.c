// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order "time": events of CPUs that free objects and pages of other CPUs are put into
 * order by their time stamps, by the tool's code, while they are recorded. The events of an
 * address must then alternate. Each event is recorded or lost. The numbers wrap.
 *
 * There are three runs. The first one is of the module as it is. In the others, each record
 * also has a number of the counter of all CPUs (both_orders=1), and all events of an
 * address, also those of the rest of the kernel, must have the same order by both. In the
 * last run, the clocks of every second CPU are wrong, to see that the test notices that.
 *
 * With ORDER_EVENTS in the environment, there is only the second run, with as many events.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kmt_compact.h"
#include "kmt_test.h"
#include "trace/order.h"
#include "trace/trace_format.h"

#define EVENTS	   1000003ul
#define ROUND	   250000ul /* events of a CPU at a time; the buffers hold more */
#define SKEWED	   200000ul
#define SKEW	   1000000ul /* ns */
#define CPUS_MAX   256
#define READ_SIZE  (256 * 1024)
#define TABLE_BITS 22
/* each CPU has 50000 events before its numbers wrap */
#define SEQ_START (UINT32_MAX - 50000u)

/* a run: how many events; whether records have both orders; how wrong clocks are */
struct run {
	const char *name;
	uint64_t events;
	bool both;
	uint64_t skew;
};

/* what is known of an address: of its last event, and whether memory there is live */
static struct object {
	uint64_t ptr;
	uint32_t counter;
	uint16_t cpu;
	bool live;
	bool page_live;
} * table;

static struct reader {
	pthread_t thread;
	int cpu;
	int fd;
	int err;
	unsigned int empty; /* atomic: how often it has read all records */
} readers[CPUS_MAX];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct order *order; /* under the lock, and so are the following */
static struct {
	uint64_t records;
	uint64_t of_client;
	uint64_t of_pages;   /* of those */
	uint64_t violations; /* events of the client that do not alternate */
	uint64_t pairs;	 /* events of the same address, one after the other */
	uint64_t across; /* pairs of two CPUs */
	uint64_t inversions; /* pairs in the wrong order */
	uint64_t addresses;
} sum;
static uint32_t expected;
static const struct run *now;
static bool stop;

/* --- the events in their order ----------------------------------------------- */

static struct object *find(uint64_t ptr)
{
	size_t mask = (1ul << TABLE_BITS) - 1;
	size_t i = (ptr * 0x9e3779b97f4a7c15ull >> 32) & mask;

	while (table[i].ptr && table[i].ptr != ptr)
		i = (i + 1) & mask;
	return &table[i];
}

/* The client's call sites are few. */
static bool is_client(uint64_t site)
{
	static uint64_t sites[64];
	static bool is[64];
	size_t i = site % 64;

	if (sites[i] != site) {
		sites[i] = site;
		is[i] = !strncmp(symbol_name(site), "client_", 7);
	}
	return is[i];
}

/*
 * Events by number, as their address << 7, with these bits. The records of each CPU come
 * in pieces, so an event waits until those before are there.
 */
#define VALID  1
#define ALLOC  2
#define PAGE   4
#define CLIENT 8
#define WINDOW (1ul << 23)
static struct waiting {
	uint64_t event;
	uint32_t counter;
	uint32_t cpu;
} * waiting;

/*
 * kfree() may free the pages of a slab by a tail call. The call site of that free is the
 * client, so only frees of objects must have an allocation.
 */
static void check_alternation(uint64_t event, struct object *o)
{
	bool alloc = event & ALLOC, page = event & PAGE;
	bool *live = page ? &o->page_live : &o->live;

	if (alloc || !page)
		sum.violations += *live == alloc;
	*live = alloc;
	sum.of_client++;
	sum.of_pages += page;
}

static void check_counter(const struct waiting *w, const struct object *o)
{
	sum.pairs++;
	sum.across += o->cpu != w->cpu;
	sum.inversions += (int32_t)(w->counter - o->counter) <= 0;
}

static void check_event(const struct waiting *w)
{
	struct object *o = find(w->event >> 7);

	if (o->ptr) {
		check_counter(w, o);
	} else {
		o->ptr = w->event >> 7;
		if (++sum.addresses > (1ul << TABLE_BITS) / 4 * 3)
			abort();
	}
	o->counter = w->counter;
	o->cpu = w->cpu;
	if (w->event & CLIENT)
		check_alternation(w->event, o);
}

static uint64_t event_of(const struct kmt_event *ev, uint64_t call_site)
{
	uint64_t event = ev->ptr << 7 | VALID;

	if (ev->event_id == KMEMTRACE_EVENT_ALLOC)
		event |= ALLOC;
	if (ev->type_id == KMEMTRACE_TYPE_PAGES)
		event |= PAGE;
	if ((ev->type_id == KMEMTRACE_TYPE_KMALLOC ||
	     ev->type_id == KMEMTRACE_TYPE_PAGES) &&
	    is_client(call_site))
		event |= CLIENT;
	return event;
}

/* Failed allocations have no address. */
static void keep_event(const struct kmt_event *ev, uint32_t cpu)
{
	struct waiting w = {.cpu = cpu};
	uint64_t call_site = ev->call_site;

	if (ev->seq - expected >= WINDOW)
		abort();
	sum.records++;
	if (now->both) {
		w.counter = call_site >> 32;
		call_site |= 0xffffffff00000000ull;
	}
	w.event = event_of(ev, call_site);
	if (ev->ptr && (now->both || (w.event & CLIENT)))
		waiting[ev->seq % WINDOW] = w;
}

static void keep(void *arg, uint32_t cpu, const void *data, size_t size,
		 uint32_t mark)
{
	const uint8_t *at = data;
	struct kmt_decoded dec;
	struct kmt_event ev;
	int used;

	(void)arg;
	(void)mark;
	while (size) {
		used = kmt_record_decode(at, size, false, &ev, &dec);
		if (used < 0)
			abort();
		keep_event(&ev, cpu);
		at += used;
		size -= used;
	}
}

/* All records before @next have come, or are missing. */
static void check_until(uint32_t next)
{
	for (; expected != next; expected++) {
		struct waiting *w = &waiting[expected % WINDOW];

		if (w->event)
			check_event(w);
		w->event = 0;
	}
}

static void run(void)
{
	order_run(order);
	if (order_next(order) - expected < WINDOW / 16)
		return;
	order_flush(order);
	check_until(order_next(order));
}

/* --- reading ------------------------------------------------------------------ */

/* Makes the clock of a CPU wrong. */
static void turn_back(uint8_t *data, size_t size)
{
	size_t at = 0;

	while (at < size) {
		struct kmemtrace_compact *rec = (void *)(data + at);

		if (rec->event_id > KMEMTRACE_EVENT_FREE)
			rec->time -= now->skew;
		at += rec->event_size;
	}
}

/* Return: 0; -EAGAIN: all records were read; another -errno. */
static int read_some(struct reader *r, uint8_t *data)
{
	uint64_t clock = control_get("clock");
	ssize_t n = read(r->fd, data, READ_SIZE);
	bool early = now->skew && r->cpu % 2;

	if (n < 0)
		return -errno;
	if (early)
		turn_back(data, n);
	pthread_mutex_lock(&lock);
	order_add(order, r->cpu, data, n);
	/* a read that leaves room has found all records */
	if (n < READ_SIZE - 4096)
		order_mark(order, r->cpu, clock - (early ? now->skew : 0));
	run();
	pthread_mutex_unlock(&lock);
	/* opening the file clock makes events, so a read always finds some */
	if (n >= READ_SIZE - 4096)
		return 0;
	__atomic_fetch_add(&r->empty, 1, __ATOMIC_RELEASE);
	return -EAGAIN;
}

/* Waits until no records are left in the buffers. */
static void wait_for_readers(int n)
{
	unsigned int empty;
	int i;

	for (i = 0; i < n; i++) {
		empty = __atomic_load_n(&readers[i].empty, __ATOMIC_ACQUIRE);
		while (!__atomic_load_n(&readers[i].err, __ATOMIC_RELAXED) &&
		       __atomic_load_n(&readers[i].empty, __ATOMIC_ACQUIRE) <
			       empty + 2)
			usleep(1000);
	}
}

static void *read_cpu(void *arg)
{
	struct reader *r = arg;
	struct pollfd pfd = {.fd = r->fd, .events = POLLIN};
	uint8_t *data = malloc(READ_SIZE);
	bool last;
	int err;

	pin_to(r->cpu);
	do {
		last = __atomic_load_n(&stop, __ATOMIC_ACQUIRE);
		if (!last)
			poll(&pfd, 1, 20);
		while (!(err = read_some(r, data)))
			;
		if (err == -EXDEV)
			pin_to(r->cpu);
		else if (err != -EAGAIN)
			__atomic_store_n(&r->err, err, __ATOMIC_RELAXED);
	} while (!last && !r->err);
	free(data);
	return NULL;
}

static int start(void)
{
	int cpu, n = 0;

	order = order_create(&(struct order_setup) {
		.put = keep,
		.first = SEQ_START,
		.features = KMT_FEATURES_COMPACT,
	});
	for (cpu = 0; cpu < CPUS_MAX; cpu++) {
		struct reader *r = &readers[n];

		r->cpu = cpu;
		r->fd = stream_open(cpu);
		if (r->fd < 0)
			continue;
		n++;
		order_start(order, cpu, SEQ_START);
		order_mark(order, cpu, 0);
	}
	order_mark(order, TRACE_CPU_ABSENT, UINT64_MAX);
	for (cpu = 0; cpu < n; cpu++)
		pthread_create(&readers[cpu].thread, NULL, read_cpu,
			       &readers[cpu]);
	return n;
}

/* Return: the number of readers that failed. */
static int finish(int n)
{
	char name[32];
	int i, failed = 0;

	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	for (i = 0; i < n; i++)
		pthread_join(readers[i].thread, NULL);
	order_finish(order);
	check_until(order_next(order));
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "next_number.cpu%d",
			 readers[i].cpu);
		order_end(order, readers[i].cpu, stat_get(name));
		close(readers[i].fd);
		failed += !!readers[i].err;
	}
	return failed;
}

/* --- the runs ------------------------------------------------------------------- */

static bool set_up(const struct run *run)
{
	char params[100];

	now = run;
	memset(&sum, 0, sizeof(sum));
	memset(table, 0, sizeof(*table) << TABLE_BITS);
	expected = SEQ_START;
	stop = false;
	snprintf(params, sizeof(params),
		 "seq_start=%u subbufs=32 subbuf_size=1048576%s", SEQ_START,
		 run->both ? " both_orders=1" : "");
	return !(run->both ? module_load_debug(params) : module_load(params)) &&
	       !control_set("order", "time") && control_get("abi_version") == 4;
}

static void make_events(int n)
{
	uint64_t left = now->events;
	int cpus = test_cpus();

	while (left) {
		uint64_t part = left < ROUND * cpus ? left : ROUND * cpus;

		client_run("storm 0 %lu", part / 2 / cpus + 1);
		wait_for_readers(n);
		left -= part;
		if (now->events > EVENTS)
			test_note(
				"%lu events are left, %lu violations, %lu inversions",
				left,
				__atomic_load_n(&sum.violations,
						__ATOMIC_RELAXED),
				__atomic_load_n(&sum.inversions,
						__ATOMIC_RELAXED));
	}
}

static uint64_t count_live(void)
{
	uint64_t live = 0;
	size_t i;

	for (i = 0; i < 1ul << TABLE_BITS; i++)
		live += table[i].live + table[i].page_live;
	return live;
}

static void check_losses(uint64_t lost, int failed)
{
	uint32_t made = stat_get("events");

	test_result(!failed && sum.records + lost >= now->events,
		    "%s: there are at least %lu events", now->name,
		    now->events);
	test_result((uint32_t)(sum.records + lost) == made,
		    "%s: events made = records + lost", now->name);
	test_result(order_next(order) - SEQ_START == made,
		    "%s: each missing number is a lost event", now->name);
}

static void check_order(uint64_t lost, uint64_t live)
{
	char name[100];

	snprintf(name, sizeof(name), "%s: the events of each address alternate",
		 now->name);
	/* one of the lost events may be a free */
	if (lost)
		test_skip(name, "events were lost");
	else
		test_result(!sum.violations && !live &&
				    sum.of_client > now->events / 2,
			    "%s", name);
}

/* The file sequence then has the next number of the counter. */
static void check_both(void)
{
	uint32_t made = stat_get("events");

	test_result(
		!sum.inversions && sum.pairs > now->events / 2 &&
			(sum.across || test_cpus() == 1),
		"%s: the events of each address have the same order by both",
		now->name);
	test_result(!control_set("order", "sequence") &&
			    (uint32_t)control_get("sequence") - SEQ_START ==
				    made,
		    "%s: both count the same events", now->name);
}

static void check_skewed(void)
{
	if (test_cpus() == 1)
		test_skip("wrong clocks are noticed", "there is one CPU");
	else
		test_result(sum.violations && sum.inversions,
			    "wrong clocks are noticed");
}

static void run_once(const struct run *run)
{
	uint64_t lost, live;
	int n, failed;

	test_result(set_up(run),
		    "%s: the module loads, and the order is by time",
		    run->name);
	n = start();
	control_set("enabled", "1");
	make_events(n);
	control_set("enabled", "0");
	failed = finish(n);
	lost = stat_get("lost_events");
	live = count_live();
	test_note("%lu records, %lu lost, of the client %lu, %lu of them pages; %lu violations, %lu left",
		  sum.records, lost, sum.of_client, sum.of_pages,
		  sum.violations, live);
	if (run->both)
		test_note("%lu addresses, %lu pairs of events, %lu of two CPUs; %lu inversions",
			  sum.addresses, sum.pairs, sum.across, sum.inversions);
	check_losses(lost, failed);
	if (run->skew) {
		check_skewed();
	} else {
		check_order(lost, live);
		if (run->both)
			check_both();
	}
	order_destroy(order);
	test_result(!module_unload(), "%s: the module unloads", run->name);
}

int main(void)
{
	const char *wanted = getenv("ORDER_EVENTS");
	const struct run runs[] = {
		{ .name = "as it is", .events = EVENTS },
		{ .name = "both orders", .events = EVENTS, .both = true },
		{ .name = "wrong clocks", .events = SKEWED, .both = true,
		  .skew = SKEW },
	};
	const struct run given = {
		.name = "both orders",
		.events = wanted ? strtoull(wanted, NULL, 0) : 0,
		.both = true,
	};
	size_t i;

	table = calloc(1ul << TABLE_BITS, sizeof(*table));
	waiting = calloc(WINDOW, sizeof(*waiting));
	test_plan(given.events ? 2 + 8 : 2 + 6 + 8 + 6);
	test_result(table && waiting && !client_load(), "the client loads");
	if (given.events)
		run_once(&given);
	for (i = 0; i < sizeof(runs) / sizeof(runs[0]) && !given.events; i++)
		run_once(&runs[i]);
	test_result(!client_unload(), "the client unloads");
	return test_exit();
}
