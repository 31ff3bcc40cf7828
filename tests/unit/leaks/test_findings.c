// SPDX-License-Identifier: GPL-2.0-only
/* Findings on an observation that is made by hand. */
#include <math.h>

#include "findings.h"
#include "leaks/leakview.h"
#include "leaks/pathview.h"
#include "leaks/witness.h"

/* rows 0 and 2 are of memory from before accounting */
static const char earlier_text[] =
	"kmemtrace tags - version: 1\n"
	"slab 0 0 0 0 0 0 - - 1 earlier/slab:0 func:dentry\n"
	"page 0 0 0 0 0 0 - ffffffff81000020 2 b.c:1 func:do_anonymous_page\n"
	"page 0 0 0 0 0 0 - - 3 earlier/page:0 func:slab\n"
	"slab 0 0 0 0 0 0 - ffffffff81000040 4 d.c:1 func:alloc_empty_file\n"
	"slab 0 0 0 0 0 0 - ffffffff81000050 5 e.c:1 func:leaks_more\n";

static void make(void)
{
	begin();
	findings_make(&f, &w, &sites);
}

START_TEST(who_is_named)
{
	make();
	ck_assert_uint_eq(f.count, 4);
	ck_assert_uint_eq(f.suspects, 2);
	ck_assert_str_eq(f.finding[0].location, "e.c:1 func:leaks_more");
	ck_assert_str_eq(f.finding[1].location, "a.c:1 func:leaks");
	ck_assert(!f.finding[0].opened && !f.finding[1].opened);
	ck_assert(f.finding[3].left_out);
	findings_confirm(&f, &w);
	ck_assert_uint_eq(f.named, 2);
	ck_assert(f.finding[0].named && f.finding[1].named && !f.finding[2].named);
	/* slab pages: 7 objects of 10 bytes a second; slab objects: 2 and 3 */
	ck_assert(f.slab_growth == 10 * 7 * (N - 1));
	ck_assert(f.users_growth == 10 * 50 * (N - 2));
	ck_assert(f.object_growth == 10 * 5 * (N - 1));
	ck_assert(findings_live(&f.finding[1], &w) == 10 * (100 + 2 * (N - 1)));
	ck_assert(findings_is_at(&f.finding[1], &sites, 0xffffffff81000010));
	ck_assert(!findings_is_at(&f.finding[1], &sites, 0xffffffff81000050));
	clean();
}
END_TEST

START_TEST(tags_of_who_is_named)
{
	bool *wanted;
	size_t i, n = 0;

	make();
	findings_confirm(&f, &w);
	wanted = findings_wanted(&f, &sites, 8);
	ck_assert_ptr_nonnull(wanted);
	for (i = 0; i < sites.tags.rows.count; i++) {
		const char *at = sites.tags.rows.row[i].location;

		ck_assert_int_eq(wanted[i], !strcmp(at, f.finding[0].location) ||
						    !strcmp(at, f.finding[1].location));
		n += wanted[i];
	}
	ck_assert_uint_ge(n, 2);
	free(wanted);
	wanted = findings_wanted(&f, &sites, 1); /* the first one alone */
	for (i = 0; i < sites.tags.rows.count; i++)
		ck_assert_int_eq(wanted[i], !strcmp(sites.tags.rows.row[i].location,
						    f.finding[0].location));
	free(wanted);
	clean();
}
END_TEST

START_TEST(second_check)
{
	make();
	/* what was old is gone: it waited for kfree_rcu() */
	rows[0].level[0].bytes[N] = rows[0].level[1].bytes[N] =
		rows[0].level[2].bytes[N] = 100;
	findings_confirm(&f, &w);
	ck_assert_uint_eq(f.named, 1);
	ck_assert(!f.finding[1].named);
	clean();
}
END_TEST

