// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/jsonstream.h"
#include "base/msg.h"
#include "base/plural.h"
#include "base/table.h"
#include "control/fieldlist.h"
#include "report/render.h"
#include "report/threads.h"

#define NS_PER_S 1000000000u

/* a column that is not a field of the record */
static const struct kmt_field event_field = {
	.name = "event",
	.type = "char *",
	.help = "name of the event",
};

/* --- selection of fields -------------------------------------------------- */

static bool is_event_member(const struct kmt_field *f, size_t offset)
{
	return f->base == KMT_IN_EVENT && f->offset == offset;
}

static enum render_form form_of(const struct kmt_field *f)
{
	if (f == &event_field)
		return FORM_EVENT;
	if (is_event_member(f, offsetof(struct kmt_event, call_site)))
		return FORM_SYMBOL;
	if (is_event_member(f, offsetof(struct kmt_event, gfp_flags)))
		return FORM_GFP;
	switch (f->kind) {
	case KMT_FIELD_HEX:
		return f->size == sizeof(u64) ? FORM_ADDRESS : FORM_HEX;
	case KMT_FIELD_NS:
		return FORM_TIME;
	case KMT_FIELD_CHARS:
	case KMT_FIELD_STRING:
		return FORM_STRING;
	case KMT_FIELD_STACK:
		return FORM_STACK;
	}
	return FORM_NUMBER;
}

static bool add_column(struct render *r, const struct kmt_field *f)
{
	struct render_column *c = &r->columns[r->nr_columns];

	if (r->nr_columns == RENDER_COLUMNS_MAX)
		return false;
	*c = (struct render_column){ .field = f, .form = form_of(f) };
	c->label_len = snprintf(c->label, sizeof(c->label), " %s=", f->name);
	r->nr_columns++;
	r->need |= f->group;
	return true;
}

static bool is_recorded(const struct kmt_field *f)
{
	return !f->alias && !(f->group & ~EXTRA_GROUPS);
}

/* Return: whether a field follows the event. put_front() prints time and task. */
static bool is_own(const struct kmt_field *f)
{
	return !f->common && f->kind != KMT_FIELD_STACK &&
	       !(f->group & (KMT_FEATURE_TIME | KMT_FEATURE_TASK |
			     KMT_GROUP_CPU));
}

/* The size of a record is not a property of the event. It must be selected by name. */
static void add_default_columns(struct render *r)
{
	const u32 groups = EXTRA_GROUPS & ~KMT_GROUP_SIZE;
	const struct kmt_field *f;

	if (r->format == RENDER_JSON)
		add_column(r, &event_field);
	for (f = kmt_fields; f->name; f++)
		if (is_recorded(f) && !(f->group & ~groups) &&
		    (r->format == RENDER_JSON || is_own(f)))
			add_column(r, f);
	r->need = groups;
}

static void make_symbol(void *names, uint64_t key, char *to, size_t size)
{
	names_location(names, key, 0, to, size);
}

static void make_gfp(void *names, uint64_t key, char *to, size_t size)
{
	names_gfp(names, key, to, size);
}

void render_init(struct render *r, enum render_format format,
		 struct names *names)
{
	size_t i;

	r->format = format;
	r->raw_ip = false;
	r->nr_columns = 0;
	r->need = 0;
	r->names = names;
	r->symbols = memo_create(make_symbol, names);
	r->gfp = memo_create(make_gfp, names);
	for (i = 0; i < KMT_EVENT_KINDS; i++)
		snprintf(r->events[i], sizeof(r->events[i]), "%s:%s",
			 kmt_kind_names[i].system, kmt_kind_names[i].event);
	outbuf_init(&r->out, STDOUT_FILENO);
	add_default_columns(r);
}

void render_exit(struct render *r)
{
	memo_destroy(r->symbols);
	memo_destroy(r->gfp);
}

static const struct kmt_field *find_field(const char *name, size_t len)
{
	if (len == strlen(event_field.name) &&
	    !strncmp(name, event_field.name, len))
		return &event_field;
	return len ? kmt_field_find(name, len, EXTRA_GROUPS) : NULL;
}

