// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>

#include "base/json.h"
#include "memory/memory_changes.h"
#include "memory/memory_json.h"
#include "tempdir.h"

#define PAGE 4096ull


/* Frames of a machine without the module's files; all in pages. */
static struct tally tally = {
	.kind = { [KIND_FREE] = 50, [KIND_FILE] = 30, [KIND_KERNEL] = 12,
		  [KIND_UNKNOWN] = 8, [KIND_RESERVED] = 5 },
	.idle = 8,
};

/* Sites: 8 pages of a, 3 of b, 1 that is not known. */
static struct site_row sites[] = {
	{ .f.bytes = 8 * PAGE, .id = 3, .address = 0xffffffff81000010, .location = "a.c:1 func:a" },
	{ .f.bytes = 3 * PAGE, .id = 4, .location = "b.c:2 [b] func:b" },
	{ .f.bytes = 1 * PAGE, .location = "" },
};

static struct memory_place places[] = { { 8 * PAGE, 0, 1, -1 } };

static void make(struct memory *m)
{
	struct balance_input in = {
		.tally = &tally,
		.before = "MemTotal: 400 kB\n",
		.after = "MemTotal: 400 kB\n",
		.page_size = PAGE,
		.per_cpu_pages = 2,
	};
	static char stats[] = "accounting 1\nhole free_bulk open\n";
	static struct tally_node node;

	memset(m, 0, sizeof(*m));
	m->page_size = PAGE;
	m->tally = tally;
	m->tally.node = &node;
	m->tally.nr_nodes = 1;
	memcpy(node.kind, tally.kind, sizeof(node.kind));
	strcpy(m->zones.zone[1], "DMA32");
	m->vmallocs.why = "no \"areas\"";
	m->tags.stats = stats;
	m->sites = (struct site_rows){ sites, 3 };
	m->place = places;
	m->nr_places = 1;
	balance_make(&m->balance, &in);
}

static void save(json_t *root, const char *name)
{
	ck_assert_int_eq(json_save(root, tempdir_path(name)), 0);
}

START_TEST(a_saved_state_is_read_again)
{
	struct memory m, read;
	json_t *first, *second;

	tempdir_begin();
	make(&m);
	save(memory_json(&m, 0), "state");
	ck_assert_int_eq(memory_load(&read, tempdir_path("state")), 0);
	first = memory_json(&m, 0);
	second = memory_json(&read, 0);
	ck_assert(json_equal(first, second));
	ck_assert_str_eq(read.tags.stats, m.tags.stats);
	ck_assert_str_eq(read.vmallocs.why, "no \"areas\"");
	ck_assert_ptr_null(read.no_module);
	ck_assert_uint_eq(read.place[0].bytes, 8 * PAGE);
	ck_assert_int_eq(read.place[0].order, -1);
	ck_assert_uint_eq(read.balance.line[LINE_CPU_LISTS].bytes, 2 * PAGE);
	ck_assert(read.balance.line[LINE_CPU_LISTS].by_count);
	json_decref(first);
	json_decref(second);
	memory_free(&read);
	tempdir_end();
}
END_TEST

/* Loads the state with one member replaced. */
static int load_with(const char *key, json_t *value)
{
	struct memory m, read;
	json_t *root;
	int err;

	make(&m);
	root = memory_json(&m, 0);
	json_object_set_new(root, key, value);
	save(root, "state");
	err = memory_load(&read, tempdir_path("state"));
	memory_free(&read);
	return err;
}

START_TEST(damaged_members_are_refused)
{
	tempdir_begin();
	ck_assert_int_eq(load_with("more", json_true()), 0);
	ck_assert_int_eq(load_with("version", json_integer(2)), -1);
	ck_assert_int_eq(load_with("document", json_string("moon")), -1);
	ck_assert_int_eq(load_with("page_size", json_integer(0)), -1);
	ck_assert_int_eq(load_with("page_size", json_integer(4097)), -1);
	ck_assert_int_eq(load_with("page_size", json_integer(1ll << 40)), -1);
	ck_assert_int_eq(load_with("reserved", json_integer(-1)), -1);
	ck_assert_int_eq(load_with("offline", json_integer(1ll << 57)), -1);
	ck_assert_int_eq(load_with("lines", json_array()), -1);
	ck_assert_int_eq(load_with("kinds", json_null()), -1);
	ck_assert_int_eq(load_with("sites", json_null()), -1);
	ck_assert_int_eq(load_with("left_out", json_integer(1)), -1);
	ck_assert_int_eq(load_with("nodes", json_array()), -1); /* "unknown" has one */
	ck_assert_int_eq(
		load_with("unknown", json_pack("[{s:i,s:i,s:s,s:i}]", "bytes", 0,
					       "node", 0, "zone", "DMA", "order",
					       TALLY_ORDERS)),
		-1);
	ck_assert_int_eq(
		load_with("sites", json_pack("[{s:s}]", "site", "a.c")), -1);
	tempdir_end();
}
END_TEST

