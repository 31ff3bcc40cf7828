// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams of several CPUs that are ordered by time. The input says which records there are,
 * of either kind, and has further bytes that are taken for records. The records must come
 * out once each, with numbers that increase, on each CPU in the order of the input.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "kmt_compact.h"
#include "trace/order.h"
#include "trace/trace_format.h"

#define CPUS 4

/**
 * struct cpu - one CPU
 * @next: number of its next event
 * @sent: number of its records
 * @came: number of its records that came out
 * @mark: its records have this number or a higher one from now on
 * @wild: it had bytes that are no record of this file
 */
static struct cpu {
	uint32_t next;
	uint32_t sent;
	uint32_t came;
	uint32_t mark;
	bool wild;
} cpus[CPUS];

static void take(void *arg, uint32_t cpu, const void *data, size_t size,
		 uint32_t mark)
{
	struct cpu *c = cpu == TRACE_CPU_ABSENT ? NULL : &cpus[cpu];
	const uint8_t *at = data;
	struct kmt_decoded dec;
	struct kmt_event ev;
	int used;

	(void)arg;
	/* only a single record may be larger */
	FUZZ_MUST(size <= ORDER_PUT_MAX ||
		  kmt_record_decode_any(at, size, false, &ev, &dec) == (int)size);
	while (size) {
		used = kmt_record_decode_any(at, size, false, &ev, &dec);
		if (used < 0) {
			FUZZ_MUST(c->wild);
			break;
		}
		if (!c->wild) {
			FUZZ_MUST(!dec.unknown_id && ev.call_site == c->came);
			FUZZ_MUST(ev.seq >= c->mark && ev.seq < mark);
		}
		c->came++;
		at += used;
		size -= used;
	}
	if (c)
		c->mark = mark;
}

static void add_record(struct order *o, const uint8_t *in, bool swap)
{
	struct cpu *c = &cpus[in[0] % CPUS];
	struct kmt_event ev = {
		.event_id = in[1] & 1,
		.type_id = in[1] >> 1 & 3,
		.seq = c->next + (in[1] >> 6),
		.time = in[2],
		.call_site = c->sent,
		.ptr = in[3] + 1,
		.bytes_req = 1,
		.bytes_alloc = 1,
		.order = in[3],
	};
	size_t size = kmt_compact_size(ev.event_id, ev.type_id);
	uint8_t rec[KMT_RECORD_MAX];

	c->next = ev.seq + 1;
	c->sent++;
	c->wild |= swap;
	if (in[1] & 8) {
		size = kmt_record_size(&ev, KMT_FEATURE_TIME);
		kmt_record_encode(rec, size, &ev, KMT_FEATURE_TIME);
	} else {
		kmt_compact_encode(rec, size, &ev);
	}
	order_add(o, c - cpus, rec, size);
}

/* Return: the bytes of the input that were used. */
static size_t step(struct order *o, const uint8_t *in, size_t left, bool swap)
{
	size_t size;

	switch (in[0] >> 4) {
	case 0:
		order_mark(o, in[0] % CPUS, in[1]);
		break;
	case 1:
		order_mark(o, TRACE_CPU_ABSENT, in[1]);
		break;
	case 2:
		order_run(o);
		order_flush(o);
		break;
	case 3:
		size = in[1] < left - 4 ? in[1] : left - 4;
		cpus[in[0] % CPUS].wild = true;
		order_add(o, in[0] % CPUS, in + 4, size);
		return 4 + size;
	default:
		add_record(o, in, swap);
	}
	return 4;
}

bool fuzz_one(const uint8_t *data, size_t size)
{
	bool swap = size && data[0] & 0x80, all = true;
	struct order *o = order_create(&(struct order_setup){
		.put = take,
		.features = size ? data[0] : 0,
		.swap = swap,
		.compact = size && (data[0] & 0xc0) == 0x40,
	});
	unsigned int i;

	FUZZ_MUST(o);
	memset(cpus, 0, sizeof(cpus));
	while (size >= 4) {
		size_t used = step(o, data, size, swap);

		data += used;
		size -= used;
	}
	order_finish(o);
	FUZZ_MUST(!order_held(o));
	for (i = 0; i < CPUS; i++) {
		FUZZ_MUST(cpus[i].wild || cpus[i].came == cpus[i].sent);
		order_end(o, i, cpus[i].next);
		all &= !cpus[i].wild;
	}
	order_destroy(o);
	return all;
}
