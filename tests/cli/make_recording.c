// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes the recordings and raw files that the tests of the command line read. Their
 * content depends neither on the machine nor on the time.
 *
 *   make_recording DIR
 */
#include <byteswap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kmt_record.h"
#include "trace/writer.h"

#define SITE_A 0xffffffff81000010ull
#define SITE_B 0xffffffff81000110ull
#define SITE_M 0xffffffffc0000020ull

static const char meta[] =
	"release=6.12.0-test\nhostname=golden\npage_size=4096\ncpus=2\ncpus_present=2\n"
	"abi_version=2\nfeatures=time cache page\nseq_start=4294967290\n"
	"command=a test\n";
static const char kallsyms[] = "ffffffff81000000 T alpha\n"
			       "ffffffff81000100 T beta\n"
			       "ffffffff81000200 T gamma\n"
			       "ffffffffc0000000 t probe\t[driver]\n";
static const char caches[] = "1 100 104 things\n2 329 336 other_things\n";
static const char gfp[] = "0xcc0 GFP_KERNEL\n0x100 __GFP_ZERO\n0x400 __GFP_DIRECT_RECLAIM\n";

/* for a second recording, with the features task, cgroup and stack */
static const char features_meta[] =
	"release=6.12.0-test\nhostname=golden\npage_size=4096\ncpus=2\ncpus_present=2\n"
	"abi_version=3\nfeatures=time cache page task cgroup stack\n"
	"seq_start=100\ncommand=a test\n";

static uint8_t bufs[2][65536], *ends[2];
static uint32_t seq = 4294967290u;
static uint64_t now = 1000000000;

/* the data of the features in KMT_FEATURES_EXTRA, as far as these are enabled */
static struct kmt_extra extra;

static void put(int cpu, struct kmt_event ev, uint32_t features)
{
	size_t size, more = kmt_record_extra_size(&extra, features);

	ev.seq = seq++;
	ev.time = now += 1000000;
	size = kmt_record_size(&ev, features);
	kmt_record_encode(ends[cpu], size + more, &ev, features);
	kmt_record_encode_extra(ends[cpu] + size, &extra, features);
	ends[cpu] += size + more;
}

static uint32_t features = KMT_FEATURES_ALL & ~KMT_FEATURES_EXTRA;

static void alloc(int cpu, int type, uint64_t site, uint64_t ptr,
		  uint64_t req, uint64_t bytes, uint32_t flags, int number)
{
	put(cpu,
	    (struct kmt_event){ .event_id = KMEMTRACE_EVENT_ALLOC,
				.type_id = type,
				.call_site = site,
				.ptr = ptr,
				.bytes_req = req,
				.bytes_alloc = bytes,
				.gfp_flags = flags,
				.node = -1,
				.cache = number,
				.order = number },
	    features);
}

static void release(int cpu, int type, uint64_t ptr, int number)
{
	put(cpu,
	    (struct kmt_event){ .event_id = KMEMTRACE_EVENT_FREE,
				.type_id = type,
				.call_site = SITE_B,
				.ptr = ptr,
				.cache = number,
				.order = number,
				.migratetype = -1 },
	    features);
}

static void make_events(void)
{
	int i;

	for (i = 0; i < 23; i++) {
		alloc(0, 0, SITE_A, 0x1000 + i * 64, 40, 64, 0xcc0, 0);
		alloc(1, 1, SITE_M, 0x8000 + i * 104, 100, 104, 0xdc0, 1);
		if (i % 2)
			release(1, 0, 0x1000 + i * 64, 0); /* on another CPU */
	}
	alloc(0, 1, SITE_B, 0x20000, 329, 336, 0xcc0, 2);
	alloc(0, 1, SITE_B, 0x20000, 329, 336, 0xcc0, 2); /* again: implicit free */
	release(0, 0, 0x8000, 0); /* kfree() of an object from a cache */
	alloc(1, 2, SITE_B, 0x100000, 4 << 12, 4 << 12, 0xcc0, 2);
	release(1, 2, 0x101000, 0); /* one page of the block */
	alloc(0, 0, SITE_A, 0, 1 << 20, 1 << 20, 0xcc0, 0); /* failed allocation */
	alloc(0, 3, SITE_A, 0x500, 48, 64, 0xcc0, 0);
	release(0, 0, 0x99999000, 0); /* allocated before the recording */
	seq += 3; /* three events were lost */
	release(0, 3, 0x500, 0);
}

