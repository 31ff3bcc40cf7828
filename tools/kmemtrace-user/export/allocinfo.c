// SPDX-License-Identifier: GPL-2.0-only
/*
 * The text of mainline's file /proc/allocinfo, version 2.0.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "account/sitename.h"
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
static bool is_continued(const struct tag *before, const struct tag *t)
{
	return before->address == t->address &&
	       !strcmp(before->location, t->location) &&
	       (t->address || t->kind > before->kind || t->kind == TAG_PAGE);
}

/* A function with an offset has the line number 0, as in the file of the module. */
static void print_row(const struct tag *sum, FILE *out)
{
	struct sitename site;
	const char *rest;
	size_t len;

	sitename_parse(&site, sum->location);
	len = site.has_offset ? strcspn(sum->location, " ") : 0;
	rest = sum->location + len;
	fprintf(out, "%12" PRId64 " %8" PRId64 " %.*s%s%s \n", sum->bytes,
		sum->objects, (int)len, sum->location,
		len ? ":0" : "", rest);
	sitename_free(&site);
}

static bool takes(const struct export *e, const struct tag *t)
{
	return export_has_class(e->classes, export_classes[t->kind]);
}

static void print(const struct export *e, const struct tags *tags)
{
	const struct tag *before = NULL;
	struct tag sum = { 0 };
	size_t i;

	fputs("allocinfo - version: 2.0\n"
	      "#     <size>  <calls> <tag info>\n",
	      e->out);
	for (i = 0; i < tags->count; i++) {
		const struct tag *t = &tags->tag[i];

		if (!takes(e, t))
			continue;
		if (before && is_continued(before, t)) {
			tag_add(&sum, t, 1);
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
	int ret = EXIT_FAILED;

	if (!formats_read_tags(e, &tags)) {
		print(e, &tags);
		ret = 0;
	}
	if (ret == EXIT_DONE)
		note_accuracy(&tags);
	tags_free(&tags);
	return ret;
}