int render_choose(struct render *r, const char *list)
{
	const struct kmt_field *f;
	size_t len;

	if (r->format == RENDER_TRACE)
		r->format = RENDER_COLUMNS;
	r->nr_columns = 0;
	r->need = 0;
	for (;; list += len + 1) {
		len = strcspn(list, ",");
		f = find_field(list, len);
		if (!f)
			return msg_usage("script", "there is no field '%.*s'; --fields help lists them",
					 (int)len, list);
		if (!add_column(r, f))
			return msg_usage("script", "--fields takes up to %d fields",
					 RENDER_COLUMNS_MAX);
		if (!list[len])
			return EXIT_DONE;
	}
}

static bool is_listed(const struct kmt_field *f, void *arg)
{
	(void)arg;
	return is_recorded(f);
}

int render_list_fields(bool json)
{
	return fieldlist_print(&event_field, is_listed, NULL, json);
}

/* --- values --------------------------------------------------------------- */

const char *render_symbol(struct render *r, u64 address, u64 seq, char *scratch,
			  size_t *len)
{
	uint16_t place;

	if (r->raw_ip) {
		*len = outbuf_hex(scratch, address);
		return scratch;
	}
	place = names_place(r->names, address, seq);
	if (!place)
		return memo_get(r->symbols, address, len);
	names_location(r->names, address, place, scratch, MEMO_TEXT_MAX);
	table_clean(scratch);
	*len = strlen(scratch);
	return scratch;
}

static size_t put_time(char *to, u64 ns)
{
	size_t len = outbuf_decimal(to, ns / NS_PER_S, false, 0);

	to[len++] = '.';
	return len + outbuf_decimal(to + len, ns % NS_PER_S, false, 9);
}

bool render_knows(const struct render_column *c, const struct extra *e)
{
	return !(c->field->group & ~e->x.have);
}

static const char *clean_string(const struct kmt_field *f,
				const struct kmt_extra *x, char *scratch,
				size_t *len)
{
	table_escape(scratch, MEMO_TEXT_MAX, kmt_field_string(f, x));
	*len = strlen(scratch);
	return scratch;
}

static const char *event_name(const struct render *r,
			      const struct kmt_event *ev)
{
	return r->events[kmt_event_kind(ev)];
}

const char *render_value(struct render *r, const struct render_column *c,
			 const struct kmt_event *ev, const struct extra *e,
			 char *scratch, size_t *len)
{
	const struct kmt_field *f = c->field;
	const char *text;

	switch ((enum render_form)c->form) {
	case FORM_NUMBER:
		*len = outbuf_decimal(scratch, kmt_field_number(f, ev, &e->x),
				      f->is_signed, 0);
		return scratch;
	case FORM_HEX:
	case FORM_ADDRESS:
		*len = outbuf_hex(scratch, kmt_field_number(f, ev, &e->x));
		return scratch;
	case FORM_TIME:
		*len = put_time(scratch, kmt_field_number(f, ev, &e->x));
		return scratch;
	case FORM_SYMBOL:
		return render_symbol(r, ev->call_site, kmt_event_number(ev), scratch, len);
	case FORM_GFP:
		return memo_get(r->gfp, ev->gfp_flags, len);
	case FORM_STRING:
		return clean_string(f, &e->x, scratch, len);
	case FORM_EVENT:
		text = event_name(r, ev);
		*len = strlen(text);
		return text;
	case FORM_STACK:
		break;
	}
	*len = 0;
	return "";
}

static void put_stack(struct render *r, const struct kmt_extra *x, u64 seq)
{
	char scratch[MEMO_TEXT_MAX];
	size_t i, len;

	for (i = 0; i < x->depth; i++) {
		const char *text = render_symbol(r, x->stack[i], seq, scratch,
					  &len);

		outbuf_text(&r->out, "  <- ");
		outbuf_bytes(&r->out, text, len);
		outbuf_char(&r->out, '\n');
	}
}

/* --- format of event tracing ---------------------------------------------- */

/* Prints the same four characters as event tracing. */
static void put_context(struct outbuf *o, const struct kmt_extra *x)
{
	u8 c = x->context;
	bool off = c & KMEMTRACE_CONTEXT_IRQS_OFF;
	bool hard = c & KMEMTRACE_CONTEXT_HARDIRQ;

	if (c & KMEMTRACE_CONTEXT_BH_OFF)
		outbuf_char(o, off ? 'D' : 'b');
	else
		outbuf_char(o, off ? 'd' : '.');
	outbuf_char(o, c & KMEMTRACE_CONTEXT_NEED_RESCHED ? 'n' : '.');
	if (c & KMEMTRACE_CONTEXT_NMI)
		outbuf_char(o, hard ? 'Z' : 'z');
	else if (c & KMEMTRACE_CONTEXT_SOFTIRQ)
		outbuf_char(o, hard ? 'H' : 's');
	else
		outbuf_char(o, hard ? 'h' : '.');
	outbuf_char(o, ".123456789abcdef"[x->preempt_count & 15]);
}

