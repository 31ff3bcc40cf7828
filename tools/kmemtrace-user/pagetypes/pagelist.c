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

static void pagelist_put_row(struct pagelist *l, const struct pagerun *run,
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

static void put_object(struct pagelist *l, const struct pagerun *run)
{
	struct jsonstream *s = &l->json_out;

	jsonstream_open_line(s);
	jsonstream_key(s, "flags");
	jsonstream_hex(s, run->flags);
	jsonstream_key(s, "names");
	jsonstream_value(s, pageflags_json(l->names, run->flags));
	jsonstream_member(s, run->swapped ? "swap_offset" : "frame", run->frame);
	if (l->page)
		jsonstream_member(s, "page", run->page);
	jsonstream_member(s, "pages", run->n);
	if (l->cgroup)
		jsonstream_member(s, "cgroup", run->cgroup);
	if (l->count)
		jsonstream_member(s, "mapcount", run->count);
	if (l->file) {
		/* a name that is not UTF-8 is written as null, because JSON needs UTF-8 */
		jsonstream_key(s, "file");
		jsonstream_value(s, json_string(l->file));
	}
	jsonstream_close(s, '}');
}

/* --- text or JSON --------------------------------------------------------------- */

static void pagelist_put(struct pagelist *l, const struct pagerun *run,
			 const char *letters)
{
	if (l->json)
		put_object(l, run);
	else
		pagelist_put_row(l, run, letters);
}

static void add_each(struct pagelist *l, struct pagerun run)
{
	char letters[PAGEFLAGS + 1];
	uint64_t n = run.n;

	pageflags_short(l->names, run.flags, letters);
	for (run.n = 1; n; n--, run.page++, run.frame++)
		pagelist_put(l, &run, letters);
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
		pagelist_put(l, &l->run,
			     pageflags_short(l->names, l->run.flags, letters));
	l->run.n = 0;
}
