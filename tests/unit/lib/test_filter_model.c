// SPDX-License-Identifier: GPL-2.0-only
/*
 * The filter engine is compared with a model. A random filter is made as a tree and
 * written as text, in one of many ways. The engine compiles the text. The model walks
 * the tree; it is slow, but simple.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "filter_check.h"
#include "unit.h"

#define EVENTS_EACH	3
#define MAX_DEPTH	7
#define MAX_NODES	512

/* --- pseudo-random numbers, the same in every run ------------------------- */

static u64 seed;

static u32 chance(u32 n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 20) % n;
}

#define PICK(array) ((array)[chance(sizeof(array) / sizeof((array)[0]))])

/* --- the text ------------------------------------------------------------- */

static char text[1 << 17];
static size_t len;

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	len += vsnprintf(text + len, sizeof(text) - len, format, args);
	va_end(args);
}

static void put_blank(void)
{
	static const char *const blanks[] = { "", "", "", " ", "  ", "\t", "\n" };

	put("%s", PICK(blanks));
}

/* --- numbers -------------------------------------------------------------- */

enum { EQ, NE, LT, LE, GT, GE, AND, GLOB, OPS };

static const char *const ops[OPS] = { "==", "!=", "<", "<=",
				      ">",  ">=", "&", "~" };

/* Return: the value of @v in a field of the width and sign of @field. */
static u64 cut(const struct kmt_field *field, u64 v)
{
	switch (field->size) {
	case 1:
		return field->is_signed ? (u64)(s64)(s8)v : (u8)v;
	case 2:
		return field->is_signed ? (u64)(s64)(s16)v : (u16)v;
	case 4:
		return field->is_signed ? (u64)(s64)(s32)v : (u32)v;
	}
	return v;
}

static bool model_number(const struct kmt_field *field, int op, u64 value,
			 u64 constant)
{
	u64 c = cut(field, constant);
	bool less = field->is_signed ? (s64)value < (s64)c : value < c;

	switch (op) {
	case EQ:
		return value == c;
	case NE:
		return value != c;
	case LT:
		return less;
	case LE:
		return less || value == c;
	case GT:
		return !less && value != c;
	case GE:
		return !less;
	}
	return (value & c) != 0;
}

static const char *const numbers[] = { "%" PRIu64, "%#" PRIx64, "%#" PRIX64,
				       "%#" PRIo64 };

static void put_number(const struct kmt_field *field, u64 c)
{
	bool negative = field->is_signed && (s64)c < 0;
	/* all 64 bits: only the comparison cuts the number to the field */
	u64 v = negative ? -c : c;
	char number[32];

	/* large octal numbers are too long with a sign or a unit */
	snprintf(number, sizeof(number), numbers[chance(v >> 60 ? 3 : 4)], v);
	if (field->kind == KMT_FIELD_NS) {
		if (v % 3600000000000 == 0 && chance(2))
			put("%" PRIu64 "h", v / 3600000000000);
		else if (v % 1000000 == 0 && chance(2))
			put("%" PRIu64 "ms", v / 1000000);
		else
			put("%s%s", number, chance(3) ? "" : "ns");
		return;
	}
	put("%s", negative ? "-" : "");
	if (v % (1 << 20) == 0 && chance(2))
		put("%#" PRIx64 "M", v >> 20);
	else if (v % 1024 == 0 && chance(2))
		put("%" PRIu64 "K", v >> 10);
	else
		put("%s", number);
}

static const u64 limits[] = {
	0, 1, 2, 3, 7, 8, 42, 0x7f, 0x80, 0x81, 0xff, 0x100, 0x7fff, 0x8000,
	0xffff, 0x10000, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
	0x100000000, 3600000000000, 0x7fffffffffffffff, 0x8000000000000000,
	0x8000000000000001, -3ull, -2ull, -1ull, -128ull, -129ull, -32768ull,
	-0x80000000ull, -0x80000001ull
};

/* --- lists of CPUs -------------------------------------------------------- */

struct cpu_list {
	bool in[FV_NR_CPUS];
	char text[128];
	size_t len;
};

/* "first-last:used/group", as the kernel's bitmap_parselist() describes it */
static void add_region(struct cpu_list *l, u32 first, u32 last, u32 used,
		       u32 group)
{
	u32 cpu;

	for (cpu = first; cpu <= last; cpu++)
		if ((cpu - first) % group < used)
			l->in[cpu] = true;
}

