// SPDX-License-Identifier: GPL-2.0-only
/* The syntax of histograms. */
#include "kmt_hist.h"
#include "unit.h"

#define ALLOC KMT_EVENT_KIND(KMEMTRACE_EVENT_ALLOC, KMEMTRACE_TYPE_KMALLOC)
#define CACHE KMT_EVENT_KIND(KMEMTRACE_EVENT_ALLOC, KMEMTRACE_TYPE_CACHE)
#define FREE  KMT_EVENT_KIND(KMEMTRACE_EVENT_FREE, KMEMTRACE_TYPE_KMALLOC)

static struct kmt_hist_spec spec;
static enum kmt_hist_error error;

static const char *parse(const char *text, unsigned int kind)
{
	memset(&spec, 0xa5, sizeof(spec));
	return kmt_hist_parse(text, strlen(text), kind, &spec, &error);
}

static void check_field(const struct kmt_hist_field *f, const char *name,
			enum kmt_hist_form form)
{
	ck_assert_str_eq(f->name, name);
	ck_assert_int_eq(f->form, form);
}

START_TEST(a_histogram_counts_by_its_keys)
{
	ck_assert_ptr_null(parse("keys=call_site.sym", ALLOC));
	ck_assert_uint_eq(spec.nr_keys, 1);
	check_field(&spec.keys[0], "call_site", KMT_HIST_SYM);
	ck_assert_uint_eq(spec.key_size, 8);
	ck_assert_uint_eq(spec.nr_values, 1);
	check_field(&spec.values[0], "hitcount", KMT_HIST_PLAIN);
	ck_assert_uint_eq(spec.nr_sorts, 1);
	ck_assert(!spec.sorts[0].is_key && !spec.sorts[0].descending);
	ck_assert_uint_eq(spec.sorts[0].index, 0);
	ck_assert_uint_eq(spec.size, 2048);
	ck_assert(!spec.live && !spec.pause && !spec.resume && !spec.clear &&
		  !spec.no_hits);
	ck_assert_uint_eq(spec.groups, 0);
	ck_assert_ptr_null(parse("keys=cgroup.path,nid", ALLOC));
	check_field(&spec.keys[0], "cgroup", KMT_HIST_PATH);
	ck_assert_uint_eq(spec.groups, KMT_FEATURE_CGROUP | KMT_GROUP_NID);
}
END_TEST

START_TEST(a_key_has_room_for_its_field)
{
	ck_assert_ptr_null(
		parse("key=comm,cache,stacktrace,pid.execname", CACHE));
	ck_assert_uint_eq(spec.nr_keys, 4);
	ck_assert_uint_eq(spec.keys[1].offset, 16);
	ck_assert_uint_eq(spec.keys[2].offset, 64);
	check_field(&spec.keys[2], "common_stacktrace", KMT_HIST_PLAIN);
	ck_assert_uint_eq(spec.keys[3].offset, 192);
	check_field(&spec.keys[3], "pid", KMT_HIST_EXECNAME);
	ck_assert_uint_eq(spec.key_size, 200);
	ck_assert_uint_eq(spec.groups, KMT_FEATURE_TASK | KMT_GROUP_CACHE_NAME |
					       KMT_FEATURE_STACK);
}
END_TEST

START_TEST(values_and_orders_of_any_attribute_order)
{
	ck_assert_ptr_null(
		parse("sort=live.descending,bytes_req:size=0x81:"
		      "vals=hitcount,bytes_alloc.graph,live,live_count:"
		      "keys=bytes_req.buckets=0x40:pause:nohitcount",
		      ALLOC));
	ck_assert_uint_eq(spec.nr_values, 4);
	check_field(&spec.values[1], "bytes_alloc", KMT_HIST_GRAPH);
	ck_assert_int_eq(spec.values[2].source, KMT_HIST_LIVE);
	ck_assert_int_eq(spec.values[3].source, KMT_HIST_LIVE_COUNT);
	check_field(&spec.keys[0], "bytes_req", KMT_HIST_BUCKETS);
	ck_assert_uint_eq(spec.keys[0].width, 64);
	ck_assert_uint_eq(spec.nr_sorts, 2);
	ck_assert(!spec.sorts[0].is_key && spec.sorts[0].descending);
	ck_assert_uint_eq(spec.sorts[0].index, 2);
	ck_assert(spec.sorts[1].is_key && !spec.sorts[1].descending);
	ck_assert_uint_eq(spec.size, 256);
	ck_assert(spec.live && spec.pause && spec.no_hits);
}
END_TEST

