/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The filter engine: the language of event tracing's filters (the kernel's
 * Documentation/trace/events.rst, section 5; what 6.12 really does, where that
 * is silent), compiled to a program, and the program.
 *
 *	filter := and { "||" and }
 *	and    := not { "&&" not }
 *	not    := { "!" } ( "(" filter ")" | field operator value )
 *
 * A term compares one field. All comparisons of numbers are one operation:
 * whether a number, taken modulo its width, lies in a range. Beyond event
 * tracing's language a number may end in K, M, G or T (times 1024, 1024^2 and
 * so on), and one of nanoseconds in ns, us, ms, s, min or h.
 *
 * A term on a field that is not known of an event does not match, whether or
 * not it is negated.
 */
#ifndef KMT_FILTER_H
#define KMT_FILTER_H

#include "kmt_field.h"

/* a filter is shorter than this, its 0 included; as in event tracing */
#define KMT_FILTER_TEXT_MAX	4096

/* a string in a filter is shorter than this; as in event tracing */
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
 * struct kmt_filter_error - why a filter was refused
 * @code: KMT_FILTER_*
 * @column: where the caret stands below the text, counted from 1
 */
struct kmt_filter_error {
	enum kmt_filter_error_code code;
	unsigned int column;
};

/**
 * struct kmt_filter_env - what a filter is compiled for
 * @groups: mask of the groups of fields that there can be
 * @nr_cpus: CPUs are numbered below this
 * @function: finds a function: by its name, not ended by a 0; or, if that is
 *	NULL, by an address in it. Sets where it starts and its size. NULL: no
 *	function can be found
 * @arg: for @function
 */
struct kmt_filter_env {
	u32 groups;
	u32 nr_cpus;
	bool (*function)(void *arg, const char *name, size_t len, u64 address,
			 u64 *start, u64 *size);
	void *arg;
};

/*
 * In kmt_filter_term.need: it is more than a comparison of numbers. No event
 * has this group.
 */
#define KMT_GROUP_NONE	(1u << 31)

/**
 * struct kmt_filter_term - one comparison
 * @mask: of the bits that are compared
 * @low: numbers: first of the range
 * @span: numbers: last of the range, less @low
 * @need: groups that must be known; KMT_GROUP_NONE
 * @data: strings, CPU lists: where the operand is, in bytes behind the terms
 * @offset: of the field
 * @next: where to go on, in bytes from this term: at 0 if the comparison is
 *	false, at 1 if it is true
 * @op: enum in kmt_filter_term.h
 * @base: where the field is, enum kmt_field_base
 * @shift: to bring a narrow field of a big-endian machine down
 * @unknown: the result to go on with if the field is not known
 * @branch_if: while compiling: the result to branch on, to @next[1]
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
 * @size: bytes in it
 * @need: groups that its terms look at
 * @nr_cpus: of the environment
 * @nr_terms: terms; behind them are the operands
 * @end: bytes from @term to behind the last one
 * @unused: fills up
 * @term: they lead to @end if the filter matches, or one further
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
 * kmt_filter_room() - memory that compiling may take
 * @len: bytes in the text
 *
 * Context: any.
 * Return: bytes, enough for any text of that length.
 */
size_t kmt_filter_room(size_t len);

/**
 * kmt_filter_compile() - compile a filter
 * @f: memory of kmt_filter_room() bytes, aligned as for a u64; the filter is
 *	made there, of f->size bytes
 * @text: the filter, ended by a 0
 * @env: what it is compiled for
 * @error: set to what is wrong
 *
 * Context: any that @env->function can be called in.
 * Return: whether it is a filter.
 */
bool kmt_filter_compile(struct kmt_filter *f, const char *text,
			const struct kmt_filter_env *env,
			struct kmt_filter_error *error);

/**
 * kmt_filter_text() - what an error is called
 * @code: KMT_FILTER_*
 *
 * Context: any.
 * Return: event tracing's text.
 */
const char *kmt_filter_text(enum kmt_filter_error_code code);

/**
 * typedef kmt_filter_fetch - find out more of an event
 * @x: gets it; x->have the groups too
 * @ev: the event; gets what belongs there
 * @need: the groups that are wanted; some may remain unknown
 *
 * Context: that of kmt_filter_match().
 */
typedef void (*kmt_filter_fetch)(struct kmt_extra *x, struct kmt_event *ev,
				 u32 need);

/**
 * kmt_filter_match() - hold an event against a filter
 * @f: the filter
 * @ev: the event
 * @x: the rest of it; x->have says what of both is known
 * @fetch: asked for what is not known when a term looks at it, once for each
 *	group; may be NULL
 *
 * Context: any.
 * Return: whether it matches.
 */
bool kmt_filter_match(const struct kmt_filter *f, struct kmt_event *ev,
		      struct kmt_extra *x, kmt_filter_fetch fetch);

/* what kmt_filter_match_numbers() found out */
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
 * kmt_filter_match_numbers() - kmt_filter_match() as far as it goes quickly
 * @f: the filter
 * @ev: the event
 * @have: groups that are known and kept in @ev
 *
 * Context: any.
 * Return: KMT_FILTER_UNDECIDED: more must be found out than what @ev has, or
 * strings be compared; ask kmt_filter_match().
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
 * kmt_filter_match_noting() - the same, and note which terms were looked at
 * @f: the filter
 * @ev: the event
 * @x: the rest of it
 * @fetch: as for kmt_filter_match()
 * @visited: f->nr_terms of them; those of terms looked at are set to 1
 *
 * For tests.
 *
 * Context: any.
 * Return: whether it matches.
 */
bool kmt_filter_match_noting(const struct kmt_filter *f, struct kmt_event *ev,
			     struct kmt_extra *x, kmt_filter_fetch fetch,
			     u8 *visited);

#endif /* KMT_FILTER_H */
