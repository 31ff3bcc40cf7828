// SPDX-License-Identifier: GPL-2.0-only
#include "kmt_detail.h"
#include "kmt_filter_term.h"

static const char *const texts[KMT_DETAIL_ERRORS] = {
	[KMT_DETAIL_OK] = "No error",
	[KMT_DETAIL_NO_WHAT] =
		"Expecting live_bytes or growth, for example live_bytes > 256M",
	[KMT_DETAIL_NO_THAN] = "Expecting >",
	[KMT_DETAIL_NO_BYTES] = "Expecting a number from 1 to 2^63 - 1, with or without the unit K, M, G or T",
	[KMT_DETAIL_BAD_LIMIT] = "Expecting for SECONDS, over SECONDS or records NUMBER",
	[KMT_DETAIL_BAD_NUMBER] =
		"Expecting 1 to 86400 seconds, or 1 to 65536 records",
	[KMT_DETAIL_NO_GROWTH] = "Only growth is measured over a time",
	[KMT_DETAIL_LONG_NAME] = "The name of the function is too long",
	[KMT_DETAIL_MORE_RULES] = "Only one rule can be written at once",
};

const char *kmt_detail_text(enum kmt_detail_error error)
{
	return texts[error];
}

/* Return: the end of a word, which white space, ">" or the end of the text follow. */
static const char *skip_word(const char *at)
{
	while (*at && !kmt_is_space(*at) && *at != '>')
		at++;
	return at;
}

static bool is_what(const char *at, bool *growth)
{
	size_t len = skip_word(at) - at;

	*growth = kmt_is_word(at, len, "growth");
	return *growth || kmt_is_word(at, len, "live_bytes");
}

/* Parse a number of at least 1, up to @end. Return: whether it is one. */
static bool read_number(const char *at, const char *end, bool has_unit, u64 max,
			u64 *value)
{
	const char *unit = kmt_read_digits(at, end, value);
	u64 factor = unit && unit != at ? kmt_unit_value(unit, end - unit, false) : 0;

	if (!has_unit && unit != end)
		return false;
	return factor && !__builtin_mul_overflow(*value, factor, value) && *value &&
	       *value <= max;
}

/* Return: the limit with a name; NULL if there is none. @max: set to its largest value */
static u32 *find_limit(struct kmt_detail_rule *rule, const char *name, size_t len, u64 *max)
{
	*max = KMT_DETAIL_SECONDS_MAX;
	if (kmt_is_word(name, len, "over"))
		return &rule->over;
	if (kmt_is_word(name, len, "for"))
		return &rule->seconds;
	*max = KMT_DETAIL_RECORDS_MAX;
	return kmt_is_word(name, len, "records") ? &rule->records : NULL;
}

/* Parse the limits. Return: NULL; on error, its position. */
static const char *read_limits(const char *at, struct kmt_detail_rule *rule,
			       enum kmt_detail_error *error)
{
	while (*(at = kmt_skip_space(at))) {
		const char *name = at, *number, *end = skip_word(at);
		u64 max, value;
		u32 *limit = find_limit(rule, name, end - name, &max);

		*error = KMT_DETAIL_BAD_LIMIT;
		if (!limit)
			return name;
		number = kmt_skip_space(end);
		at = skip_word(number);
		*error = KMT_DETAIL_BAD_NUMBER;
		if (!read_number(number, at, false, max, &value))
			return number;
		*error = KMT_DETAIL_NO_GROWTH;
		if (limit == &rule->over && !rule->growth)
			return name;
		*limit = value;
	}
	*error = KMT_DETAIL_OK;
	return NULL;
}

const char *kmt_detail_parse(const char *text, struct kmt_detail_rule *rule,
			     enum kmt_detail_error *error)
{
	const char *at = kmt_skip_space(text), *end, *more = strpbrk(text, "\n;");
	size_t len;

	memset(rule, 0, sizeof(*rule));
	rule->over = KMT_DETAIL_OVER_DEFAULT;
	rule->seconds = KMT_DETAIL_SECONDS_DEFAULT;
	rule->records = KMT_DETAIL_RECORDS_DEFAULT;
	*error = KMT_DETAIL_MORE_RULES;
	if (more)
		return more;
	rule->remove = *at == '!';
	at = kmt_skip_space(at + rule->remove);
	if (!is_what(at, &rule->growth)) {
		len = skip_word(at) - at;
		*error = KMT_DETAIL_LONG_NAME;
		if (len >= sizeof(rule->function))
			return at;
		memcpy(rule->function, at, len);
		at = kmt_skip_space(at + len);
	}
	*error = KMT_DETAIL_NO_WHAT;
	if (!is_what(at, &rule->growth))
		return at;
	at = kmt_skip_space(skip_word(at));
	*error = KMT_DETAIL_NO_THAN;
	if (*at != '>')
		return at;
	at = kmt_skip_space(at + 1);
	end = skip_word(at);
	*error = KMT_DETAIL_NO_BYTES;
	if (!read_number(at, end, true, ~0ull >> 1, &rule->bytes))
		return at;
	return read_limits(end, rule, error);
}

bool kmt_detail_same(const struct kmt_detail_rule *a, const struct kmt_detail_rule *b)
{
	return a->growth == b->growth && a->bytes == b->bytes &&
	       (!a->growth || a->over == b->over) && !strcmp(a->function, b->function);
}