/* Row 0 grows by 78 objects; three standard deviations are 26. */
START_TEST(what_can_be_reclaimed_is_a_cache)
{
	int i;

	begin();
	be_cache(0, 26);
	findings_make(&f, &w, &sites);
	findings_confirm(&f, &w);
	ck_assert_uint_eq(f.named, 1);
	ck_assert_uint_eq(f.caches, 1);
	ck_assert_uint_eq(f.texts, 2);
	ck_assert_str_eq(f.finding[0].location, "e.c:1 func:leaks_more");
	ck_assert_str_eq(f.finding[1].location, "a.c:1 func:leaks");
	ck_assert_str_eq(verdict_name(f.finding[1].v.kind), "cache");
	ck_assert(!f.finding[1].named && findings_has_text(&f.finding[1]));
	clean();
	/* others of its objects grow as well */
	begin();
	be_cache(0, 27);
	findings_make(&f, &w, &sites);
	findings_confirm(&f, &w);
	ck_assert_uint_eq(f.named, 2);
	ck_assert_uint_eq(f.caches, 0);
	clean();
	/* of 12 objects, 6 may be others, and 7 are a leak, though the square root is larger */
	for (i = 6; i <= 7; i++) {
		begin();
		make_row(0, 0.31);
		be_cache(0, i);
		findings_make(&f, &w, &sites);
		ck_assert_uint_eq(f.caches, i == 6);
		clean();
	}
}
END_TEST

/* The kernel was asked to free its caches: what stays leaks, what goes is a cache. */
START_TEST(reclaim_decides)
{
	int l;

	begin();
	be_cache(0, 0);
	findings_make(&f, &w, &sites);
	for (l = 0; l < LEVELS; l++)
		rows[4].level[l].bytes[N] = 100;
	w.reclaimed = true;
	findings_confirm(&f, &w);
	ck_assert_uint_eq(f.named, 1);
	ck_assert_str_eq(f.finding[0].location, "a.c:1 func:leaks");
	ck_assert(f.finding[0].named && f.finding[0].freed == 0);
	ck_assert_str_eq(f.finding[1].location, "e.c:1 func:leaks_more");
	ck_assert_int_eq(f.finding[1].v.kind, VERDICT_CACHE);
	ck_assert(!f.finding[1].named);
	ck_assert(f.finding[1].freed == 10 * (100 + 3 * (N - 1)) - 100);
	clean();
}
END_TEST

/* Row 4 grows exactly as the cache, and no object is freed. */
START_TEST(what_grows_with_a_cache_is_unconfirmed)
{
	begin();
	make_row(0, 3);
	be_cache(0, 0);
	findings_make(&f, &w, &sites);
	findings_confirm(&f, &w);
	ck_assert_uint_eq(f.named, 0);
	ck_assert_uint_eq(f.suspects, 1);
	ck_assert_str_eq(f.finding[0].location, "e.c:1 func:leaks_more");
	ck_assert_str_eq(f.finding[0].with, "a.c:1 func:leaks");
	ck_assert(!f.finding[0].named && findings_has_text(&f.finding[0]));
	clean();
	/* if the kernel was asked to free the cache, it is known */
	begin();
	make_row(0, 3);
	be_cache(0, 0);
	findings_make(&f, &w, &sites);
	w.reclaimed = true;
	findings_confirm(&f, &w);
	ck_assert_uint_eq(f.named, 2);
	clean();
}
END_TEST

/* Row 4 grows exactly as the cache, and at least as many files stay open (row 3). */
START_TEST(what_grows_with_open_files_leaks)
{
	static const double files[] = { 2.8, 3, 6 };
	size_t i, l;

	for (i = 0; i < 3; i++) {
		begin();
		make_row(0, 3);
		make_row(3, files[i]);
		be_cache(0, 0);
		findings_make(&f, &w, &sites);
		findings_confirm(&f, &w);
		ck_assert_uint_eq(f.named, 2);
		ck_assert(f.finding[0].named && !f.finding[0].with);
		ck_assert(f.finding[1].named && !f.finding[1].with);
		/* as many as files */
		ck_assert(f.finding[0].opened && f.finding[1].opened == (files[i] < 6));
		/* half as many, as pipes */
		ck_assert(!f.finding[0].by_files && f.finding[1].by_files == (files[i] == 6));
		clean();
	}
	/* most of what is old is of a cache that grew before the samples, and no file is open */
	begin();
	make_row(0, 3);
	be_cache(0, 0);
	make_row(1, 0.03);
	be_cache(1, 0);
	for (i = 0; i <= N; i++)
		for (l = 0; l < LEVELS; l++) {
			rows[1].level[l].objects[i] += (i + 3) / 8 * 30;
			rows[4].level[l].objects[i] += (i + 3) / 8 * 30;
		}
	findings_make(&f, &w, &sites);
	findings_confirm(&f, &w);
	ck_assert_uint_eq(f.named, 0);
	ck_assert_str_eq(f.finding[0].with, "b.c:1 func:do_anonymous_page");
	clean();
	/* fewer files: the cache also grows by itself */
	begin();
	make_row(0, 3);
	make_row(3, 1.5);
	be_cache(0, 0);
	findings_make(&f, &w, &sites);
	findings_confirm(&f, &w);
	ck_assert_uint_eq(f.named, 1);
	ck_assert_str_eq(f.finding[0].location, "d.c:1 func:alloc_empty_file");
	clean();
}
END_TEST