START_TEST(an_order_may_have_the_form_of_its_field)
{
	ck_assert_ptr_null(
		parse("keys=bytes_req.buckets=10:vals=bytes_alloc.percent:"
		      "sort=bytes_req.buckets=10.descending,bytes_alloc.percent",
		      ALLOC));
	ck_assert(spec.sorts[0].is_key && spec.sorts[0].descending);
	ck_assert(!spec.sorts[1].is_key && !spec.sorts[1].descending);
	ck_assert_uint_eq(spec.sorts[1].index, 1);
}
END_TEST

static void check_refused(const char *text, enum kmt_hist_error why, size_t at)
{
	const char *wrong = parse(text, ALLOC);

	ck_assert_msg(wrong, "%s", text);
	ck_assert_msg(error == why, "%s: %s", text, kmt_hist_text(error));
	ck_assert_msg(wrong == text + at, "%s: at %td", text, wrong - text);
}

START_TEST(errors_are_pointed_at)
{
	check_refused("", KMT_HIST_NO_KEY, 0);
	check_refused("vals=bytes_req", KMT_HIST_NO_KEY, 0);
	check_refused("pid", KMT_HIST_BAD_ATTRIBUTE, 0);
	check_refused("keys", KMT_HIST_BAD_ATTRIBUTE, 0);
	check_refused("keys=pid:pause=1", KMT_HIST_BAD_ATTRIBUTE, 9);
	check_refused("keys=pid:name=mine", KMT_HIST_BAD_ATTRIBUTE, 9);
	check_refused("keys=pid::pause", KMT_HIST_BAD_ATTRIBUTE, 9);
	check_refused("keys=pid:key=tgid", KMT_HIST_TWICE, 9);
	check_refused("keys=", KMT_HIST_NO_FIELD, 5);
	check_refused("keys=pid,", KMT_HIST_NO_FIELD, 9);
	check_refused("keys=pid,none", KMT_HIST_NO_FIELD, 9);
	check_refused("keys=hitcount", KMT_HIST_NO_FIELD, 5);
	check_refused("keys=live", KMT_HIST_NO_FIELD, 5);
	check_refused("keys=order", KMT_HIST_NO_FIELD, 5);
	check_refused("keys=pid.", KMT_HIST_BAD_FORM, 9);
	check_refused("keys=pid.none", KMT_HIST_BAD_FORM, 9);
	check_refused("keys=pid.percent", KMT_HIST_BAD_FORM, 9);
	check_refused("keys=pid.buckets", KMT_HIST_BAD_FORM, 9);
	check_refused("keys=pid.buckets=0", KMT_HIST_BAD_FORM, 9);
	check_refused("keys=pid.buckets=9x", KMT_HIST_BAD_FORM, 9);
	check_refused("keys=comm.log2", KMT_HIST_BAD_FORM, 10);
	check_refused("keys=tgid.execname", KMT_HIST_BAD_FORM, 10);
	check_refused("keys=pid.path", KMT_HIST_BAD_FORM, 9);
	check_refused("keys=pid:vals=bytes_req.log2", KMT_HIST_BAD_FORM, 24);
	check_refused("keys=pid:vals=comm", KMT_HIST_NO_NUMBER, 14);
	check_refused("keys=pid:vals=stacktrace", KMT_HIST_NO_NUMBER, 14);
	check_refused("keys=pid,pid,pid,pid,pid", KMT_HIST_TOO_MANY, 21);
	check_refused("keys=pid:vals=pid,pid,pid,pid,pid,pid",
		      KMT_HIST_TOO_MANY, 34);
	check_refused("keys=pid:sort=pid,pid,pid", KMT_HIST_TOO_MANY, 22);
	check_refused("keys=pid:size=", KMT_HIST_BAD_SIZE, 14);
	check_refused("keys=pid:size=0", KMT_HIST_BAD_SIZE, 14);
	check_refused("keys=pid:size=131073", KMT_HIST_BAD_SIZE, 14);
	check_refused("keys=pid:sort=bytes_req", KMT_HIST_BAD_SORT, 14);
	check_refused("keys=pid:sort=pid.up", KMT_HIST_BAD_SORT, 18);
	check_refused("keys=pid:sort=pid.hex", KMT_HIST_BAD_SORT, 18);
	check_refused("keys=pid.buckets=2:sort=pid.buckets=3", KMT_HIST_BAD_SORT,
		      28);
	check_refused("keys=pid:nohitcount", KMT_HIST_NO_VALUE, 0);
}
END_TEST

