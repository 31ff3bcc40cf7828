// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a stream of records. The decoder must not read behind the stream. A record
 * without violations must be the same when it is encoded again. The stream in the other
 * byte order must have the same events.
 */
#include <stdlib.h>
#include <string.h>

#include "chance.h"
#include "fuzz.h"
#include "kmt_record.h"
#include "records.h"

#define TASK_SIZE sizeof(struct kmemtrace_feature_task)

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
			       unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
			       unsigned int seed)
{
	return records_mutate(data, size, max, seed);
}

/* Return: a copy of exactly @size bytes, so that ASan reports reads behind it. */
static uint8_t *copy_of(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	FUZZ_MUST(copy);
	memcpy(copy, data, size);
	return copy;
}

static void check_extra(const struct kmt_event *ev, struct kmt_extra *x,
			bool swap)
{
	memset(x, 0xa5, sizeof(*x));
	kmt_record_decode_extra(ev, swap, x);
	FUZZ_MUST(!(ev->features & ~x->have));
	FUZZ_MUST(x->depth <= KMT_STACK_MAX);
	if (x->have & KMT_FEATURE_TASK)
		FUZZ_MUST(memchr(x->comm, 0, sizeof(x->comm)));
}

/* Encode a decoded record again: its bytes must be the same. */
static void check_encoding(const uint8_t *rec, size_t size,
			   const struct kmt_event *ev,
			   const struct kmt_extra *x)
{
	size_t core = kmt_record_size(ev, ev->features);
	u32 of_type = KMT_FEATURE_CACHE | KMT_FEATURE_PAGE;
	uint8_t again[KMT_RECORD_MAX];

	/* the encoder writes these features only for their types */
	if (ev->type_id == KMEMTRACE_TYPE_CACHE)
		of_type &= ~KMT_FEATURE_CACHE;
	if (ev->type_id == KMEMTRACE_TYPE_PAGES)
		of_type &= ~KMT_FEATURE_PAGE;
	if (ev->features & of_type)
		return;
	/* the decoder terminates the name of a task */
	if (ev->features & KMT_FEATURE_TASK && rec[core + TASK_SIZE - 1])
		return;
	FUZZ_MUST(core + kmt_record_extra_size(x, ev->features) == size);
	kmt_record_encode(again, size, ev, ev->features);
	kmt_record_encode_extra(again + core, x, ev->features);
	FUZZ_MUST(!memcmp(again, rec, size));
}

static void check_same(struct kmt_event *a, struct kmt_event *b,
		       const struct kmt_extra *x, const struct kmt_extra *y)
{
	a->rec = b->rec = NULL;
	FUZZ_MUST(!memcmp(a, b, sizeof(*a)));
	FUZZ_MUST(x->have == y->have && x->depth == y->depth);
	if (x->have & KMT_FEATURE_TASK)
		FUZZ_MUST(x->pid == y->pid && x->tgid == y->tgid &&
			  x->context == y->context &&
			  !memcmp(x->comm, y->comm, sizeof(x->comm)));
	if (x->have & KMT_FEATURE_CGROUP)
		FUZZ_MUST(x->cgroup == y->cgroup);
	FUZZ_MUST(!memcmp(x->stack, y->stack, x->depth * sizeof(*x->stack)));
}

/* Return: the result of kmt_record_decode(): the size of the record, or an error. */
static int check_record(const uint8_t *rec, const uint8_t *swapped, size_t left)
{
	struct kmt_decoded dec, dec_swapped;
	struct kmt_event ev, ev_swapped;
	struct kmt_extra x, x_swapped;
	int used = kmt_record_decode(rec, left, false, &ev, &dec);

	FUZZ_MUST(kmt_record_decode(swapped, left, true, &ev_swapped,
				    &dec_swapped) == used);
	if (used < 0)
		return used;
	FUZZ_MUST(used >= (int)KMT_FREE_SIZE && (size_t)used <= left);
	FUZZ_MUST(dec.skipped_bytes < used);
	FUZZ_MUST(!memcmp(&dec, &dec_swapped, sizeof(dec)));
	if (dec.unknown_id)
		return used;
	check_extra(&ev, &x, false);
	check_extra(&ev_swapped, &x_swapped, true);
	if (!(dec.bad & (KMT_BAD_FEATURE_SIZE | KMT_BAD_FEATURE_SHORT |
			 KMT_BAD_FEATURE_ORDER)) &&
	    !dec.skipped_bytes)
		check_encoding(rec, used, &ev, &x);
	check_same(&ev, &ev_swapped, &x, &x_swapped);
	return used;
}

bool fuzz_one(const uint8_t *data, size_t size)
{
	uint8_t *native = copy_of(data, size), *swapped = copy_of(data, size);
	size_t pos = 0;
	u64 count = 0;
	int used = 0;

	records_swap(swapped, size, false);
	while (pos < size) {
		used = check_record(native + pos, swapped + pos, size - pos);
		if (used < 0)
			break;
		pos += used;
		count++;
	}
	if (pos == size)
		FUZZ_MUST(kmt_record_count(native, size) == count);
	else
		FUZZ_MUST(kmt_record_count(native, size) >= count);
	free(native);
	free(swapped);
	return count && pos == size;
}