/* Of row @i, @deaths old objects were freed. */
static void kill_old(int i, double deaths)
{
	rows[i].level[1].objects[w.step] = rows[i].level[0].objects[0] - deaths;
}

/*
 * Each pipe has an inode, which is in a cache (row 0), two files (row 3), and three pages (row
 * 4). Some old pipes were closed. If more inodes were freed than files, or if the inodes of
 * other files grow as well, the kernel has freed, or can free, inodes.
 */
START_TEST(what_open_files_hold_leaks)
{
	static const struct { int closed, freed, inodes, named; } cases[] = {
		{ 0, 0, 3, 2 }, { 20, 20, 3, 2 }, { 20, 60, 3, 1 }, { 20, 20, 9, 1 },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int inodes = cases[i].inodes, freed = cases[i].freed;

		begin();
		make_row(0, inodes);
		make_row(3, 6);
		make_row(4, 3 * inodes);
		be_cache(0, 0);
		kill_old(0, freed);
		kill_old(3, 2 * cases[i].closed);
		kill_old(4, 3 * freed);
		findings_make(&f, &w, &sites);
		findings_confirm(&f, &w);
		ck_assert_uint_eq(f.named, cases[i].named);
		ck_assert(f.finding[0].by_files == (f.named == 2) && !f.finding[0].with);
		ck_assert_str_eq(f.finding[0].location, f.named == 2 ? "e.c:1 func:leaks_more" :
						       "d.c:1 func:alloc_empty_file");
		clean();
	}
}
END_TEST

static const char socket_text[] =
	"kmemtrace tags - version: 1\n"
	"slab 0 0 0 0 0 0 - ffffffff81000010 1 a.c:1 func:sock_alloc_inode\n"
	"slab 0 0 0 0 0 0 - ffffffff81000020 2 b.c:1 func:__d_alloc\n"
	"page 0 0 0 0 0 0 - ffffffff81000030 3 c.c:1 func:allocate_slab\n"
	"slab 0 0 0 0 0 0 - ffffffff81000040 4 d.c:1 func:alloc_empty_file\n"
	"slab 0 0 0 0 0 0 - ffffffff81000050 5 e.c:1 func:leaks_more\n";

/*
 * Each socket has a file (row 3), an inode and a name, which are in caches (rows 0 and 1); most have
 * an object for each of both (row 4). The two caches together grow by more than the files, and if
 * sockets are closed, more objects of them are freed. If a cache grows by more than the files, the
 * kernel can free its objects.
 */
START_TEST(files_hold_inodes_and_names)
{
	static const struct { int inodes, names, closed, named; } cases[] = {
		{ 2, 3, 0, 2 }, { 3, 2, 0, 2 }, { 2, 3, 20, 2 }, { 2, 4, 0, 1 }, { 4, 2, 0, 1 },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		begin_with(socket_text);
		make_row(0, cases[i].inodes);
		make_row(1, cases[i].names);
		make_row(3, 3);
		make_row(4, cases[i].inodes + cases[i].names);
		be_cache(0, 0);
		be_cache(1, 0);
		kill_old(0, cases[i].closed);
		kill_old(1, cases[i].closed);
		kill_old(3, cases[i].closed);
		kill_old(4, 2 * cases[i].closed);
		confirm();
		ck_assert_msg((int)f.named == cases[i].named, "case %zu: %zu", i, f.named);
		ck_assert(f.finding[0].by_files == (f.named == 2) && !f.finding[0].with);
		clean();
	}
}
END_TEST

START_TEST(survivors)
{
	make();
	/* births 100, 100, 200 in the intervals; 98 (all), 20 and 30 of them live */
	ck_assert(fabs(f.finding[1].survive - 30 / 200.0) < 1e-9);
	clean();
}
END_TEST