static void save(const char *dir, const char *name, const void *data,
		 size_t size)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		exit(1);
}

/*
 * Events in threads with unusual names and in interrupts, and with stack traces of no,
 * few and many functions. Some records have no stack trace, or none of these features.
 */
static void make_feature_events(void)
{
	uint64_t i;

	extra = (struct kmt_extra){ .pid = 41,
				    .tgid = 40,
				    .comm = "make",
				    .cgroup = 1234,
				    .depth = 3,
				    .stack = { SITE_A, SITE_B + 16, SITE_M } };
	features = KMT_FEATURES_ALL;
	alloc(0, 0, SITE_A, 0x1000, 40, 64, 0xcc0, 0);
	alloc(1, 1, SITE_M, 0x8000, 100, 104, 0xdc0, 1);
	extra = (struct kmt_extra){ .context = 0x09,
				    .preempt_count = 2,
				    .comm = "swapper/0",
				    .cgroup = 1 };
	release(0, 0, 0x1000, 0);
	strcpy(extra.comm, "a \"b\\\x1b\t\xff");
	extra.pid = extra.tgid = 4194303;
	extra.context = 0x94;
	features &= ~KMT_FEATURE_STACK;
	release(1, 1, 0x8000, 1);
	seq += 2; /* two events were lost */
	alloc(1, 1, SITE_B, 0x9000, 30, 32, 0x10cc0, 7); /* cache 7 has no name */
	alloc(1, 2, SITE_B, 0x100000, 4 << 12, 4 << 12, 0xcc0, 2);
	features = KMT_FEATURES_ALL & ~KMT_FEATURES_EXTRA;
	alloc(0, 3, SITE_A, 0x500, 48, 64, 0xcc0, 0);
	features = KMT_FEATURE_STACK; /* as a stacktrace trigger does; without a time */
	extra.depth = KMT_STACK_MAX;
	for (i = 0; i < KMT_STACK_MAX; i++)
		extra.stack[i] = i % 2 ? SITE_A + i : 0x1000 + i;
	release(0, 2, 0x100000, 2);
	seq++; /* one event was lost */
}

/*
 * 60 seconds: in each, one path through SITE_A loses an object, and another path frees
 * what it allocated in the second before. SITE_B holds four pages.
 */
static void make_leak_events(void)
{
	const struct kmt_extra loses = { .pid = 71, .tgid = 70, .comm = "loser", .depth = 2,
					 .stack = { SITE_A, SITE_M } };
	const struct kmt_extra keeps = { .pid = 81, .tgid = 80, .comm = "keeper", .depth = 2,
					 .stack = { SITE_A, SITE_B + 16 } };
	int i;

	features = KMT_FEATURES_ALL & ~KMT_FEATURE_CGROUP;
	now = 1000000000;
	extra = keeps;
	alloc(0, 2, SITE_B, 0x100000, 4 << 12, 4 << 12, 0xcc0, 2);
	for (i = 0; i <= 60; i++) {
		now += 996000000;
		extra = loses;
		alloc(0, 0, SITE_A, 0x1000 + i * 128, 100, 128, 0xcc0, 0);
		extra = keeps;
		alloc(0, 0, SITE_A, 0x8000 + i % 2 * 128, 90, 128, 0xcc0, 0);
		if (i)
			release(0, 0, 0x8000 + (i + 1) % 2 * 128, 0);
	}
}

