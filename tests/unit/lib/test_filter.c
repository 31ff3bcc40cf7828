// SPDX-License-Identifier: GPL-2.0-only
/*
 * The filter engine is compared with the tables of tests/, and properties of all
 * filters are checked. test_filter_model.c compares the engine with a model.
 */
#include <stdio.h>

#include "base/table.h"
#include "filter_check.h"
#include "unit.h"

static struct kmt_filter_env env_all(void)
{
	return (struct kmt_filter_env){
		.groups = ~0u,
		.nr_cpus = FV_NR_CPUS,
		.function = fv_find_function,
	};
}

/* Compile in exactly kmt_filter_room() bytes. Return: NULL if the text is refused. */
static struct kmt_filter *compile(const char *text,
				  struct kmt_filter_error *error)
{
	struct kmt_filter_env env = env_all();
	struct kmt_filter *f = calloc(1, kmt_filter_room(strlen(text)));

	if (kmt_filter_compile(f, text, &env, error)) {
		const char *wrong = fv_check_shape(f, strlen(text));

		ck_assert_msg(!wrong, "%.60s: %s", text, wrong);
		return f;
	}
	ck_assert_uint_ne(error->code, KMT_FILTER_OK);
	ck_assert_uint_lt(error->code, KMT_FILTER_ERRORS);
	ck_assert_uint_ge(error->column, 1);
	ck_assert_uint_le(error->column, strlen(text) + 1);
	free(f);
	return NULL;
}

static struct kmt_filter *must_compile(const char *text)
{
	struct kmt_filter_error error;
	struct kmt_filter *f = compile(text, &error);

	ck_assert_msg(f, "%.60s: %s, column %u", text,
		      kmt_filter_text(error.code), error.column);
	return f;
}

static bool matches(const struct kmt_filter *f, enum fv_record_id record)
{
	struct fv_event e;

	fv_event_set(&e, &fv_records[record]);
	return kmt_filter_match(f, &e.ev, &e.x, NULL);
}

START_TEST(every_vector_has_its_result)
{
	struct kmt_filter *f = malloc(FV_ROOM);
	unsigned int per_group[FV_GROUPS] = {};
	struct fv_event e;
	size_t i;

	for (i = 0; i < FV_VECTORS; i++) {
		const char *wrong = fv_check_vector(&fv_vectors[i], f, &e);

		ck_assert_msg(!wrong, "%s, record %d: %s", fv_vectors[i].text,
			      fv_vectors[i].record, wrong);
		per_group[fv_vectors[i].group]++;
	}
	for (i = 0; i < FV_GROUPS; i++)
		ck_assert_uint_ge(per_group[i], 10);
	free(f);
}
END_TEST

START_TEST(every_refusal_says_why_and_where)
{
	struct kmt_filter *f = malloc(FV_ROOM);
	struct kmt_filter_error error;
	bool seen[KMT_FILTER_ERRORS] = {
		/* codes that are not in the table */
		[KMT_FILTER_OK] = true,
		[KMT_FILTER_BAD_SUBSYS_FILTER] = true,
		[KMT_FILTER_TOO_LONG] = true,
	};
	size_t i;

	for (i = 0; i < FV_REFUSED; i++) {
		const char *wrong = fv_check_refused(&fv_refused[i], f, &error);

		ck_assert_msg(!wrong, "%s: %s (%s, column %u)",
			      fv_refused[i].text, wrong,
			      kmt_filter_text(error.code), error.column);
		seen[fv_refused[i].code] = true;
	}
	for (i = 0; i < KMT_FILTER_ERRORS; i++) {
		ck_assert_msg(seen[i], "no text for %s", kmt_filter_text(i));
		ck_assert_uint_ne(strlen(kmt_filter_text(i)), 0);
	}
	free(f);
}
END_TEST

START_TEST(filters_work_without_fetch)
{
	struct kmt_filter *f = must_compile("cpu == 3 || node == -1");

	ck_assert(matches(f, FV_BARE));
	ck_assert(matches(f, FV_LAZY));
	ck_assert(!matches(f, FV_ZERO));
	free(f);
}
END_TEST

/* Append @text @n times. Return: the new end. */
static char *repeat(char *to, const char *text, size_t n)
{
	while (n--)
		to = stpcpy(to, text);
	return to;
}

static void check_length(size_t len, enum kmt_filter_error_code code)
{
	struct kmt_filter_error error;
	struct kmt_filter *f;
	char *text = malloc(len + 1);

	repeat(stpcpy(text, "ptr&1"), " ", len - 5);
	f = compile(text, &error);
	ck_assert_uint_eq(error.code, code);
	ck_assert_uint_eq(error.column, f ? 0 : len + 1);
	free(f);
	free(text);
}

