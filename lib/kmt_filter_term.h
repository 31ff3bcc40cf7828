/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is inside of a compiled filter, and reading one term of a text.
 */
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
	KMT_OP_STACK,		/* a number, on any of KMT_FIELD_STACK */
};

/**
 * struct kmt_cpu_region - CPUs of a list, "first-last:used/group"
 * @first: of the region
 * @last: of the region
 * @used: how many of each group count
 * @group: how many CPUs make a group
 */
struct kmt_cpu_region {
	u16 first;
	u16 last;
	u16 used;
	u16 group;
};

/**
 * struct kmt_cpus - a list of CPUs
 * @nr_regions: regions
 * @region: the regions
 */
struct kmt_cpus {
	u32 nr_regions;
	struct kmt_cpu_region region[];
};

/**
 * struct kmt_parser - a text being compiled
 * @text: all of it
 * @at: how far it has been read
 * @env: what it is compiled for
 * @f: the filter; its terms so far
 * @data: operands so far; they are moved behind the terms in the end
 * @data_size: bytes of them
 * @is_function: the field is followed by ".function"
 * @error: what is wrong
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
 * @code: why
 * @where: at which byte; event tracing's carets stand one further for what is
 *	wrong within a term
 *
 * Return: false.
 */
bool kmt_parse_fail(struct kmt_parser *p, enum kmt_filter_error_code code,
		    const char *where);

/** kmt_parse_space() - skip what separates */
void kmt_parse_space(struct kmt_parser *p);

/**
 * kmt_parse_term() - read "field operator value"
 * @p: the parser, at the first character that is no space
 * @t: set to the term, but for where it branches
 * @invert: set to whether the term means the opposite of what it computes
 *
 * Return: false if something is wrong, which is noted.
 */
bool kmt_parse_term(struct kmt_parser *p, struct kmt_filter_term *t,
		    bool *invert);

/**
 * kmt_read_digits() - read a number in C's notation: decimal, 0x, or octal
 * @at: where it starts
 * @end: where the text ends
 * @value: set to it
 *
 * Context: any.
 * Return: the first character that is no digit of it; NULL if it does not fit.
 */
const char *kmt_read_digits(const char *at, const char *end, u64 *value);

/**
 * kmt_filter_in_cpus() - whether a CPU is in a list
 * @list: the list
 * @cpu: the CPU
 *
 * Context: any.
 */
bool kmt_filter_in_cpus(const struct kmt_cpus *list, u32 cpu);

/**
 * kmt_filter_glob() - whether a string matches a pattern
 * @pat: of *, ?, [a-z], [!a-z] and characters, perhaps behind a backslash
 * @str: the string
 *
 * Context: any.
 */
bool kmt_filter_glob(const char *pat, const char *str);

/* As the kernel's: lib/ cannot use either world's. */
static inline bool kmt_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || (u8)c == 0xa0;
}

static inline bool kmt_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Return: what a hexadecimal digit stands for; 16: it is none. */
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
