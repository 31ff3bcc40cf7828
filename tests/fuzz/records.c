// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "chance.h"
#include "kmt_record.h"
#include "records.h"

#define RECORDS_MAX 256
#define ALLOC_END   48

/**
 * struct records - a stream and the positions of its records
 * @data: the stream
 * @size: its size in bytes
 * @max: size of the buffer in bytes
 * @count: number of records
 * @at: offset of each record, then the end of the last one
 */
struct records {
	uint8_t *data;
	size_t size;
	size_t max;
	size_t count;
	size_t at[RECORDS_MAX + 1];
};

static uint16_t get16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void put16(uint8_t *p, uint16_t v)
{
	memcpy(p, &v, sizeof(v));
}

static void find_records(struct records *r)
{
	size_t pos = 0, size;

	r->count = 0;
	r->at[0] = 0;
	while (r->count < RECORDS_MAX && pos + KMT_FREE_SIZE <= r->size) {
		size = get16(r->data + pos + 2);
		if (size < KMT_FREE_SIZE || size > r->size - pos)
			break;
		pos += size;
		r->at[++r->count] = pos;
	}
}

/* --- changes -------------------------------------------------------------- */

/* Replace @old bytes at @at. Return: false if there is no room. */
static bool replace(struct records *r, size_t at, size_t old, const void *data,
		    size_t size)
{
	uint8_t copy[4096];

	if (size > sizeof(copy) || r->size - old + size > r->max)
		return false;
	memcpy(copy, data, size); /* @data may lie in the stream */
	memmove(r->data + at + size, r->data + at + old, r->size - at - old);
	memcpy(r->data + at, copy, size);
	r->size += size - old;
	return true;
}

static uint64_t any_number(struct chance *c)
{
	static const uint64_t numbers[] = {
		0,
		1,
		4096,
		0xffffffff,
		1ull << 32,
		1ull << 63,
		~0ull,
		0xffff888000001000,
		0xffffffff81000010,
	};
	uint32_t i = chance_of(c, 16);

	if (i < sizeof(numbers) / sizeof(numbers[0]))
		return numbers[i];
	return (uint64_t)chance_of(c, 1u << 31) << chance_of(c, 33);
}

static void add_record(struct records *r, struct chance *c)
{
	struct kmt_event ev = {
		.event_id = chance_of(c, 2),
		.type_id = chance_of(c, 4),
		.seq = r->count ? get16(r->data + 4) + chance_of(c, 300)
				: chance_of(c, 300),
		.call_site = 0xffffffff81000000 + chance_of(c, 0x300),
		.ptr = 0x100000 + 4096 * chance_of(c, 16),
		.bytes_req = any_number(c),
		.bytes_alloc = 4096u << chance_of(c, 4),
		.gfp_flags = chance_of(c, 0x1000),
		.time = any_number(c),
		.cache = chance_of(c, 4),
		.order = chance_of(c, 4),
	};
	struct kmt_extra x = {
		.pid = chance_of(c, 100),
		.comm = "fuzz",
		.context = chance_of(c, 256),
		.cgroup = any_number(c),
		.depth = chance_of(c, 5),
	};
	u32 features = chance_of(c, KMT_FEATURES_ALL + 1) & KMT_FEATURES_ALL;
	size_t core = kmt_record_size(&ev, features);
	size_t size = core + kmt_record_extra_size(&x, features);
	uint8_t rec[KMT_RECORD_MAX];

	kmt_record_encode(rec, size, &ev, features);
	kmt_record_encode_extra(rec + core, &x, features);
	replace(r, r->at[chance_of(c, r->count + 1)], 0, rec, size);
}

/* Add a feature with any id, known or not, and with any size, right or wrong. */
static void add_feature(struct records *r, size_t i, struct chance *c)
{
	uint8_t feature[64];
	size_t size = 3 + chance_of(c, sizeof(feature) - 2);
	uint8_t *rec = r->data + r->at[i];
	size_t j, old = get16(rec + 2);

	if (old + size > UINT16_MAX)
		return;
	put16(feature, size);
	feature[2] = chance_of(c, 9);
	for (j = 3; j < size; j++)
		feature[j] = chance_of(c, 256);
	if (replace(r, r->at[i + 1], 0, feature, size))
		put16(rec + 2, old + size);
}