START_TEST(a_filter_is_shorter_than_a_page)
{
	check_length(KMT_FILTER_TEXT_MAX - 1, KMT_FILTER_OK);
	check_length(KMT_FILTER_TEXT_MAX, KMT_FILTER_TOO_LONG);
	check_length(70000, KMT_FILTER_TOO_LONG);
}
END_TEST

#define X50 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X255 X50 X50 X50 X50 X50 "xxxxx"

/*
 * Texts whose filters take much memory for their length: "@first @again... @last",
 * with as many copies of @again as fit into a given length. If @last contains "ptr",
 * the text is a filter, and has the value of the term ptr&0x80.
 */
static const struct {
	const char *first, *again, *last;
} dense[] = {
	{ "", "ptr&0||", "ptr&0x80" },
	{ "", "(", "ptr&0x80" },
	{ "", "!(", "ptr&0x80" },
	{ "", "(ptr&0)||", "ptr&0x80" },
	{ "", "(ptr&0||", "ptr&0x80" },
	{ "ptr&0||", "!(", "ptr&0x80" },
	{ "", "!", "ptr&0x80" },
	{ "", "cpu&CPUS{0}||", "ptr&0x80" },
	{ "", "cpu&CPUS{,}||", "ptr&0x80" },
	{ "", "cpu&CPUS{0,1}||", "ptr&0x80" },
	{ "cpu&CPUS{3,2", ",0", "}&&ptr&0x80" },
	{ "cpu&CPUS{0", ",0", "}||ptr&0x80" },
	{ "cpu&CPUS{N", ",N", "}||ptr&0x80" },
	{ "", "comm~''||", "ptr&0x80" },
	{ "", "comm~'x'||", "ptr&0x80" },
	{ "", "comm~'" X255 "'||", "ptr&0x80" },
	{ "", "comm~'x'||cpu&CPUS{1,2}||", "ptr&0x80" },
	{ "comm~'", "x", "'||ptr&0x80" },
	{ "ptr&0||comm!='", "*", "'&&ptr&0x80" },
	{ "", "ptr.function==do_work ||", "ptr&0x80" },
	/* malformed */
	{ "", ")", "" },
	{ "", "ptr&1||", "x" },
	{ "", "((", ")" },
	{ "'", "x", "" },
	{ "cpu&CPUS{0", ",0", "" },
	{ "cpu&CPUS{0", ",0", ",x}" },
	{ "cpu&CPUS{", " ", "}" },
	{ "", "&&", "" },
	{ "", "\xa0", "" },
};

#define DENSE (sizeof(dense) / sizeof(dense[0]))

/* Return: a text of at most @len bytes; NULL if @len is too short. */
static char *make_dense(size_t i, size_t len)
{
	size_t fixed = strlen(dense[i].first) + strlen(dense[i].last);
	char *text = malloc(2 * len + 1), *end;
	size_t n, closing;

	if (fixed > len) {
		free(text);
		return NULL;
	}
	n = len - fixed;
	/* number of ) that each @again needs */
	closing = *dense[i].last && strchr(dense[i].again, '(') &&
		  !strchr(dense[i].again, ')');
	n /= strlen(dense[i].again) + closing;
	end = repeat(stpcpy(text, dense[i].first), dense[i].again, n);
	end = repeat(stpcpy(end, dense[i].last), ")", closing * n);
	ck_assert_uint_le(end - text, len);
	return text;
}

static unsigned int count_char(const char *text, char c)
{
	unsigned int n = 0;

	while ((text = strchr(text, c))) {
		n++;
		text++;
	}
	return n;
}

/* The filter has the value of its last term. An odd number of ! inverts it. */
static void check_dense(const char *text, const struct kmt_filter *f)
{
	bool odd = strchr(text, '!') && !strchr(text, '=') &&
		   count_char(text, '!') % 2;

	ck_assert_msg(matches(f, FV_KMALLOC) == !odd, "%.60s", text);
	ck_assert_msg(matches(f, FV_PAGES) == odd, "%.60s", text);
}

START_TEST(the_room_is_enough)
{
	struct kmt_filter_error error;
	size_t i, len, accepted;

	for (i = 0; i < DENSE; i++) {
		accepted = 0;
		for (len = 1; len < KMT_FILTER_TEXT_MAX;
		     len += len < 300 || len > 4080 ? 1 : 97) {
			char *text = make_dense(i, len);
			struct kmt_filter *f;

			if (!text)
				continue;
			f = compile(text, &error);
			accepted += !!f;
			if (f && strstr(dense[i].last, "ptr"))
				check_dense(text, f);
			free(f);
			free(text);
		}
		if (strstr(dense[i].last, "ptr"))
			ck_assert_msg(accepted > 200, "%s", dense[i].again);
	}
}
END_TEST

