// SPDX-License-Identifier: GPL-2.0-only
/* Findings on sites whose objects are held, or seem to be. */
#include "findings.h"
#include "leaks/leakview.h"

static const char tree_text[] =
	"kmemtrace tags - version: 1\n"
	"slab 0 0 0 0 0 0 - ffffffff81000010 1 a.c:1 func:mas_alloc_nodes\n"
	"page 0 0 0 0 0 0 - ffffffff81000020 2 b.c:1 func:do_anonymous_page\n"
	"page 0 0 0 0 0 0 - ffffffff81000030 3 c.c:1 func:allocate_slab\n"
	"slab 0 0 0 0 0 0 - ffffffff81000040 4 d.c:1 func:alloc_empty_file\n"
	"slab 0 0 0 0 0 0 - ffffffff81000050 5 e.c:1 func:leaks_more\n";

/*
 * A user holds the objects of row 0, and row 4 grows as it and a cache. This is so as well if
 * row 0 is in a cache, and the kernel was asked to free it.
 */
START_TEST(what_is_held_is_no_leak)
{
	struct held files = { .count = values[0][1] };
	int reclaimed, i;

	for (reclaimed = 0; reclaimed < 2; reclaimed++) {
		begin();
		make_row(0, 3);
		make_row(1, 2);
		be_cache(1, 0);
		make_row(4, 5);
		if (reclaimed)
			be_cache(0, 0);
		w.helds = (struct helds){ .held = &files, .count = 1 };
		findings_make(&f, &w, &sites);
		w.reclaimed = reclaimed;
		findings_confirm(&f, &w);
		ck_assert_uint_eq(f.named, 0);
		ck_assert_uint_eq(f.suspects, 0);
		ck_assert_uint_eq(f.held, 2);
		ck_assert_uint_eq(f.texts, 2);
		for (i = 0; i < 2; i++) {
			bool is_other = strcmp(f.finding[i].location, "a.c:1 func:leaks");

			ck_assert_str_eq(verdict_name(f.finding[i].v.kind), "held");
			ck_assert_ptr_eq(f.finding[i].held, &files);
			ck_assert(is_other == !!f.finding[i].with);
			ck_assert(!f.finding[i].named && findings_has_text(&f.finding[i]));
		}
		w.helds.count = 0;
		clean();
	}
}
END_TEST

/* Of row 0, many objects live for a moment, or until they are old; the others are held. */
START_TEST(what_is_held_is_old)
{
	double count[N];
	struct held files = { .kind = COUNTS_FILES, .count = count };
	int i, old;

	for (old = 0; old < 2; old++) {
		begin();
		for (i = 0; i < N; i++) {
			count[i] = 2 * i;
			rows[0].live.objects[i] += i % 2 * 50;
			values[0][3][i] += old * (i % 2) * 50;
			values[0][2][i] = 10 * values[0][3][i];
		}
		w.helds = (struct helds){ .held = &files, .count = 1 };
		confirm();
		ck_assert_uint_eq(f.held, 1);
		ck_assert_ptr_eq(f.finding[1].held, &files);
		ck_assert_uint_eq(f.finding[1].v.level, old);
		w.helds.count = 0;
		clean();
	}
}
END_TEST

/*
 * A driver leaks in step with keys, of which each has an object of row 0, or with mounts: it may
 * have memory for each mount.
 */
START_TEST(a_module_does_not_allocate_keys)
{
	static const enum counts_kind kinds[] = { COUNTS_KEYS, COUNTS_TASKS, COUNTS_MOUNTS };
	double count[N];
	struct held held = { .count = count };
	size_t k;
	int i;

	for (i = 0; i < N; i++)
		count[i] = 3 * i;
	for (k = 0; k < 3; k++) {
		begin_with(area_text);
		make_row(0, 0);
		make_row(1, 0);
		make_row(3, 3);
		held.kind = kinds[k];
		w.helds = (struct helds){ .held = &held, .count = 1 };
		confirm();
		ck_assert_uint_eq(f.named, kinds[k] != COUNTS_MOUNTS);
		ck_assert_uint_eq(f.held, 1 + (kinds[k] == COUNTS_MOUNTS));
		if (f.named)
			ck_assert_str_eq(f.finding[0].location, "e.c:1 [m] func:driver_map");
		w.helds.count = 0;
		clean();
	}
}
END_TEST

static const char by_rate_text[] =
	"kmemtrace tags - version: 1\n"
	"slab 0 0 0 0 0 0 - ffffffff81000010 1 a.c:1 func:load_msg\n"
	"page 0 0 0 0 0 0 - ffffffff81000020 2 b.c:1 func:do_anonymous_page\n"
	"page 0 0 0 0 0 0 - ffffffff81000030 3 c.c:1 func:allocate_slab\n"
	"slab 0 0 0 0 0 0 - ffffffff81000040 4 d.c:1 func:copy_process\n"
	"slab 0 0 0 0 0 0 - ffffffff81000050 5 e.c:1 func:__ip_append_data\n";

/* Set the finding of a location. */
static const struct finding *find(const char *location)
{
	size_t i;

	for (i = 0; i < f.count; i++)
		if (!strcmp(f.finding[i].location, location))
			return &f.finding[i];
	ck_abort_msg("%s is missing", location);
}

/*
 * Messages come at the rate of processes and of datagrams, of which each has an object of row 4.
 * Only row 0 is of messages. Nothing but tasks holds those of row 3.
 */
