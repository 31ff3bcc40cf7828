// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compiles the text of a filter to its program.
 *
 * Each term but the last one branches on one result, and goes on to the next term on the
 * other. If the target of a branch is not known yet, the term is in one of two lists,
 * linked through next[1]. The branches in one list are taken if the expression around
 * them is true, those in the other if it is false. An expression that was read consists
 * of these two lists and its last term. The next operator determines on which result the
 * last term branches:
 *
 *	e && ...  If the last term is false, e && ... is false: branch on false. The
 *		  branches in the list of true lead to the next term.
 *	e || ...  The same with true and false exchanged.
 *	!(e)	  The lists are exchanged, and the meaning of the last term is inverted.
 *
 * So branches only lead forward, to their final target, and no further pass over the
 * program is needed. For example
 *
 *	a && !(b || c) || d	0: a  if false, to 3
 *				1: b  if true, to 3
 *				2: c  if false, to 4 (matches)
 *				3: d  if false, to 5 (does not match)
 *
 * The parser does not recurse, because the kernel's stack is small, and a text may have
 * thousands of parentheses. It has an array of levels instead.
 */
#include "kmt_filter_term.h"

#define NONE 0xffff

/**
 * struct level - an open parenthesis
 * @on_true: branches of the terms left of a pending ||
 * @on_false: branches of the terms left of a pending &&
 * @negate: an odd number of ! is before this parenthesis
 * @parity: an odd number of ! is before this parenthesis and those around it
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
 * @on_true: branches to take if it is true
 * @on_false: branches to take if it is false
 * @true_if: the result of the last term for which it is true
 */
struct operand {
	u16 on_true;
	u16 on_false;
	bool true_if;
};

static size_t max_terms(size_t len)
{
	return len / 7 + 2; /* the shortest term with an operator is "ptr&1||" */
}

static size_t max_data(size_t len)
{
	/* the shortest region of CPUs is "0," */
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

/* Return: the last parenthesis that is opened and not closed. */
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

/* Check parentheses and quotes. Event tracing reports these errors before all others. */
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

/* Make the last term branch on @result. Return: @list with this term. */
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

/* Parse what follows an operand, up to the next operand or the end. */
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
			/* a function's name may have contained a counted ')' */
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

/* Parse the ! and parentheses before a term. */
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
		/* an unknown field does not match: take the result that is no match */
		t->unknown = invert ^ negate ^ level->parity;
		after = read_operator(p, &level, bottom, e);
	} while (after == OPERAND_FOLLOWS);
	return after == END;
}

/* Replace the targets of a term by distances in bytes, for both results. */
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