/*
 * Blanks at the end of the text leave room between the parts of a filter while it is
 * compiled. If parts of the dense filter overlapped, the two filters would differ.
 */
START_TEST(dense_filters_do_not_overlap)
{
	struct kmt_filter_error error;
	size_t i;

	for (i = 0; i < DENSE; i++) {
		char *text = make_dense(i, 2000);
		struct kmt_filter *f = compile(text, &error), *roomy;

		text = realloc(text, 4096);
		repeat(text + strlen(text), " ", 4000 - strlen(text));
		roomy = compile(text, &error);
		ck_assert_int_eq(!f, !roomy);
		if (f) {
			ck_assert_uint_eq(f->size, roomy->size);
			ck_assert_mem_eq(f, roomy, f->size);
		}
		free(roomy);
		free(f);
		free(text);
	}
}
END_TEST

START_TEST(as_many_terms_as_fit)
{
	char *text = make_dense(0, KMT_FILTER_TEXT_MAX - 1);
	struct kmt_filter *f = must_compile(text);
	struct fv_event e;
	u8 visited[600] = {};
	size_t i;

	ck_assert_uint_eq(f->nr_terms, (4095 - strlen("ptr&0x80")) / 7 + 1);
	fv_event_set(&e, &fv_records[FV_KMALLOC]);
	ck_assert(kmt_filter_match_noting(f, &e.ev, &e.x, NULL, visited));
	for (i = 0; i < f->nr_terms; i++)
		ck_assert_uint_eq(visited[i], 1);
	ck_assert_uint_eq(visited[f->nr_terms], 0);
	free(f);
	free(text);
}
END_TEST

START_TEST(steps_are_those_of_all_terms)
{
	static const struct {
		const char *text;
		u32 steps;
	} rows[] = {
		{ "bytes_req == 1", 1 },
		{ "!(bytes_req > 1 && cpu == 2) || node & 4", 3 },
		{ "comm == 'a' || comm ~ 'b*' || cache == 'c' || CPU & CPUS{1-3}", 4 * KMT_COMM_LEN },
		{ "stack == 1", KMT_STACK_MAX },
		{ "live_bytes > 1M || live_objects == 0", 2 * KMT_STACK_MAX },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kmt_filter *f = must_compile(rows[i].text);

		ck_assert_msg(kmt_filter_steps(f) == rows[i].steps, "%s: %u", rows[i].text,
			      kmt_filter_steps(f));
		free(f);
	}
}
END_TEST

/* A copy of f->size bytes is a complete filter: it has no pointers to the original. */
START_TEST(a_filter_can_be_copied)
{
	size_t i;

	for (i = 0; i < FV_VECTORS; i++) {
		const struct fv_vector *v = &fv_vectors[i];
		struct kmt_filter *f = must_compile(v->text);
		struct kmt_filter *copy = malloc(f->size);
		struct fv_event e;

		memcpy(copy, f, f->size);
		memset(f, 0xff, kmt_filter_room(strlen(v->text)));
		free(f);
		fv_event_set(&e, &fv_records[v->record]);
		ck_assert_msg(kmt_filter_match(copy, &e.ev, &e.x, fv_fetch) ==
				      v->match,
			      "%s", v->text);
		free(copy);
	}
}
END_TEST

/* The memory is not cleared between two texts. */
START_TEST(memory_need_not_be_clean)
{
	struct kmt_filter *f = malloc(FV_ROOM);
	struct fv_event e;
	size_t i;

	for (i = 0; i < FV_VECTORS; i++) {
		memset(f, i % 2 ? 0xff : 0x55, FV_ROOM);
		ck_assert(!fv_check_vector(&fv_vectors[i], f, &e));
	}
	free(f);
}
END_TEST

START_TEST(functions_need_a_lookup)
{
	struct kmt_filter_env env = env_all();
	struct kmt_filter *f = malloc(FV_ROOM);
	struct kmt_filter_error error;

	env.function = NULL;
	ck_assert(!kmt_filter_compile(f, "ptr.function == do_work", &env,
				      &error));
	ck_assert_uint_eq(error.code, KMT_FILTER_NO_FUNCTION);
	free(f);
}
END_TEST

static bool on_cpu(const char *text, u32 nr_cpus, s32 cpu)
{
	struct kmt_filter_env env = env_all();
	struct kmt_filter *f = malloc(FV_ROOM);
	struct kmt_event ev = {};
	struct kmt_extra x = { .have = KMT_GROUP_CPU, .cpu = cpu };
	struct kmt_filter_error error;
	bool match;

	env.nr_cpus = nr_cpus;
	ck_assert(kmt_filter_compile(f, text, &env, &error));
	match = kmt_filter_match(f, &ev, &x, NULL);
	free(f);
	return match;
}

