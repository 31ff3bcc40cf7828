// SPDX-License-Identifier: GPL-2.0-only
#include "kmt_field.h"
#include "record/settings.h"
#include "unit.h"

static u32 features_of(const char *text)
{
	u32 features = 0;

	ck_assert_ptr_null(kmt_features_parse(text, &features));
	return features;
}

START_TEST(changes)
{
	static const struct {
		const char *list;
		const char *result;
	} good[] = {
		{ "task", "task" },
		{ "time,task", "time task" },
		{ "none", "none" },
		{ "", "none" },
		{ " ,", "none" },
		{ "all", "time cache page task cgroup stack" },
		{ "+task", "time cache page task" },
		{ "+task,+stack", "time cache page task stack" },
		{ "+page", "time cache page" },
		{ "-page", "time cache" },
		{ "+task -cache", "time page task" },
		{ "+all", "time cache page task cgroup stack" },
		{ "-all", "none" },
		{ "+none", "time cache page" },
	};
	char text[FEATURES_TEXT];
	const char *wrong;
	u32 features;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		features = features_of(FEATURES_DEFAULT);
		ck_assert_msg(features_change(good[i].list, &features, &wrong),
			      "'%s'", good[i].list);
		features_text(features, text);
		ck_assert_str_eq(text, good[i].result);
	}
}
END_TEST

START_TEST(changes_add_up)
{
	u32 features = features_of(FEATURES_DEFAULT);
	const char *wrong;

	ck_assert(features_change("+task", &features, &wrong));
	ck_assert(features_change("+stack", &features, &wrong));
	ck_assert_uint_eq(features, features_of("time cache page task stack"));
	ck_assert(features_change("cgroup", &features, &wrong));
	ck_assert_uint_eq(features, features_of("cgroup"));
}
END_TEST

START_TEST(refused)
{
	static const char *const mixed[] = {
		"time,+task", "+task,time", "none +task", "-page all",
	};
	static const char *const unknown[] = { "time,moon", "+moon", "+", "-", "++task" };
	const u32 before = features_of(FEATURES_DEFAULT);
	u32 features = before;
	const char *wrong;
	size_t i;

	for (i = 0; i < sizeof(mixed) / sizeof(mixed[0]); i++) {
		ck_assert_msg(!features_change(mixed[i], &features, &wrong), "'%s'",
			      mixed[i]);
		ck_assert_ptr_null(wrong);
	}
	for (i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		ck_assert_msg(!features_change(unknown[i], &features, &wrong), "'%s'",
			      unknown[i]);
		ck_assert_ptr_nonnull(wrong);
	}
	ck_assert_uint_eq(features, before);
}
END_TEST

UNIT_MAIN("features", changes, changes_add_up, refused)
