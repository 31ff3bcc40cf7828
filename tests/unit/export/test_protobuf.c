// SPDX-License-Identifier: GPL-2.0-only
#include "export/protobuf.h"
#include "unit.h"

static void check_bytes(const struct protobuf *b, const char *bytes, size_t size)
{
	ck_assert_mem_eq(b->data, bytes, size);
	ck_assert_uint_eq(b->size, size);
}

/* the examples of the documentation of Protocol Buffers */
START_TEST(fields)
{
	struct protobuf b = { 0 }, outer = { 0 };
	const uint64_t numbers[] = { 3, 270, 86942 };

	protobuf_number(&b, 1, 150);
	check_bytes(&b, "\x08\x96\x01", 3);
	protobuf_message(&outer, 3, &b);
	check_bytes(&outer, "\x1a\x03\x08\x96\x01", 5);

	protobuf_clear(&b);
	protobuf_text(&b, 2, "testing");
	check_bytes(&b, "\x12\x07testing", 9);

	protobuf_clear(&b);
	protobuf_numbers(&b, 6, numbers, 3);
	check_bytes(&b, "\x32\x06\x03\x8e\x02\x9e\xa7\x05", 8);

	protobuf_exit(&b);
	protobuf_exit(&outer);
}
END_TEST

START_TEST(limits)
{
	struct protobuf b = { 0 };

	protobuf_number(&b, 1, 0);
	protobuf_number(&b, 16, 127);
	protobuf_number(&b, 1, UINT64_MAX);
	check_bytes(&b, "\x08\x00\x80\x01\x7f\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		    16);

	protobuf_clear(&b);
	protobuf_text(&b, 1, "");
	protobuf_numbers(&b, 2, NULL, 0);
	check_bytes(&b, "\x0a\x00\x12\x00", 4);
	protobuf_exit(&b);
}
END_TEST

/* larger than the memory that a message has first */
START_TEST(growth)
{
	struct protobuf b = { 0 }, empty = { 0 };
	char text[5000];
	size_t i;

	memset(text, 'x', sizeof(text));
	for (i = 0; i < 3; i++)
		protobuf_bytes(&b, 1, text, sizeof(text));
	ck_assert_uint_eq(b.size, 3 * (3 + sizeof(text)));
	for (i = 0; i < 3; i++) {
		const uint8_t *part = b.data + i * (3 + sizeof(text));

		ck_assert_mem_eq(part, "\x0a\x88\x27", 3);
		ck_assert_mem_eq(part + 3, text, sizeof(text));
	}
	protobuf_clear(&b);
	protobuf_message(&b, 1, &empty);
	check_bytes(&b, "\x0a\x00", 2);
	protobuf_exit(&b);
}
END_TEST

UNIT_MAIN("protobuf", fields, limits, growth)