START_TEST(machines_small_and_large)
{
	ck_assert(on_cpu("cpu & CPUS{N}", 1, 0));
	ck_assert(on_cpu("cpu == CPUS{all}", 1, 0));
	ck_assert(!on_cpu("cpu != CPUS{0-N}", 1, 0));
	ck_assert(on_cpu("cpu & CPUS{0-N}", 8192, 8191));
	ck_assert(on_cpu("cpu == CPUS{N}", 8192, 8191));
	ck_assert(on_cpu("cpu & CPUS{0-8191:1/4096}", 8192, 4096));
	ck_assert(!on_cpu("cpu & CPUS{0-8191:1/4096}", 8192, 4097));
	ck_assert(!on_cpu("cpu & CPUS{0-8190}", 8192, 8191));
	ck_assert(on_cpu("cpu != CPUS{0-8190}", 8192, 8191));
	ck_assert(!on_cpu("cpu != CPUS{0-8190}", 8192, 8192));
}
END_TEST

#define NEAR 10

static u64 live_bytes; /* the exact number */
static int off; /* what is known first differs by this, by NEAR at most */
static unsigned int exact; /* how often the exact number was needed */

static void fetch_near(struct kmt_extra *x, struct kmt_event *ev, u32 need)
{
	u64 known = live_bytes + off;
	bool decides = kmt_filter_decides(x->term, known - NEAR, known + NEAR);

	(void)ev;
	ck_assert_uint_eq(need, KMT_GROUP_TAG);
	exact += !decides;
	x->live_bytes = decides ? known : live_bytes;
	x->near |= decides ? KMT_GROUP_TAG : 0;
	x->have |= KMT_GROUP_TAG;
}

static bool matches_live(const struct kmt_filter *f, kmt_filter_fetch fetch)
{
	struct kmt_event ev = {};
	struct kmt_extra x = { .have = fetch ? 0 : KMT_GROUP_TAG,
			       .live_bytes = live_bytes };

	return kmt_filter_match(f, &ev, &x, fetch);
}

START_TEST(a_number_that_is_near_enough_decides)
{
	static const char *const texts[] = {
		"live_bytes > 100",
		"!(live_bytes >= 100)",
		"live_bytes >= 100 && live_bytes < 130",
		"live_bytes < 100 || live_bytes > 104",
		"live_bytes == 110 || live_bytes > 125",
		"live_bytes != 115",
		"live_bytes & 8",
	};
	struct kmt_filter *f;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		f = must_compile(texts[i]);
		exact = 0;
		for (live_bytes = 60; live_bytes < 160; live_bytes++)
			for (off = -NEAR; off <= NEAR; off++)
				ck_assert_msg(matches_live(f, fetch_near) ==
						      matches_live(f, NULL),
					      "%s: %d known as %d", texts[i],
					      (int)live_bytes,
					      (int)live_bytes + off);
		/* 21 numbers are near each limit; no number decides about a mask */
		if (i < 2)
			ck_assert_uint_le(exact, 21 * 21);
		ck_assert_uint_gt(exact, 0);
		free(f);
	}
}
END_TEST

/* The names of threads that outputs print can be copied into a filter. */
START_TEST(a_printed_name_is_a_filter)
{
	static const char *const names[] = {
		"kworker/0:1", "\u4e2d\u6587 \u00e9", "inner-job-\u4e2d\xe6\x96", "\xff\xfe",
		"a\nb\tc\x7f", "\xc2\x9b" "31m", "\\x41\\x4\\y\\", "it's",
	};
	size_t i, j;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char printed[4 * KMT_COMM_LEN + 1], text[128];
		struct kmt_filter *f;

		table_escape(printed, sizeof(printed), names[i]);
		snprintf(text, sizeof(text), "comm == \"%s\"", printed);
		f = must_compile(text);
		for (j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
			struct fv_event e;

			fv_event_set(&e, &fv_records[FV_KMALLOC]);
			memcpy(e.x.comm, (char[KMT_COMM_LEN]){}, KMT_COMM_LEN);
			memcpy(e.x.comm, names[j], strlen(names[j]));
			ck_assert_msg(kmt_filter_match(f, &e.ev, &e.x, NULL) == (i == j),
				      "%s, and the name %zu", text, j);
		}
		free(f);
	}
}
END_TEST

UNIT_MAIN("filter", every_vector_has_its_result,
	  every_refusal_says_why_and_where,
	  filters_work_without_fetch,
	  a_filter_is_shorter_than_a_page, the_room_is_enough,
	  dense_filters_do_not_overlap, as_many_terms_as_fit,
	  steps_are_those_of_all_terms, a_filter_can_be_copied, memory_need_not_be_clean,
	  functions_need_a_lookup, machines_small_and_large,
	  a_number_that_is_near_enough_decides, a_printed_name_is_a_filter)