static void put_task(struct outbuf *o, const struct kmt_extra *x)
{
	char number[OUTBUF_NUMBER], comm[THREADS_COMM];

	outbuf_char(o, ' ');
	put_context(o, x);
	outbuf_char(o, ' ');
	outbuf_text(o, threads_comm(x, comm));
	outbuf_char(o, '-');
	outbuf_bytes(o, number, outbuf_decimal(number, x->pid, true, 0));
}

static void put_front(struct render *r, const struct kmt_event *ev,
		      const struct kmt_extra *x)
{
	struct outbuf *o = &r->out;
	char number[2 * OUTBUF_NUMBER];

	if (x->have & KMT_FEATURE_TIME)
		outbuf_padded(o, number, put_time(number, ev->time), 15);
	else
		outbuf_padded(o, number,
			      outbuf_decimal(number, ev->seq, false, 0), 10);
	outbuf_text(o, " [");
	outbuf_bytes(o, number, outbuf_decimal(number, x->cpu, true, 3));
	outbuf_char(o, ']');
	if (x->have & KMT_FEATURE_TASK)
		put_task(o, x);
	outbuf_char(o, ' ');
	outbuf_text(o, event_name(r, ev));
}

/* Most values are made where they are printed. */
static void render_put_field(struct render *r, const struct render_column *c,
			     const struct kmt_event *ev, const struct extra *e)
{
	char *to = outbuf_room(&r->out, RENDER_LABEL_MAX + MEMO_TEXT_MAX);
	const char *text;
	size_t len;

	memcpy(to, c->label, RENDER_LABEL_MAX);
	to += c->label_len;
	text = render_value(r, c, ev, e, to, &len);
	if (text != to)
		memcpy(to, text, len);
	outbuf_use(&r->out, c->label_len + len);
}

static void trace_record(struct render *r, const struct kmt_event *ev,
			 const struct extra *e)
{
	bool named = e->x.have & KMT_GROUP_CACHE_NAME;
	size_t i;

	put_front(r, ev, &e->x);
	for (i = 0; i < r->nr_columns; i++) {
		const struct render_column *c = &r->columns[i];

		if (render_knows(c, e) &&
		    !(named && c->field->group == KMT_FEATURE_CACHE))
			render_put_field(r, c, ev, e);
	}
	outbuf_char(&r->out, '\n');
	put_stack(r, &e->x, kmt_event_number(ev));
}

/* --- columns -------------------------------------------------------------- */

/* Return: the width; negative if the text is aligned to the left. */
static int width_of(const struct render_column *c)
{
	int name = strlen(c->field->name), width = 0;

	switch ((enum render_form)c->form) {
	case FORM_NUMBER:
		width = c->field->size == sizeof(u64) ? 10 : 7;
		if (c->field->kind == KMT_FIELD_CPU)
			width = 3;
		break;
	case FORM_HEX:
		width = 4;
		break;
	case FORM_ADDRESS:
		width = 18;
		break;
	case FORM_TIME:
		width = 15;
		break;
	case FORM_SYMBOL:
		return -32;
	case FORM_GFP:
		return -24;
	case FORM_STRING:
		return c->field->kind == KMT_FIELD_CHARS ? 1 - KMT_COMM_LEN :
							   -20;
	case FORM_EVENT:
		return -21;
	case FORM_STACK:
		break;
	}
	return name > width ? name : width;
}

/* Prints one cell. A last cell that is aligned to the left is not padded. */
static void put_cell(struct render *r, size_t i, const char *text, size_t len)
{
	int width = width_of(&r->columns[i]);

	if (i)
		outbuf_char(&r->out, ' ');
	if (width < 0 && i + 1 == r->nr_columns)
		width = 0;
	outbuf_padded(&r->out, text, len, width);
}

/* Write an object with one number. */
static void json_line(struct render *r, const char *key, uint64_t n)
{
	struct jsonstream s = { .out = &r->out };

	jsonstream_open(&s, '{');
	jsonstream_member(&s, key, n);
	jsonstream_close(&s, '}');
	jsonstream_end_line(&s);
}

