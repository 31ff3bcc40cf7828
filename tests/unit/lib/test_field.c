// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of fields is consistent, and it agrees with the structs and with the
 * records.
 */
#include <ctype.h>
#include <stdio.h>

#include "kmt_field.h"
#include "unit.h"

#define for_each_field(f) for (f = kmt_fields; f->name; f++)

static u32 groups_of(unsigned int kind)
{
	return kmt_kind_groups(kind) | KMT_GROUP_SEQ;
}

static bool is_number(const struct kmt_field *f)
{
	return !kmt_field_is_string(f) && f->kind != KMT_FIELD_STACK;
}

START_TEST(names_are_unique_in_each_kind)
{
	const struct kmt_field *f, *g;
	unsigned int kind;

	for (kind = 0; kind < KMT_EVENT_KINDS; kind++) {
		for_each_field(f) {
			if (f->group & ~groups_of(kind))
				continue;
			for (g = kmt_fields; g < f; g++)
				ck_assert_msg((g->group & ~groups_of(kind)) ||
						      strcmp(f->name, g->name),
					      "two fields %s", f->name);
		}
	}
}
END_TEST

START_TEST(names_suit_the_parser)
{
	const struct kmt_field *f;
	const char *c;

	for_each_field(f) {
		/* kmt_filter_room() relies on this */
		ck_assert_msg(strlen(f->name) >= 3, "%s", f->name);
		/* the parser reads any other first character as a number */
		ck_assert_msg(isalpha(f->name[0]), "%s", f->name);
		for (c = f->name; *c; c++)
			ck_assert_msg(isalnum(*c) || *c == '_', "%s", f->name);
		ck_assert_msg(*f->type && *f->help, "%s", f->name);
	}
}
END_TEST

START_TEST(fields_are_found_by_their_whole_name)
{
	const struct kmt_field *f, *found;

	for_each_field(f) {
		size_t len = strlen(f->name);
		char name[64];

		strcpy(name, f->name);
		strcpy(name + len, "_x");
		ck_assert_ptr_eq(kmt_field_find(name, len, ~0u), f);
		ck_assert_ptr_eq(kmt_field_find(name, len, f->group), f);
		ck_assert_ptr_null(kmt_field_find(name, len + 1, ~0u));
		found = kmt_field_find(name, len - 1, ~0u);
		ck_assert(!found || strlen(found->name) == len - 1);
		if (f->group)
			ck_assert_ptr_null(kmt_field_find(name, len,
							  ~f->group));
	}
	ck_assert_ptr_null(kmt_field_find("", 0, ~0u));
}
END_TEST

static size_t room_behind(const struct kmt_field *f)
{
	size_t all = f->base == KMT_IN_EVENT ? sizeof(struct kmt_event) :
					       sizeof(struct kmt_extra);

	return f->offset < all ? all - f->offset : 0;
}

START_TEST(fields_lie_within_the_structs)
{
	const struct kmt_field *f;

	for_each_field(f) {
		ck_assert_msg(f->base < KMT_BASES, "%s", f->name);
		ck_assert_msg(f->size <= room_behind(f), "%s", f->name);
		ck_assert_msg(!(f->group & (f->group - 1)),
			      "%s is in two groups", f->name);
		switch (f->kind) {
		case KMT_FIELD_CHARS:
			ck_assert_uint_eq(f->size, KMT_COMM_LEN);
			break;
		case KMT_FIELD_STRING:
			ck_assert_uint_eq(f->size, sizeof(char *));
			ck_assert_uint_eq(f->offset % sizeof(char *), 0);
			break;
		case KMT_FIELD_STACK:
			ck_assert_uint_eq(f->offset,
					  offsetof(struct kmt_extra, stack));
			break;
		default:
			/* filters read eight bytes, whatever the size */
			ck_assert_msg(room_behind(f) >= 8, "%s", f->name);
			ck_assert_msg(f->size == 1 || f->size == 2 ||
					      f->size == 4 || f->size == 8,
				      "%s", f->name);
			ck_assert_msg(f->offset % f->size == 0, "%s", f->name);
		}
		/* the group determines the struct */
		if (f->base == KMT_IN_EVENT)
			ck_assert_msg(!(f->group & KMT_FEATURES_EXTRA), "%s",
				      f->name);
	}
}
END_TEST

