// SPDX-License-Identifier: GPL-2.0-only
#include "export/packets.h"
#include "unit.h"

#define HEAD 56

static uint64_t get(const uint8_t *at, size_t size)
{
	uint64_t n = 0;

	memcpy(&n, at, size);
	return n;
}

/* the members of a packet, in bytes */
struct packet {
	uint64_t begin;
	uint64_t end;
	uint64_t content;
	uint64_t size;
	uint64_t number;
	uint64_t discarded;
};

/* Reads the packet at an offset. Return: the offset of the next one; 0: no packet. */
static long read_packet(FILE *file, long at, struct packet *p)
{
	uint8_t head[HEAD];

	fseek(file, at, SEEK_SET);
	if (fread(head, 1, HEAD, file) != HEAD)
		return 0;
	ck_assert_uint_eq(get(head, 4), 0xc1fc1fc1);
	ck_assert_uint_eq(get(head + 4, 4), 0);
	*p = (struct packet){ .begin = get(head + 8, 8),
			      .end = get(head + 16, 8),
			      .content = get(head + 24, 8) / 8,
			      .size = get(head + 32, 8) / 8,
			      .number = get(head + 40, 8),
			      .discarded = get(head + 48, 8) };
	ck_assert_uint_eq(p->size % 8, 0);
	ck_assert_uint_le(p->content, p->size);
	ck_assert_uint_lt(p->size - p->content, 8);
	ck_assert_uint_le(p->size, PACKETS_SIZE);
	return at + p->size;
}

static void begin(struct packets *p)
{
	FILE *out = tmpfile();

	ck_assert_ptr_nonnull(out);
	packets_init(p, out);
}

static void end(struct packets *p)
{
	packets_finish(p);
	ck_assert_int_eq(fflush(p->out), 0);
}

/* The largest events, and the bounds of the packets. */
START_TEST(bounded)
{
	static char text[PACKETS_EVENT - 32];
	struct packet got = { 0 };
	struct packets p;
	uint64_t bytes = 0, last = 0;
	unsigned int i, n = 0;
	long at = 0, next;

	memset(text, 'a', sizeof(text));
	begin(&p);
	for (i = 0; i < 100; i++) {
		packets_event(&p, i, 1000 + i);
		packets_text(&p, text, sizeof(text) - i);
	}
	end(&p);
	for (; (next = read_packet(p.out, at, &got)); at = next, n++) {
		ck_assert_uint_eq(got.number, n);
		ck_assert_uint_ge(got.begin, last);
		last = got.end;
		bytes += got.content - HEAD;
	}
	ck_assert_uint_eq(last, 1099);
	ck_assert_uint_gt(n, 10);
	/* id, time, text, 0 */
	ck_assert_uint_eq(bytes,
			  100 * (2 + 8 + sizeof(text) + 1) - 99 * 100 / 2);
	fclose(p.out);
	packets_exit(&p);
}
END_TEST

/* A loss before the first event, between two, and after the last one. */
START_TEST(losses)
{
	static const struct packet expected[] = {
		{50, 50, HEAD, HEAD, 0, 0},
		{50, 50, HEAD + 12, HEAD + 16, 1, 3},
		{60, 60, HEAD + 11, HEAD + 16, 2, 7},
		{60, 60, HEAD, HEAD, 3, 8},
	};
	struct packet got;
	struct packets p;
	size_t i;
	long at = 0;

	begin(&p);
	packets_lose(&p, 1);
	packets_lose(&p, 2);
	packets_event(&p, 0, 50);
	packets_number(&p, 0x1234, 2);
	packets_lose(&p, 4);
	packets_event(&p, 0, 60);
	packets_number(&p, 1, 1);
	packets_lose(&p, 1);
	end(&p);
	for (i = 0; i < 4; i++) {
		at = read_packet(p.out, at, &got);
		ck_assert_mem_eq(&got, &expected[i], sizeof(got));
	}
	ck_assert_int_eq(read_packet(p.out, at, &got), 0);
	fclose(p.out);
	packets_exit(&p);
}
END_TEST

/* Readers refuse times that decrease, and those above 63 bits. */
START_TEST(times)
{
	static const uint64_t given[] = { UINT64_MAX, 20, 10, 1ull << 63, 30, 0 };
	static const uint64_t expected[] = { 0, 20, 20, 20, 30, 30 };
	uint8_t data[HEAD + 6 * 10];
	struct packets p;
	size_t i;

	begin(&p);
	for (i = 0; i < 6; i++)
		packets_event(&p, 1, given[i]);
	end(&p);
	rewind(p.out);
	ck_assert_uint_eq(fread(data, 1, sizeof(data), p.out), sizeof(data));
	for (i = 0; i < 6; i++)
		ck_assert_uint_eq(get(data + HEAD + 10 * i + 2, 8),
				  expected[i]);
	fclose(p.out);
	packets_exit(&p);
}
END_TEST

/* A stream without an event is a packet. */
START_TEST(empty)
{
	struct packet got;
	struct packets p;

	begin(&p);
	end(&p);
	ck_assert_int_eq(read_packet(p.out, 0, &got), HEAD);
	ck_assert_uint_eq(got.content, HEAD);
	fclose(p.out);
	packets_exit(&p);
}
END_TEST

UNIT_MAIN("packets", bounded, losses, times, empty)
