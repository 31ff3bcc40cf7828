// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <string.h>

#include "account/trust.h"
#include "base/json.h"
#include "base/jsonstream.h"
#include "base/outbuf.h"
#include "watch/document.h"

static void document_put_text(struct jsonstream *s, const char *key, const char *text)
{
	jsonstream_key(s, key);
	jsonstream_text(s, text, strlen(text));
}

static void put_number_or_null(struct jsonstream *s, const char *key, uint64_t n,
			       bool known)
{
	jsonstream_key(s, key);
	if (known)
		jsonstream_number(s, n, true);
	else
		jsonstream_value(s, json_null());
}

static void put_history(struct jsonstream *s, const struct watch *w, uint32_t row)
{
	int64_t value[HISTORY_SLOTS];
	size_t i;

	watch_history(w, row, value);
	jsonstream_key(s, "history");
	jsonstream_open(s, '[');
	for (i = 0; i < history_known(&w->clock); i++)
		jsonstream_number(s, value[i], true);
	jsonstream_close(s, ']');
}

static void document_put_row(struct jsonstream *s, const struct view *v, size_t position)
{
	const struct listing *l = &v->list;
	uint32_t row = view_row(v, position);
	const char *location = watch_tag(v->watch, row, 0)->now.location;
	struct table_cell cell;
	size_t i;

	jsonstream_open(s, '{');
	for (i = 0; i < l->nr_columns; i++) {
		cell.unknown = cell.blank = false;
		l->get(l->arg, l->row[position], i, &cell);
		if (l->columns[i].kind == TABLE_STRING)
			document_put_text(s, l->columns[i].key, cell.string);
		else
			put_number_or_null(s, l->columns[i].key, cell.number,
					   !cell.unknown);
	}
	jsonstream_key(s, "site");
	if (v->watch->by == WATCH_SITE)
		jsonstream_text(s, location, strlen(location));
	else
		jsonstream_value(s, json_null());
	put_history(s, v->watch, row);
	jsonstream_close(s, '}');
}

void document_write(const struct view *v, struct outbuf *out)
{
	struct jsonstream s = { .out = out };
	const struct watch *w = v->watch;
	size_t i;

	jsonstream_open(&s, '{');
	jsonstream_member(&s, "version", JSON_VERSION);
	document_put_text(&s, "by", watch_by_names[w->by]);
	jsonstream_key(&s, "accounting");
	jsonstream_value(&s, json_boolean(trust_counter(&w->stats, "accounting")));
	put_number_or_null(&s, "interval_ns", w->step_ns, w->step_ns);
	jsonstream_member(&s, "change_ns", w->ns - w->start_ns);
	jsonstream_member(&s, "restarts", w->restarts);
	jsonstream_member(&s, "slot_ns", HISTORY_SLOT_NS);
	jsonstream_key(&s, "rows");
	jsonstream_open(&s, '[');
	for (i = 0; i < v->list.shown; i++)
		document_put_row(&s, v, i);
	jsonstream_close(&s, ']');
	jsonstream_key(&s, "error");
	jsonstream_value(&s, trust_json(&w->stats));
	jsonstream_key(&s, "holes");
	jsonstream_value(&s, trust_json_holes(&w->stats));
	jsonstream_close(&s, '}');
	jsonstream_end_line(&s);
}