static void make_cpus(struct cpu_list *l)
{
	static const char *const between[] = { ",", " ", ",,", " , " };
	u32 n = chance(4);

	memset(l, 0, sizeof(*l));
	l->len = sprintf(l->text, "%s", n ? "" : " ");
	while (n--) {
		u32 first = chance(FV_NR_CPUS);
		u32 last = first + chance(FV_NR_CPUS - first);
		u32 group = 1 + chance(10), used = chance(group + 1);
		char *end = l->text + l->len;

		if (chance(2)) {
			l->len += sprintf(end, "%u%s", first, n ? "," : "");
			last = first, used = group;
		} else if (chance(3)) {
			l->len += sprintf(end, "%u-%u%s", first, last,
					  PICK(between));
			used = group;
		} else {
			l->len += sprintf(end, "%u-%u:%u/%u%s", first, last,
					  used, group, PICK(between));
		}
		add_region(l, first, last, used, group);
	}
}

/*
 * A list of one CPU is compared like the number of that CPU. Any other list equals no
 * number. For a number that is not a CPU, such a list is false with every operator.
 */
static bool model_cpus(const struct kmt_field *field, int op, u64 value,
		       const struct cpu_list *l)
{
	u64 width = field->size == 8 ? -1ull : (1ull << field->size * 8) - 1;
	u32 cpu = value & width, i, n = 0, last = 0;

	for (i = 0; i < FV_NR_CPUS; i++) {
		n += l->in[i];
		if (l->in[i])
			last = i;
	}
	if (n == 1)
		return (value == last) == (op != NE);
	if (op == EQ || cpu >= FV_NR_CPUS)
		return false;
	return op == NE || l->in[cpu];
}

/* --- strings -------------------------------------------------------------- */

/*
 * @p: the text behind the [ of a class
 * Return: the text behind the ] of the class; NULL if it is no class
 */
static const char *model_class(const char *p, u8 c, bool *match)
{
	bool invert = *p == '!', in = false;

	p += invert;
	do {
		u8 from = *p++, to = from;

		if (p[0] == '-' && p[1] != ']') {
			to = p[1];
			p += to ? 2 : 0;
		}
		if (!from || !to)
			return NULL;
		in |= c >= from && c <= to;
	} while (*p != ']');
	*match = in != invert;
	return p + 1;
}

static bool model_glob(const char *p, const char *s)
{
	const char *behind;
	bool match = false;

	switch (*p) {
	case '*':
		return model_glob(p + 1, s) || (*s && model_glob(p, s + 1));
	case '?':
		return *s && model_glob(p + 1, s + 1);
	case '[':
		behind = model_class(p + 1, *s, &match);
		if (!behind)
			break;
		return *s && match && model_glob(behind, s + 1);
	case '\\':
		p++;
		break;
	}
	if (!*p || !*s)
		return *p == *s;
	return *p == *s && model_glob(p + 1, s + 1);
}

/* @alphabet: few letters, so that patterns match often */
static void make_string(char *to, const char *alphabet, size_t max)
{
	size_t n = chance(max + 1);

	while (n--)
		*to++ = alphabet[chance(strlen(alphabet))];
	*to = 0;
}

/* --- terms ---------------------------------------------------------------- */

enum term_kind { NUMBER, CPUS, STRING, FUNCTION };

struct term {
	enum term_kind kind;
	const struct kmt_field *field;
	int op;
	u64 constant;
	struct cpu_list cpus;
	char string[16];
	const struct fv_function *function;
};

static const struct kmt_field *any_field(bool string)
{
	const struct kmt_field *f = NULL;
	size_t n = 0;

	while (kmt_fields[n].name)
		n++;
	while (!f || f->kind == KMT_FIELD_STACK ||
	       kmt_field_is_string(f) != string)
		f = &kmt_fields[chance(n)];
	return f;
}

static void make_term(struct term *t, const struct kmt_event *ev,
		      const struct kmt_extra *x)
{
	static const int equality[] = { EQ, NE }, cpu_ops[] = { EQ, NE, AND },
			 string_ops[] = { EQ, NE, GLOB, GLOB, GLOB };

	t->kind = (enum term_kind[]){ NUMBER, NUMBER, NUMBER, CPUS, STRING,
				      FUNCTION }[chance(6)];
	t->field = any_field(t->kind == STRING);
	switch (t->kind) {
	case NUMBER:
		t->op = chance(GLOB);
		t->constant = chance(2) ? PICK(limits) :
			      kmt_field_number(t->field, ev, x) + chance(3) - 1;
		break;
	case CPUS:
		t->op = PICK(cpu_ops);
		make_cpus(&t->cpus);
		break;
	case STRING:
		t->op = PICK(string_ops);
		make_string(t->string, t->op == GLOB ? "ab*?[]!-\\*" : "ab", 9);
		break;
	case FUNCTION:
		t->op = PICK(equality);
		while (t->field->size != 8)
			t->field = any_field(false);
		t->function = &fv_functions[chance(3)];
	}
}

