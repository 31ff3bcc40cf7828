// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/filter_error.h"
#include "base/msg.h"
#include "kmt_field.h"

#define COLUMNS 79

/* Print the names of the fields of these groups. */
static void list_fields(u32 groups)
{
	const struct kmt_field *f;
	int at;

	at = fprintf(stderr, "  fields:");
	for (f = kmt_fields; f->name; f++) {
		if (f->common || f->alias || !kmt_field_is_in(f, groups))
			continue;
		if (at + 1 + strlen(f->name) > COLUMNS)
			at = fprintf(stderr, "\n ") - 1;
		at += fprintf(stderr, " %s", f->name);
	}
	fputc('\n', stderr);
}

void filter_error_draw(const char *option, const char *text,
		       const struct kmt_filter_error *error, u32 groups)
{
	const char *at;

	msg_error("%s: %s", option, kmt_filter_text(error->code));
	fputs("  ", stderr);
	for (at = text; *at; at++) {
		if (isspace((unsigned char)*at))
			fputc(' ', stderr);
		else
			fputc(*at < ' ' || *at > '~' ? '?' : *at, stderr);
	}
	fprintf(stderr, "\n  %*s\n", (int)error->column, "^");
	if (error->code == KMT_FILTER_FIELD_NOT_FOUND)
		list_fields(groups);
}
