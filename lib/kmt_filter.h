/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The filter engine compiles the text of a filter to a program, and runs the program. The
 * syntax is that of event tracing's filters (the kernel's Documentation/trace/events.rst,
 * section 5). Where that document is silent, the engine does the same as Linux 6.12.
 *
 *	filter := and { "||" and }
 *	and    := not { "&&" not }
 *	not    := { "!" } ( "(" filter ")" | field operator value )
 *
 * A term compares one field. All comparisons of numbers are one operation: whether a
 * number, modulo its width, lies in a range. Event tracing does not have these additions:
 * a number may end in K, M, G or T (times 1024, 1024^2 and so on), and a number of
 * nanoseconds in ns, us, ms, s, min or h.
 *
 * If a field of an event is unknown, no term on it matches, whether it is negated or not.
 */
#ifndef KMT_FILTER_H
#define KMT_FILTER_H

#include "kmt_field.h"

/* the limit of event tracing: the text of a filter has fewer bytes */
#define KMT_FILTER_TEXT_MAX	4096

/* the limit of event tracing: a string in a filter has fewer bytes */
#define KMT_FILTER_STRING_MAX	256

enum kmt_filter_error_code {
	KMT_FILTER_OK,
	KMT_FILTER_INVALID_OP,
	KMT_FILTER_TOO_MANY_OPEN,
	KMT_FILTER_TOO_MANY_CLOSE,
	KMT_FILTER_MISSING_QUOTE,
	KMT_FILTER_MISSING_BRACE_OPEN,
	KMT_FILTER_MISSING_BRACE_CLOSE,
	KMT_FILTER_OPERAND_TOO_LONG,
	KMT_FILTER_EXPECT_STRING,
	KMT_FILTER_EXPECT_DIGIT,
	KMT_FILTER_ILLEGAL_FIELD_OP,
	KMT_FILTER_FIELD_NOT_FOUND,
	KMT_FILTER_ILLEGAL_INTVAL,
	KMT_FILTER_BAD_SUBSYS_FILTER,
	KMT_FILTER_TOO_MANY_PREDS,
	KMT_FILTER_INVALID_FILTER,
	KMT_FILTER_INVALID_CPULIST,
	KMT_FILTER_INVALID_VALUE,
	KMT_FILTER_NO_FUNCTION,
	KMT_FILTER_NO_FILTER,
	KMT_FILTER_TOO_LONG,
	KMT_FILTER_ERRORS
};

/**
 * struct kmt_filter_error - the reason why a filter was refused
 * @code: KMT_FILTER_*
 * @column: column of the caret below the text, counted from 1
 */
struct kmt_filter_error {
	enum kmt_filter_error_code code;
	unsigned int column;
};

/**
 * struct kmt_filter_env - the environment that a filter is compiled for
 * @groups: mask of the groups of fields that can be known; or KMT_FOREIGN_GROUPS
 * @nr_cpus: the numbers of CPUs are lower
 * @function: finds a function by its name, of @len bytes, or, if @name is NULL, by an
 *	address in it. Sets @start and @size. Returns false if there is no such function.
 *	NULL: functions cannot be found
 * @arg: passed to @function
 */
struct kmt_filter_env {
	u32 groups;
	u32 nr_cpus;
	bool (*function)(void *arg, const char *name, size_t len, u64 address,
			 u64 *start, u64 *size);
	void *arg;
};

/*
 * No event has this group. It is in kmt_filter_term.need of each term that is not a
 * comparison of numbers.
 */
#define KMT_GROUP_NONE	(1u << 31)

/**
 * struct kmt_filter_term - one comparison
 * @mask: bits that are compared
 * @low: numbers: start of the range
 * @span: numbers: end of the range, less @low
 * @need: groups that must be known; with KMT_GROUP_NONE unless @op is KMT_OP_NUMBER
 * @data: strings, lists of CPUs: offset of the operand behind the last term, in bytes
 * @offset: offset of the field in @base, in bytes
 * @next: bytes from this term to the next one: [0] if the comparison is false, [1] if it
 *	is true
 * @op: enum in kmt_filter_term.h
 * @base: struct that stores the field, enum kmt_field_base
 * @shift: on big-endian machines: bits to shift a narrow field to the right
 * @unknown: result of the term if the field is unknown
 * @branch_if: while compiling: the result on which the term branches, to @next[1]
 */
struct kmt_filter_term {
	u64 mask;
	u64 low;
	u64 span;
	u32 need;
	u32 data;
	u16 offset;
	u16 next[2];
	u8 op : 4;
	u8 base : 1;
	u8 unknown : 1;
	u8 branch_if : 1;
	u8 shift;
};

/**
 * struct kmt_filter - a compiled filter
 * @size: bytes of the filter, with its operands
 * @need: groups that the terms use
 * @nr_cpus: from the environment
 * @nr_terms: number of terms; the operands are behind the terms
 * @end: bytes of all terms
 * @unused: padding
 * @term: the terms. The last step leads to @end if the filter matches, and behind @end if
 *	not
 *
 * It has no pointers and can be copied.
 */