START_TEST(only_allocations_are_live)
{
	const char *text = "keys=call_site:vals=live";

	ck_assert_ptr_null(parse(text, ALLOC));
	ck_assert_ptr_eq(parse(text, FREE), text + 20);
	ck_assert_int_eq(error, KMT_HIST_NOT_LIVE);
}
END_TEST

START_TEST(histograms_are_the_same_if_they_print_the_same)
{
	static const struct {
		const char *a, *b;
		bool same;
	} cases[] = {
		{"keys=pid", "key=pid:vals=hitcount:size=128:pause", true},
		{"keys=pid", "keys=common_pid", false},
		{"keys=pid", "keys=tgid", false},
		{"keys=pid", "keys=pid.hex", false},
		{"keys=pid.buckets=2", "keys=pid.buckets=3", false},
		{"keys=pid", "keys=pid,tgid", false},
		{"keys=pid", "keys=pid:vals=live", false},
		{"keys=pid:vals=live", "keys=pid:vals=live_count", false},
		{"keys=pid", "keys=pid:sort=pid", false},
		{"keys=pid", "keys=pid:sort=hitcount.descending", false},
		{"keys=pid:vals=live", "keys=pid:vals=live:nohitcount", false},
	};
	struct kmt_hist_spec a;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_ptr_null(parse(cases[i].a, ALLOC));
		a = spec;
		ck_assert_ptr_null(parse(cases[i].b, ALLOC));
		ck_assert_msg(kmt_hist_same(&a, &spec) == cases[i].same,
			      "%s, %s", cases[i].a, cases[i].b);
	}
}
END_TEST

START_TEST(forms_join_numbers)
{
	struct kmt_hist_field f = {.form = KMT_HIST_LOG2};

	ck_assert_uint_eq(kmt_hist_form_of(&f, 0), 0);
	ck_assert_uint_eq(kmt_hist_form_of(&f, 1), 0);
	ck_assert_uint_eq(kmt_hist_form_of(&f, 2), 1);
	ck_assert_uint_eq(kmt_hist_form_of(&f, 1024), 10);
	ck_assert_uint_eq(kmt_hist_form_of(&f, 1025), 11);
	ck_assert_uint_eq(kmt_hist_form_of(&f, 1ull << 63), 63);
	ck_assert_uint_eq(kmt_hist_form_of(&f, ~0ull), 64);
	f.form = KMT_HIST_BUCKETS;
	f.width = 10;
	ck_assert_uint_eq(kmt_hist_form_of(&f, 9), 0);
	ck_assert_uint_eq(kmt_hist_form_of(&f, 10), 10);
	f.form = KMT_HIST_HEX;
	ck_assert_uint_eq(kmt_hist_form_of(&f, 19), 19);
}
END_TEST

UNIT_MAIN("hist", a_histogram_counts_by_its_keys, a_key_has_room_for_its_field,
	  values_and_orders_of_any_attribute_order, errors_are_pointed_at,
	  an_order_may_have_the_form_of_its_field, only_allocations_are_live,
	  histograms_are_the_same_if_they_print_the_same, forms_join_numbers)
