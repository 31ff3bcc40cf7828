// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Common Trace Format (CTF) 1.8: a directory with a stream of all events in their order,
 * and a text that declares their fields. Records have different fields, depending on the
 * features that were recorded. So each combination of a kind of event and of fields is a class
 * of events. The text is written at the end, when all classes are known.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/msg.h"
#include "base/pairs.h"
#include "export/formats.h"
#include "export/outdir.h"
#include "export/packets.h"
#include "report/analysis.h"
#include "report/event_filter.h"
#include "report/lines.h"
#include "report/losses.h"
#include "report/render.h"
#include "report/when.h"

/* a recording that is written */
struct ctf {
	const struct export *e;		/* the command line */
	struct input in;		/* the recording */
	struct lines *lines;		/* source lines */
	struct event_filter *filter;	/* the compiled filter, or NULL */
	/* the fields of events, as script --json has them, and their texts */
	struct render render;
	struct packets stream;		/* the stream */
	/* for each class of events, its kind and the mask of groups that it has */
	struct pairs classes;
	uint64_t lost;			/* losses since the last event */
	uint64_t known;			/* all losses up to the current record */
};

/* --- events ------------------------------------------------------------------ */

static void put_number(struct ctf *t, const struct kmt_field *f,
		       const struct kmt_event *ev, const struct kmt_extra *x)
{
	packets_number(&t->stream, kmt_field_number(f, ev, x), f->size);
}

static void put_stack(struct ctf *t, const struct kmt_extra *x, uint64_t seq)
{
	char scratch[MEMO_TEXT_MAX];
	const char *text;
	size_t i, len;

	packets_number(&t->stream, x->depth, sizeof(x->depth));
	for (i = 0; i < x->depth; i++) {
		text = render_symbol(&t->render, x->stack[i], seq, scratch,
				     &len);
		packets_text(&t->stream, text, len);
	}
}

/* Writes what declare_field() declares. */
static void ctf_put_field(struct ctf *t, const struct render_column *c,
			  const struct kmt_event *ev, const struct extra *e)
{
	char scratch[MEMO_TEXT_MAX];
	const char *text;
	size_t len;

	switch ((enum render_form)c->form) {
	case FORM_EVENT:
		return;
	case FORM_STACK:
		put_stack(t, &e->x, kmt_event_number(ev));
		return;
	case FORM_NUMBER:
	case FORM_HEX:
	case FORM_ADDRESS:
	case FORM_TIME:
		put_number(t, c->field, ev, &e->x);
		return;
	case FORM_SYMBOL:
	case FORM_GFP:
		put_number(t, c->field, ev, &e->x);
		if (c->form == FORM_SYMBOL && t->render.raw_ip)
			return;
		break;
	case FORM_STRING:
		break;
	}
	text = render_value(&t->render, c, ev, e, scratch, &len);
	packets_text(&t->stream, text, len);
}

static void put_event(struct ctf *t, struct kmt_event *ev, struct extra *e)
{
	struct render *r = &t->render;
	uint32_t class;
	size_t i;

	extra_fetch(&e->x, ev, r->need & ~e->x.have);
	class = pairs_get(&t->classes, kmt_event_kind(ev), e->x.have & r->need);
	packets_event(&t->stream, class,
		      ev->features & KMT_FEATURE_TIME ? ev->time : 0);
	for (i = 0; i < r->nr_columns; i++)
		if (render_knows(&r->columns[i], e))
			ctf_put_field(t, &r->columns[i], ev, e);
}

static void put_losses(struct ctf *t)
{
	if (t->lost && input_gaps_are_losses(&t->in))
		packets_lose(&t->stream, t->lost);
	t->lost = 0;
}

static bool is_wanted(const struct ctf *t, struct kmt_event *ev,
		      struct extra *e)
{
	return export_has_class(t->e->classes, analysis_kind_of(ev->type_id)) &&
	       (!t->filter || event_filter_match(t->filter, ev, e));
}

