// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the text of a filter to its program.
 *
 * Every term but the last one branches on one result and goes on to the next
 * term on the other. Where it branches to is often not known yet; then it is
 * in one of two lists, linked through next[1]: of branches that are taken
 * when the expression they are part of is true, or when it is false. An
 * expression that has been read is these two lists and its last term, of which
 * it is not known yet on which result it should branch:
 *
 *	e && ...  if the last term is false, the && is false: branch then.
 *		  What is in the list of true goes on here.
 *	e || ...  the other way round
 *	!(e)	  the lists change places, so does the last term's meaning
 *
 * So branches always lead forward, and to where they end up: no pass over the
 * program is needed to shorten them. For example
 *
 *	a && !(b || c) || d	0: a  if false, to 3
 *				1: b  if true, to 3
 *				2: c  if false, to 4 (matches)
 *				3: d  if false, to 5 (does not match)
 *
 * Nesting is kept in a stack of levels and not by recursion: the kernel's own
 * stack is small, and a text may hold thousands of parentheses.
 */
#include "kmt_filter_term.h"

#define NONE 0xffff

/**
 * struct level - an expression in parentheses, half read
 * @on_true: branches of the terms left of a pending ||
 * @on_false: branches of the terms left of a pending &&
 * @negate: an odd number of ! stands before the parenthesis
 * @parity: so it is with all that stand before it and those around it
 * @and: a && is pending
 * @or: a || is pending
 */
struct level {
	u16 on_true;
	u16 on_false;
	u8 negate : 1;
	u8 parity : 1;
	u8 and : 1;
	u8 or : 1;
};

/**
 * struct operand - an expression that was read
 * @on_true: branches to take when it is true
 * @on_false: branches to take when it is false
 * @true_if: the result of the last term that makes it true
 */
struct operand {
	u16 on_true;
	u16 on_false;
	bool true_if;
};

static size_t max_terms(size_t len)
{
	return len / 7 + 2; /* "ptr&1||" */
}

static size_t max_data(size_t len)
{
	/* "0,": a region of CPUs */
	return len / 2 * sizeof(struct kmt_cpu_region) +
	       sizeof(struct kmt_cpus);
}

size_t kmt_filter_room(size_t len)
{
	return sizeof(struct kmt_filter) +
	       max_terms(len) * sizeof(struct kmt_filter_term) +
	       max_data(len) + (len + 2) * sizeof(struct level) + 8;
}

bool kmt_parse_fail(struct kmt_parser *p, enum kmt_filter_error_code code,
		    const char *where)
{
	size_t at = where - p->text, len = strlen(p->text);

	if (at > len)
		at = len;
	p->error->code = code;
	p->error->column = at + 1;
	return false;
}

void kmt_parse_space(struct kmt_parser *p)
{
	while (kmt_is_space(*p->at))
		p->at++;
}

/* The last parenthesis that is opened and not closed. */
static const char *unclosed(const char *text, const char *end)
{
	unsigned int closed = 0;
	char quote = 0;

	while (--end > text) {
		if (quote) {
			if (*end == quote)
				quote = 0;
		} else if (*end == '\'' || *end == '"') {
			quote = *end;
		} else if (*end == ')') {
			closed++;
		} else if (*end == '(' && !closed--) {
			return end;
		}
	}
	return text;
}

/* What can be said without reading terms: event tracing says it first. */
static bool check_nesting(struct kmt_parser *p)
{
	const char *at, *quoted = NULL;
	unsigned int open = 0;
	char quote = 0;

	for (at = p->text; *at; at++) {
		if (quote) {
			if (*at == quote)
				quote = 0;
		} else if (*at == '\'' || *at == '"') {
			quote = *at;
			quoted = at;
		} else if (*at == '(') {
			open++;
		} else if (*at == ')' && !open--) {
			return kmt_parse_fail(p, KMT_FILTER_TOO_MANY_CLOSE, at);
		}
	}
	if (quote)
		return kmt_parse_fail(p, KMT_FILTER_MISSING_QUOTE, quoted);
	if (open)
		return kmt_parse_fail(p, KMT_FILTER_TOO_MANY_OPEN,
				      unclosed(p->text, at));
	return true;
}

static u16 join(struct kmt_filter *f, u16 a, u16 b)
{
	u16 i = a;

	if (a == NONE)
		return b;
	while (f->term[i].next[1] != NONE)
		i = f->term[i].next[1];
	f->term[i].next[1] = b;
	return a;
}

static void branch_to(struct kmt_filter *f, u16 list, u16 target)
{
	while (list != NONE) {
		u16 next = f->term[list].next[1];

		f->term[list].next[1] = target;
		list = next;
	}
}

/* Let the last term branch on @result; Return: @list with it. */
static u16 settle(struct kmt_filter *f, bool result, u16 list)
{
	u16 last = f->nr_terms - 1;

	f->term[last].branch_if = result;
	f->term[last].next[1] = list;
	return last;
}

static bool accept(struct kmt_parser *p, const char *operator)
{
	if (strncmp(p->at, operator, strlen(operator)))
		return false;
	p->at += strlen(operator);
	return true;
}

