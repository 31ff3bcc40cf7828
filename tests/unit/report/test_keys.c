// SPDX-License-Identifier: GPL-2.0-only
/*
 * The keys of report. tests/cli/report_reference.py compares their figures; here are
 * modules that come and go at the same addresses, which its recordings do not have.
 */
#include "report/calltree.h"
#include "report/keys.h"
#include "unit.h"

#define SITE	0xffffffffc0001010ull
#define CALLER	0xffffffff81000020ull
#define PAGE	4096

static struct input in;
static struct keys k;
static struct analysis a;

/* Module one was at the address up to number 100, module two from 110 on. */
static const char module_log[] =
	"module one - - 100 0xffffffffc0001000 4096 0x0 0\n"
	"ffffffffc0001000 t first\n"
	"module two 110 120 - 0xffffffffc0001000 4096 0x0 0\n"
	"ffffffffc0001000 t second\n";

static void setup(const char *by, const char *log)
{
	in = (struct input){ .page_size = PAGE };
	in.names = names_create();
	ck_assert_ptr_nonnull(in.names);
	names_add_kallsyms(in.names, "ffffffff81000000 T alpha\n"
			   "ffffffffc0001000 t probe\t[driver]\n");
	if (log)
		names_add_module_log(in.names, log);
	stackdefs_init(&in.defs);
	k = (struct keys){ .count = 0 };
	ck_assert(keys_parse(&k, by));
	keys_init(&k, &in);
	analysis_init(&a, k.given ? BY_GIVEN : k.by[0], PAGE);
}

static void teardown(void)
{
	analysis_exit(&a);
	keys_exit(&k);
	stackdefs_exit(&in.defs);
	names_destroy(in.names);
}

/* Adds an allocation at a call site, with a stack of @depth addresses. */
static void add(uint32_t seq, uint64_t site, size_t depth)
{
	const uint64_t callers[] = { site, CALLER, CALLER + 256 };
	struct kmt_event ev = unit_alloc(seq, 0, PAGE * (1ull + seq), 64);

	ev.call_site = site;
	ev.features = KMT_FEATURE_STACK;
	ev.stack = stacks_get(&in.defs.stacks, callers, depth);
	if (k.given)
		a.given = keys_find(&k, &a, &ev, NULL, 0);
	analysis_add(&a, &ev, 0);
}

static void check_text(size_t group, size_t key, const char *expected)
{
	char text[1024];

	keys_text(&k, &a.groups.groups[group], key, text, sizeof(text));
	ck_assert_str_eq(text, expected);
}

START_TEST(lists_of_keys)
{
	static const char *const bad[] = {
		"", ",", "site,", ",site", "moon", "site,site", "sit", "sites",
		"site,cache,gfp,order,node,cpu,size,stack,process",
	};
	struct keys keys;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!keys_parse(&keys, bad[i]), "%s", bad[i]);
	ck_assert(keys_parse(&keys, "stack,comm"));
	ck_assert_uint_eq(keys.count, 2);
	ck_assert_int_eq(keys.by[1], BY_COMM);
	ck_assert(keys_need_records(&keys));
	/* each row has a kind anyway */
	ck_assert(keys_parse(&keys, "kind,site"));
	ck_assert_uint_eq(keys.count, 1);
	ck_assert_int_eq(keys.by[0], BY_SITE);
	ck_assert(!keys_need_records(&keys));
	ck_assert(keys_parse(&keys, "kind"));
	ck_assert_int_eq(keys.by[0], BY_KIND);
}
END_TEST

START_TEST(several_keys)
{
	setup("function,module,stack", NULL);
	add(1, CALLER, 1);
	add(2, SITE, 2);
	add(3, CALLER + 16, 1); /* same function, other stack */
	add(4, CALLER, 1);
	add(5, 0, 0);
	ck_assert_uint_eq(a.groups.count, 4);
	ck_assert_uint_eq(a.groups.groups[0].allocs, 2);
	check_text(0, 0, "alpha");
	check_text(0, 1, "kernel");
	check_text(0, 2, "alpha+0x20");
	check_text(1, 0, "probe [driver]");
	check_text(1, 1, "driver");
	check_text(1, 2, "probe+0x10 [driver]");
	check_text(2, 0, "alpha");
	check_text(2, 2, "alpha+0x30");
	check_text(3, 0, "(unknown)");
	check_text(3, 1, "(unknown)");
	check_text(3, 2, "(empty)");
	teardown();
}
END_TEST

