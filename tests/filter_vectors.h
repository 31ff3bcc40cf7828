/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Test data for filters, in user space and in the kernel: events, and filters with the
 * result and the terms that decide it. filter_check.h runs lib/ on them. filter_refused.h
 * has the texts that are no filters.
 */
#ifndef FILTER_VECTORS_H
#define FILTER_VECTORS_H

#include "kmt_filter.h"

/**
 * struct fv_record - an event
 * @ev: the fields that every event has
 * @x: the other fields; x.have: the groups that are known at first
 * @lazy: groups that become known when a term needs them
 */
struct fv_record {
	struct kmt_event ev;
	struct kmt_extra x;
	u32 lazy;
};

enum fv_record_id {
	FV_KMALLOC,	/* an ordinary event; all fields are known */
	FV_LIMITS,	/* the largest and the smallest numbers */
	FV_ZERO,	/* all fields are 0 */
	FV_CACHE_FREE,	/* a free */
	FV_PAGES,	/* unusual characters in its comm */
	FV_BARE,	/* few fields are known */
	FV_LAZY,	/* some fields become known when a term needs them */
	FV_RECORDS
};

#define FV_ALL_ALLOC                                                           \
	(KMT_FEATURE_TIME | KMT_FEATURE_TASK | KMT_FEATURE_CGROUP |            \
	 KMT_GROUP_ALLOC | KMT_GROUP_CPU | KMT_GROUP_SEQ | KMT_GROUP_TAG)

/* Unknown fields also have values here: no term may use them. */
#define FV_ORDINARY_EVENT                                                      \
	.call_site = 0xffffffff81000010, .ptr = 0xffff888004000080,            \
	.bytes_req = 137, .bytes_alloc = 192, .gfp_flags = 0xcc0, .node = -1,  \
	.seq = 5, .time = 1500000000
#define FV_ORDINARY_EXTRA                                                      \
	.cpu = 3, .pid = 42, .tgid = 40, .context = 9, .preempt_count = 2,     \
	.comm = "kmt_worker", .cgroup = 77, .live_bytes = 3 << 20,             \
	.live_objects = 1000

static const struct fv_record fv_records[FV_RECORDS] = {
	[FV_KMALLOC] = {
		.ev = { FV_ORDINARY_EVENT },
		.x = { .have = FV_ALL_ALLOC, FV_ORDINARY_EXTRA },
	},
	[FV_LIMITS] = {
		.ev = {
			.type_id = KMEMTRACE_TYPE_PERCPU,
			.call_site = 0xffffffff8100001f,
			.ptr = 0xffffffffffffffff,
			.bytes_req = 0xffffffffffffffff,
			.bytes_alloc = 1ull << 63,
			.gfp_flags = 0x100000001,
			.node = -0x7fffffff - 1,
			.seq = 0xffffffff,
			.time = 0xffffffffffffffff,
		},
		.x = {
			.have = FV_ALL_ALLOC,
			.pid = 0x7fffffff,
			.tgid = -1024,
			.context = 0xff,
			.preempt_count = 0x80,
			.comm = "123456789012345",
			.cgroup = 0x7fffffffffffffff,
			.live_bytes = 0x100000002,
			.live_objects = 1ull << 32,
		},
	},
	[FV_ZERO] = {
		.x = { .have = FV_ALL_ALLOC },
	},
	[FV_CACHE_FREE] = {
		.ev = {
			.event_id = KMEMTRACE_EVENT_FREE,
			.type_id = KMEMTRACE_TYPE_CACHE,
			.call_site = 0xffffffff81000020,
			.ptr = 0xffff888004000100,
			.time = 60000000000,
			.cache = 0xffffffff, /* more than a record holds */
		},
		.x = {
			.have = KMT_FEATURE_TIME | KMT_FEATURE_CACHE |
				KMT_FEATURE_TASK | KMT_GROUP_CPU |
				KMT_GROUP_CACHE_NAME | KMT_GROUP_AGE,
			.cpu = 7,
			.comm = "it's",
			.age = 2 * 3600000000000,
			.cache_name = "kmalloc-192",
		},
	},
	[FV_PAGES] = {
		.ev = {
			.type_id = KMEMTRACE_TYPE_PAGES,
			.call_site = 0xffffffff80ffffff,
			.ptr = 0xffff888012345000,
			.bytes_req = 2 << 20,
			.bytes_alloc = 2 << 20,
			.node = 2,
			.order = 9,
			.migratetype = -1,
		},
		.x = {
			.have = KMT_FEATURE_PAGE | KMT_FEATURE_TASK |
				KMT_FEATURE_STACK | KMT_GROUP_ALLOC |
				KMT_GROUP_CPU | KMT_GROUP_PFN | KMT_GROUP_SIZE,
			.cpu = 6,
			.pid = 7,
			.preempt_count = 1,
			.comm = "a[b*c?\\d",
			.pfn = 0x12345,
			.size = 52,
			.depth = 3,
			.stack = { 0xffffffff80ffffff, 0xffffffff81000024,
				   0xffffffff81000500, 0xffffffff81000010 },
		},
	},
	[FV_BARE] = {
		.ev = { FV_ORDINARY_EVENT },
		.x = { .have = KMT_GROUP_ALLOC, FV_ORDINARY_EXTRA },
	},
	[FV_LAZY] = {
		.ev = { FV_ORDINARY_EVENT },
		.x = { .have = KMT_GROUP_ALLOC, FV_ORDINARY_EXTRA },
		.lazy = KMT_FEATURE_TIME | KMT_FEATURE_TASK | KMT_GROUP_CPU |
			KMT_GROUP_TAG,
	},
};

/* CPUs of the machine */
#define FV_NR_CPUS 8

/**
 * struct fv_function - a function that filters can name
 * @name: its name
 * @start: where it starts
 * @size: bytes in it
 */
struct fv_function {
	const char *name;
	u64 start;
	u64 size;
};

