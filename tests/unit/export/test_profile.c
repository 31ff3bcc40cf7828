// SPDX-License-Identifier: GPL-2.0-only
#include "base/msg.h"
#include "export/profile.h"
#include "unit.h"

static struct profile p;

static void set_up(void)
{
	profile_init(&p);
}

/* Adds a row with live bytes. */
static void add(enum site_kind class, uint64_t bytes, const uint64_t *frames,
		size_t depth)
{
	const struct profile_row row = {
		.class = class,
		.value[PROFILE_LIVE_BYTES] = bytes,
		.value[PROFILE_LIVE_OBJECTS] = 1,
	};

	profile_add(&p, &row, frames, depth);
}

static uint32_t add_frame(uint64_t address, const char *symbol,
			  const char *source)
{
	return profile_frame(&p, address, symbol, symbol, source);
}

START_TEST(frames)
{
	const struct profile_frame *f;

	set_up();
	ck_assert_uint_eq(add_frame(0x10, "alpha+0x10", NULL), 0);
	ck_assert_uint_eq(add_frame(0x20, "beta+0x20 [mod]",
				    "a/b.c:12, c.h:7 in inner"), 1);
	ck_assert_uint_eq(add_frame(0x10, "alpha+0x10", NULL), 0);
	/* another module at the same address */
	ck_assert_uint_eq(add_frame(0x20, "gamma+0x4 [other]", NULL), 2);
	ck_assert_uint_eq(add_frame(0x30, "[mod]+0x1000", NULL), 3);
	ck_assert_uint_eq(p.nr_frames, 4);

	f = &p.frames[0];
	ck_assert_str_eq(f->name, "alpha+0x10");
	ck_assert_str_eq(p.modules[f->module].name, "");
	ck_assert(!f->source && !f->file);
	f = &p.frames[1];
	ck_assert_str_eq(p.modules[f->module].name, "mod");
	ck_assert_str_eq(f->source, "a/b.c:12, c.h:7 in inner");
	ck_assert_str_eq(f->file, "a/b.c");
	ck_assert_uint_eq(f->line, 12);
	ck_assert_str_eq(p.modules[p.frames[3].module].name, "mod");

	ck_assert_uint_eq(p.nr_modules, 3);
	ck_assert_str_eq(p.modules[0].name, "");
	ck_assert_str_eq(p.modules[1].name, "mod");
	ck_assert_str_eq(p.modules[2].name, "other");
	profile_free(&p);
}
END_TEST

/* names of files that a hostile recording may have */
START_TEST(sources)
{
	set_up();
	add_frame(1, "a", "no line");
	ck_assert_ptr_null(p.frames[0].file);
	add_frame(2, "b", "C:x\x1b.c:3");
	ck_assert_str_eq(p.frames[1].source, "C:x?.c:3");
	ck_assert_str_eq(p.frames[1].file, "C:x?.c");
	ck_assert_uint_eq(p.frames[1].line, 3);
	add_frame(3, "c", ":");
	ck_assert_ptr_null(p.frames[2].file);
	add_frame(4, "d", "");
	ck_assert_ptr_null(p.frames[3].source);
	profile_free(&p);
}
END_TEST

/* addresses instead of names */
START_TEST(modules)
{
	set_up();
	profile_frame(&p, 0x90, "0x90", "beta+0x20 [mod]", NULL);
	profile_frame(&p, 0x70, "0x70", "beta+0x0 [mod]", NULL);
	add_frame(0x50, "0x50", NULL);
	profile_frame(&p, 0, "0x0", "(unknown)", NULL);
	/* the kernel is the first one although it has no frame */
	ck_assert_uint_eq(p.nr_modules, 2);
	ck_assert_str_eq(p.modules[0].name, "");
	ck_assert_uint_eq(p.modules[0].start, UINT64_MAX);
	ck_assert_str_eq(p.modules[1].name, "mod");
	ck_assert_uint_eq(p.modules[1].start, 0x70);
	ck_assert_uint_eq(p.modules[1].last, 0x90);
	ck_assert_uint_eq(p.frames[2].module, PROFILE_NO_MODULE);
	ck_assert_uint_eq(p.frames[3].module, PROFILE_NO_MODULE);
	profile_free(&p);
}
END_TEST

START_TEST(merges)
{
	const uint64_t inner[] = { 0, 1 }, outer[] = { 1 };

	set_up();
	add(SITE_PAGE, 4096, inner, 2);
	add(SITE_SLAB, 64, outer, 1);
	add(SITE_SLAB, 100, inner, 2);
	add(SITE_SLAB, 28, outer, 1);
	profile_merge(&p);
	ck_assert_uint_eq(p.count, 3);
	ck_assert_int_eq(p.rows[0].class, SITE_SLAB);
	ck_assert_uint_eq(p.rows[0].value[PROFILE_LIVE_BYTES], 100);
	ck_assert_int_eq(p.rows[1].class, SITE_SLAB);
	ck_assert_uint_eq(p.rows[1].value[PROFILE_LIVE_BYTES], 92);
	ck_assert_uint_eq(p.rows[1].value[PROFILE_LIVE_OBJECTS], 2);
	ck_assert_int_eq(p.rows[2].class, SITE_PAGE);
	ck_assert_uint_eq(p.rows[2].stack, p.rows[0].stack);
	profile_free(&p);

	set_up();
	profile_merge(&p);
	ck_assert_uint_eq(p.count, 0);
	profile_free(&p);
}
END_TEST

START_TEST(notes)
{
	set_up();
	profile_note(&p, "%d events \x80", 7);
	profile_note_lines(&p, strdup("one\ntwo\n"));
	profile_note_lines(&p, NULL);
	ck_assert_uint_eq(p.nr_notes, 3);
	ck_assert_str_eq(p.notes[0], "7 events ?");
	ck_assert_str_eq(p.notes[1], "one");
	ck_assert_str_eq(p.notes[2], "two");
	ck_assert_int_eq(profile_exit(&p), EXIT_DONE);
	p.is_lossy = true;
	ck_assert_int_eq(profile_exit(&p), EXIT_LOST);
	profile_free(&p);
}
END_TEST

START_TEST(names)
{
	const struct profile_row empty = { .class = SITE_SLAB };
	struct profile_row row = empty;
	int i;

	for (i = 0; i < PROFILE_VALUES; i++)
		ck_assert_int_eq(profile_find(profile_names[i]), i);
	ck_assert_int_eq(profile_find("moon"), -1);
	for (i = 0; i < PROFILE_LABELS; i++)
		ck_assert_ptr_nonnull(profile_labels[i]);
	ck_assert(profile_is_empty(&empty));
	row.value[PROFILE_LIVE_BYTES] = 1;
	ck_assert(!profile_is_empty(&row));
}
END_TEST

START_TEST(formats)
{
	const struct export_format *f;

	for (f = export_formats; f->name; f++) {
		ck_assert_ptr_eq(formats_find(f->name), f);
		ck_assert(f->about && f->inputs);
		ck_assert(!f->write == (f->output == EXPORT_COPY));
	}
	ck_assert_ptr_null(formats_find(""));
}
END_TEST

UNIT_MAIN("profile", frames, sources, modules, merges, notes, names, formats)
