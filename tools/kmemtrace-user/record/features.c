// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "kmt_field.h"
#include "record/features.h"

#define SEPARATORS " \t\n,"

/* Return: true if the list contains names with a sign and names without. */
static bool is_mixed(const char *text)
{
	bool has_signed = false, has_plain = false;

	for (text += strspn(text, SEPARATORS); *text;
	     text += strspn(text, SEPARATORS)) {
		bool is_signed = *text == '+' || *text == '-';

		has_signed |= is_signed;
		has_plain |= !is_signed;
		text += strcspn(text, SEPARATORS);
	}
	return has_signed && has_plain;
}

bool features_change(const char *text, u32 *features, const char **wrong)
{
	u32 changed = *features;

	*wrong = kmt_features_parse(text, &changed);
	if (*wrong || is_mixed(text))
		return false;
	/* an empty list removes all features */
	*features = text[strspn(text, SEPARATORS)] ? changed : 0;
	return true;
}

void features_text(u32 features, char text[FEATURES_TEXT])
{
	const struct kmt_feature_name *f;
	size_t at = 0;

	snprintf(text, FEATURES_TEXT, "none");
	for (f = kmt_feature_names; f->name; f++)
		if (features & f->mask)
			at += snprintf(text + at, FEATURES_TEXT - at, "%s%s",
				       at ? " " : "", f->name);
}
