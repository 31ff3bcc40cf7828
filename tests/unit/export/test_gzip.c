// SPDX-License-Identifier: GPL-2.0-only
#include <unistd.h>
#include <zlib.h>

#include "export/gzip.h"
#include "unit.h"

/* Compresses a block, and expands it by the other functions of zlib. */
static void check_block(const char *data, size_t size)
{
	char *got = malloc(size + 1);
	FILE *out = tmpfile();
	gzFile in;

	ck_assert(out && got);
	gzip_write(out, data, size);
	ck_assert_int_eq(fflush(out), 0);
	rewind(out);
	in = gzdopen(dup(fileno(out)), "r");
	ck_assert_ptr_nonnull(in);
	/* one byte more, to find the end */
	ck_assert_int_eq(gzread(in, got, size + 1), (int)size);
	ck_assert(!gzdirect(in));
	ck_assert_int_eq(gzclose(in), Z_OK);
	ck_assert_mem_eq(got, data, size);
	fclose(out);
	free(got);
}

START_TEST(blocks)
{
	/* more than the buffer of gzip_write(), also when it is compressed */
	size_t size = 400000, i;
	char *data = malloc(size);
	uint32_t n = 1;

	ck_assert_ptr_nonnull(data);
	for (i = 0; i < size; i++) {
		n = n * 1664525 + 1013904223;
		data[i] = n >> 24;
	}
	check_block("a", 1);
	check_block(data, size);
	memset(data, 0, size);
	check_block(data, size);
	free(data);
}
END_TEST

/* an empty file is 20 bytes: a header, an empty block and a trailer */
START_TEST(nothing)
{
	static const char header[] = "\x1f\x8b\x08\0\0\0\0\0\0";
	char got[32];
	FILE *out = tmpfile();

	ck_assert_ptr_nonnull(out);
	gzip_write(out, NULL, 0);
	rewind(out);
	ck_assert_uint_eq(fread(got, 1, sizeof(got), out), 20);
	ck_assert_mem_eq(got, header, sizeof(header) - 1);
	fclose(out);
}
END_TEST

UNIT_MAIN("gzip", blocks, nothing)
