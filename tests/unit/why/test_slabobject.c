// SPDX-License-Identifier: GPL-2.0-only
#include "tempdir.h"
#include "why/frame.h"

#define PAGE  4096ull
#define SLAB  (10 * PAGE)

static const struct frame frame = { .pfn = 11, .head = 10, .pages = 2 };

/* Write the file so that a read from the start of the slab finds the objects. */
static void put(const struct kmemtrace_object *o, size_t count)
{
	FILE *out = fopen(tempdir_path("objects"), "w");

	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(fseek(out, SLAB, SEEK_SET), 0);
	ck_assert_uint_eq(fwrite(o, sizeof(*o), count, out), count);
	ck_assert_int_eq(fclose(out), 0);
}

START_TEST(objects)
{
	static const struct kmemtrace_object o[] = {
		{ .address = SLAB, .tag = 1, .bytes = 64, .requested = 60 },
		{ .address = SLAB + 128, .tag = 2, .bytes = 64, .requested = 64 },
		{ .address = SLAB + PAGE - 32, .tag = 3, .bytes = 64, .requested = 50 },
		{ .address = SLAB + 2 * PAGE, .tag = 4, .bytes = 512 }, /* the next slab */
		{ .address = SLAB + 3 * PAGE, .tag = 5, .bytes = 64 },
	};
	struct slabobject s;

	tempdir_begin();
	put(o, 5);
	ck_assert_int_eq(slabobject_read(&s, &frame, SLAB + PAGE + 31), 0);
	ck_assert_uint_eq(s.start, SLAB);
	ck_assert_uint_eq(s.end, SLAB + 2 * PAGE);
	ck_assert_uint_eq(s.objects, 3);
	ck_assert_uint_eq(s.live, 192);
	ck_assert_uint_eq(s.size, 64);
	ck_assert(s.found); /* it extends over the end of its frame */
	ck_assert_uint_eq(s.object.tag, 3);
	ck_assert_int_eq(slabobject_read(&s, &frame, SLAB + PAGE + 32), 0);
	ck_assert(!s.found);
	ck_assert_int_eq(slabobject_read(&s, &frame, SLAB + 127), 0);
	ck_assert(!s.found);
	ck_assert_int_eq(slabobject_read(&s, &frame, SLAB + 63), 0);
	ck_assert(s.found);
	ck_assert_uint_eq(s.object.requested, 60);
	tempdir_end();
}
END_TEST

START_TEST(none)
{
	struct kmemtrace_object o = { .address = SLAB + 2 * PAGE, .bytes = 64 };
	struct slabobject s;

	tempdir_begin();
	put(&o, 1);
	ck_assert_int_eq(slabobject_read(&s, &frame, SLAB), 0);
	ck_assert_uint_eq(s.objects, 0);
	ck_assert_uint_eq(s.size, 0);
	ck_assert(!s.found);
	unlink(tempdir_path("objects"));
	ck_assert_int_eq(slabobject_read(&s, &frame, SLAB), -1);
	tempdir_end();
}
END_TEST

UNIT_MAIN("slabobject", objects, none)