START_TEST(frames)
{
	struct keys_frames f;

	setup("stack", NULL);
	add(1, SITE, 3);
	keys_frames(&k, &a.groups.groups[0], 0, &f);
	ck_assert(f.recorded);
	ck_assert_uint_eq(f.depth, 3);
	ck_assert_uint_eq(f.callers[0], SITE);
	ck_assert_uint_eq(f.callers[2], CALLER + 256);
	teardown();
}
END_TEST

/* The same addresses were in two modules: these are two stacks. */
START_TEST(modules_that_come_and_go)
{
	struct keys_frames f;

	setup("stack", module_log);
	ck_assert(k.given);
	add(50, SITE, 2);
	add(150, SITE, 2);
	add(51, SITE, 2);
	add(52, CALLER, 1);
	ck_assert_uint_eq(a.groups.count, 3);
	ck_assert_uint_eq(a.groups.groups[0].allocs, 2);
	check_text(0, 0, "first+0x10 [one]");
	check_text(1, 0, "second+0x10 [two]");
	check_text(2, 0, "alpha+0x20");
	keys_frames(&k, &a.groups.groups[1], 0, &f);
	ck_assert_uint_eq(f.depth, 2);
	ck_assert_uint_ne(f.places[0], 0);
	ck_assert_uint_eq(f.places[1], 0);
	teardown();
	setup("site,module", module_log);
	add(50, SITE, 0);
	add(150, SITE, 0);
	ck_assert_uint_eq(a.groups.count, 2);
	check_text(0, 0, "first+0x10 [one]");
	check_text(1, 0, "second+0x10 [two]");
	check_text(1, 1, "two");
	teardown();
}
END_TEST

/* --- call trees ----------------------------------------------------------- */

static const struct calltree_node *child(const struct calltree *t,
					 const struct calltree_node *n)
{
	ck_assert_ptr_nonnull(n);
	return calltree_at(t, n->child);
}

static void make_tree(struct calltree *t, bool callees_first)
{
	struct keys_frames f;
	size_t i;

	calltree_init(t);
	for (i = 0; i < a.groups.count; i++) {
		const struct group *g = &a.groups.groups[i];
		const uint64_t figures[CALLTREE_FIGURES] = {
			[CALLTREE_LIVE] = group_live(g),
			[CALLTREE_OBJECTS] = group_objects(g),
			[CALLTREE_ALLOCS] = g->allocs,
		};

		keys_frames(&k, g, 0, &f);
		calltree_add(t, SITE_SLAB, figures, f.callers, f.places, f.depth, callees_first);
	}
	calltree_sort(t, CALLTREE_LIVE);
}

START_TEST(tree)
{
	const struct calltree_node *n;
	struct calltree t;

	setup("stack", NULL);
	add(1, SITE, 3);
	add(2, SITE, 3);
	add(3, SITE + 16, 3);
	add(4, SITE + 16, 2); /* ends where the others go on */
	make_tree(&t, false);
	n = calltree_at(&t, t.roots[SITE_SLAB]);
	ck_assert_uint_eq(n->figure[CALLTREE_LIVE], 256);
	ck_assert_uint_eq(n->children, 2);
	ck_assert_ptr_null(calltree_at(&t, t.roots[SITE_PAGE]));
	/* the outermost functions, the largest first */
	n = child(&t, n);
	ck_assert_uint_eq(n->address, CALLER + 256);
	ck_assert_uint_eq(n->figure[CALLTREE_ALLOCS], 3);
	ck_assert_uint_eq(calltree_at(&t, n->next)->address, CALLER);
	n = calltree_only_child(&t, n);
	ck_assert_ptr_nonnull(n);
	ck_assert_uint_eq(n->address, CALLER);
	ck_assert_ptr_null(calltree_only_child(&t, n));
	n = child(&t, n);
	ck_assert_uint_eq(n->address, SITE);
	ck_assert_uint_eq(n->own[CALLTREE_OBJECTS], 2);
	calltree_free(&t);

	make_tree(&t, true);
	n = child(&t, calltree_at(&t, t.roots[SITE_SLAB]));
	/* with equal figures, the lower address is first */
	ck_assert_uint_eq(n->address, SITE);
	n = child(&t, calltree_at(&t, n->next));
	ck_assert_uint_eq(n->address, CALLER);
	ck_assert_uint_eq(n->own[CALLTREE_LIVE], 64);
	ck_assert_ptr_null(calltree_only_child(&t, n));
	calltree_free(&t);
	teardown();
}
END_TEST

UNIT_MAIN("keys", lists_of_keys, several_keys, frames,
	  modules_that_come_and_go, tree)