/* The help of an alias is the name of its field. */
START_TEST(an_alias_equals_its_field)
{
	const struct kmt_field *f, *g;

	for_each_field(f) {
		if (!f->alias)
			continue;
		g = kmt_field_find(f->help, strlen(f->help), ~0u);
		ck_assert_msg(g && g < f && !g->alias, "%s", f->name);
		ck_assert_str_eq(f->type, g->type);
		ck_assert_uint_eq(f->group, g->group);
		ck_assert_uint_eq(f->base, g->base);
		ck_assert_uint_eq(f->offset, g->offset);
		ck_assert_uint_eq(f->size, g->size);
		ck_assert_int_eq(f->is_signed, g->is_signed);
		ck_assert_int_eq(kmt_field_is_string(f),
				 kmt_field_is_string(g));
		ck_assert_int_eq(f->at, g->at);
		ck_assert_uint_eq(f->at_size, g->at_size);
	}
}
END_TEST

static const struct {
	const char *name;
	size_t size;
	bool is_signed;
} types[] = {
	{ "unsigned char", 1, false },	{ "u8", 1, false },
	{ "s8", 1, true },		{ "unsigned short", 2, false },
	{ "u16", 2, false },		{ "int", 4, true },
	{ "unsigned int", 4, false },	{ "unsigned long", 8, false },
	{ "size_t", 8, false },		{ "const void *", 8, false },
	{ "u64", 8, false },
};

START_TEST(types_match_the_record)
{
	const struct kmt_field *f;
	size_t i;

	for_each_field(f) {
		if (f->at == KMT_NOT_RECORDED)
			ck_assert_uint_eq(f->at_size, 0);
		if (!is_number(f))
			continue;
		for (i = 0; strcmp(types[i].name, f->type); i++)
			ck_assert_msg(i < sizeof(types) / sizeof(types[0]) - 1,
				      "type %s", f->type);
		if (f->at != KMT_NOT_RECORDED)
			ck_assert_msg(f->at_size == types[i].size, "%s",
				      f->name);
		ck_assert_msg(f->size >= types[i].size, "%s", f->name);
		ck_assert_msg(f->is_signed == types[i].is_signed, "%s",
			      f->name);
	}
}
END_TEST

/* --- fields in a record --------------------------------------------------- */

static void set_number(const struct kmt_field *f, struct kmt_event *ev,
		       struct kmt_extra *x, u64 v)
{
	u8 *to = (u8 *)(f->base == KMT_IN_EVENT ? (void *)ev : x) + f->offset;

	if (f->size == 1)
		*to = v;
	else if (f->size == 2)
		*(u16 *)to = v;
	else if (f->size == 4)
		*(u32 *)to = v;
	else
		*(u64 *)to = v;
}

/* Return: a number for the field. Its eight bytes are all different. */
static u64 number_for(const struct kmt_field *f)
{
	u64 n = f - kmt_fields + 1, v = 0;
	unsigned int i;

	for (i = 0; i < sizeof(v); i++)
		v = v << 8 | (0x80 | ((n * 8 + i) & 0x7f));
	return v;
}

static u64 cut(u64 v, size_t size)
{
	return size == 8 ? v : v & ((1ull << size * 8) - 1);
}

static void fill(struct kmt_event *ev, struct kmt_extra *x)
{
	const struct kmt_field *f;
	unsigned int i;

	for_each_field(f)
		if (is_number(f) && !f->alias && strcmp(f->name, "common_type"))
			set_number(f, ev, x, number_for(f));
	strcpy(x->comm, "fifteen letters");
	x->depth = 3;
	for (i = 0; i < x->depth; i++)
		x->stack[i] = 0xffffffff81000000 + i;
}

