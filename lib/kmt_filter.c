// SPDX-License-Identifier: GPL-2.0-only
#include "kmt_filter.h"
#include "kmt_filter_term.h"

/*
 * A number of any width is loaded as 8 bytes. So 8 bytes of the struct must follow the
 * start of each field.
 */
static_assert(offsetof(struct kmt_event, rec) + 8 <= sizeof(struct kmt_event),
	      "room to read a u64 of every field");
static_assert(offsetof(struct kmt_extra, stack) + 8 <= sizeof(struct kmt_extra),
	      "room to read a u64 of every field");

/* Return: 1 if @c is in the class at *@pat, 0 if not, -1 if *@pat is not a class. */
static int match_class(const char **pat, u8 c)
{
	const char *p = *pat;
	bool inverted = *p == '!', found = false;
	u8 from;

	p += inverted;
	from = *p++;
	do {
		u8 to = from;

		if (!from)
			return -1;
		if (p[0] == '-' && p[1] != ']') {
			to = p[1];
			if (!to)
				return -1;
			p += 2;
		}
		found |= from <= c && c <= to;
		from = *p++;
	} while (from != ']');
	*pat = p;
	return found != inverted;
}

/* Match one element of a pattern that is not a star. Advances *@pat if it matches. */
static bool match_one(const char **pat, u8 c)
{
	const char *p = *pat;
	u8 d = *p++;
	int in_class;

	if (!c)
		return false;
	switch (d) {
	case '?':
		break;
	case '[':
		in_class = match_class(&p, c);
		if (!in_class || (in_class < 0 && c != '['))
			return false;
		break;
	case '\\':
		d = *p++;
		fallthrough;
	default:
		if (!d || c != d)
			return false;
	}
	*pat = p;
	return true;
}

/* Only the last star needs to be tried again, because a star matches any string. */
bool kmt_filter_glob(const char *pat, const char *str)
{
	const char *star = NULL, *from = NULL;

	for (;;) {
		if (*pat == '*') {
			star = ++pat;
			from = str;
			if (!*pat)
				return true;
		} else if (!*str && !pat[*pat == '\\']) {
			/* as in the kernel, a backslash may be the last character */
			return true;
		} else if (match_one(&pat, *str)) {
			str++;
		} else {
			if (!star || !*from)
				return false;
			pat = star;
			str = ++from;
		}
	}
}

bool kmt_filter_in_cpus(const struct kmt_cpus *list, u32 cpu)
{
	u32 i;

	for (i = 0; i < list->nr_regions; i++) {
		const struct kmt_cpu_region *r = &list->region[i];

		if (cpu >= r->first && cpu <= r->last &&
		    (cpu - r->first) % r->group < r->used)
			return true;
	}
	return false;
}

/* @stack: the member of a struct kmt_extra */
static bool match_stack(const struct kmt_filter_term *t, const void *stack)
{
	const struct kmt_extra *x =
		(const void *)((const u8 *)stack -
			       offsetof(struct kmt_extra, stack));
	u32 i;

	for (i = 0; i < x->depth; i++)
		if (kmt_filter_compare(t, &x->stack[i]))
			return true;
	return false;
}

/* Evaluate a term that does not compare numbers. */
static bool match_other(const struct kmt_filter *f,
			const struct kmt_filter_term *t, const void *field)
{
	const void *data = (const u8 *)&f->term[f->nr_terms] + t->data;
	u32 cpu;

	switch (t->op) {
	case KMT_OP_CPUS:
		cpu = (kmt_filter_load(field) >> t->shift) & t->mask;
		return cpu < f->nr_cpus && kmt_filter_in_cpus(data, cpu);
	case KMT_OP_CHARS_EQUAL:
		return !strcmp(field, data);
	case KMT_OP_CHARS_GLOB:
		return kmt_filter_glob(data, field);
	case KMT_OP_STRING_EQUAL:
		return !strcmp(*(const char *const *)field, data);
	case KMT_OP_STRING_GLOB:
		return kmt_filter_glob(data, *(const char *const *)field);
	case KMT_OP_STACK:
		return match_stack(t, field);
	}
	return false;
}

/*
 * Fetch the groups that a term needs. A group that could not be fetched is not fetched
 * again, because that can take long. Return: true if all of them are known now.
 */
static bool known(const struct kmt_filter_term *t, struct kmt_event *ev,
		  struct kmt_extra *x, kmt_filter_fetch fetch, u32 *asked)
{
	u32 need = t->need & ~KMT_GROUP_NONE;
	u32 ask = need & ~x->have & ~*asked;

	*asked |= ask;
	x->near = 0;
	if (fetch && ask) {
		x->term = t;
		fetch(x, ev, ask);
		x->term = NULL;
	}
	return !(need & ~x->have);
}

