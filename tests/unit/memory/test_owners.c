// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <string.h>

#include "memory/owners.h"
#include "unit.h"

#define PAGE 4096

static struct site_row tags[] = {
	{ .kind = SITE_SLAB, .f.bytes = 3 * PAGE, .id = 1, .location = (char *)"a+0x1 [d] func:a" },
	{ .kind = SITE_PAGE, .f.bytes = 9 * PAGE, .id = 2, .location = (char *)"b+0x1 func:b" },
	{ .kind = SITE_SLAB, .f.bytes = 500, .id = 3, .location = (char *)"earlier/slab:0 func:inode" },
	{ .kind = SITE_PAGE, .f.bytes = PAGE, .id = 4,
	  .location = (char *)"earlier/vmalloc:0 [d] func:v" },
	{ .kind = SITE_PAGE, .f.bytes = PAGE, .id = 6,
	  .location = (char *)"earlier/page:0 func:page_pool" },
	{ .kind = SITE_PAGE, .f.bytes = PAGE, .id = 7,
	  .location = (char *)"earlier/page:0 func:page_table" },
	{ .kind = SITE_PAGE, .f.bytes = PAGE, .id = 8,
	  .location = (char *)"earlier/page:0 func:memory_map" },
	{ .kind = SITE_PAGE, .f.bytes = 5 * PAGE, .id = 9,
	  .location = (char *)"earlier/page:0 func:other" },
	{ .kind = SITE_SLAB, .f.bytes = -8, .id = 5, .location = (char *)"gone+0x1 [gone] func:gone" },
};

static struct tally_site sites[] = {
	[1] = { .kind = { [KIND_LARGE] = 2 } },
	[2] = { .kind = { [KIND_KERNEL] = 4, [KIND_STACK] = 3, [KIND_ANON] = 5, [KIND_SLAB] = 6 } },
	[4] = { .kind = { [KIND_VMALLOC] = 1 } },
	[6] = { .kind = { [KIND_KERNEL] = 2 } },
	[7] = { .kind = { [KIND_KERNEL] = 1 } },
	[8] = { .kind = { [KIND_KERNEL] = 1 } },
	[9] = { .kind = { [KIND_UNKNOWN] = 5 } },
};

static const struct tags all_tags = { .rows = { tags, sizeof(tags) / sizeof(tags[0]) } };
static const struct tally tally = {
	.site = sites,
	.nr_sites = sizeof(sites) / sizeof(sites[0]),
};
static struct balance balance;
static uint64_t unexplained = 9 * PAGE;

static void make(struct owners *o, const char *modules)
{
	const struct owners_input in = { &balance, &tally, &all_tags, modules, PAGE };
	size_t i;

	balance_begin(&balance);
	balance.line[LINE_TOTAL].bytes = 100 * PAGE;
	balance.line[LINE_FREE].bytes = 40 * PAGE;
	balance.line[LINE_CPU_LISTS].bytes = 1 * PAGE;
	balance.line[LINE_ANON].bytes = 5 * PAGE;
	balance.line[LINE_PGTABLE].bytes = 2 * PAGE;
	balance.line[LINE_SLAB].bytes = 6 * PAGE;
	balance.line[LINE_MODULE].bytes = 7 * PAGE;
	balance.line[LINE_HASHES].bytes = 8 * PAGE;
	balance.line[LINE_UNEXPLAINED].bytes = unexplained;
	for (i = 0; i < all_tags.rows.count; i++)
		sitename_parse(&tags[i].name, tags[i].location);
	owners_make(o, &in);
	for (i = 0; i < all_tags.rows.count; i++)
		sitename_free(&tags[i].name);
}

static const struct owner *find(const struct owners *o, const char *name)
{
	size_t i;

	for (i = 0; i < o->count; i++)
		if (!strcmp(o->row[i].name, name))
			return &o->row[i];
	return NULL;
}

static uint64_t sum(const struct owners *o)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < o->count; i++)
		bytes += o->row[i].bytes;
	return bytes;
}

