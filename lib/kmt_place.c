// SPDX-License-Identifier: GPL-2.0-only
#include "kmt_filter_term.h"
#include "kmt_place.h"

/* End @word at the next blank. Return: the next word, or "". */
static char *cut_word(char *word)
{
	char *end = word + strcspn(word, " \t");

	if (!*end)
		return end;
	*end++ = '\0';
	return end + strspn(end, " \t");
}

/* Hexadecimal, with or without 0x. Return: false if it is none, or exceeds 64 bits. */
static bool read_address(const char *at, u64 *value)
{
	const char *start;

	if (at[0] == '0' && (at[1] | 0x20) == 'x')
		at += 2;
	start = at;
	for (*value = 0; kmt_digit_value(*at) < 16; at++) {
		if (*value >> 60)
			return false;
		*value = *value << 4 | kmt_digit_value(*at);
	}
	return at > start && !*at;
}

static bool read_line(const char *at, u32 *value)
{
	const char *start = at;

	for (*value = 0; kmt_is_digit(*at); at++)
		if (__builtin_mul_overflow(*value, 10u, value) ||
		    __builtin_add_overflow(*value, (u32)(*at - '0'), value))
			return false;
	return at > start && !*at;
}

/* @row: without blanks at either end */
static bool read_row(char *row, struct kmt_place *p)
{
	char *file = cut_word(row), *function = cut_word(file);
	char *colon = strrchr(file, ':');

	if (!colon || colon == file || colon - file > KMT_PLACE_FILE_MAX)
		return false;
	*colon = '\0';
	p->file = file;
	p->function = function;
	return read_address(row, &p->site) && p->site &&
	       read_line(colon + 1, &p->line) && *function &&
	       !*cut_word(function) &&
	       strlen(function) <= KMT_PLACE_FUNCTION_MAX;
}

static char *trim(char *row)
{
	size_t len;

	while (kmt_is_space(*row))
		row++;
	for (len = strlen(row); len && kmt_is_space(row[len - 1]); len--)
		;
	row[len] = '\0';
	return row;
}

enum kmt_place_result kmt_place_next(char **text, struct kmt_place *place)
{
	char *row;

	while ((row = strsep(text, "\n"))) {
		row = trim(row);
		if (*row && *row != '#')
			return read_row(row, place) ? KMT_PLACE_ROW :
						      KMT_PLACE_MALFORMED;
	}
	return KMT_PLACE_NONE;
}
