// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/outbuf.h"
#include "unit.h"

static struct outbuf out;

static const char *decimal(uint64_t n, bool is_signed, unsigned int digits)
{
	static char text[OUTBUF_NUMBER];

	ck_assert_uint_eq(outbuf_decimal(text, n, is_signed, digits),
			  strlen(text));
	return text;
}

/* Each pair of digits, and each number of digits. */
START_TEST(digits)
{
	char expected[OUTBUF_NUMBER];
	uint64_t power = 1, n;
	int i;

	for (n = 0; n < 11000; n++) {
		snprintf(expected, sizeof(expected), "%" PRIu64, n);
		ck_assert_str_eq(decimal(n, false, 0), expected);
	}
	for (i = 0; i < 20; i++, power *= 10)
		for (n = power - 1; n - power + 1 < 3; n++) {
			snprintf(expected, sizeof(expected), "%" PRIu64, n);
			ck_assert_str_eq(decimal(n, false, 0), expected);
			snprintf(expected, sizeof(expected), "%012" PRIu64, n);
			ck_assert_str_eq(decimal(n, false, 12), expected);
		}
}
END_TEST

START_TEST(numbers)
{
	static const uint64_t n[] = { 0, 1, 9, 10, 15, 16, 255, 256, 1ull << 32,
				      INT64_MAX, 1ull << 63, UINT64_MAX };
	char text[OUTBUF_NUMBER], expected[OUTBUF_NUMBER];
	size_t i;

	for (i = 0; i < sizeof(n) / sizeof(n[0]); i++) {
		snprintf(expected, sizeof(expected), "%" PRIu64, n[i]);
		ck_assert_str_eq(decimal(n[i], false, 0), expected);
		snprintf(expected, sizeof(expected), "%" PRId64, n[i]);
		ck_assert_str_eq(decimal(n[i], true, 0), expected);
		snprintf(expected, sizeof(expected), "0x%" PRIx64, n[i]);
		ck_assert_uint_eq(outbuf_hex(text, n[i]), strlen(expected));
		ck_assert_str_eq(text, expected);
	}
	ck_assert_str_eq(decimal(7, false, 3), "007");
	ck_assert_str_eq(decimal(1234, false, 3), "1234");
	ck_assert_str_eq(decimal(-7, true, 3), "-007");
}
END_TEST

/* Return: the text that was written to @f through the buffer. */
static const char *written(FILE *f)
{
	static char text[256];

	ck_assert(outbuf_flush(&out));
	rewind(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	return text;
}

/* What does not fit behind the data is written first. */
START_TEST(room)
{
	FILE *f = tmpfile();
	size_t size = sizeof(out.data) - 3;

	outbuf_init(&out, fileno(f));
	memset(outbuf_room(&out, size / 2), 'a', size / 2);
	outbuf_use(&out, size / 2);
	memset(outbuf_room(&out, size - size / 2), 'b', size - size / 2);
	outbuf_use(&out, size - size / 2);
	ck_assert_uint_eq(out.used, size);
	memcpy(outbuf_room(&out, 3), "cde", 3);
	outbuf_use(&out, 2);
	ck_assert_uint_eq(out.used, size + 2);
	memcpy(outbuf_room(&out, 2), "fg", 2);
	outbuf_use(&out, 2);
	ck_assert_uint_eq(out.used, 2);
	ck_assert(outbuf_flush(&out));
	ck_assert_int_eq(fseek(f, size - 1, SEEK_SET), 0);
	ck_assert_int_eq(fgetc(f), 'b');
	ck_assert_int_eq(fgetc(f), 'c');
	ck_assert_int_eq(fgetc(f), 'd');
	ck_assert_int_eq(fgetc(f), 'f');
	ck_assert_int_eq(fgetc(f), 'g');
	ck_assert_int_eq(fgetc(f), EOF);
	fclose(f);
}
END_TEST

START_TEST(texts)
{
	FILE *f = tmpfile();

	outbuf_init(&out, fileno(f));
	outbuf_padded(&out, "abc", 2, 4);
	outbuf_char(&out, '|');
	outbuf_padded(&out, "abc", 3, -4);
	outbuf_char(&out, '|');
	outbuf_padded(&out, "abc", 3, 2);
	outbuf_padded(&out, "abc", 3, 0);
	outbuf_text(&out, "\n");
	ck_assert_str_eq(written(f), "  ab|abc |abcabc\n");
	fclose(f);
}
END_TEST

/* Pieces of all sizes are written completely and in order. */
START_TEST(much)
{
	static char piece[200 * 1024], read_back[sizeof(piece)];
	FILE *f = tmpfile();
	size_t size = 0, n, i;

	for (i = 0; i < sizeof(piece); i++)
		piece[i] = 'a' + i % 23;
	outbuf_init(&out, fileno(f));
	for (n = 1; size + n < sizeof(piece); n = n * 3 + 1) {
		outbuf_bytes(&out, piece + size, n);
		size += n;
		outbuf_char(&out, piece[size++]);
	}
	while (size < sizeof(piece))
		outbuf_char(&out, piece[size++]);
	ck_assert(outbuf_flush(&out));
	rewind(f);
	ck_assert_uint_eq(fread(read_back, 1, size, f), size);
	ck_assert(!memcmp(piece, read_back, size));
	fclose(f);
}
END_TEST

START_TEST(a_full_disk)
{
	int fd = open("/dev/full", O_WRONLY);
	int i;

	outbuf_init(&out, fd);
	for (i = 0; i < 100000; i++)
		outbuf_text(&out, "text");
	ck_assert(!outbuf_flush(&out));
	ck_assert_int_eq(out.error, ENOSPC);
	close(fd);
}
END_TEST

UNIT_MAIN("outbuf", digits, numbers, room, texts, much, a_full_disk)