START_TEST(each_byte_has_one_owner)
{
	struct owners o;

	make(&o, "d 5000 0 - Live 0x0\nidle 4096 0 - Live 0x0\nbad\n");
	ck_assert_uint_eq(sum(&o), 100 * PAGE);
	ck_assert_uint_eq(o.row[OWNER_FREE].bytes, 41 * PAGE);
	ck_assert_uint_eq(o.row[OWNER_USER].bytes, 7 * PAGE);
	ck_assert_uint_eq(o.row[OWNER_KERNEL].pages, 14 * PAGE);
	ck_assert_uint_eq(o.row[OWNER_EARLIER].pages, 7 * PAGE);
	ck_assert_uint_eq(o.row[OWNER_KERNEL].vmalloc, 3 * PAGE);
	ck_assert_uint_eq(o.row[OWNER_EARLIER].slab, 500);
	ck_assert_uint_eq(o.row[OWNER_SLABS].bytes, 5 * PAGE - 500);
	ck_assert_uint_eq(o.row[OWNER_CODE].bytes, 4 * PAGE);
	ck_assert_uint_eq(find(&o, "d")->slab, 1 * PAGE);
	ck_assert_uint_eq(find(&o, "d")->pages, 2 * PAGE);
	ck_assert_uint_eq(find(&o, "d")->vmalloc, 1 * PAGE);
	ck_assert_uint_eq(find(&o, "d")->code, 2 * PAGE);
	ck_assert_uint_eq(find(&o, "d")->bytes, 6 * PAGE);
	ck_assert_uint_eq(find(&o, "idle")->bytes, 1 * PAGE);
	/* a module without memory has no row */
	ck_assert_ptr_null(find(&o, "gone"));
	owners_free(&o);
}
END_TEST

/* The kernel has the frames that are known by count. */
START_TEST(pages_of_unknown_use_have_one_owner)
{
	struct owners o;

	unexplained = 3 * PAGE;
	make(&o, NULL);
	ck_assert_uint_eq(o.row[OWNER_EARLIER].pages, 5 * PAGE);
	ck_assert_uint_eq(sum(&o), 100 * PAGE);
	owners_free(&o);
	unexplained = 9 * PAGE;
}
END_TEST

/* The tags and the modules are read after the frames. */
START_TEST(the_sum_is_right_if_there_is_more_later)
{
	struct owners o;

	make(&o, "d 50000 0 - Live 0x0\nidle 4096 0 - Live 0x0\nhuge 9999999999999999999 0 - Live 0x0\n");
	ck_assert_uint_eq(sum(&o), 100 * PAGE);
	ck_assert_uint_eq(o.row[OWNER_CODE].bytes, 0);
	ck_assert_uint_eq(find(&o, "d")->code, 6 * PAGE);
	ck_assert_uint_eq(find(&o, "idle")->code, 1 * PAGE);
	owners_free(&o);
}
END_TEST

START_TEST(modules_are_sorted_by_size)
{
	struct owners o;

	make(&o, "z 4096 0 - Live 0x0\nbig 90000 0 - Live 0x0\na 4096 0 - Live 0x0\n");
	ck_assert_uint_eq(o.count, OWNERS_FIXED + 4);
	ck_assert_str_eq(o.row[OWNERS_FIXED].name, "big");
	ck_assert_str_eq(o.row[OWNERS_FIXED + 1].name, "d");
	ck_assert_str_eq(o.row[OWNERS_FIXED + 2].name, "a");
	ck_assert_str_eq(o.row[OWNERS_FIXED + 3].name, "z");
	owners_free(&o);
}
END_TEST

START_TEST(a_saved_table_is_read_back)
{
	struct owners o, copy;
	json_t *json;
	size_t i;

	make(&o, "d 5000 0 - Live 0x0\n");
	json = owners_json(&o);
	ck_assert_ptr_null(owners_load(&copy, json));
	ck_assert_uint_eq(copy.count, o.count);
	for (i = 0; i < o.count; i++) {
		ck_assert_str_eq(copy.row[i].name, o.row[i].name);
		ck_assert_uint_eq(copy.row[i].bytes, o.row[i].bytes);
		ck_assert_uint_eq(copy.row[i].vmalloc, o.row[i].vmalloc);
	}
	owners_free(&copy);
	json_object_del(json_array_get(json, 1), "slab");
	ck_assert_str_eq(owners_load(&copy, json), "an owner lacks its name or its bytes");
	owners_free(&copy);
	json_array_clear(json);
	json_array_append_new(json, json_pack("{s:s,s:i,s:i,s:i,s:i,s:i}", "owner", "x\x1b[1m",
					      "bytes", 0, "slab", 0, "page", 0, "vmalloc", 0,
					      "code", 0));
	ck_assert_str_eq(owners_load(&copy, json), "some of its owners are missing");
	owners_free(&copy);
	ck_assert_ptr_null(owners_load(&copy, NULL));
	ck_assert_uint_eq(copy.count, 0);
	json_decref(json);
	owners_free(&o);
}
END_TEST

UNIT_MAIN("owners", each_byte_has_one_owner, pages_of_unknown_use_have_one_owner,
	  the_sum_is_right_if_there_is_more_later, modules_are_sorted_by_size,
	  a_saved_table_is_read_back)