/* Return: the position that .at of the fields of @group counts from; NULL: none. */
static const u8 *start_of(const u8 *rec, size_t size, const struct kmt_event *ev,
			  u32 group)
{
	const u8 *p = rec + (ev->event_id == KMEMTRACE_EVENT_ALLOC ?
				     KMT_ALLOC_SIZE :
				     KMT_FREE_SIZE);

	if (!(group & KMT_FEATURES_ALL))
		return rec;
	while (p < rec + size) {
		const struct kmemtrace_feature *head = (const void *)p;

		if (KMT_FEATURE_BIT(head->id) == group)
			return p;
		p += head->size;
	}
	return NULL;
}

static u64 number_at(const u8 *p, size_t size)
{
	u64 v = 0;
	u32 v32;
	u16 v16;

	switch (size) {
	case 1:
		return *p;
	case 2:
		memcpy(&v16, p, 2);
		return v16;
	case 4:
		memcpy(&v32, p, 4);
		return v32;
	case 8:
		memcpy(&v, p, 8);
	}
	return v;
}

static void check_place(const struct kmt_field *f, const u8 *start, size_t left,
			const struct kmt_event *ev, const struct kmt_extra *x)
{
	size_t size = f->kind == KMT_FIELD_STACK ? x->depth * sizeof(u64) :
						   f->at_size;

	ck_assert_msg(f->at >= 0 && size && f->at + size <= left, "%s",
		      f->name);
	if (f->kind == KMT_FIELD_STACK)
		ck_assert_mem_eq(start + f->at, x->stack, size);
	else if (kmt_field_is_string(f))
		ck_assert_mem_eq(start + f->at, kmt_field_string(f, x), size);
	else
		ck_assert_msg(number_at(start + f->at, size) ==
				      cut(kmt_field_number(f, ev, x), size),
			      "%s", f->name);
}

static unsigned int check_places(u8 event_id, u8 type_id, u64 *seen)
{
	struct kmt_event ev = {};
	struct kmt_extra x = {};
	u8 rec[KMT_RECORD_MAX + 8];
	const struct kmt_field *f;
	unsigned int found = 0;
	size_t size, base;

	fill(&ev, &x);
	ev.event_id = event_id;
	ev.type_id = type_id;
	base = kmt_record_size(&ev, KMT_FEATURES_ALL);
	size = base + kmt_record_extra_size(&x, KMT_FEATURES_ALL);
	ck_assert_uint_le(size, KMT_RECORD_MAX);
	kmt_record_encode(rec, size, &ev, KMT_FEATURES_ALL);
	kmt_record_encode_extra(rec + base, &x, KMT_FEATURES_ALL);
	x.size = size;

	for_each_field(f) {
		u32 groups = groups_of(KMT_EVENT_KIND(event_id, type_id));
		const u8 *start = start_of(rec, size, &ev, f->group);

		if (f->at == KMT_NOT_RECORDED || (f->group & ~groups))
			continue;
		ck_assert_msg(start, "%s: no feature", f->name);
		check_place(f, start, rec + size - start, &ev, &x);
		*seen |= 1ull << (f - kmt_fields);
		found++;
	}
	return found;
}

START_TEST(fields_are_where_the_record_has_them)
{
	const struct kmt_field *f;
	unsigned int type;
	u64 seen = 0;

	for (type = 0; type <= KMEMTRACE_TYPE_PERCPU; type++) {
		ck_assert_uint_gt(check_places(KMEMTRACE_EVENT_ALLOC, type,
					       &seen),
				  check_places(KMEMTRACE_EVENT_FREE, type,
					       &seen));
	}
	for_each_field(f)
		ck_assert_msg(f->at == KMT_NOT_RECORDED ||
				      seen >> (f - kmt_fields) & 1,
			      "%s is in no record", f->name);
}
END_TEST

START_TEST(no_two_fields_share_a_place)
{
	const struct kmt_field *f, *g;

	for_each_field(f) {
		for (g = kmt_fields; g < f; g++) {
			if (f->alias || g->alias)
				continue;
			ck_assert_msg(f->base != g->base ||
					      f->offset >= g->offset + g->size ||
					      g->offset >= f->offset + f->size,
				      "%s and %s", f->name, g->name);
		}
	}
}
END_TEST