static void put_term(const struct term *t)
{
	put("%s", t->field->name);
	if (t->kind == FUNCTION)
		put(".function");
	put_blank();
	put("%s", ops[t->op]);
	put_blank();
	switch (t->kind) {
	case NUMBER:
		put_number(t->field, t->constant);
		break;
	case CPUS:
		put("CPUS{%s}", t->cpus.text);
		break;
	case STRING:
		put(chance(2) ? "'%s'" : "\"%s\"", t->string);
		break;
	case FUNCTION:
		put("%s ", t->function->name);
	}
}

static bool model_term(const struct term *t, const struct kmt_event *ev,
		       const struct kmt_extra *x)
{
	const char *s, *pattern = t->string;
	u64 v;

	if (t->kind == STRING) {
		s = kmt_field_string(t->field, x);
		if (t->op != GLOB)
			return !strcmp(s, t->string) == (t->op == EQ);
		pattern += *pattern == '!';
		return model_glob(pattern, s) == (pattern == t->string);
	}
	v = kmt_field_number(t->field, ev, x);
	if (t->kind == CPUS)
		return model_cpus(t->field, t->op, v, &t->cpus);
	if (t->kind == FUNCTION)
		return (v - t->function->start < t->function->size) ==
		       (t->op == EQ);
	return model_number(t->field, t->op, v, t->constant);
}

/* --- expressions ---------------------------------------------------------- */

enum node_kind { OR_NODE, AND_NODE, NOT_NODE, TERM_NODE };

struct node {
	enum node_kind kind;
	struct node *left, *right;
	struct term term;
	u32 number;
};

static struct node nodes[MAX_NODES];
static u32 nr_nodes, nr_terms;

static struct node *make_node(u32 depth, const struct kmt_event *ev,
			      const struct kmt_extra *x)
{
	struct node *n = &nodes[nr_nodes++];

	ck_assert_uint_lt(nr_nodes, MAX_NODES);
	n->kind = depth ? chance(4) : (u32)TERM_NODE;
	if (n->kind == TERM_NODE) {
		n->number = nr_terms++;
		make_term(&n->term, ev, x);
		return n;
	}
	n->left = make_node(depth - 1, ev, x);
	if (n->kind != NOT_NODE)
		n->right = make_node(depth - 1, ev, x);
	return n;
}

/* Write parentheses where they are needed, and sometimes where they are not. */
static void put_node(const struct node *n, enum node_kind within)
{
	u32 around = (n->kind < within) + !chance(6), i;

	for (i = 0; i < around; i++) {
		put("(");
		put_blank();
	}
	if (n->kind == TERM_NODE) {
		put_term(&n->term);
	} else if (n->kind == NOT_NODE) {
		put("!");
		put_blank();
		put_node(n->left, NOT_NODE);
	} else {
		put_node(n->left, n->kind);
		put_blank();
		put(n->kind == OR_NODE ? "||" : "&&");
		put_blank();
		put_node(n->right, n->kind);
	}
	put_blank();
	for (i = 0; i < around; i++)
		put(")");
}

/**
 * struct model - evaluation of an expression for an event
 * @ev: the event
 * @x: extra data of the event
 * @known: groups that are known, or that fv_fetch() makes known
 * @visited: 1 for each term that was evaluated
 */
struct model {
	const struct kmt_event *ev;
	const struct kmt_extra *x;
	u32 known;
	u8 visited[MAX_NODES];
};

/* A ! applies to each term. A term of an unknown field is false, also with a !. */
static bool model_match(struct model *m, const struct node *n, bool negate)
{
	switch (n->kind) {
	case TERM_NODE:
		m->visited[n->number] = 1;
		if (n->term.field->group & ~m->known)
			return false;
		return model_term(&n->term, m->ev, m->x) != negate;
	case NOT_NODE:
		return model_match(m, n->left, !negate);
	default:
		if ((n->kind == AND_NODE) != negate)
			return model_match(m, n->left, negate) &&
			       model_match(m, n->right, negate);
		return model_match(m, n->left, negate) ||
		       model_match(m, n->right, negate);
	}
}

/* --- tests ---------------------------------------------------------------- */

static void set_number(const struct kmt_field *f, struct kmt_event *ev,
		       struct kmt_extra *x, u64 v)
{
	void *to = (u8 *)(f->base == KMT_IN_EVENT ? (void *)ev : x) + f->offset;
	u8 v8 = v;
	u16 v16 = v;
	u32 v32 = v;

	memcpy(to,
	       f->size == 1 ? (void *)&v8 :
	       f->size == 2 ? (void *)&v16 :
	       f->size == 4 ? (void *)&v32 :
			      (void *)&v,
	       f->size);
}

