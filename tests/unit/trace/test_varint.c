// SPDX-License-Identifier: GPL-2.0-only
#include "trace/columns.h"
#include "unit.h"

static const uint64_t numbers[] = { 0,
				    1,
				    127,
				    128,
				    300,
				    16383,
				    16384,
				    UINT32_MAX,
				    1ull << 56,
				    (1ull << 63) - 1,
				    1ull << 63,
				    UINT64_MAX };

#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

START_TEST(comes_back)
{
	uint8_t buf[VARINT_MAX * NUMBERS], *end = buf;
	const uint8_t *at = buf;
	uint64_t value;
	size_t i;

	for (i = 0; i < NUMBERS; i++) {
		uint8_t *behind = varint_put(end, numbers[i]);

		ck_assert_int_le(behind - end, VARINT_MAX);
		end = behind;
	}
	for (i = 0; i < NUMBERS; i++) {
		ck_assert(varint_get(&at, end, &value));
		ck_assert_uint_eq(value, numbers[i]);
	}
	ck_assert_ptr_eq(at, end);
	ck_assert(!varint_get(&at, end, &value));
}
END_TEST

START_TEST(is_short_if_small)
{
	uint8_t buf[VARINT_MAX];

	ck_assert_int_eq(varint_put(buf, 127) - buf, 1);
	ck_assert_int_eq(varint_put(buf, 128) - buf, 2);
	ck_assert_int_eq(varint_put(buf, zigzag(-64)) - buf, 1);
	ck_assert_int_eq(varint_put(buf, zigzag(64)) - buf, 2);
}
END_TEST

/* A number that is truncated, too long, or larger than 64 bits is refused. */
START_TEST(is_not_trusted)
{
	static const uint8_t endless[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					   0xff, 0xff, 0xff, 0xff, 0xff, 0 };
	static const uint8_t large[] = { 0xff, 0xff, 0xff, 0xff, 0xff,
					 0xff, 0xff, 0xff, 0xff, 0x02 };
	uint8_t buf[VARINT_MAX];
	const uint8_t *at;
	uint64_t value;
	uint8_t *end;

	for (end = varint_put(buf, 1ull << 40) - 1; end >= buf; end--) {
		at = buf;
		ck_assert(!varint_get(&at, end, &value));
	}
	at = endless;
	ck_assert(!varint_get(&at, endless + sizeof(endless), &value));
	at = large;
	ck_assert(!varint_get(&at, large + sizeof(large), &value));
}
END_TEST

START_TEST(signs)
{
	static const int64_t values[] = { 0, -1, 1, -2, INT64_MAX, INT64_MIN };
	size_t i;

	ck_assert_uint_eq(zigzag(0), 0);
	ck_assert_uint_eq(zigzag(-1), 1);
	ck_assert_uint_eq(zigzag(1), 2);
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		ck_assert_int_eq(unzigzag(zigzag(values[i])), values[i]);
}
END_TEST

UNIT_MAIN("varint", comes_back, is_short_if_small, is_not_trusted, signs)