START_TEST(users)
{
	ck_assert(findings_is_left_out("mm/memory.c:1 func:do_anonymous_page"));
	ck_assert(findings_is_left_out("do_fault+0x7d func:do_fault"));
	ck_assert(findings_is_left_out("x+0x7d func:do_fault.constprop.0"));
	ck_assert(findings_is_left_out("__handle_mm_fault+0xa1c func:__handle_mm_fault"));
	ck_assert(findings_is_left_out("folio_prealloc+0x21 func:folio_prealloc"));
	ck_assert(findings_is_left_out("pte_alloc_one+0x1d func:pte_alloc_one"));
	ck_assert(findings_is_left_out("x+0x1f3 func:__filemap_get_folio_mpol"));
	ck_assert(findings_is_left_out("migrate_pages_batch+0x251 func:migrate_pages_batch"));
	ck_assert(!findings_is_left_out("x+0x7d func:pte_alloc_one_kernel"));
	ck_assert(!findings_is_left_out("x+0x7d func:do_fault_more"));
	ck_assert(!findings_is_left_out("do_fault+0x1 func:x"));
	ck_assert(!findings_is_left_out("do_fault"));
}
END_TEST

/* The module keeps the names of modules that come and go: this is no leak of theirs. */
START_TEST(itself)
{
	ck_assert(findings_is_left_out("__add+0x1c4 [kmemtrace] func:__add"));
	ck_assert(findings_is_left_out("module/a.c:1 [kmemtrace] func:__add"));
	ck_assert(!findings_is_left_out("get+0x4 [kmemtrace_client] func:get"));
}
END_TEST

/* While the survey runs, it finds more and more memory from before accounting. */
START_TEST(what_the_survey_finds_is_no_leak)
{
	begin_with(earlier_text);
	findings_make(&f, &w, &sites);
	findings_confirm(&f, &w);
	ck_assert_uint_eq(f.suspects, 1);
	ck_assert_uint_eq(f.named, 1);
	ck_assert_str_eq(f.finding[0].location, "e.c:1 func:leaks_more");
	ck_assert(f.slab_growth == 0 && f.object_growth == 10 * 3 * (N - 1));
	ck_assert(f.earlier_growth == 10 * (2 + 7) * (N - 1));
	clean();
	ck_assert(findings_is_left_out("earlier/vmalloc:0 func:driver_probe"));
	ck_assert(!findings_is_left_out("drivers/earlier/a.c:1 func:driver_probe"));
}
END_TEST

/* An area takes three pages. */
START_TEST(an_area_is_named_once)
{
	int i;

	begin_with(area_text);
	make_row(0, 1);
	make_row(3, 1);
	confirm();
	ck_assert_uint_eq(f.suspects, 1);
	ck_assert_uint_eq(f.named, 1);
	ck_assert_uint_eq(f.texts, 1);
	ck_assert_str_eq(f.finding[0].location, "e.c:1 [m] func:driver_map");
	ck_assert(f.finding[0].named && !f.finding[0].leader);
	for (i = 1; i < 3; i++) {
		ck_assert_ptr_eq(f.finding[i].leader, f.finding[0].location);
		ck_assert(!f.finding[i].named && !findings_has_text(&f.finding[i]));
		ck_assert_int_eq(f.finding[i].v.kind, VERDICT_LEAKS);
	}
	clean();
	/* a function that allocates other areas as well has the others */
	begin_with(area_text);
	make_row(0, 0.5);
	values[0][3][N / 2] += 3;
	make_row(3, 1);
	confirm();
	ck_assert_uint_eq(f.named, 1);
	ck_assert_str_eq(f.finding[0].location, "e.c:1 [m] func:driver_map");
	clean();
	/* areas grow by more than those of this site */
	begin_with(area_text);
	make_row(0, 1.3);
	make_row(3, 1);
	confirm();
	ck_assert_uint_eq(f.named, 2);
	ck_assert_str_eq(f.finding[0].location, "e.c:1 [m] func:driver_map");
	clean();
}
END_TEST