static void make_event(struct fv_event *e)
{
	static char cache_name[16];
	u32 n;

	fv_event_set(e, &fv_records[chance(FV_RECORDS)]);
	for (n = chance(12); n; n--)
		set_number(any_field(false), &e->ev, &e->x, PICK(limits));
	make_string(e->x.comm, "aaabb[]*\\-", sizeof(e->x.comm) - 1);
	make_string(cache_name, "ab", sizeof(cache_name) - 1);
	e->x.cache_name = cache_name;
	/* most groups are known; some of the others can be fetched */
	e->x.have = chance(2) ? ~0u : chance(~0u) | chance(~0u) | chance(~0u);
	e->lazy = chance(~0u);
}

static void hold_against(const struct kmt_filter *f, const struct node *root,
			 const struct fv_event *event)
{
	struct fv_event e = *event;
	struct model m = {
		.ev = &event->ev,
		.x = &event->x,
		.known = e.x.have | e.lazy,
	};
	u8 visited[MAX_NODES] = {};
	bool match = model_match(&m, root, false);
	u32 i;

	ck_assert_msg(kmt_filter_match_noting(f, &e.ev, &e.x, fv_fetch,
					      visited) == match,
		      "%s: should be %d", text, match);
	for (i = 0; i < f->nr_terms; i++)
		ck_assert_msg(visited[i] == m.visited[i],
			      "%s: term %u: visited: %d", text, i, visited[i]);
	ck_assert_uint_eq(e.asked,
			  fv_groups_missing(f, visited, event->x.have));
	ck_assert_uint_eq(e.again, 0);
	e = *event;
	ck_assert(kmt_filter_match(f, &e.ev, &e.x, fv_fetch) == match);
}

static const struct kmt_filter_env env = {
	.groups = ~0u,
	.nr_cpus = FV_NR_CPUS,
	.function = fv_find_function,
};

/* Return: the compiled filter of @text, without spare memory behind it. */
static struct kmt_filter *compile_text(void)
{
	struct kmt_filter *f = malloc(kmt_filter_room(len)), *copy;
	struct kmt_filter_error error;
	const char *wrong;

	ck_assert_msg(kmt_filter_compile(f, text, &env, &error),
		      "%s: %s, column %u", text, kmt_filter_text(error.code),
		      error.column);
	wrong = fv_check_shape(f, len);
	ck_assert_msg(!wrong, "%s: %s", text, wrong);
	copy = malloc(f->size);
	memcpy(copy, f, f->size);
	free(f);
	return copy;
}

START_TEST(random_expressions)
{
	u32 i, n, matched = 0, long_ones = 0, expressions = getenv("QUICK") ? 5000 : 50000;
	struct fv_event e;

	seed = 0x6b6d656d74726163;
	for (i = 0; i < expressions; i++) {
		struct node *root;
		struct kmt_filter *f;

		make_event(&e);
		nr_nodes = nr_terms = len = 0;
		root = make_node(chance(MAX_DEPTH + 1), &e.ev, &e.x);
		put_blank();
		put_node(root, OR_NODE);
		if (len >= KMT_FILTER_TEXT_MAX) {
			i--;
			continue;
		}
		f = compile_text();
		ck_assert_uint_eq(f->nr_terms, nr_terms);
		long_ones += nr_terms > 8;
		for (n = 0; n < EVENTS_EACH; n++) {
			struct fv_event before = e;

			hold_against(f, root, &e);
			matched += kmt_filter_match(f, &e.ev, &e.x, fv_fetch);
			e = before;
			make_event(&e);
		}
		free(f);
	}
	/* the test is only useful if both results and long filters are frequent */
	ck_assert_uint_ge(matched, expressions * EVENTS_EACH / 10);
	ck_assert_uint_le(matched, expressions * EVENTS_EACH * 9 / 10);
	ck_assert_uint_ge(long_ones, expressions / 50);
}
END_TEST

static void hold_number_against(const struct kmt_field *field, int op, u64 c)
{
	struct kmt_filter *f;
	size_t i;

	len = 0;
	put("%s%s", field->name, ops[op]);
	put_number(field, c);
	f = compile_text();
	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct kmt_event ev = {};
		struct kmt_extra x = { .have = ~0u };
		u64 v = cut(field, limits[i]);

		set_number(field, &ev, &x, v);
		ck_assert_msg(kmt_filter_match(f, &ev, &x, NULL) ==
				      model_number(field, op, v, c),
			      "%s, of %" PRId64, text, (s64)v);
	}
	free(f);
}

/* Compare every number field with all limits, with all operators. */
START_TEST(every_number)
{
	const struct kmt_field *field;
	size_t i;
	int op;

	seed = 1;
	for (field = kmt_fields; field->name; field++) {
		if (field->kind == KMT_FIELD_STACK ||
		    kmt_field_is_string(field))
			continue;
		for (op = EQ; op < GLOB; op++)
			for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
				hold_number_against(field, op, limits[i]);
	}
}
END_TEST

UNIT_MAIN("filter-model", random_expressions, every_number)