static void ctf_put_record(struct ctf *t, const struct merged *record)
{
	struct kmt_event ev = record->ev;
	struct extra e;

	t->lost += record->lost;
	t->known += record->lost;
	extra_init(&e, &t->in);
	extra_take(&e, record);
	if (!is_wanted(t, &ev, &e))
		return;
	put_losses(t);
	put_event(t, &ev, &e);
}

static int put_records(struct ctf *t)
{
	const struct window *w;
	size_t i;

	while ((w = input_next(&t->in))) {
		for (i = 0; i < w->count; i++)
			ctf_put_record(t, &w->events[i]);
		/* the disk is full: outdir_close() prints the message */
		if (ferror(t->stream.out))
			return EXIT_DONE;
	}
	if (t->in.err)
		return EXIT_FAILED;
	t->lost += merge_stats(t->in.merge)->missing - t->known;
	put_losses(t);
	packets_finish(&t->stream);
	return when_check_records(&t->in);
}

/* --- the text ------------------------------------------------------------------ */

/* The text is printable. */
static void ctf_print_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void print_value(FILE *out, const char *text, const char *key,
			const char *name)
{
	char value[1024];

	if (!input_value(text, key, value, sizeof(value)))
		return;
	fprintf(out, "	%s = ", name);
	ctf_print_text(out, value);
	fputs(";\n", out);
}

static void print_env(const struct ctf *t, FILE *out)
{
	uint64_t lost = input_lost(&t->in);

	fprintf(out,
		"env {\n	tracer_name = \"kmemtrace\";\n	tracer_version = \"%s\";\n",
		KMEMTRACE_VERSION);
	print_value(out, t->in.meta, "release", "kernel_release");
	print_value(out, t->in.meta, "build_id", "kernel_build_id");
	print_value(out, t->in.meta, "hostname", "hostname");
	print_value(out, t->in.meta, "command", "command");
	fprintf(out, "	lost_events = %" PRIu64 ";\n};\n\n",
		lost < INT64_MAX ? lost : INT64_MAX);
}

static void print_types(FILE *out)
{
	static const char *const bases[] = { "", "hex" };
	unsigned int size, hex;

	for (size = 8; size <= 64; size *= 2)
		for (hex = 0; hex < 2; hex++)
			fprintf(out,
				"typealias integer { size = %u; align = 8; signed = false; base = %u; } := uint%u%s_t;\n",
				size, hex ? 16 : 10, size, bases[hex]);
	for (size = 8; size <= 64; size *= 2)
		fprintf(out,
			"typealias integer { size = %u; align = 8; signed = true; } := int%u_t;\n",
			size, size);
	fputs("typealias integer { size = 64; align = 8; signed = false; map = clock.kernel.value; } := uint64_clock_t;\n\n",
	      out);
}

static void print_trace(const struct ctf *t, FILE *out)
{
	const uint16_t one = 1;

	fputs("/* CTF 1.8 */\n\n", out);
	print_env(t, out);
	fputs("clock {\n	name = \"kernel\";\n"
	      "	description = \"clock of the kernel log\";\n"
	      "	freq = 1000000000;\n	offset = 0;\n};\n\n",
	      out);
	print_types(out);
	fprintf(out,
		"trace {\n	major = 1;\n	minor = 8;\n	byte_order = %s;\n%s",
		*(const uint8_t *)&one ? "le" : "be", packets_metadata);
}

/* Readers remove the "_", which keeps the names apart from the words of the language. */
static void declare_number(FILE *out, const struct kmt_field *f, bool hex)
{
	fprintf(out, "		%sint%u%s_t _%s;\n", f->is_signed ? "" : "u",
		f->size * 8, hex ? "hex" : "", f->name);
}