/* Changes of all lines but the two sums. */
static int64_t sum_of_changes(const struct memory_changes *c)
{
	int64_t sum = 0;
	int id;

	for (id = 0; id < LINES; id++)
		if (id != LINE_TOTAL && id != LINE_USED)
			sum += c->now->balance.line[id].bytes -
			       c->old->balance.line[id].bytes;
	return sum;
}

START_TEST(changes_are_by_location)
{
	/* the same sites with other numbers; a is divided into two rows */
	static const struct site_row now[] = {
		{ .f.bytes = 5 * PAGE, .location = "a.c:1 func:a" },
		{ .f.bytes = 4 * PAGE, .location = "c.c:3 func:c" },
		{ .f.bytes = 3 * PAGE, .location = "a.c:1 func:a" },
		{ .f.bytes = 2 * PAGE, .location = "" },
	};
	struct memory_changes c;
	struct memory m, old;
	size_t i;

	make(&old);
	make(&m);
	m.sites = (struct site_rows){ 0 };
	for (i = 0; i < 4; i++)
		site_rows_add(&m.sites, SITE_SLAB, strdup(now[i].location))->f = now[i].f;
	m.page_size = 2 * PAGE;
	m.balance.line[LINE_FREE].bytes += 7 * PAGE;
	m.balance.line[LINE_TOTAL].bytes += 7 * PAGE;
	m.balance.line[LINE_TOTAL].before += 7 * PAGE;
	ck_assert(balance_sums(&m.balance));
	memory_changes_make(&c, &old, &m);
	ck_assert_int_eq(sum_of_changes(&c), 7 * PAGE);
	ck_assert_uint_eq(c.sites.count, 3); /* a is the same */
	ck_assert_str_eq(c.sites.row[0].now->location, "");
	ck_assert_int_eq(c.sites.row[0].old->f.bytes, PAGE);
	ck_assert_int_eq(c.sites.row[0].now->f.bytes, 2 * PAGE);
	ck_assert_str_eq(c.sites.row[1].old->location, "b.c:2 [b] func:b");
	ck_assert_ptr_null(c.sites.row[1].now);
	ck_assert_str_eq(c.sites.row[2].now->location, "c.c:3 func:c");
	ck_assert_ptr_null(c.sites.row[2].old);
	ck_assert_uint_eq(c.nr_notes, 2);
	ck_assert_ptr_nonnull(strstr(c.note[0], "from 4096 to 8192 bytes"));
	ck_assert_ptr_nonnull(strstr(c.note[1], "MemTotal changed from 400 to 428 KiB"));
	memory_changes_free(&c);

	m.no_module = "it is not loaded";
	memory_changes_make(&c, &old, &m);
	ck_assert_uint_eq(c.sites.count, 0);
	memory_changes_free(&c);
	site_rows_free(&m.sites);
	memory_sort_sites(&old);
}
END_TEST

START_TEST(sums_are_checked)
{
	struct memory m;

	make(&m);
	ck_assert(balance_sums(&m.balance));
	m.balance.line[LINE_USED].bytes += PAGE;
	ck_assert(!balance_sums(&m.balance));
	m.balance.line[LINE_TOTAL].bytes += PAGE;
	ck_assert(!balance_sums(&m.balance));
	m.balance.line[LINE_KERNEL].bytes += PAGE;
	ck_assert(balance_sums(&m.balance));
}
END_TEST

UNIT_MAIN("saved", a_saved_state_is_read_again, damaged_members_are_refused,
	  changes_are_by_location, sums_are_checked)
