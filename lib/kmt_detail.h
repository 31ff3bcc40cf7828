/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The syntax of the rules that say which sites are looked at in detail (the module's file
 * detail):
 *
 *	rule  := [ "!" ] [ function ] what ">" bytes { limit }
 *	what  := "live_bytes" | "growth"
 *	limit := "over" seconds | "for" seconds | "records" number
 *
 * Growth is that of the live bytes, "over" a number of seconds. The function is a pattern,
 * as in filters; without it, the rule applies to all sites. Bytes may have the unit K, M, G
 * or T.
 */
#ifndef KMT_DETAIL_H
#define KMT_DETAIL_H

#include "kmt_field.h"

/* limits, and the values of a rule that does not have them */
#define KMT_DETAIL_OVER_DEFAULT	   60
#define KMT_DETAIL_SECONDS_DEFAULT 30
#define KMT_DETAIL_SECONDS_MAX	   86400
#define KMT_DETAIL_RECORDS_DEFAULT 1000
#define KMT_DETAIL_RECORDS_MAX	   65536
#define KMT_DETAIL_NAME_MAX	   128

enum kmt_detail_error {
	KMT_DETAIL_OK,
	KMT_DETAIL_NO_WHAT,
	KMT_DETAIL_NO_THAN,
	KMT_DETAIL_NO_BYTES,
	KMT_DETAIL_BAD_LIMIT,
	KMT_DETAIL_BAD_NUMBER,
	KMT_DETAIL_NO_GROWTH,
	KMT_DETAIL_LONG_NAME,
	KMT_DETAIL_MORE_RULES,
	KMT_DETAIL_ERRORS
};

/**
 * struct kmt_detail_rule - a parsed rule
 * @remove: remove the rule
 * @growth: it compares the growth, else the live bytes
 * @function: pattern for the function of the site; "": any
 * @bytes: what must be exceeded
 * @over: with @growth: seconds in which it grows
 * @seconds: time for which a site is looked at
 * @records: number of allocations that are looked at
 */
struct kmt_detail_rule {
	bool remove;
	bool growth;
	char function[KMT_DETAIL_NAME_MAX];
	u64 bytes;
	u32 over;
	u32 seconds;
	u32 records;
};

/**
 * kmt_detail_parse() - parse a rule
 * @text: the rule
 * @rule: set to the rule
 * @error: set to the error
 *
 * Context: any.
 * Return: NULL; on error, the position of the error in @text.
 */
const char *kmt_detail_parse(const char *text, struct kmt_detail_rule *rule,
			     enum kmt_detail_error *error);

/**
 * kmt_detail_text() - get the message of an error
 * @error: KMT_DETAIL_*
 *
 * Context: any.
 */
const char *kmt_detail_text(enum kmt_detail_error error);

/**
 * kmt_detail_same() - check whether two rules have the same condition
 * @a: a rule
 * @b: another one; its limits of time and records do not matter
 *
 * Context: any.
 */
bool kmt_detail_same(const struct kmt_detail_rule *a, const struct kmt_detail_rule *b);

#endif /* KMT_DETAIL_H */