static void declare_field(const struct ctf *t, FILE *out,
			  const struct render_column *c)
{
	const struct kmt_field *f = c->field;

	switch ((enum render_form)c->form) {
	case FORM_EVENT:
		break;
	case FORM_STACK:
		fprintf(out,
			"		uint8_t _%s_depth;\n		string _%s[_%s_depth];\n",
			f->name, f->name, f->name);
		break;
	case FORM_NUMBER:
	case FORM_TIME:
		declare_number(out, f, false);
		break;
	case FORM_HEX:
	case FORM_ADDRESS:
		declare_number(out, f, true);
		break;
	case FORM_SYMBOL:
		declare_number(out, f, true);
		if (!t->render.raw_ip)
			fputs("		string _function;\n", out);
		break;
	case FORM_GFP:
		declare_number(out, f, true);
		fputs("		string _gfp_names;\n", out);
		break;
	case FORM_STRING:
		fprintf(out, "		string _%s;\n", f->name);
		break;
	}
}

static void print_class(const struct ctf *t, FILE *out, size_t number)
{
	const struct pair *class = &t->classes.pair[number];
	const struct extra e = { .x.have = class->b };
	size_t i;

	fprintf(out,
		"\nevent {\n	name = \"%s\";\n	id = %zu;\n	stream_id = 0;\n	fields := struct {\n",
		t->render.events[class->a], number);
	for (i = 0; i < t->render.nr_columns; i++)
		if (render_knows(&t->render.columns[i], &e))
			declare_field(t, out, &t->render.columns[i]);
	fputs("	};\n};\n", out);
}

static void print_metadata(struct ctf *t, FILE *out)
{
	size_t i;

	print_trace(t, out);
	for (i = 0; i < t->classes.count; i++)
		print_class(t, out, i);
}

/* --- files ------------------------------------------------------------------- */

static int ctf_explain(const struct ctf *t, int err)
{
	return msg_error("cannot write %s: %s", t->e->name, strerror(err));
}

/* Writes a file of the directory. @write returns EXIT_*. */
static int write_file(struct ctf *t, const char *name,
		      int (*write)(struct ctf *t, FILE *out))
{
	FILE *out = outdir_open(t->e->dir, name);
	int ret, err;

	if (!out)
		return ctf_explain(t, errno);
	ret = write(t, out);
	err = outdir_close(out);
	return ret || !err ? ret : ctf_explain(t, -err);
}

static int write_stream(struct ctf *t, FILE *out)
{
	int ret;

	packets_init(&t->stream, out);
	ret = put_records(t);
	packets_exit(&t->stream);
	return ret;
}

static int write_metadata(struct ctf *t, FILE *out)
{
	print_metadata(t, out);
	return EXIT_DONE;
}

/* Does all that can fail before the first record. */
static int ctf_prepare(struct ctf *t)
{
	const struct export *e = t->e;
	int ret;

	pairs_init(&t->classes);
	render_init(&t->render, RENDER_JSON, t->in.names);
	t->render.raw_ip = e->raw_ip;
	ret = when_limit(&t->in, "export", e->since, "--until", e->until);
	if (!ret)
		ret = lines_open(&t->lines, t->in.names, t->in.meta,
				 e->debuginfo);
	if (!ret && e->expression)
		ret = event_filter_create(&t->filter, e->expression, &t->in);
	if (!ret)
		ret = input_begin(&t->in, true);
	return ret;
}

static int write_all(struct ctf *t)
{
	int ret = ctf_prepare(t);

	if (!ret)
		ret = write_file(t, "events", write_stream);
	if (!ret)
		ret = write_file(t, "metadata", write_metadata);
	if (ret)
		return ret;
	losses_note(&t->in);
	if (t->filter)
		event_filter_note(t->filter);
	return losses_exit(&t->in);
}

int ctf_write(const struct export *e)
{
	struct ctf *t = xcalloc(1, sizeof(*t));
	int ret;

	t->e = e;
	ret = input_open(&t->in, e->paths, e->count);
	if (!ret) {
		ret = write_all(t);
		render_exit(&t->render);
		pairs_exit(&t->classes);
		event_filter_destroy(t->filter);
		lines_close(t->lines);
		input_close(&t->in);
	}
	free(t);
	return ret;
}