/*
 * Nothing is compressed, because the size would depend on the version of zstd. The linker
 * wraps these functions; (size_t)-1 is an error.
 */
size_t __wrap_ZSTD_compressCCtx(void)
{
	return -1;
}

size_t __wrap_ZSTD_compress2(void)
{
	return -1;
}

static void save_recording(const char *dir, const char *name,
			   const char *meta, uint32_t start, unsigned int lost)
{
	struct trace_writer *w;
	char path[512], end[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (trace_writer_create(path, &w))
		exit(1);
	snprintf(end, sizeof(end),
		 "seq_end=%u\nevents=%u\nlost_events=%u\nlost_bytes=%u\nlost_events.cpu0=%u\nlost_events.cpu1=0\nreason=command\n",
		 seq, seq - start, lost, lost * 35, lost);
	trace_writer_text(w, TRACE_META, meta, strlen(meta));
	trace_writer_text(w, TRACE_GFP, gfp, strlen(gfp));
	trace_writer_text(w, TRACE_KALLSYMS, kallsyms, strlen(kallsyms));
	trace_writer_data(w, 0, bufs[0], ends[0] - bufs[0], seq, true);
	trace_writer_data(w, 1, bufs[1], ends[1] - bufs[1], seq, true);
	trace_writer_text(w, TRACE_CACHES, caches, strlen(caches));
	trace_writer_text(w, TRACE_END, end, strlen(end));
	if (trace_writer_destroy(w, true))
		exit(1);
	ends[0] = bufs[0];
	ends[1] = bufs[1];
}

/* The format of 2008, without features, in both byte orders. */
static void save_raw(const char *dir)
{
	uint8_t little[4096], big[4096], *to = little;
	size_t pos;
	int i;

	for (i = 0; i < 20; i++) {
		struct kmt_event ev = { .event_id = i % 2,
					.type_id = KMEMTRACE_TYPE_KMALLOC,
					.seq = i,
					.call_site = SITE_A,
					.ptr = 0x1000,
					.bytes_req = 100,
					.bytes_alloc = 128,
					.gfp_flags = 0xd0,
					.node = -1 };
		size_t size = kmt_record_size(&ev, 0);

		kmt_record_encode(to, size, &ev, 0);
		to += size;
	}
	save(dir, "cpu0.out", little, to - little);
	memcpy(big, little, sizeof(big));
	for (pos = 0; pos < (size_t)(to - little);) {
		struct kmemtrace_event *e = (void *)(big + pos);
		struct kmemtrace_stats_alloc *a = (void *)(e + 1);

		pos += e->event_size;
		e->event_size = bswap_16(e->event_size);
		e->seq_num = bswap_32(e->seq_num);
		e->call_site = bswap_64(e->call_site);
		e->ptr = bswap_64(e->ptr);
		if (e->event_id == KMEMTRACE_EVENT_FREE)
			continue;
		a->bytes_req = bswap_64(a->bytes_req);
		a->bytes_alloc = bswap_64(a->bytes_alloc);
		a->gfp_flags = bswap_32(a->gfp_flags);
		a->numa_node = bswap_32(a->numa_node);
	}
	save(dir, "big-cpu0.out", big, to - little);
	/* a file with violations: a size of 0, and a sequence number that decreases */
	little[24] = 0;
	little[48 + 4] = 7;
	save(dir, "bad-cpu0.out", little, to - little);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	ends[0] = bufs[0];
	ends[1] = bufs[1];
	make_events();
	save_recording(argv[1], "golden.kmt", meta, 4294967290u, 3);
	seq = 100;
	make_feature_events();
	save_recording(argv[1], "features.kmt", features_meta, 100, 3);
	seq = 100;
	make_leak_events();
	save_recording(argv[1], "leak.kmt", features_meta, 100, 0);
	save_raw(argv[1]);
	return 0;
}