struct kmt_filter {
	u32 size;
	u32 need;
	u32 nr_cpus;
	u32 nr_terms;
	u32 end;
	u32 unused;
	struct kmt_filter_term term[];
};

/**
 * kmt_filter_room() - get the memory that is needed to compile a filter
 * @len: bytes of the text
 *
 * Context: any.
 * Return: bytes; enough for any text of this length.
 */
size_t kmt_filter_room(size_t len);

/**
 * kmt_filter_compile() - compile a filter
 * @f: memory of kmt_filter_room() bytes, aligned as a u64; set to the filter, which has
 *	f->size bytes
 * @text: text of the filter, ended by a 0
 * @env: the environment
 * @error: set to the error
 *
 * Context: that of @env->function.
 * Return: true; false on error.
 */
bool kmt_filter_compile(struct kmt_filter *f, const char *text,
			const struct kmt_filter_env *env,
			struct kmt_filter_error *error);

/**
 * kmt_filter_steps() - estimate how long a filter takes
 * @f: the filter
 *
 * Context: any.
 * Return: comparisons of numbers that take as long as all of its terms, at most: about ten
 * instructions each.
 */
u32 kmt_filter_steps(const struct kmt_filter *f);

/**
 * kmt_filter_text() - get the message of an error
 * @code: KMT_FILTER_*
 *
 * Context: any.
 * Return: event tracing's message.
 */
const char *kmt_filter_text(enum kmt_filter_error_code code);

/**
 * typedef kmt_filter_fetch - fetch groups of an event
 * @x: fields of the groups are stored here; the groups are added to x->have
 * @ev: fields of the groups are stored here
 * @need: groups to fetch; some may remain unknown
 *
 * While a filter fetches, x->term is the term that needs them. If a value is known well
 * enough to decide this term (kmt_filter_decides()), its group is in x->near as well. It is
 * fetched again for the next term that needs it.
 *
 * Context: that of kmt_filter_match().
 */
typedef void (*kmt_filter_fetch)(struct kmt_extra *x, struct kmt_event *ev,
				 u32 need);

/**
 * kmt_filter_match() - check whether an event matches a filter
 * @f: the filter
 * @ev: the event
 * @x: the rest of the event; x->have has the groups that are known of both
 * @fetch: called, at most once for each group and term, when a term needs a group that is
 *	unknown; may be NULL
 *
 * Context: that of @fetch; any if it is NULL.
 * Return: true if the event matches.
 */
bool kmt_filter_match(const struct kmt_filter *f, struct kmt_event *ev,
		      struct kmt_extra *x, kmt_filter_fetch fetch);

/**
 * kmt_filter_decides() - check whether a term has the same result for a range of numbers
 * @t: the term
 * @from: first number of the range
 * @to: last number of the range
 *
 * Context: any.
 * Return: true if so; false also if the term is no comparison of 64-bit numbers by size.
 */
bool kmt_filter_decides(const struct kmt_filter_term *t, u64 from, u64 to);

/* result of kmt_filter_match_numbers() */
enum kmt_filter_result {
	KMT_FILTER_NO_MATCH,
	KMT_FILTER_MATCH,
	KMT_FILTER_UNDECIDED,
};

static __always_inline u64 kmt_filter_load(const void *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static __always_inline bool
kmt_filter_compare(const struct kmt_filter_term *t, const void *field)
{
	u64 v = kmt_filter_load(field);

	if (KMT_BIG_ENDIAN)
		v >>= t->shift;
	return ((v - t->low) & t->mask) <= t->span;
}

/**
 * kmt_filter_match_numbers() - check whether an event matches, if that is quick
 * @f: the filter
 * @ev: the event
 * @have: groups that are known, and whose fields are in @ev
 *
 * Context: any.
 * Return: KMT_FILTER_MATCH; KMT_FILTER_NO_MATCH; KMT_FILTER_UNDECIDED if a term needs
 * another group, or does not compare numbers: then call kmt_filter_match().
 */
static __always_inline enum kmt_filter_result
kmt_filter_match_numbers(const struct kmt_filter *f, const struct kmt_event *ev,
			 u32 have)
{
	const u8 *t = (const u8 *)f->term, *end = t + f->end;

	do {
		const struct kmt_filter_term *term = (const void *)t;

		if (unlikely(term->need & ~have))
			return KMT_FILTER_UNDECIDED;
		t += term->next[kmt_filter_compare(
			term, (const u8 *)ev + term->offset)];
	} while (t < end);
	return t == end ? KMT_FILTER_MATCH : KMT_FILTER_NO_MATCH;
}

/**
 * kmt_filter_match_noting() - kmt_filter_match(), and note which terms were evaluated
 * @f: the filter
 * @ev: the event
 * @x: the rest of the event
 * @fetch: as for kmt_filter_match()
 * @visited: array of f->nr_terms; elements of terms that were evaluated are set to 1
 *
 * For tests.
 *
 * Context: that of @fetch; any if it is NULL.
 * Return: true if the event matches.
 */
bool kmt_filter_match_noting(const struct kmt_filter *f, struct kmt_event *ev,
			     struct kmt_extra *x, kmt_filter_fetch fetch,
			     u8 *visited);

#endif /* KMT_FILTER_H */