static const struct fv_function fv_functions[] = {
	{ "do_work", 0xffffffff81000000, 0x20 },
	{ "other", 0xffffffff81000020, 0x10 },
	{ "mod:init", 0xffffffffc0000000, 8 },
	{ "odd)", 0xffffffffc0000008, 8 },
	{ "empty", 0xffffffff81000010, 0 },
	{}
};

/* The subjects of the vectors. */
enum fv_group {
	FV_EQUAL,
	FV_ORDER,
	FV_CUT,
	FV_MASK,
	FV_STRING,
	FV_GLOB,
	FV_CPUS,
	FV_FUNCTION,
	FV_LOGIC,
	FV_SUFFIX,
	FV_UNKNOWN,
	FV_FETCH,
	FV_GROUPS
};

static const char *const fv_group_names[FV_GROUPS] = {
	[FV_EQUAL] = "equal or not, every type and notation",
	[FV_ORDER] = "less and greater, every type, at the limits",
	[FV_CUT] = "constants are cut to the field's width",
	[FV_MASK] = "masks",
	[FV_STRING] = "strings",
	[FV_GLOB] = "patterns",
	[FV_CPUS] = "lists of CPUs",
	[FV_FUNCTION] = "functions",
	[FV_LOGIC] = "&&, || and !, and the terms that are not evaluated",
	[FV_SUFFIX] = "units",
	[FV_UNKNOWN] = "unknown values match nothing",
	[FV_FETCH] = "values are fetched when a term needs them",
};

/**
 * struct fv_vector - a filter, and its result for an event
 * @group: its subject
 * @record: the event
 * @match: whether it matches
 * @visited: a character for each term, '1': it must be evaluated, '0': it must
 *	not, '-': it may
 * @text: the filter
 */
struct fv_vector {
	enum fv_group group;
	enum fv_record_id record;
	bool match;
	const char *visited;
	const char *text;
};