/* A page table of the kernel has room for many areas. */
START_TEST(page_tables_of_areas_are_not_named)
{
	static const char area[] = "func:__get_vm_area_node", table[] = "func:__pte_alloc_kernel";
	char text[sizeof(area_text)], *at;

	strcpy(text, area_text);
	at = strstr(text, area);
	memcpy(at, table, strlen(table));
	memset(at + strlen(table), ' ', strlen(area) - strlen(table));
	begin_with(text);
	make_row(0, 1);
	make_row(3, 0.3);
	confirm();
	ck_assert_uint_eq(f.named, 1);
	ck_assert_str_eq(f.finding[0].location, "e.c:1 [m] func:driver_map");
	clean();
}
END_TEST

/* The areas of a path that does not leak are freed after the recording of the paths. */
START_TEST(a_path_to_areas_needs_no_frees)
{
	static const char note[] = "a path without frees need not leak";
	struct witness witness = { 0 };
	struct pathview paths = { .w = &witness };
	char made[2][4096];
	FILE *out;
	int i;

	begin_with(area_text);
	w.ages.head.tick_ns = 1;
	confirm();
	ck_assert_str_eq(f.finding[1].location, "a.c:1 func:alloc_vmap_area");
	for (i = 0; i < 2; i++) {
		out = fmemopen(made[i], sizeof(made[i]), "w");
		paragraph_print(out, &f.finding[i], &f, &w, &paths, "");
		fclose(out);
	}
	ck_assert_ptr_null(strstr(made[0], note));
	ck_assert_ptr_nonnull(strstr(made[1], note));
	clean();
}
END_TEST

/* The objects that rows 0 and 4 leak come at the same moments, those of row 3 do not. */
START_TEST(one_cause_is_named_once)
{
	begin();
	make_row(0, 0.31);
	make_row(3, 0.5);
	make_row(4, 0.31);
	confirm();
	ck_assert_uint_eq(f.named, 2);
	ck_assert_str_eq(f.finding[2].location, "e.c:1 func:leaks_more");
	ck_assert_str_eq(f.finding[2].leader, "a.c:1 func:leaks");
	clean();
}
END_TEST

/*
 * Row 4 stops to grow after the last sample. If it is a table that is full, new objects replace
 * old ones. If the load has ended, none are freed, or nothing replaces them.
 */
START_TEST(a_table_that_is_full_is_no_leak)
{
	int full;

	for (full = 0; full < 3; full++) {
		begin();
		make_row(0, 0);
		times[N] = N + 5;
		rows[4].live.objects[N] = rows[4].live.objects[N - 1] - (full == 2 ? 15 : 0);
		if (full)
			rows[4].level[1].objects[N] = rows[4].level[0].objects[N - 1] - 15;
		confirm();
		ck_assert_uint_eq(f.named, full != 1);
		ck_assert_int_eq(f.finding[0].v.kind, full == 1 ? VERDICT_SLOWS : VERDICT_LEAKS);
		clean();
	}
}
END_TEST

/* Files come with three pages each: the pages are named, and files hold them. */
START_TEST(files_hold_what_comes_with_them)
{
	int k, l;

	begin();
	make_row(0, 0);
	make_row(3, 0.31);
	for (l = 0; l <= LEVELS; l++)
		for (k = 0; k <= N; k++) {
			values[4][2 * l + 1][k] = 3 * values[3][2 * l + 1][k];
			values[4][2 * l][k] = 3 * values[3][2 * l][k];
		}
	confirm();
	ck_assert_uint_eq(f.named, 1);
	ck_assert_str_eq(f.finding[0].location, "e.c:1 func:leaks_more");
	ck_assert(f.finding[0].by_files && !f.finding[0].opened);
	clean();
}
END_TEST

