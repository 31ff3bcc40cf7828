/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the unit tests: main(), and functions that write records into memory.
 */
#ifndef UNIT_H
#define UNIT_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "kmt_record.h"

/**
 * UNIT_MAIN() - define main(), which runs tests
 * @name: name of the suite
 * @...: the tests
 */
#define UNIT_MAIN(name, ...)                                                   \
	int main(void)                                                         \
	{                                                                      \
		const TTest *const tests[] = { __VA_ARGS__ };           \
		Suite *s = suite_create(name);                                 \
		TCase *c = tcase_create(name);                                 \
		SRunner *r;                                                    \
		size_t i;                                                      \
		int failed;                                                    \
                                                                               \
		unsetenv("POSIXLY_CORRECT");                                   \
		for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)         \
			tcase_add_test(c, tests[i]);                           \
		suite_add_tcase(s, c);                                         \
		r = srunner_create(s);                                         \
		srunner_run_all(r, CK_NORMAL);                                 \
		failed = srunner_ntests_failed(r);                             \
		srunner_free(r);                                               \
		return failed ? EXIT_FAILURE : EXIT_SUCCESS;                   \
	}

/** unit_put() - append a record to a buffer; Return: the new end of the buffer */
static inline uint8_t *unit_put(uint8_t *to, const struct kmt_event *ev,
				uint32_t features)
{
	size_t size = kmt_record_size(ev, features);

	kmt_record_encode(to, size, ev, features);
	return to + size;
}

/**
 * unit_put_extra() - append a record with KMT_FEATURES_EXTRA to a buffer
 * @to: end of the buffer
 * @ev: the event
 * @x: its extra data
 * @features: features of the record
 *
 * Return: the new end of the buffer.
 */
static inline uint8_t *unit_put_extra(uint8_t *to, const struct kmt_event *ev,
				      const struct kmt_extra *x,
				      uint32_t features)
{
	size_t core = kmt_record_size(ev, features);
	size_t size = core + kmt_record_extra_size(x, features);

	kmt_record_encode(to, size, ev, features);
	kmt_record_encode_extra(to + core, x, features);
	return to + size;
}

/**
 * unit_record() - encode an event and its extra data as a record, and decode it
 * @rec: buffer of KMT_RECORD_MAX bytes for the record
 * @made: the event
 * @x: its extra data
 * @features: features of the record
 * @ev: set to the decoded event
 */
static inline void unit_record(uint8_t *rec, const struct kmt_event *made,
			       const struct kmt_extra *x, uint32_t features,
			       struct kmt_event *ev)
{
	size_t core = kmt_record_size(made, features);
	size_t size = core + kmt_record_extra_size(x, features);
	struct kmt_decoded dec;

	kmt_record_encode(rec, size, made, features);
	kmt_record_encode_extra(rec + core, x, features);
	ck_assert_int_eq(kmt_record_decode(rec, size, false, ev, &dec), size);
}

/** unit_alloc() - Return: the event of an allocation */
static inline struct kmt_event unit_alloc(uint32_t seq, uint8_t type,
					  uint64_t ptr, uint64_t bytes)
{
	return (struct kmt_event){
		.event_id = KMEMTRACE_EVENT_ALLOC,
		.type_id = type,
		.seq = seq,
		.call_site = 0xffffffff81000010ull,
		.ptr = ptr,
		.bytes_req = bytes,
		.bytes_alloc = bytes,
		.gfp_flags = 0xcc0,
		.node = -1,
	};
}

/** unit_free() - Return: the event of a free */
static inline struct kmt_event unit_free(uint32_t seq, uint8_t type,
					 uint64_t ptr)
{
	return (struct kmt_event){
		.event_id = KMEMTRACE_EVENT_FREE,
		.type_id = type,
		.seq = seq,
		.call_site = 0xffffffff81000020ull,
		.ptr = ptr,
	};
}

#endif /* UNIT_H */