START_TEST(numbers_are_read_with_their_sign)
{
	struct kmt_event ev = {};
	struct kmt_extra x = {};
	const struct kmt_field *f;

	for_each_field(f) {
		u64 sign;

		if (!is_number(f))
			continue;
		sign = 1ull << (f->size * 8 - 1);
		set_number(f, &ev, &x, sign | 5);
		ck_assert_msg(kmt_field_number(f, &ev, &x) ==
				      (f->is_signed ? -sign + 5 : sign + 5),
			      "%s", f->name);
		set_number(f, &ev, &x, 5);
		ck_assert_uint_eq(kmt_field_number(f, &ev, &x), 5);
	}
}
END_TEST

START_TEST(strings_are_read_where_they_are)
{
	struct kmt_extra x = { .comm = "comm", .cache_name = "cache" };
	const struct kmt_field *f;
	unsigned int n = 0;

	for_each_field(f) {
		if (!kmt_field_is_string(f))
			continue;
		n++;
		ck_assert_str_eq(kmt_field_string(f, &x),
				 f->kind == KMT_FIELD_CHARS ? "comm" : "cache");
	}
	ck_assert_uint_ge(n, 4);
}
END_TEST

static bool knows(unsigned int type, unsigned int event, const char *name)
{
	unsigned int kind = KMT_EVENT_KIND(event, type);

	return kmt_field_find(name, strlen(name), kmt_kind_groups(kind));
}

START_TEST(each_kind_has_its_fields)
{
	unsigned int type, event;

	for (type = 0; type <= KMEMTRACE_TYPE_PERCPU; type++) {
		for (event = 0; event <= KMEMTRACE_EVENT_FREE; event++) {
			bool alloc = event == KMEMTRACE_EVENT_ALLOC;
			bool cache = type == KMEMTRACE_TYPE_CACHE;
			bool pages = type == KMEMTRACE_TYPE_PAGES;

			ck_assert(knows(type, event, "ptr"));
			ck_assert(knows(type, event, "time"));
			ck_assert(knows(type, event, "comm"));
			ck_assert(knows(type, event, "cgroup"));
			ck_assert(knows(type, event, "stack"));
			ck_assert(knows(type, event, "cpu"));
			ck_assert(knows(type, event, "common_seq"));
			ck_assert(knows(type, event, "common_size"));
			ck_assert(knows(type, event, "common_tgid"));
			ck_assert(knows(type, event, "bytes_req") == alloc);
			ck_assert(knows(type, event, "node") == alloc);
			ck_assert(knows(type, event, "live_bytes") == alloc);
			ck_assert(knows(type, event, "age") == !alloc);
			ck_assert(knows(type, event, "cache") == cache);
			ck_assert(knows(type, event, "cache_id") == cache);
			ck_assert(knows(type, event, "order") == pages);
			ck_assert(knows(type, event, "pfn") == pages);
		}
	}
}
END_TEST

START_TEST(each_kind_has_its_name)
{
	unsigned int kind, other;

	for (kind = 0; kind < KMT_EVENT_KINDS; kind++) {
		const struct kmt_kind_name *name = &kmt_kind_names[kind];

		ck_assert(name->system && name->event);
		for (other = 0; other < kind; other++)
			ck_assert_str_ne(name->event,
					 kmt_kind_names[other].event);
	}
}
END_TEST

START_TEST(kinds_are_found_by_their_names)
{
	static const char *const none[] = {
		"", ":", "kmem", "kmem:", ":kmalloc", "kmallo", "kmalloc ",
		"kmem:kmallo", "kmem:kmallocs", "kmem.kmalloc", "percpu:kfree",
		"kmemkmalloc", "mem:kmalloc", "kmem::kmalloc", "kmalloc:",
	};
	int kind;
	size_t i;

	for (kind = 0; kind < (int)KMT_EVENT_KINDS; kind++) {
		const struct kmt_kind_name *k = &kmt_kind_names[kind];
		char name[80];
		int len = sprintf(name, "%s:%s", k->system, k->event);

		strcpy(name + len, "_x");
		ck_assert_int_eq(kmt_kind_find(name, len), kind);
		ck_assert_int_eq(kmt_kind_find(name + strlen(k->system) + 1,
					       strlen(k->event)),
				 kind);
		ck_assert_int_eq(kmt_kind_find(name, len + 1), -1);
		ck_assert_int_eq(kmt_kind_find(name, len - 1), -1);
	}
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		ck_assert_msg(kmt_kind_find(none[i], strlen(none[i])) == -1,
			      "%s", none[i]);
}
END_TEST