#define YES(group, record, visited, text)                                      \
	{ FV_##group, FV_##record, true, visited, text }
#define NO(group, record, visited, text)                                       \
	{ FV_##group, FV_##record, false, visited, text }
/* of FV_KMALLOC and FV_BARE: terms that are true, false, unknown */
#define T "node == -1"
#define F "node == 0"
#define U "cpu == 3"

static const struct fv_vector fv_vectors[] = {
	YES(EQUAL, KMALLOC, "1", "bytes_req == 137"),
	NO(EQUAL, KMALLOC, "1", "bytes_req == 138"),
	NO(EQUAL, KMALLOC, "1", "bytes_req != 137"),
	YES(EQUAL, KMALLOC, "1", "bytes_req != 138"),
	YES(EQUAL, KMALLOC, "1", "bytes_req==137"),
	YES(EQUAL, KMALLOC, "1", " \t\n\v\f\r\xa0" "bytes_req\t==\n137 "),
	YES(EQUAL, KMALLOC, "1", "bytes_req == 0x89"),
	YES(EQUAL, KMALLOC, "1", "bytes_req == 0X89"),
	YES(EQUAL, KMALLOC, "1", "bytes_req == 0211"),
	YES(EQUAL, KMALLOC, "1", "bytes_req == 00000000000000000000211"),
	YES(EQUAL, KMALLOC, "1", "ptr == 0xffff888004000080"),
	YES(EQUAL, KMALLOC, "1", "ptr == 0xFFFF888004000080"),
	YES(EQUAL, KMALLOC, "1", "call_site == 18446744071578845200"),
	YES(EQUAL, KMALLOC, "1", "gfp_flags == 0xcc0"),
	YES(EQUAL, KMALLOC, "1", "node == -1"),
	YES(EQUAL, KMALLOC, "1", "node == -0x1"),
	YES(EQUAL, KMALLOC, "1", "node == -01"),
	NO(EQUAL, KMALLOC, "1", "node != -1"),
	YES(EQUAL, KMALLOC, "1", "node != 1"),
	YES(EQUAL, ZERO, "1", "node == -0"),
	YES(EQUAL, KMALLOC, "1", "common_pid == 42"),
	YES(EQUAL, KMALLOC, "11", "tgid == 40 && common_tgid == 40"),
	YES(EQUAL, PAGES, "1", "common_size == 52"),
	YES(EQUAL, PAGES, "1", "stack == 0xffffffff81000500"),
	NO(EQUAL, PAGES, "1", "stack != 0xffffffff81000500"),
	/* behind the last one */
	NO(EQUAL, PAGES, "1", "stack == 0xffffffff81000010"),
	YES(EQUAL, PAGES, "1", "stack != 0xffffffff81000010"),
	YES(EQUAL, KMALLOC, "111", "cpu == 3 && CPU == 3 && common_cpu == 3"),
	YES(EQUAL, KMALLOC, "11", "context == 9 && common_flags == 011"),
	YES(EQUAL, KMALLOC, "11", "preempt_count==2&&common_preempt_count==2"),
	YES(EQUAL, KMALLOC, "1", "common_type == 0"),
	YES(EQUAL, CACHE_FREE, "1", "common_type == 257"),
	NO(EQUAL, CACHE_FREE, "1", "common_type != 257"),
	YES(EQUAL, CACHE_FREE, "1", "cache_id == 4294967295"),
	YES(EQUAL, PAGES, "111", "order==9 && migratetype==-1 && pfn==0x12345"),
	YES(EQUAL, KMALLOC, "1", "cgroup == 77"),
	YES(EQUAL, LIMITS, "1", "bytes_req == 18446744073709551615"),
	YES(EQUAL, LIMITS, "1", "ptr == 01777777777777777777777"),
	YES(EQUAL, LIMITS, "1", "bytes_alloc == 9223372036854775808"),
	NO(EQUAL, LIMITS, "1", "bytes_alloc == 9223372036854775807"),
	YES(EQUAL, LIMITS, "1", "cgroup == 9223372036854775807"),
	YES(EQUAL, LIMITS, "1", "gfp_flags == 0x100000001"),
	NO(EQUAL, LIMITS, "1", "gfp_flags == 1"),
	YES(EQUAL, LIMITS, "1", "node == -2147483648"),
	NO(EQUAL, LIMITS, "1", "node != -2147483648"),
	YES(EQUAL, LIMITS, "1", "pid == 2147483647"),
	YES(EQUAL, LIMITS, "1", "common_seq == -1"),
	YES(EQUAL, LIMITS, "11", "context == 255 && preempt_count == 128"),

	NO(ORDER, KMALLOC, "1", "bytes_req < 137"),
	YES(ORDER, KMALLOC, "1", "bytes_req < 138"),
	YES(ORDER, KMALLOC, "1", "bytes_req <= 137"),
	NO(ORDER, KMALLOC, "1", "bytes_req <= 136"),
	NO(ORDER, KMALLOC, "1", "bytes_req > 137"),
	YES(ORDER, KMALLOC, "1", "bytes_req > 136"),
	YES(ORDER, KMALLOC, "1", "bytes_req >= 137"),
	NO(ORDER, KMALLOC, "1", "bytes_req >= 138"),
	/* 8 bytes, unsigned */
	YES(ORDER, LIMITS, "1", "bytes_req > 0"),
	NO(ORDER, LIMITS, "1", "bytes_req > 0xffffffffffffffff"),
	YES(ORDER, LIMITS, "1", "bytes_req >= 0xffffffffffffffff"),
	NO(ORDER, LIMITS, "1", "bytes_req < 0xffffffffffffffff"),
	YES(ORDER, LIMITS, "1", "bytes_req <= 0xffffffffffffffff"),
	YES(ORDER, LIMITS, "1", "bytes_req > 0xfffffffffffffffe"),
	YES(ORDER, LIMITS, "1", "bytes_alloc > 0x7fffffffffffffff"),
	YES(ORDER, LIMITS, "1", "bytes_alloc >= 0x8000000000000000"),
	NO(ORDER, LIMITS, "1", "bytes_alloc < 0x8000000000000000"),
	YES(ORDER, LIMITS, "1", "bytes_alloc < 0x8000000000000001"),
	NO(ORDER, ZERO, "1", "bytes_req < 0"),
	YES(ORDER, ZERO, "1", "bytes_req <= 0"),
	NO(ORDER, ZERO, "1", "bytes_req > 0"),
	YES(ORDER, ZERO, "1", "bytes_req >= 0"),
	YES(ORDER, ZERO, "1", "bytes_req < 0xffffffffffffffff"),
	/* 4 bytes, signed */
	YES(ORDER, KMALLOC, "1", "node < 0"),
	NO(ORDER, KMALLOC, "1", "node > 0"),
	NO(ORDER, KMALLOC, "1", "node < -1"),
	YES(ORDER, KMALLOC, "1", "node <= -1"),
	YES(ORDER, KMALLOC, "1", "node >= -1"),
	NO(ORDER, KMALLOC, "1", "node > -1"),
	YES(ORDER, KMALLOC, "1", "node > -2"),
	NO(ORDER, LIMITS, "1", "node < -2147483648"),
	YES(ORDER, LIMITS, "1", "node <= -2147483648"),
	YES(ORDER, LIMITS, "1", "node >= -2147483648"),
	NO(ORDER, LIMITS, "1", "node > -2147483648"),
	YES(ORDER, LIMITS, "1", "node < -2147483647"),
	YES(ORDER, LIMITS, "1", "node < 2147483647"),
	YES(ORDER, LIMITS, "1", "pid > -2147483648"),
	YES(ORDER, LIMITS, "1", "pid > 2147483646"),
	NO(ORDER, LIMITS, "1", "pid > 2147483647"),
	YES(ORDER, LIMITS, "1", "pid >= 2147483647"),
	YES(ORDER, LIMITS, "1", "pid <= 2147483647"),
	NO(ORDER, LIMITS, "1", "pid < 2147483647"),
	YES(ORDER, PAGES, "11", "migratetype < 0 && migratetype >= -1"),
	/* 4 bytes, unsigned */
	YES(ORDER, CACHE_FREE, "1", "cache_id > 2147483647"),
	YES(ORDER, CACHE_FREE, "1", "cache_id >= 4294967295"),
	NO(ORDER, CACHE_FREE, "1", "cache_id > 4294967295"),
	NO(ORDER, CACHE_FREE, "1", "cache_id < 4294967295"),
	YES(ORDER, PAGES, "11", "order > 8 && order <= 9"),
	/* 2 bytes */
	YES(ORDER, CACHE_FREE, "11", "common_type > 256 && common_type <= 257"),
	NO(ORDER, CACHE_FREE, "1", "common_type >= 258"),
	/* 1 byte */
	YES(ORDER, LIMITS, "1", "context > 254"),
	NO(ORDER, LIMITS, "1", "context > 255"),
	YES(ORDER, LIMITS, "1", "context >= 255"),
	YES(ORDER, LIMITS, "1", "context <= 255"),
	NO(ORDER, LIMITS, "1", "context < 255"),
	YES(ORDER, LIMITS, "1", "preempt_count > 127"),

	YES(CUT, KMALLOC, "1", "node == 4294967295"),
	YES(CUT, KMALLOC, "1", "node == 9223372036854775807"),
	YES(CUT, KMALLOC, "1", "node < 4294967296"),
	NO(CUT, KMALLOC, "1", "pid < 4294967296"),
	YES(CUT, KMALLOC, "1", "node == -4294967297"),
	YES(CUT, ZERO, "1", "node == -9223372036854775808"),
	YES(CUT, LIMITS, "1", "node == 2147483648"),
	YES(CUT, LIMITS, "1", "node <= 2147483648"),
	YES(CUT, KMALLOC, "1", "pid == 4294967338"),
	YES(CUT, KMALLOC, "1", "context == 265"),
	YES(CUT, KMALLOC, "1", "context > 256"),
	NO(CUT, KMALLOC, "1", "context >= 511"),
	NO(CUT, KMALLOC, "1", "context & 0x100"),
	YES(CUT, CACHE_FREE, "1", "common_type == 65793"),
	YES(CUT, CACHE_FREE, "1", "cache_id == 0x1ffffffff"),
	YES(CUT, LIMITS, "1", "common_seq == 4294967295"),
	NO(CUT, LIMITS, "1", "live_objects == 0"),

	YES(MASK, KMALLOC, "1", "gfp_flags & 0x400"),
	YES(MASK, KMALLOC, "1", "gfp_flags&0x1400"),
	NO(MASK, KMALLOC, "1", "gfp_flags & 0x1000"),
	NO(MASK, KMALLOC, "1", "gfp_flags & 0"),
	NO(MASK, LIMITS, "1", "bytes_req & 0"),
	YES(MASK, LIMITS, "1", "bytes_alloc & 0x8000000000000000"),
	NO(MASK, LIMITS, "1", "bytes_alloc & 0x7fffffffffffffff"),
	NO(MASK, ZERO, "1", "bytes_req & 0xffffffffffffffff"),
	YES(MASK, LIMITS, "1", "node & 0x80000000"),
	NO(MASK, LIMITS, "1", "node & 0x7fffffff"),
	YES(MASK, LIMITS, "1", "node & -1"),
	NO(MASK, ZERO, "1", "node & -1"),
	YES(MASK, KMALLOC, "1", "node & 1"),
	YES(MASK, KMALLOC, "11", "context & 8 && common_flags & 1"),
	NO(MASK, KMALLOC, "1", "context & 0xf6"),
	YES(MASK, KMALLOC, "1", "cpu & 1"),
	NO(MASK, KMALLOC, "1", "cpu & 4"),
	YES(MASK, CACHE_FREE, "1", "common_type & 0x100"),
	NO(MASK, KMALLOC, "1", "!gfp_flags & 0x400"),
	YES(MASK, LIMITS, "1", "gfp_flags & 0x100000000"),

	YES(STRING, KMALLOC, "1", "comm == \"kmt_worker\""),
	YES(STRING, KMALLOC, "1", "comm == 'kmt_worker'"),
	YES(STRING, KMALLOC, "1", "COMM=='kmt_worker'"),
	NO(STRING, KMALLOC, "1", "comm != \"kmt_worker\""),
	NO(STRING, KMALLOC, "1", "comm == \"kmt\""),
	NO(STRING, KMALLOC, "1", "comm == \"kmt_worker2\""),
	YES(STRING, KMALLOC, "1", "comm != \"kmt_worker2\""),
	NO(STRING, KMALLOC, "1", "comm == \"kmt*\""),
	NO(STRING, KMALLOC, "1", "comm == \"!x\""),
	YES(STRING, KMALLOC, "1", "comm != \"!kmt_worker\""),
	NO(STRING, KMALLOC, "1", "comm == \"\""),
	YES(STRING, KMALLOC, "1", "comm != ''"),
	YES(STRING, ZERO, "1", "comm == \"\""),
	NO(STRING, ZERO, "1", "comm != \"\""),
	YES(STRING, LIMITS, "1", "comm == \"123456789012345\""),
	NO(STRING, LIMITS, "1", "comm == \"1234567890123456\""),
	YES(STRING, CACHE_FREE, "1", "comm == \"it's\""),
	YES(STRING, PAGES, "1", "comm == 'a[b*c?\\d'"),
	/* bytes as the tool prints them */
	YES(STRING, KMALLOC, "1", "comm == 'kmt\\x5fworke\\x72'"),
	YES(STRING, PAGES, "1", "comm == 'a[b*c?\\x5Cd'"),
	NO(STRING, KMALLOC, "1", "comm == 'kmt\\x5worker'"),
	NO(STRING, KMALLOC, "1", "comm == 'kmt_worker\\x'"),
	NO(STRING, ZERO, "1", "comm == '\\x00'"),
	YES(STRING, KMALLOC, "11", "comm != \") && (\" && comm != '||'"),
	YES(STRING, KMALLOC, "1", "comm.ustring == \"kmt_worker\""),
	YES(STRING, CACHE_FREE, "1", "cache == \"kmalloc-192\""),
	YES(STRING, CACHE_FREE, "1", "name == 'kmalloc-192'"),
	NO(STRING, CACHE_FREE, "1", "cache != \"kmalloc-192\""),
	NO(STRING, CACHE_FREE, "1", "cache == \"kmalloc-19\""),
	YES(STRING, CACHE_FREE, "1", "cache != \"kmalloc-1920\""),
	/* each has its operand */
	YES(STRING, KMALLOC, "111",
	    "comm == 'a' || comm == 'bcd' || comm == 'kmt_worker'"),
	YES(STRING, KMALLOC, "1111",
	    "comm != 'a' && cpu & CPUS{2-3} && comm != 'bc' && cpu & CPUS{1,3}"),

	YES(GLOB, KMALLOC, "1", "comm ~ \"kmt_worker\""),
	YES(GLOB, KMALLOC, "1", "comm ~ \"kmt*\""),
	NO(GLOB, KMALLOC, "1", "comm ~ \"kmt\""),
	YES(GLOB, KMALLOC, "1", "comm ~ \"*worker\""),
	NO(GLOB, KMALLOC, "1", "comm ~ \"*work\""),
	YES(GLOB, KMALLOC, "1", "comm ~ \"*_w*\""),
	YES(GLOB, KMALLOC, "1", "comm ~ \"kmt_worker*\""),
	YES(GLOB, KMALLOC, "1", "comm ~ '*'"),
	YES(GLOB, ZERO, "1", "comm ~ \"*\""),
	YES(GLOB, ZERO, "1", "comm ~ \"\""),
	NO(GLOB, KMALLOC, "1", "comm ~ \"\""),
	NO(GLOB, ZERO, "1", "comm ~ \"?\""),
	NO(GLOB, ZERO, "1", "comm ~ \"*?\""),
	NO(GLOB, ZERO, "1", "comm ~ \"[!a]\""),
	YES(GLOB, KMALLOC, "1", "comm ~ \"kmt_work?r\""),
	NO(GLOB, KMALLOC, "1", "comm ~ \"kmt_work??r\""),
	YES(GLOB, KMALLOC, "1", "comm ~ \"k*t*w*r\""),
	NO(GLOB, KMALLOC, "1", "comm ~ \"k*t*x*r\""),
	YES(GLOB, KMALLOC, "1", "comm ~ \"**k**m***r**\""),
	YES(GLOB, KMALLOC, "1", "comm ~ \"*?r*?r\""),
	YES(GLOB, LIMITS, "1", "comm ~ \"1*\""),
	YES(GLOB, LIMITS, "1", "comm ~ \"*12345\""),
	NO(GLOB, LIMITS, "1", "comm ~ \"*123456\""),
	YES(GLOB, KMALLOC, "1", "comm ~ \"[a-k]mt*\""),
	NO(GLOB, KMALLOC, "1", "comm ~ \"[!a-k]mt*\""),
	YES(GLOB, KMALLOC, "1", "comm ~ \"[!x]mt*\""),
	YES(GLOB, KMALLOC, "1", "comm ~ \"[abk]m[a-ct]?*\""),
	YES(GLOB, KMALLOC, "1", "comm ~ \"[]k]mt*\""),
	NO(GLOB, KMALLOC, "1", "comm ~ \"[!]k]mt*\""),
	YES(GLOB, KMALLOC, "1", "comm ~ \"[k-]mt*\""),
	NO(GLOB, KMALLOC, "1", "comm ~ \"[z-a]mt*\""),
	NO(GLOB, KMALLOC, "1", "comm ~ \"[k\""),
	YES(GLOB, PAGES, "1", "comm ~ \"a[b*\""),
	NO(GLOB, PAGES, "1", "comm ~ '?[b-'"),
	YES(GLOB, PAGES, "1", "comm ~ 'a\\[b\\*c\\?\\\\d'"),
	YES(GLOB, PAGES, "1", "comm ~ 'a[[]b[*]c[?][\\]d'"),
	NO(GLOB, PAGES, "1", "comm ~ 'a\\[b\\*c\\?\\d'"),
	NO(GLOB, KMALLOC, "1", "comm ~ 'kmt\\*'"),
	YES(GLOB, KMALLOC, "1", "comm ~ 'kmt\\x5f*'"),
	NO(GLOB, KMALLOC, "1", "comm ~ 'kmt\\x2a'"),
	YES(GLOB, PAGES, "1", "comm ~ 'a\\x5bb\\x2A*\\x5cd'"),
	YES(GLOB, KMALLOC, "1", "comm ~ '\\k\\m*'"),
	YES(GLOB, KMALLOC, "1", "comm ~ 'kmt_worker\\'"),
	YES(GLOB, KMALLOC, "1", "comm ~ '*er\\'"),
	NO(GLOB, KMALLOC, "1", "comm ~ 'kmt_worke\\'"),
	YES(GLOB, PAGES, "1", "comm ~ 'a*\\'"),
	NO(GLOB, KMALLOC, "1", "comm ~ \"!kmt*\""),
	YES(GLOB, KMALLOC, "1", "comm ~ \"!x*\""),
	YES(GLOB, KMALLOC, "1", "comm ~ \"!!kmt*\""),
	YES(GLOB, KMALLOC, "1", "comm ~ \"!\""),
	NO(GLOB, ZERO, "1", "comm ~ \"!\""),
	YES(GLOB, KMALLOC, "1", "!comm ~ \"x*\""),
	YES(GLOB, KMALLOC, "1", "!(comm ~ \"!k*\")"),
	YES(GLOB, CACHE_FREE, "1", "cache ~ \"kmalloc-*\""),
	NO(GLOB, CACHE_FREE, "1", "name ~ '!kmalloc-*'"),
	YES(GLOB, CACHE_FREE, "1", "cache ~ '*-[0-9][!0-8]2'"),
	YES(GLOB, CACHE_FREE, "1", "comm ~ \"it's\""),

	/* a list that is one CPU */
	YES(CPUS, KMALLOC, "1", "cpu & CPUS{3}"),
	YES(CPUS, KMALLOC, "1", "cpu == CPUS{3}"),
	NO(CPUS, KMALLOC, "1", "cpu != CPUS{3}"),
	NO(CPUS, KMALLOC, "1", "cpu & CPUS{2}"),
	YES(CPUS, KMALLOC, "1", "common_cpu != CPUS{2}"),
	YES(CPUS, KMALLOC, "1", "CPU==CPUS{3,3-3, 3}"),
	YES(CPUS, KMALLOC, "1", "cpu == CPUS{3-4:1/2}"),
	YES(CPUS, CACHE_FREE, "1", "cpu == CPUS{N}"),
	/* several */
	YES(CPUS, KMALLOC, "1", "cpu & CPUS{0-3}"),
	YES(CPUS, KMALLOC, "1", "CPU&CPUS{0,2,3}"),
	NO(CPUS, KMALLOC, "1", "cpu & CPUS{4-7}"),
	NO(CPUS, KMALLOC, "1", "cpu & CPUS{0-2,4-N}"),
	NO(CPUS, KMALLOC, "1", "cpu == CPUS{0-3}"),
	YES(CPUS, KMALLOC, "1", "cpu != CPUS{0-3}"),
	NO(CPUS, KMALLOC, "1", "!(cpu & CPUS{0-3})"),
	YES(CPUS, KMALLOC, "1", "!cpu & CPUS{4-7}"),
	YES(CPUS, KMALLOC, "1", "cpu & CPUS{all}"),
	YES(CPUS, KMALLOC, "1", "cpu & CPUS{ \t0 ,,3\n}"),
	/* none */
	NO(CPUS, KMALLOC, "1", "cpu & CPUS{ }"),
	NO(CPUS, KMALLOC, "1", "cpu == CPUS{,}"),
	YES(CPUS, KMALLOC, "1", "cpu != CPUS{ }"),
	NO(CPUS, KMALLOC, "1", "cpu & CPUS{0-7:0/2}"),
	/* groups */
	NO(CPUS, KMALLOC, "1", "cpu & CPUS{0-7:1/2}"),
	YES(CPUS, KMALLOC, "1", "cpu & CPUS{1-7:1/2}"),
	NO(CPUS, KMALLOC, "1", "cpu & CPUS{0-7:2/4}"),
	YES(CPUS, KMALLOC, "1", "cpu & CPUS{0-7:4/4}"),
	YES(CPUS, KMALLOC, "1", "cpu & CPUS{AlL:1/3}"),
	YES(CPUS, KMALLOC, "1", "cpu & CPUS{0-7:4/100000}"),
	NO(CPUS, KMALLOC, "1", "cpu & CPUS{0-7:3/100000}"),
	YES(CPUS, KMALLOC, "1", "cpu & CPUS{0-N:70000/80000}"),
	YES(CPUS, KMALLOC, "1", "cpu & CPUS{0-N:4/4294967295}"),
	/* on other fields: what is no CPU is in no list, nor outside of one */
	NO(CPUS, KMALLOC, "1", "node & CPUS{0-3}"),
	NO(CPUS, KMALLOC, "1", "node == CPUS{0-3}"),
	NO(CPUS, KMALLOC, "1", "node != CPUS{0-3}"),
	YES(CPUS, KMALLOC, "1", "!(node != CPUS{0-3})"),
	YES(CPUS, KMALLOC, "1", "node != CPUS{3}"),
	NO(CPUS, KMALLOC, "1", "pid != CPUS{0-3}"),
	YES(CPUS, PAGES, "1", "node & CPUS{0-3}"),
	YES(CPUS, PAGES, "1", "node != CPUS{0-3}"),
	YES(CPUS, PAGES, "1", "node != CPUS{4-7}"),
	NO(CPUS, PAGES, "1", "node == CPUS{0-3}"),
	YES(CPUS, PAGES, "1", "node == CPUS{2}"),
	NO(CPUS, PAGES, "1", "order & CPUS{all}"),
	YES(CPUS, KMALLOC, "1", "preempt_count & CPUS{1-2}"),
	NO(CPUS, LIMITS, "1", "context & CPUS{all}"),
	YES(CPUS, LIMITS, "1", "live_bytes & CPUS{1-2}"),
	YES(CPUS, LIMITS, "1", "live_bytes != CPUS{1-2}"),
	NO(CPUS, LIMITS, "1", "live_bytes == CPUS{2}"),

	YES(FUNCTION, KMALLOC, "1", "call_site.function == do_work"),
	NO(FUNCTION, KMALLOC, "1", "call_site.function != do_work"),
	NO(FUNCTION, KMALLOC, "1", "call_site.function == other"),
	YES(FUNCTION, KMALLOC, "1", "call_site.function != other"),
	YES(FUNCTION, LIMITS, "1", "call_site.function == do_work"),
	NO(FUNCTION, CACHE_FREE, "1", "call_site.function == do_work"),
	YES(FUNCTION, CACHE_FREE, "1", "call_site.function == other"),
	NO(FUNCTION, PAGES, "1", "call_site.function == do_work"),
	NO(FUNCTION, ZERO, "1", "call_site.function == do_work"),
	YES(FUNCTION, KMALLOC, "1", "call_site.function == 0xffffffff81000003"),
	NO(FUNCTION, KMALLOC, "1", "call_site.function == 0xffffffff81000020"),
	YES(FUNCTION, KMALLOC, "1",
	    "(call_site.function==18446744071578845199)"),
	YES(FUNCTION, KMALLOC, "11",
	    "call_site.function == do_work && !ptr.function == do_work"),
	YES(FUNCTION, KMALLOC, "1", "call_site.ustring.function==do_work"),
	NO(FUNCTION, KMALLOC, "1", "call_site.function == mod:init"),
	YES(FUNCTION, PAGES, "1", "stack.function == other"),
	NO(FUNCTION, PAGES, "1", "stack.function == do_work"),
	YES(FUNCTION, PAGES, "1", "stack.function != do_work"),
	NO(FUNCTION, PAGES, "1", "!stack.function == other"),

	YES(LOGIC, KMALLOC, "1", T),
	NO(LOGIC, KMALLOC, "1", F),
	YES(LOGIC, KMALLOC, "11", T " && " T),
	NO(LOGIC, KMALLOC, "11", T " && " F),
	NO(LOGIC, KMALLOC, "10", F " && " T),
	NO(LOGIC, KMALLOC, "10", F " && " F),
	YES(LOGIC, KMALLOC, "10", T " || " T),
	YES(LOGIC, KMALLOC, "10", T " || " F),
	YES(LOGIC, KMALLOC, "11", F " || " T),
	NO(LOGIC, KMALLOC, "11", F " || " F),
	NO(LOGIC, KMALLOC, "1", "!" T),
	YES(LOGIC, KMALLOC, "1", "!" F),
	YES(LOGIC, KMALLOC, "1", "!!" T),
	NO(LOGIC, KMALLOC, "1", "! ! \t!" T),
	NO(LOGIC, KMALLOC, "1", "!(" T ")"),
	YES(LOGIC, KMALLOC, "1", "!(!(" T "))"),
	YES(LOGIC, KMALLOC, "1", "(((( " T " ) ) ))"),
	YES(LOGIC, KMALLOC, "11", "(" T ")&&(" T ")"),
	NO(LOGIC, KMALLOC, "11", "!(" T "&&" T ")"),
	YES(LOGIC, KMALLOC, "11", "!(" T "&&" F ")"),
	YES(LOGIC, KMALLOC, "10", "!(" F "&&" T ")"),
	NO(LOGIC, KMALLOC, "10", "!(" T "||" F ")"),
	NO(LOGIC, KMALLOC, "11", "!(" F "||" T ")"),
	YES(LOGIC, KMALLOC, "11", "!(" F "||" F ")"),
	YES(LOGIC, KMALLOC, "11", "!" T "||" T),
	YES(LOGIC, KMALLOC, "10", "!" F "||" T),
	NO(LOGIC, KMALLOC, "10", "!" T "&&" T),
	YES(LOGIC, KMALLOC, "11", "!" F "&&" T),
	/* && binds tighter */
	YES(LOGIC, KMALLOC, "100", T "||" F "&&" F),
	YES(LOGIC, KMALLOC, "101", F "&&" F "||" T),
	YES(LOGIC, KMALLOC, "101", F "&&" T "||" T),
	YES(LOGIC, KMALLOC, "110", T "&&" T "||" F),
	YES(LOGIC, KMALLOC, "111", T "&&" F "||" T),
	NO(LOGIC, KMALLOC, "111", F "||" T "&&" F),
	NO(LOGIC, KMALLOC, "110", F "||" F "&&" T),
	NO(LOGIC, KMALLOC, "101", "(" T "||" F ")&&" F),
	YES(LOGIC, KMALLOC, "111", "(" F "||" T ")&&" T),
	NO(LOGIC, KMALLOC, "110", "(" F "||" F ")&&" T),
	YES(LOGIC, KMALLOC, "111", T "&&(" F "||" T ")"),
	NO(LOGIC, KMALLOC, "100", F "&&(" T "||" T ")"),
	YES(LOGIC, KMALLOC, "100", T "||(" T "&&" T ")"),
	NO(LOGIC, KMALLOC, "110", F "||(" F "&&" T ")"),
	NO(LOGIC, KMALLOC, "1101", "!(!" T "||!" T "&&" T ") && " F),
	/* a && !(b || c) || d */
	YES(LOGIC, KMALLOC, "1110", T "&&!(" F "||" F ")||" T),
	YES(LOGIC, KMALLOC, "1101", T "&&!(" T "||" F ")||" T),
	NO(LOGIC, KMALLOC, "1111", T "&&!(" F "||" T ")||" F),
	NO(LOGIC, KMALLOC, "1001", F "&&!(" F "||" F ")||" F),
	YES(LOGIC, KMALLOC, "1110", "!(" T "&&!(" F "||" T ")&&" F ")"),
	NO(LOGIC, KMALLOC, "1001", "!(!(!(" T "||" F ")&&" F ")&&" T ")"),
	NO(LOGIC, KMALLOC, "1000", "!(!(!(" T "||" F ")&&" F ")||" T ")"),
	/* left-deep and right-deep, in turn */
	YES(LOGIC, KMALLOC, "1101", "((" T "&&" T ")||" F ")&&" T),
	YES(LOGIC, KMALLOC, "1111", "((" F "||" T ")&&" F ")||" T),
	NO(LOGIC, KMALLOC, "11101",
	   "(((" T "&&" F ")||" F ")&&" T ")||" F),
	YES(LOGIC, KMALLOC, "11111",
	    T "&&(" F "||(" T "&&(" F "||" T ")))"),
	NO(LOGIC, KMALLOC, "11100",
	   T "&&(" F "||(" F "&&(" F "||" T ")))"),
	/* products of sums and sums of products */
	NO(LOGIC, KMALLOC, "10111011",
	   "(" T "||" T ")&&(" F "||" T ")&&(" T "||" F ")&&(" F "||" F ")"),
	NO(LOGIC, KMALLOC, "11000000",
	   "(" F "||" F ")&&(" T "||" T ")&&(" T "||" T ")&&(" T "||" T ")"),
	YES(LOGIC, KMALLOC, "11101100",
	    "(" T "&&" F ")||(" F "&&" T ")||(" T "&&" T ")||(" T "&&" T ")"),
	NO(LOGIC, KMALLOC, "10101011",
	   F "&&" T "||" F "&&" T "||" F "&&" T "||" T "&&" F),
	YES(LOGIC, KMALLOC, "11111111",
	    T "&&" T "&&" T "&&" T "&&" T "&&" T "&&" T "&&" T),
	NO(LOGIC, KMALLOC, "11100000",
	   T "&&" T "&&" F "&&" T "&&" T "&&" T "&&" T "&&" F),
	NO(LOGIC, KMALLOC, "11111111",
	   F "||" F "||" F "||" F "||" F "||" F "||" F "||" F),
	YES(LOGIC, KMALLOC, "11110000",
	    F "||" F "||" F "||" T "||" T "||" F "||" T "||" T),

	YES(SUFFIX, KMALLOC, "1", "live_bytes == 3M"),
	YES(SUFFIX, KMALLOC, "1", "live_bytes == 3072K"),
	YES(SUFFIX, KMALLOC, "1", "live_bytes == 0x3M"),
	YES(SUFFIX, KMALLOC, "1", "live_bytes == 03M"),
	YES(SUFFIX, KMALLOC, "11", "live_bytes > 2M && live_bytes < 1G"),
	YES(SUFFIX, KMALLOC, "1", "live_bytes & 1M"),
	YES(SUFFIX, PAGES, "1", "(bytes_req==2M)"),
	YES(SUFFIX, LIMITS, "1", "bytes_alloc == 8388608T"),
	YES(SUFFIX, LIMITS, "1", "bytes_req > 16777215T"),
	YES(SUFFIX, LIMITS, "1", "live_objects == 4G"),
	YES(SUFFIX, LIMITS, "1", "tgid == -1K"),
	YES(SUFFIX, ZERO, "1", "bytes_req == 0K"),
	YES(SUFFIX, ZERO, "1", "pid == 4G"),
	YES(SUFFIX, KMALLOC, "1", "time == 1500ms"),
	YES(SUFFIX, KMALLOC, "1", "time == 1500000us"),
	YES(SUFFIX, KMALLOC, "1", "time == 1500000000ns"),
	YES(SUFFIX, KMALLOC, "1", "time == 1500000000"),
	YES(SUFFIX, KMALLOC, "11", "time>1s&&time<2s"),
	YES(SUFFIX, CACHE_FREE, "11", "age == 2h && time == 1min"),
	YES(SUFFIX, CACHE_FREE, "11", "age == 120min && time == 60s"),
	NO(SUFFIX, CACHE_FREE, "1", "age > 2h"),
	NO(SUFFIX, LIMITS, "1", "time <= 5124095h"),

	NO(UNKNOWN, BARE, "1", U),
	NO(UNKNOWN, BARE, "1", "!" U),
	NO(UNKNOWN, BARE, "1", "!!" U),
	NO(UNKNOWN, BARE, "1", "cpu != 3"),
	NO(UNKNOWN, BARE, "1", "!(cpu != 3)"),
	NO(UNKNOWN, BARE, "1", "!(!(" U "))"),
	NO(UNKNOWN, BARE, "1", "cpu & CPUS{0-3}"),
	NO(UNKNOWN, BARE, "1", "!cpu == CPUS{0-3}"),
	NO(UNKNOWN, BARE, "1", "cpu != CPUS{0-3}"),
	NO(UNKNOWN, BARE, "1", "comm == \"kmt_worker\""),
	NO(UNKNOWN, BARE, "1", "comm != \"kmt_worker\""),
	NO(UNKNOWN, BARE, "1", "comm ~ \"*\""),
	NO(UNKNOWN, BARE, "1", "comm ~ \"!x\""),
	NO(UNKNOWN, BARE, "1", "!comm ~ \"x\""),
	NO(UNKNOWN, BARE, "1", "time >= 0"),
	NO(UNKNOWN, BARE, "1", "stack == 0"),
	NO(UNKNOWN, BARE, "1", "stack != 0"),
	NO(UNKNOWN, BARE, "1", "common_size > 0"),
	YES(UNKNOWN, BARE, "1", "bytes_req == 137"),
	YES(UNKNOWN, BARE, "10", T "||" U),
	YES(UNKNOWN, BARE, "11", U "||" T),
	YES(UNKNOWN, BARE, "11", "!" U "||" T),
	NO(UNKNOWN, BARE, "11", U "|| cpu != 3"),
	NO(UNKNOWN, BARE, "10", U "&&" T),
	NO(UNKNOWN, BARE, "11", T "&&" U),
	NO(UNKNOWN, BARE, "11", T "&& !" U),
	NO(UNKNOWN, BARE, "11", "!(" U "&&" T ")"),
	YES(UNKNOWN, BARE, "11", "!(" U "&&" F ")"),
	YES(UNKNOWN, BARE, "10", "!(" F "&&" U ")"),
	NO(UNKNOWN, BARE, "11", "!(" T "&&" U ")"),
	NO(UNKNOWN, BARE, "10", "!(" U "||" F ")"),
	NO(UNKNOWN, BARE, "11", "!(" F "||" U ")"),
	NO(UNKNOWN, BARE, "10", "!(" T "||" U ")"),
	NO(UNKNOWN, BARE, "11", "!(" T "&& !" U ")"),
	NO(UNKNOWN, BARE, "10", "!(!(" U "&&" T "))"),
	YES(UNKNOWN, BARE, "101", U "&&" T "||" T),
	NO(UNKNOWN, BARE, "1101", "!(" U "&&" T ")&&" T "||" F),
	YES(UNKNOWN, BARE, "1111",
	    "!(" U "&&" F ")&&(!" U "||" T ")"),

	YES(FETCH, LAZY, "1", "pid == 42"),
	NO(FETCH, LAZY, "1", "!pid == 42"),
	YES(FETCH, LAZY, "1", "comm ~ \"kmt*\""),
	YES(FETCH, LAZY, "1", "cpu & CPUS{2-3}"),
	YES(FETCH, LAZY, "1", "time == 1500ms"),
	YES(FETCH, LAZY, "10", T "|| pid == 42"),
	NO(FETCH, LAZY, "10", F "&& pid == 42"),
	NO(FETCH, LAZY, "10", "!(" T "|| pid == 42)"),
	YES(FETCH, LAZY, "11", T "&& pid == 42"),
	YES(FETCH, LAZY, "111", "pid==42 && tgid==40 && comm==\"kmt_worker\""),
	YES(FETCH, LAZY, "11", "pid == 1 || " U),
	NO(FETCH, LAZY, "10", "pid == 1 && " U),
	YES(FETCH, LAZY, "111", "live_bytes>1M && live_objects==1000 && " U),
	NO(FETCH, LAZY, "1", "cgroup == 77"),
	NO(FETCH, LAZY, "1", "!cgroup == 77"),
	YES(FETCH, LAZY, "11", "cgroup == 77 || pid == 42"),
	NO(FETCH, LAZY, "111", "cgroup < 78 || cgroup != 77 || cgroup == 77"),
	YES(FETCH, LAZY, "101", "cgroup == 77 && pid == 42 || cpu == 3"),
};

#undef YES
#undef NO
#undef T
#undef F
#undef U

#define FV_VECTORS (sizeof(fv_vectors) / sizeof(fv_vectors[0]))

#endif /* FILTER_VECTORS_H */
