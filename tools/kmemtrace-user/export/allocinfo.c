// SPDX-License-Identifier: GPL-2.0-only
/*
 * The text of mainline's file /proc/allocinfo, version 2.0.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "account/tags.h"
#include "account/trust.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "export/formats.h"

/*
 * Check whether two neighbours are one row: the file has one row for a site, also if the
 * site allocated objects and pages. The kinds of a site are in ascending order, so a row
 * without an address begins another site if its kind does not come later.
 */
static bool is_continued(const struct site_row *before, const struct site_row *t)
{
	return before->address == t->address &&
	       !strcmp(before->location, t->location) &&
	       (t->address || t->kind > before->kind || t->kind == SITE_PAGE);
}

/* A function with an offset has the line number 0, as in the file of the module. */
static void print_row(const struct site_row *sum, FILE *out)
{
	size_t len = sum->name.has_offset ? strcspn(sum->location, " ") : 0;

	fprintf(out, "%12" PRId64 " %8" PRId64 " %.*s%s%s \n", sum->f.bytes, sum->f.objects,
		(int)len, sum->location, len ? ":0" : "", sum->location + len);
}

static bool takes(const struct export *e, const struct site_row *t)
{
	return export_has_class(e->classes, t->kind);
}

static void print(const struct export *e, const struct tags *tags)
{
	const struct site_row *before = NULL;
	struct site_row sum = { 0 };
	size_t i;

	fputs("allocinfo - version: 2.0\n"
	      "#     <size>  <calls> <tag info>\n",
	      e->out);
	for (i = 0; i < tags->rows.count; i++) {
		const struct site_row *t = &tags->rows.row[i];

		if (!takes(e, t))
			continue;
		if (before && is_continued(before, t)) {
			figures_add(&sum.f, &t->f, 1);
		} else {
			if (before)
				print_row(&sum, e->out);
			sum = *t;
		}
		before = t;
	}
	if (before)
		print_row(&sum, e->out);
}

/* The error is not known by site, so no line has it (mainline: "accurate:no"). */
static void note_accuracy(const struct tags *tags)
{
	struct memtext text;
	FILE *out = memtext_open(&text);
	char *lines;

	trust_write(tags, out);
	lines = memtext_close(&text, NULL);
	if (lines && !trust_is_exact(tags))
		msg_note("%.*s", (int)strcspn(lines, "\n"), lines);
	free(lines);
}

int allocinfo_write(const struct export *e)
{
	struct tags tags;
	int err = formats_read_tags(e, &tags);

	if (!err) {
		print(e, &tags);
		note_accuracy(&tags);
	}
	tags_free(&tags);
	return err ? EXIT_FAILED : EXIT_DONE;
}
