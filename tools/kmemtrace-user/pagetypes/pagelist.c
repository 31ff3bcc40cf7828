// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#include "pagetypes/pagelist.h"

/* --- text ----------------------------------------------------------------------- */

static void put_hex(struct outbuf *o, uint64_t n, char after)
{
	char digits[OUTBUF_NUMBER];

	outbuf_hex(digits, n);
	outbuf_text(o, digits + 2);
	outbuf_char(o, after);
}

static void put_decimal(struct outbuf *o, uint64_t n)
{
	char digits[OUTBUF_NUMBER];

	outbuf_bytes(o, digits, outbuf_decimal(digits, n, false, 0));
}

static void put_row(struct pagelist *l, const struct pagerun *run,
		    const char *letters)
{
	struct outbuf *o = &l->out;

	if (l->page)
		put_hex(o, run->page, '\t');
	if (l->cgroup) {
		outbuf_char(o, '@');
		put_decimal(o, run->cgroup);
		outbuf_char(o, '\t');
	}
	if (l->count) {
		put_decimal(o, run->count);
		outbuf_char(o, '\t');
	}
	put_hex(o, run->frame, '\t');
	if (l->kind == PAGELIST_RANGES)
		put_hex(o, run->n, '\t');
	outbuf_text(o, letters);
	outbuf_char(o, '\n');
}

void pagelist_titles(struct pagelist *l)
{
	struct outbuf *o = &l->out;

	if (l->page) {
		outbuf_text(o, l->page);
		outbuf_char(o, '\t');
	}
	if (l->cgroup)
		outbuf_text(o, "cgroup\t");
	if (l->count)
		outbuf_text(o, "map-cnt\t");
	outbuf_text(o, l->kind == PAGELIST_RANGES ? "offset\tlen\tflags\n" :
						    "offset\tflags\n");
}

/* --- JSON ----------------------------------------------------------------------- */

static void put_number(struct outbuf *o, const char *key, uint64_t n)
{
	outbuf_text(o, ", ");
	outbuf_json(o, key, strlen(key));
	outbuf_text(o, ": ");
	put_decimal(o, n);
}

static void put_names(struct pagelist *l, uint64_t flags)
{
	json_t *names = pageflags_json(l->names, flags);
	char *text = json_dumps(names, JSON_COMPACT);

	outbuf_text(&l->out, ", \"names\": ");
	outbuf_text(&l->out, text ? text : "null");
	free(text);
	json_decref(names);
}

static void put_file(struct pagelist *l)
{
	json_t *name = json_string(l->file);
	char *text = json_dumps(name, JSON_ENCODE_ANY);

	/* names of files need not be UTF-8; JSON needs it */
	outbuf_text(&l->out, ", \"file\": ");
	outbuf_text(&l->out, text ? text : "null");
	free(text);
	json_decref(name);
}

static void put_object(struct pagelist *l, const struct pagerun *run)
{
	struct outbuf *o = &l->out;
	char hex[OUTBUF_NUMBER];

	outbuf_text(o, l->rows++ ? ",\n  {\"flags\": " : "\n  {\"flags\": ");
	outbuf_json(o, hex, outbuf_hex(hex, run->flags));
	put_names(l, run->flags);
	put_number(o, run->swapped ? "swap_offset" : "frame", run->frame);
	if (l->page)
		put_number(o, "page", run->page);
	put_number(o, "pages", run->n);
	if (l->cgroup)
		put_number(o, "cgroup", run->cgroup);
	if (l->count)
		put_number(o, "mapcount", run->count);
	if (l->file)
		put_file(l);
	outbuf_char(o, '}');
}

/* --- text or JSON --------------------------------------------------------------- */

static void put(struct pagelist *l, const struct pagerun *run,
		const char *letters)
{
	if (l->json)
		put_object(l, run);
	else
		put_row(l, run, letters);
}

static void add_each(struct pagelist *l, struct pagerun run)
{
	char letters[PAGEFLAGS + 1];
	uint64_t n = run.n;

	pageflags_short(l->names, run.flags, letters);
	for (run.n = 1; n; n--, run.page++, run.frame++)
		put(l, &run, letters);
}

void pagelist_add(struct pagelist *l, const struct pagerun *run)
{
	struct pagerun *last = &l->run;

	if (l->kind == PAGELIST_EACH) {
		add_each(l, *run);
	} else if (pagerun_goes_on(last, run)) {
		last->n += run->n;
	} else {
		pagelist_flush(l);
		*last = *run;
	}
}

void pagelist_flush(struct pagelist *l)
{
	char letters[PAGEFLAGS + 1];

	if (l->run.n)
		put(l, &l->run,
		    pageflags_short(l->names, l->run.flags, letters));
	l->run.n = 0;
}