/* The kernel shows neither how many events wait in its queues, nor how many elements maps have. */
START_TEST(text_says_what_may_hold_the_objects)
{
	static const struct { const char *function, *hint; } cases[] = {
		{ "inotify_handle_inode_event", "grep -lE" },
		{ "fanotify_alloc_event.isra.0", "grep -lE" },
		{ "alloc_bulk", "bpftool map" },
		{ "__alloc at kernel/bpf/memalloc.c:145", "bpftool map" },
		{ "leaks_events", NULL },
	};
	char tags_text[512], made[4096];
	size_t i;
	FILE *out;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(tags_text, sizeof(tags_text), "%.*s func:%s\n",
			 (int)(strstr(text, " func:leaks_more") - text), text, cases[i].function);
		begin_with(tags_text);
		make_row(0, 0);
		w.ages.head.tick_ns = 1;
		confirm();
		ck_assert(f.named && findings_has_text(&f.finding[0]));
		out = fmemopen(made, sizeof(made), "w");
		paragraph_print(out, &f.finding[0], &f, &w, NULL, "");
		fclose(out);
		ck_assert(!strstr(made, "grep -lE") == (i > 1));
		ck_assert(!cases[i].hint || strstr(made, cases[i].hint));
		ck_assert(!strstr(made, "bpftool") == (i != 2 && i != 3));
		clean();
	}
}
END_TEST

static bool is_at_5(const void *arg, uint64_t address)
{
	(void)arg;
	return address == 5;
}

/*
 * The first path is of another site. A second process, an interrupt or a path without a system
 * call may have allocated what the process does not hold.
 */
START_TEST(processes_may_hold_all_objects)
{
	static const char *const said[] = {
		"the process load-9", "processes", NULL, "processes", NULL, "processes",
	};
	static struct witness_text name[] = { { 1, "driver_get+0x10" },
					      { 2, "do_syscall_64+0x55" } };
	struct path path[] = {
		{ .site = 4, .task = { { 7, "other", 1 } } },
		{ .site = 5, .stack = { 1, 2 }, .depth = 2, .task = { { 9, "load", 3 } } },
		{ .site = 5, .stack = { 2 }, .depth = 1, .task = { { 9, "load", 1 } } },
	};
	struct witness witness = { .paths = { .path = path, .count = 3 }, .name = name,
				   .nr_names = 2 };
	struct pathview paths = { .w = &witness, .is_at = is_at_5 };
	char *cache[3] = { NULL }, made[4096], text[64];
	int i;
	FILE *out;

	witness.cache = cache;
	for (i = 0; i < 6; i++) {
		path[2].task[0].tgid = i == 1 ? 8 : i == 2 ? PATHS_INTERRUPT : 9;
		path[2].task[1].count = i == 3;
		path[2].depth = i != 4;
		path[1].others = i == 5;
		begin();
		w.ages.head.tick_ns = 1;
		confirm();
		out = fmemopen(made, sizeof(made), "w");
		paragraph_print(out, &f.finding[0], &f, &w, &paths, "");
		fclose(out);
		snprintf(text, sizeof(text), "Only system calls of %s allocated there",
			 said[i] ? said[i] : "");
		ck_assert_msg(!strstr(made, text) == !said[i], "case %d", i);
		ck_assert_msg(!strstr(made, "system calls") == !said[i], "case %d", i);
		clean();
	}
}
END_TEST

/* The site grows by 400 objects; three standard deviations are 60. */
START_TEST(areas_that_wait_are_lazy)
{
	struct observation o = { .unpurged = 340 };

	ck_assert(findings_waits("x+0x1 func:alloc_vmap_area", 400, &o));
	ck_assert(!findings_waits("x+0x1 func:alloc_vmap_area", 401, &o));
	ck_assert(!findings_waits("x+0x1 func:alloc_vmap_areas", 100, &o));
	ck_assert(findings_waits("x+0x1 func:__pte_alloc_kernel", 400, &o));
	ck_assert(findings_waits("x+0x1 func:__pte_alloc_kernel", 1000, &o));
	o.unpurged = INFINITY;
	ck_assert(findings_waits("x+0x1 func:alloc_vmap_area.cold", 1e9, &o));
}
END_TEST

UNIT_MAIN("findings", who_is_named, tags_of_who_is_named, second_check,
	  what_can_be_reclaimed_is_a_cache, reclaim_decides,
	  what_grows_with_a_cache_is_unconfirmed, what_grows_with_open_files_leaks, what_open_files_hold_leaks, files_hold_inodes_and_names,
	  survivors, users, itself, what_the_survey_finds_is_no_leak,
	  an_area_is_named_once, a_path_to_areas_needs_no_frees, one_cause_is_named_once,
	  files_hold_what_comes_with_them, text_says_what_may_hold_the_objects, page_tables_of_areas_are_not_named,
	  a_table_that_is_full_is_no_leak,
	  processes_may_hold_all_objects, areas_that_wait_are_lazy)