enum after { FAILED, OPERAND_FOLLOWS, END };

/* Read on behind an operand. */
static enum after read_operator(struct kmt_parser *p, struct level **levels,
				struct level *bottom, struct operand e)
{
	struct kmt_filter *f = p->f;
	struct level *l = *levels;

	for (;;) {
		kmt_parse_space(p);
		if (l->and)
			e.on_false = join(f, l->on_false, e.on_false);
		l->and = false;
		if (accept(p, "&&")) {
			l->on_false = settle(f, !e.true_if, e.on_false);
			branch_to(f, e.on_true, f->nr_terms);
			l->and = true;
			return OPERAND_FOLLOWS;
		}
		if (l->or)
			e.on_true = join(f, l->on_true, e.on_true);
		l->or = false;
		if (accept(p, "||")) {
			l->on_true = settle(f, e.true_if, e.on_true);
			branch_to(f, e.on_false, f->nr_terms);
			l->or = true;
			return OPERAND_FOLLOWS;
		}
		if (!*p->at) {
			/* a function's name may end in what was taken for ')' */
			if (l != bottom) {
				kmt_parse_fail(p, KMT_FILTER_TOO_MANY_OPEN,
					       p->at);
				return FAILED;
			}
			e.on_false = settle(f, !e.true_if, e.on_false);
			branch_to(f, e.on_true, f->nr_terms);
			branch_to(f, e.on_false, f->nr_terms + 1);
			return END;
		}
		if (*p->at != ')' || l == bottom) {
			kmt_parse_fail(p, KMT_FILTER_TOO_MANY_PREDS, p->at);
			return FAILED;
		}
		p->at++;
		if (l->negate) {
			u16 list = e.on_true;

			e.on_true = e.on_false;
			e.on_false = list;
			e.true_if = !e.true_if;
		}
		*levels = --l;
	}
}

/* Read an operand's first part: what comes before its term. */
static bool read_open(struct kmt_parser *p, struct level **levels, bool *negate)
{
	*negate = false;
	for (;;) {
		kmt_parse_space(p);
		if (*p->at == '!' && p->at[1] != '=' && p->at[1] != '~') {
			*negate = !*negate;
		} else if (*p->at == '(') {
			struct level *l = ++*levels;

			memset(l, 0, sizeof(*l));
			l->negate = *negate;
			l->parity = l[-1].parity ^ *negate;
			*negate = false;
		} else if (*p->at) {
			return true;
		} else if (!p->f->nr_terms) {
			return kmt_parse_fail(p, KMT_FILTER_NO_FILTER, p->at);
		} else {
			return kmt_parse_fail(p, KMT_FILTER_INVALID_FILTER,
					      p->at);
		}
		p->at++;
	}
}

static bool parse(struct kmt_parser *p, struct level *bottom)
{
	struct kmt_filter *f = p->f;
	struct level *level = bottom;
	enum after after;

	memset(level, 0, sizeof(*level));
	do {
		struct operand e = { .on_true = NONE, .on_false = NONE };
		struct kmt_filter_term *t = &f->term[f->nr_terms];
		bool negate, invert;

		if (!read_open(p, &level, &negate) ||
		    !kmt_parse_term(p, t, &invert))
			return false;
		f->nr_terms++;
		f->need |= t->need & ~KMT_GROUP_NONE;
		e.true_if = !(invert ^ negate);
		/* the result that is no match: the one of an unknown field */
		t->unknown = invert ^ negate ^ level->parity;
		after = read_operator(p, &level, bottom, e);
	} while (after == OPERAND_FOLLOWS);
	return after == END;
}

/* From where a term branches to, to how far that is, for either result. */
static void lay_out(struct kmt_filter_term *t, u32 index)
{
	u16 jump = (t->next[1] - index) * sizeof(*t);

	t->next[t->branch_if] = jump;
	t->next[!t->branch_if] = sizeof(*t);
}

bool kmt_filter_compile(struct kmt_filter *f, const char *text,
			const struct kmt_filter_env *env,
			struct kmt_filter_error *error)
{
	size_t len = strlen(text);
	struct kmt_parser p = {
		.text = text,
		.at = text,
		.env = env,
		.f = f,
		.data = (u8 *)&f->term[max_terms(len)],
		.error = error,
	};
	u32 i;

	memset(f, 0, sizeof(*f));
	error->code = KMT_FILTER_OK;
	error->column = 0;
	if (len >= KMT_FILTER_TEXT_MAX)
		return kmt_parse_fail(&p, KMT_FILTER_TOO_LONG, text + len);
	f->nr_cpus = env->nr_cpus;
	if (!check_nesting(&p) ||
	    !parse(&p, (void *)(p.data + ((max_data(len) + 7) & ~7ul))))
		return false;
	for (i = 0; i < f->nr_terms; i++)
		lay_out(&f->term[i], i);
	f->end = f->nr_terms * sizeof(f->term[0]);
	memmove(&f->term[f->nr_terms], p.data, p.data_size);
	f->size = (u8 *)&f->term[f->nr_terms] + p.data_size - (u8 *)f;
	return true;
}
