// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "kmt_detail.h"
#include "unit.h"

static struct kmt_detail_rule rule;
static enum kmt_detail_error error;

static const char *parse(const char *text)
{
	memset(&rule, 0xa5, sizeof(rule));
	return kmt_detail_parse(text, &rule, &error);
}

static void refuse(const char *text, enum kmt_detail_error why, size_t column)
{
	const char *wrong = parse(text);

	ck_assert_ptr_eq(wrong, text + column);
	ck_assert_int_eq(error, why);
	ck_assert_str_ne(kmt_detail_text(error), kmt_detail_text(KMT_DETAIL_OK));
}

START_TEST(a_rule_has_defaults)
{
	ck_assert_ptr_null(parse("live_bytes > 256M"));
	ck_assert_int_eq(error, KMT_DETAIL_OK);
	ck_assert(!rule.remove && !rule.growth);
	ck_assert_str_eq(rule.function, "");
	ck_assert_uint_eq(rule.bytes, 256 << 20);
	ck_assert_uint_eq(rule.seconds, 30);
	ck_assert_uint_eq(rule.records, 1000);
	ck_assert_ptr_null(parse("growth>1"));
	ck_assert(rule.growth);
	ck_assert_uint_eq(rule.bytes, 1);
	ck_assert_uint_eq(rule.over, 60);
}
END_TEST

START_TEST(all_parts_of_a_rule)
{
	ck_assert_ptr_null(parse(" ! alloc_* growth >\t2T records 65536 over 1 for 86400 "));
	ck_assert(rule.remove && rule.growth);
	ck_assert_str_eq(rule.function, "alloc_*");
	ck_assert_uint_eq(rule.bytes, 2ull << 40);
	ck_assert_uint_eq(rule.records, 65536);
	ck_assert_uint_eq(rule.over, 1);
	ck_assert_uint_eq(rule.seconds, 86400);
}
END_TEST

START_TEST(errors_have_a_position)
{
	refuse("", KMT_DETAIL_NO_WHAT, 0);
	refuse("alloc_inode", KMT_DETAIL_NO_WHAT, 11);
	refuse("a b > 1", KMT_DETAIL_NO_WHAT, 2);
	refuse("live_bytes > 1; growth > 1", KMT_DETAIL_MORE_RULES, 14);
	refuse("live_bytes > 1\n!growth > 1", KMT_DETAIL_MORE_RULES, 14);
	refuse("live_bytes", KMT_DETAIL_NO_THAN, 10);
	refuse("growth growth > 1", KMT_DETAIL_NO_THAN, 7);
	refuse("live_bytes < 1", KMT_DETAIL_NO_THAN, 11);
	refuse("live_bytes > ", KMT_DETAIL_NO_BYTES, 13);
	refuse("live_bytes > 0", KMT_DETAIL_NO_BYTES, 13);
	refuse("live_bytes > 1X", KMT_DETAIL_NO_BYTES, 13);
	refuse("live_bytes > -1", KMT_DETAIL_NO_BYTES, 13);
	refuse("live_bytes > 8388608T", KMT_DETAIL_NO_BYTES, 13);
	refuse("live_bytes > 99999999999999999999", KMT_DETAIL_NO_BYTES, 13);
	refuse("live_bytes > 1 if x", KMT_DETAIL_BAD_LIMIT, 15);
	refuse("live_bytes > 1 > 2", KMT_DETAIL_BAD_LIMIT, 15);
	refuse("live_bytes > 1 for", KMT_DETAIL_BAD_NUMBER, 18);
	refuse("live_bytes > 1 for 0", KMT_DETAIL_BAD_NUMBER, 19);
	refuse("live_bytes > 1 for 86401", KMT_DETAIL_BAD_NUMBER, 19);
	refuse("live_bytes > 1 for 1K", KMT_DETAIL_BAD_NUMBER, 19);
	refuse("live_bytes > 1 records 65537", KMT_DETAIL_BAD_NUMBER, 23);
	refuse("live_bytes > 1 over 5", KMT_DETAIL_NO_GROWTH, 15);
}
END_TEST

START_TEST(a_long_name_is_refused)
{
	char text[KMT_DETAIL_NAME_MAX + 32];

	memset(text, 'a', KMT_DETAIL_NAME_MAX);
	strcpy(text + KMT_DETAIL_NAME_MAX, " growth > 1");
	refuse(text, KMT_DETAIL_LONG_NAME, 0);
	ck_assert_ptr_null(parse(text + 1));
	ck_assert_uint_eq(strlen(rule.function), KMT_DETAIL_NAME_MAX - 1);
}
END_TEST

START_TEST(rules_with_the_same_condition)
{
	struct kmt_detail_rule first;

	ck_assert_ptr_null(parse("f live_bytes > 1K for 5"));
	first = rule;
	ck_assert_ptr_null(parse("!f live_bytes > 1024 records 7"));
	ck_assert(kmt_detail_same(&first, &rule));
	ck_assert_ptr_null(parse("g live_bytes > 1024"));
	ck_assert(!kmt_detail_same(&first, &rule));
	ck_assert_ptr_null(parse("f growth > 1024"));
	ck_assert(!kmt_detail_same(&first, &rule));
	first = rule;
	ck_assert_ptr_null(parse("f growth > 1024 over 61"));
	ck_assert(!kmt_detail_same(&first, &rule));
}
END_TEST

UNIT_MAIN("detail", a_rule_has_defaults, all_parts_of_a_rule, errors_have_a_position,
	  a_long_name_is_refused, rules_with_the_same_condition)