/* Set a field to any number, or to the value that it has in another record. */
static void change_field(struct records *r, size_t i, struct chance *c)
{
	static const struct {
		uint8_t offset, size;
	} fields[] = {
		{0, 1},	 {1, 1},  {4, 4},  {8, 8},
		{16, 8}, {24, 8}, {32, 8}, {40, 4},
	};
	size_t f = chance_of(c, 8), j = chance_of(c, r->count);
	uint64_t value = any_number(c);
	const void *from = &value;
	uint8_t *rec = r->data + r->at[i];

	if (r->at[i + 1] - r->at[i] < fields[f].offset + fields[f].size)
		return;
	if (f < 2) /* an id */
		value = chance_of(c, 5);
	else if (chance_of(c, 2) && r->at[j + 1] - r->at[j] >= ALLOC_END)
		from = r->data + r->at[j] + fields[f].offset;
	memmove(rec + fields[f].offset, from, fields[f].size);
}

static void change_features(struct records *r, size_t i)
{
	uint8_t *rec = r->data + r->at[i];
	size_t size = r->at[i + 1] - r->at[i];
	size_t core = rec[0] ? KMT_FREE_SIZE : ALLOC_END;

	if (size > core)
		LLVMFuzzerMutate(rec + core, size - core, size - core);
}

size_t records_mutate(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	struct chance c = chance_init(seed);
	struct records r = {.data = data, .size = size, .max = max};
	size_t i, j;

	find_records(&r);
	i = r.count ? chance_of(&c, r.count) : 0;
	switch (r.count ? chance_of(&c, 7) : 0) {
	case 0:
		add_record(&r, &c);
		break;
	case 1:
		change_field(&r, i, &c);
		break;
	case 2:
		add_feature(&r, i, &c);
		break;
	case 3:
		change_features(&r, i);
		break;
	case 4: /* copy to any place */
		j = chance_of(&c, r.count + 1);
		replace(&r, r.at[j], 0, data + r.at[i], r.at[i + 1] - r.at[i]);
		break;
	case 5:
		replace(&r, r.at[i], r.at[i + 1] - r.at[i], "", 0);
		break;
	case 6:
		return LLVMFuzzerMutate(data, size, max);
	}
	return r.size;
}

/* --- byte order ----------------------------------------------------------- */

static void turn(uint8_t *p, size_t size)
{
	size_t i;

	for (i = 0; i < size / 2; i++) {
		uint8_t byte = p[i];

		p[i] = p[size - 1 - i];
		p[size - 1 - i] = byte;
	}
}

/* Swap the bytes of a number. Return: its value. */
static uint16_t turn16(uint8_t *p, bool from_swapped)
{
	uint16_t v = get16(p);

	turn(p, sizeof(v));
	return from_swapped ? get16(p) : v;
}

static void turn_feature(uint8_t *p, size_t size)
{
	size_t at;

	switch (p[2]) {
	case 1: /* time */
	case 5: /* cgroup */
		if (size >= 11)
			turn(p + 3, 8);
		break;
	case 2: /* cache */
		if (size >= 5)
			turn(p + 3, 2);
		break;
	case 4: /* task */
		if (size >= 11) {
			turn(p + 3, 4);
			turn(p + 7, 4);
		}
		break;
	case 6: /* stack */
		for (at = 3; at + 8 <= size; at += 8)
			turn(p + at, 8);
	}
}

static void turn_features(uint8_t *p, size_t left, bool from_swapped)
{
	size_t size;

	for (; left >= 3; p += size, left -= size) {
		size = turn16(p, from_swapped);
		if (size < 3 || size > left)
			return;
		turn_feature(p, size);
	}
}

void records_swap(uint8_t *data, size_t size, bool from_swapped)
{
	size_t used, core;
	uint8_t *p;

	for (p = data; size >= KMT_FREE_SIZE; p += used, size -= used) {
		used = turn16(p + 2, from_swapped);
		turn(p + 4, 4);
		turn(p + 8, 8);
		turn(p + 16, 8);
		if (used < KMT_FREE_SIZE || used > size)
			return;
		core = KMT_FREE_SIZE;
		if (!p[0] && used >= ALLOC_END) {
			turn(p + 24, 8);
			turn(p + 32, 8);
			turn(p + 40, 4);
			turn(p + 44, 4);
			core = ALLOC_END;
		}
		turn_features(p + core, used - core, from_swapped);
	}
}