/* The next term may need the exact values. */
static void forget_near(struct kmt_extra *x, u32 *asked)
{
	x->have &= ~x->near;
	*asked &= ~x->near;
}

static __always_inline bool match(const struct kmt_filter *f,
				  struct kmt_event *ev, struct kmt_extra *x,
				  kmt_filter_fetch fetch, u8 *visited)
{
	const u8 *t = (const u8 *)f->term, *end = t + f->end;
	u32 asked = 0;

	do {
		const struct kmt_filter_term *term = (const void *)t;
		const u8 *field = term->base == KMT_IN_EVENT ? (const u8 *)ev :
							       (const u8 *)x;
		bool result;

		if (visited)
			visited[term - f->term] = 1;
		field += term->offset;
		if (likely(!(term->need & (~x->have | KMT_GROUP_NONE)))) {
			result = kmt_filter_compare(term, field);
		} else if (!known(term, ev, x, fetch, &asked)) {
			result = term->unknown;
		} else {
			result = term->op == KMT_OP_NUMBER ?
					 kmt_filter_compare(term, field) :
					 match_other(f, term, field);
			forget_near(x, &asked);
		}
		t += term->next[result];
	} while (t < end);
	return t == end;
}

bool kmt_filter_match(const struct kmt_filter *f, struct kmt_event *ev,
		      struct kmt_extra *x, kmt_filter_fetch fetch)
{
	return match(f, ev, x, fetch, NULL);
}

bool kmt_filter_match_noting(const struct kmt_filter *f, struct kmt_event *ev,
			     struct kmt_extra *x, kmt_filter_fetch fetch,
			     u8 *visited)
{
	return match(f, ev, x, fetch, visited);
}

u32 kmt_filter_steps(const struct kmt_filter *f)
{
	u32 i, steps = 0;

	for (i = 0; i < f->nr_terms; i++) {
		const struct kmt_filter_term *t = &f->term[i];

		/* live bytes are sums of the counters of CPUs */
		if (t->op == KMT_OP_STACK || t->need & KMT_GROUP_TAG)
			steps += KMT_STACK_MAX;
		else
			steps += t->op == KMT_OP_NUMBER ? 1 : KMT_COMM_LEN;
	}
	return steps;
}

bool kmt_filter_decides(const struct kmt_filter_term *t, u64 from, u64 to)
{
	u64 behind = from - t->low;

	if (t->op != KMT_OP_NUMBER || t->mask != ~0ull)
		return false;
	if (behind <= t->span)
		return to - from <= t->span - behind;
	/* else the range of the term must not begin in this one */
	return t->low - from > to - from;
}

static const char *const texts[KMT_FILTER_ERRORS] = {
	[KMT_FILTER_OK] = "No error",
	[KMT_FILTER_INVALID_OP] = "Invalid operator",
	[KMT_FILTER_TOO_MANY_OPEN] = "Too many '('",
	[KMT_FILTER_TOO_MANY_CLOSE] = "Too few '('",
	[KMT_FILTER_MISSING_QUOTE] = "Missing matching quote",
	[KMT_FILTER_MISSING_BRACE_OPEN] = "Missing '{'",
	[KMT_FILTER_MISSING_BRACE_CLOSE] = "Missing '}'",
	[KMT_FILTER_OPERAND_TOO_LONG] = "Operand too long",
	[KMT_FILTER_EXPECT_STRING] = "Expecting string field",
	[KMT_FILTER_EXPECT_DIGIT] = "Expecting numeric field",
	[KMT_FILTER_ILLEGAL_FIELD_OP] = "Illegal operation for field type",
	[KMT_FILTER_FIELD_NOT_FOUND] = "Field not found",
	[KMT_FILTER_ILLEGAL_INTVAL] = "Illegal integer value",
	[KMT_FILTER_BAD_SUBSYS_FILTER] =
		"Couldn't find or set field in one of a subsystem's events",
	[KMT_FILTER_TOO_MANY_PREDS] = "Too many terms in predicate expression",
	[KMT_FILTER_INVALID_FILTER] = "Meaningless filter expression",
	[KMT_FILTER_INVALID_CPULIST] = "Invalid cpulist",
	[KMT_FILTER_INVALID_VALUE] = "Invalid value (did you forget quotes)?",
	[KMT_FILTER_NO_FUNCTION] = "Function not found",
	[KMT_FILTER_NO_FILTER] = "No filter found",
	[KMT_FILTER_TOO_LONG] = "Filter too long",
};

const char *kmt_filter_text(enum kmt_filter_error_code code)
{
	return texts[code];
}