START_TEST(every_feature_has_a_name)
{
	const struct kmt_feature_name *f;
	u32 mask, all = 0;

	for (f = kmt_feature_names; f->name; f++) {
		/* the table is sorted by bit */
		ck_assert_uint_gt(f->mask, all);
		all |= f->mask;
		mask = 0;
		ck_assert_ptr_null(kmt_features_parse(f->name, &mask));
		ck_assert_uint_eq(mask, f->mask);
	}
	ck_assert_uint_eq(all, KMT_FEATURES_ALL);
}
END_TEST

#define TIME	KMT_FEATURE_TIME
#define CACHE	KMT_FEATURE_CACHE
#define STACK	KMT_FEATURE_STACK

/*
 * Lists of features (text), the features before and after parsing, and the offset of
 * the malformed word (bad; -1: none).
 */
static const struct {
	const char *text;
	u32 before, after;
	int bad;
} lists[] = {
	{ "", TIME, TIME, -1 },
	{ " ,\t\n", TIME, TIME, -1 },
	{ "cache", TIME, CACHE, -1 },
	{ "cache,stack\n", TIME, CACHE | STACK, -1 },
	{ " stack\tcache ,", 0, CACHE | STACK, -1 },
	{ "+cache", TIME, TIME | CACHE, -1 },
	{ "+cache,+stack", TIME, TIME | CACHE | STACK, -1 },
	{ "-time", TIME | CACHE, CACHE, -1 },
	{ "-time,-cache", TIME | CACHE | STACK, STACK, -1 },
	{ "-stack", TIME, TIME, -1 },
	{ "+time,-time", CACHE, CACHE, -1 },
	{ "+stack,cache", TIME, CACHE | STACK, -1 },
	{ "cache,+stack", TIME, CACHE | STACK, -1 },
	{ "all", TIME, KMT_FEATURES_ALL, -1 },
	{ "all,-stack", 0, KMT_FEATURES_ALL & ~STACK, -1 },
	{ "none", TIME | CACHE, 0, -1 },
	{ "none +time", CACHE, TIME, -1 },
	{ "+none", TIME, TIME, -1 },
	{ "-all", TIME | STACK, 0, -1 },
	{ "tim", TIME, TIME, 0 },
	{ "times", TIME, TIME, 0 },
	{ "cache,x", TIME, TIME, 6 },
	{ "cache, +x stack", TIME, TIME, 7 },
	{ "+", TIME, TIME, 0 },
	{ "cache -", TIME, TIME, 6 },
	{ "--time", TIME, TIME, 0 },
	{ "+-time", TIME, TIME, 0 },
	{ "Time", TIME, TIME, 0 },
};

START_TEST(lists_of_features)
{
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const char *text = lists[i].text, *bad;
		u32 features = lists[i].before;

		bad = kmt_features_parse(text, &features);
		ck_assert_msg((bad ? bad - text : -1) == lists[i].bad, "%s",
			      text);
		ck_assert_msg(features == lists[i].after, "%s: %#x", text,
			      features);
	}
}
END_TEST

START_TEST(format_lists_the_common_fields_first)
{
	const struct kmt_field *f;

	for_each_field(f) {
		if (!f->alias)
			ck_assert_int_eq(f->common,
					 !strncmp(f->name, "common_", 7));
		ck_assert(f == kmt_fields || !f->common || f[-1].common);
	}
}
END_TEST

UNIT_MAIN("field", names_are_unique_in_each_kind, names_suit_the_parser,
	  fields_are_found_by_their_whole_name, fields_lie_within_the_structs,
	  an_alias_equals_its_field, types_match_the_record,
	  fields_are_where_the_record_has_them, no_two_fields_share_a_place,
	  numbers_are_read_with_their_sign, strings_are_read_where_they_are,
	  each_kind_has_its_fields, each_kind_has_its_name,
	  kinds_are_found_by_their_names, every_feature_has_a_name,
	  lists_of_features, format_lists_the_common_fields_first)
