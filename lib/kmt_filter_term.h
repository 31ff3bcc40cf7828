/* SPDX-License-Identifier: GPL-2.0-only */
/* The operands of compiled filters, and the parser of one term. */
#ifndef KMT_FILTER_TERM_H
#define KMT_FILTER_TERM_H

#include "kmt_filter.h"

/* kmt_filter_term.op */
enum {
	KMT_OP_NUMBER,
	KMT_OP_CPUS,		/* data: struct kmt_cpus */
	KMT_OP_CHARS_EQUAL,	/* data: a string, on KMT_FIELD_CHARS */
	KMT_OP_CHARS_GLOB,
	KMT_OP_STRING_EQUAL,	/* on KMT_FIELD_STRING */
	KMT_OP_STRING_GLOB,
	KMT_OP_STACK,		/* numbers; compares each of KMT_FIELD_STACK */
};

/**
 * struct kmt_cpu_region - a region of CPUs, "first-last:used/group"
 * @first: first CPU
 * @last: last CPU
 * @used: CPUs of each group that are in the list
 * @group: CPUs of a group
 */
struct kmt_cpu_region {
	u16 first;
	u16 last;
	u16 used;
	u16 group;
};

/**
 * struct kmt_cpus - a list of CPUs
 * @nr_regions: number of regions
 * @region: the regions
 */
struct kmt_cpus {
	u32 nr_regions;
	struct kmt_cpu_region region[];
};

/**
 * struct kmt_parser - state of the parser
 * @text: the whole text
 * @at: position in @text
 * @env: the environment
 * @f: the filter, with the terms so far
 * @data: the operands so far; moved behind the terms at the end
 * @data_size: bytes of @data
 * @is_function: ".function" follows the field
 * @error: set to the error
 */
struct kmt_parser {
	const char *text;
	const char *at;
	const struct kmt_filter_env *env;
	struct kmt_filter *f;
	u8 *data;
	u32 data_size;
	bool is_function;
	struct kmt_filter_error *error;
};

/**
 * kmt_parse_fail() - refuse the text
 * @p: the parser
 * @code: the error
 * @where: position of the error. For an error within a term, event tracing's caret is one
 *	byte behind it
 *
 * Context: any.
 * Return: false.
 */
bool kmt_parse_fail(struct kmt_parser *p, enum kmt_filter_error_code code,
		    const char *where);

/** kmt_parse_space() - skip white space; context: any */
void kmt_parse_space(struct kmt_parser *p);

/**
 * kmt_parse_term() - parse "field operator value"
 * @p: the parser, at the first character that is not white space
 * @t: set to the term, without its branches
 * @invert: set to true if the term is true when its comparison is false
 *
 * Context: that of @p->env->function.
 * Return: true; false on error: then p->error is set.
 */
bool kmt_parse_term(struct kmt_parser *p, struct kmt_filter_term *t,
		    bool *invert);

/**
 * kmt_read_digits() - parse a number in C's notation: decimal, hexadecimal or octal
 * @at: start of the number
 * @end: end of the text
 * @value: set to the number
 *
 * Context: any.
 * Return: the first character behind the number; NULL if it does not fit in 64 bits.
 */
const char *kmt_read_digits(const char *at, const char *end, u64 *value);

/**
 * kmt_unit_value() - get the value of a unit behind a number
 * @unit: the unit; need not end in a 0
 * @len: bytes of the unit; 0: a number without a unit
 * @is_time: a unit of time: ns to h; else of bytes: K to T
 *
 * Context: any.
 * Return: nanoseconds or bytes; 1 without a unit; 0 if there is no such unit.
 */
u64 kmt_unit_value(const char *unit, size_t len, bool is_time);

/**
 * kmt_filter_in_cpus() - check whether a CPU is in a list
 * @list: the list
 * @cpu: number of the CPU
 *
 * Context: any.
 */
bool kmt_filter_in_cpus(const struct kmt_cpus *list, u32 cpu);

/**
 * kmt_filter_glob() - check whether a string matches a pattern
 * @pat: the pattern: *, ?, [a-z], [!a-z], and characters, with or without a backslash
 * @str: the string
 *
 * Context: any.
 */
bool kmt_filter_glob(const char *pat, const char *str);

/* The same characters as in the kernel. lib/ cannot use the functions of either world. */
static inline bool kmt_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || (u8)c == 0xa0;
}

static inline const char *kmt_skip_space(const char *at)
{
	while (kmt_is_space(*at))
		at++;
	return at;
}

static inline bool kmt_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Return: the value of a hexadecimal digit; 16 if @c is none. */
static inline unsigned int kmt_digit_value(char c)
{
	if (kmt_is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

static inline bool kmt_is_alnum(char c)
{
	u8 u = c;

	return kmt_is_digit(c) || (u >= 'a' && u <= 'z') ||
	       (u >= 'A' && u <= 'Z') ||
	       (u >= 0xc0 && u != 0xd7 && u != 0xf7);
}

#endif /* KMT_FILTER_TERM_H */