void render_head(struct render *r)
{
	size_t i;

	if (r->format == RENDER_JSON)
		json_line(r, "version", JSON_VERSION);
	if (r->format != RENDER_COLUMNS)
		return;
	for (i = 0; i < r->nr_columns; i++)
		if (r->columns[i].form != FORM_STACK)
			put_cell(r, i, r->columns[i].field->name,
				 strlen(r->columns[i].field->name));
	outbuf_char(&r->out, '\n');
}

static void columns_record(struct render *r, const struct kmt_event *ev,
			   const struct extra *e)
{
	char scratch[MEMO_TEXT_MAX];
	bool stack = false;
	size_t i, len;

	for (i = 0; i < r->nr_columns; i++) {
		const struct render_column *c = &r->columns[i];
		const char *text = "-";

		if (c->form == FORM_STACK) {
			stack = true;
			continue;
		}
		len = 1;
		if (render_knows(c, e))
			text = render_value(r, c, ev, e, scratch, &len);
		put_cell(r, i, text, len);
	}
	outbuf_char(&r->out, '\n');
	if (stack)
		put_stack(r, &e->x, kmt_event_number(ev));
}

/* --- JSON ----------------------------------------------------------------- */

static void json_stack(struct render *r, struct jsonstream *s,
		       const struct kmt_extra *x, u64 seq)
{
	char scratch[MEMO_TEXT_MAX];
	size_t i, len;

	jsonstream_open(s, '[');
	for (i = 0; i < x->depth; i++) {
		const char *text = render_symbol(r, x->stack[i], seq, scratch, &len);

		jsonstream_text(s, text, len);
	}
	jsonstream_close(s, ']');
}

static void json_column(struct render *r, struct jsonstream *s,
			const struct render_column *c,
			const struct kmt_event *ev, const struct extra *e)
{
	char scratch[MEMO_TEXT_MAX];
	const char *text;
	size_t len;

	jsonstream_key(s, c->field->name);
	switch ((enum render_form)c->form) {
	case FORM_NUMBER:
	case FORM_HEX:
	case FORM_TIME:
	case FORM_GFP:
		jsonstream_number(s, kmt_field_number(c->field, ev, &e->x),
				  c->field->is_signed);
		break;
	case FORM_SYMBOL:
		jsonstream_hex(s, ev->call_site);
		break;
	case FORM_ADDRESS:
	case FORM_STRING:
	case FORM_EVENT:
		text = render_value(r, c, ev, e, scratch, &len);
		jsonstream_text(s, text, len);
		break;
	case FORM_STACK:
		json_stack(r, s, &e->x, kmt_event_number(ev));
		return;
	}
	if (c->form == FORM_GFP || (c->form == FORM_SYMBOL && !r->raw_ip)) {
		jsonstream_key(s, c->form == FORM_GFP ? "gfp_names" : "function");
		text = render_value(r, c, ev, e, scratch, &len);
		jsonstream_text(s, text, len);
	}
}

static void json_record(struct render *r, const struct kmt_event *ev,
			const struct extra *e)
{
	struct jsonstream s = { .out = &r->out };
	size_t i;

	jsonstream_open(&s, '{');
	for (i = 0; i < r->nr_columns; i++)
		if (render_knows(&r->columns[i], e))
			json_column(r, &s, &r->columns[i], ev, e);
	jsonstream_close(&s, '}');
	jsonstream_end_line(&s);
}

/* --- output in the selected format ---------------------------------------- */

void render_record(struct render *r, struct kmt_event *ev, struct extra *e)
{
	extra_fetch(&e->x, ev, r->need & ~e->x.have);
	switch (r->format) {
	case RENDER_TRACE:
		trace_record(r, ev, e);
		break;
	case RENDER_COLUMNS:
		columns_record(r, ev, e);
		break;
	case RENDER_JSON:
		json_record(r, ev, e);
		break;
	}
}

void render_lost(struct render *r, uint64_t count)
{
	char number[OUTBUF_NUMBER];

	if (r->format == RENDER_JSON) {
		json_line(r, "lost", count);
		return;
	}
	outbuf_text(&r->out, "# ");
	outbuf_bytes(&r->out, number, outbuf_decimal(number, count, false, 0));
	outbuf_text(&r->out, " record");
	outbuf_text(&r->out, plural(count));
	outbuf_text(&r->out, " lost here\n");
}