START_TEST(two_loads_of_one_rate)
{
	static const char note[] = "not known to allocate for them";
	double count[N];
	struct held held[2] = { { .kind = COUNTS_MESSAGES, .count = count },
				{ .kind = COUNTS_TASKS, .count = count } };
	const struct finding *at;
	char made[4096];
	size_t tasks;
	FILE *out;
	int i;

	for (i = 0; i < N; i++)
		count[i] = 3 * i;
	for (tasks = 0; tasks < 2; tasks++) {
		begin_with(by_rate_text);
		make_row(0, 3);
		make_row(1, 0);
		make_row(3, 3);
		w.ages.head.tick_ns = 1;
		w.helds = (struct helds){ .held = held, .count = 1 + tasks };
		confirm();
		ck_assert_int_eq(find("a.c:1 func:load_msg")->v.kind, VERDICT_HELD);
		at = find("d.c:1 func:copy_process");
		ck_assert_int_eq(at->v.kind, tasks ? VERDICT_HELD : VERDICT_LEAKS);
		ck_assert_ptr_eq(at->held, &held[tasks]);
		at = find("e.c:1 func:__ip_append_data");
		ck_assert_int_eq(at->v.kind, VERDICT_LEAKS);
		ck_assert(!at->named && at->held == &held[0] && findings_has_text(at));
		out = fmemopen(made, sizeof(made), "w");
		paragraph_print(out, at, &f, &w, NULL, "");
		paragraph_print(out, find("a.c:1 func:load_msg"), &f, &w, NULL, "");
		fclose(out);
		ck_assert_ptr_nonnull(strstr(made, note));
		ck_assert_ptr_null(strstr(strstr(made, note) + 1, note));
		w.helds.count = 0;
		clean();
	}
}
END_TEST

/* By chance, twice as many files are open. */
START_TEST(what_is_held_is_no_pipe)
{
	struct held files = { .count = values[0][1] };

	begin();
	make_row(0, 3);
	make_row(1, 0);
	make_row(3, 6);
	make_row(4, 0);
	w.helds = (struct helds){ .held = &files, .count = 1 };
	confirm();
	ck_assert_uint_eq(f.named, 1);
	ck_assert_str_eq(f.finding[0].location, "d.c:1 func:alloc_empty_file");
	ck_assert_int_eq(find("a.c:1 func:leaks")->v.kind, VERDICT_HELD);
	w.helds.count = 0;
	clean();
}
END_TEST

/* The same with another function in row 0. */
static void begin_with_function(const char *function)
{
	const char *name = strstr(tree_text, "mas_alloc_nodes");
	char tags_text[sizeof(tree_text) + 32];

	snprintf(tags_text, sizeof(tags_text), "%.*s%s%s", (int)(name - tree_text), tree_text, function,
		 name + strlen("mas_alloc_nodes"));
	begin_with(tags_text);
}

/* Ten files share a node of a tree; no other objects are shared. */
START_TEST(trees_of_files_are_no_leak)
{
	static const struct {
		const char *function;
		bool is_held;
	} cases[] = {
		{ "mas_alloc_nodes", true }, { "mas_wr_split.isra.0", true }, { "dst_setup", true },
		{ "leaks_mas_", false },     { "dst_setup_more", false },
	};
	double count[N];
	struct held files = { .kind = COUNTS_FILES, .count = count };
	size_t c;
	int i;

	for (i = 0; i < N; i++)
		count[i] = 20 * i;
	for (c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		begin_with_function(cases[c].function);
		w.helds = (struct helds){ .held = &files, .count = 1 };
		confirm();
		ck_assert_msg(f.held == cases[c].is_held, "case %zu", c);
		ck_assert_uint_eq(f.named, 2 - cases[c].is_held);
		ck_assert_str_eq(f.finding[0].location, "e.c:1 func:leaks_more");
		ck_assert_ptr_nonnull(strstr(f.finding[1].location, cases[c].function));
		w.helds.count = 0;
		clean();
	}
}
END_TEST

/*
 * The kernel allocates a node for the shrinkers of 64 mounts, and an object for the shrinker of
 * each mount. Mounts do not explain objects of other functions that grow like these nodes.
 */
START_TEST(shrinkers_of_mounts_are_no_leak)
{
	static const struct {
		const char *function;
		double mounts, nodes;
		bool is_held;
	} cases[] = {
		{ "shrinker_alloc.isra.0", 19.2, 0.3, true },  { "shrinker_alloc", 19.2, 19.2, true },
		{ "shrinker_alloc", 64, 0.3, false },	       { "shrinker_alloc", 19.2, 8, false },
		{ "leaks_shrinkers", 19.2, 0.3, false },
	};
	double count[N];
	struct held mounts = { .kind = COUNTS_MOUNTS, .count = count };
	size_t c;
	int i;

	for (c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		for (i = 0; i < N; i++)
			count[i] = floor(cases[c].mounts * i);
		begin_with_function(cases[c].function);
		make_row(0, cases[c].nodes);
		w.helds = (struct helds){ .held = &mounts, .count = 1 };
		confirm();
		ck_assert_msg(f.held == cases[c].is_held, "case %zu", c);
		ck_assert_uint_eq(f.named, 2 - cases[c].is_held);
		w.helds.count = 0;
		clean();
	}
}
END_TEST

UNIT_MAIN("findings of what is held", what_is_held_is_no_leak, what_is_held_is_old,
	  a_module_does_not_allocate_keys, two_loads_of_one_rate, what_is_held_is_no_pipe,
	  trees_of_files_are_no_leak, shrinkers_of_mounts_are_no_leak)
