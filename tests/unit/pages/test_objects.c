// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <unistd.h>

#include "pages/slabwalk.h"
#include "unit.h"

static char dir[] = "/tmp/kmt_objects_XXXXXX";
static char path[64];

/* Write a file "objects": @count objects, then @more_bytes bytes. */
static void write_objects(size_t count, size_t more_bytes)
{
	FILE *out;
	size_t i;

	if (!*path) {
		ck_assert_ptr_nonnull(mkdtemp(dir));
		snprintf(path, sizeof(path), "%s/objects", dir);
		setenv("KMEMTRACE_DIR", dir, 1);
	}
	out = fopen(path, "w");
	ck_assert_ptr_nonnull(out);
	for (i = 0; i < count; i++) {
		struct kmemtrace_object o = { .address = i * 64,
					      .tag = i % 7 };

		ck_assert_uint_eq(fwrite(&o, sizeof(o), 1, out), 1);
	}
	while (more_bytes--)
		fputc('x', out);
	fclose(out);
}

static void clean_up(void)
{
	unlink(path);
	rmdir(dir);
	unsetenv("KMEMTRACE_DIR");
}

START_TEST(all_are_read_in_order)
{
	const size_t count = 100000; /* several reads */
	const struct kmemtrace_object *object;
	struct objects o;
	size_t i;

	write_objects(count, 0);
	ck_assert_int_eq(objects_open(&o), 0);
	for (i = 0; i < count; i++) {
		ck_assert_ptr_nonnull(objects_peek(&o));
		object = objects_peek(&o);
		ck_assert_uint_eq(object->address, i * 64);
		ck_assert_uint_eq(object->tag, i % 7);
		objects_step(&o);
	}
	ck_assert_ptr_null(objects_peek(&o));
	ck_assert(!o.failed);
	objects_close(&o);
	clean_up();
}
END_TEST

START_TEST(no_objects_are_no_error)
{
	struct objects o;

	write_objects(0, 0);
	ck_assert_int_eq(objects_open(&o), 0);
	ck_assert_ptr_null(objects_peek(&o));
	ck_assert_ptr_null(objects_peek(&o));
	ck_assert(!o.failed);
	objects_close(&o);
	clean_up();
}
END_TEST

START_TEST(an_incomplete_object_is_an_error)
{
	struct objects o;

	write_objects(2, 5);
	ck_assert_int_eq(objects_open(&o), 0);
	ck_assert_ptr_null(objects_peek(&o));
	ck_assert(o.failed);
	ck_assert_ptr_null(objects_peek(&o));
	objects_close(&o);
	clean_up();
}
END_TEST

START_TEST(a_missing_file_is_an_error)
{
	struct objects o;

	write_objects(0, 0);
	unlink(path);
	ck_assert_int_eq(objects_open(&o), -1);
	objects_close(&o);
	setenv("KMEMTRACE_DIR", "/nowhere", 1);
	ck_assert_int_eq(objects_open(&o), -1);
	objects_close(&o);
	clean_up();
}
END_TEST

START_TEST(a_read_continues_at_a_position)
{
	struct objects o;

	write_objects(100, 0);
	ck_assert_int_eq(objects_open(&o), 0);
	ck_assert_uint_eq(objects_peek(&o)->address, 0);
	ck_assert_int_eq(objects_seek(&o, 90 * sizeof(struct kmemtrace_object)), 0);
	ck_assert_uint_eq(objects_peek(&o)->address, 90 * 64);
	objects_step(&o);
	ck_assert_uint_eq(objects_peek(&o)->address, 91 * 64);
	ck_assert_int_eq(objects_seek(&o, 0), 0);
	ck_assert_uint_eq(objects_peek(&o)->address, 0);
	ck_assert_int_eq(objects_seek(&o, 1 << 20), 0);
	ck_assert_ptr_null(objects_peek(&o));
	ck_assert(!o.failed);
	objects_close(&o);
	clean_up();
}
END_TEST

UNIT_MAIN("objects", all_are_read_in_order, a_read_continues_at_a_position, no_objects_are_no_error,
	  an_incomplete_object_is_an_error, a_missing_file_is_an_error)
