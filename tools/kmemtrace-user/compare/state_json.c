// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/json.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/options.h"
#include "base/table.h"
#include "compare/state.h"
#include "report/report.h"

/* the longest location; the module's are shorter */
#define LOCATION_MAX 1024

static int64_t state_json_number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static bool has_numbers(const json_t *object, const char *const *keys)
{
	for (; *keys; keys++)
		if (!json_is_integer(json_object_get(object, *keys)))
			return false;
	return true;
}

static int state_damaged(const struct state *s, const char *what)
{
	return msg_error("%s cannot be compared: it is no output of this tool, %s",
			 s->path, what);
}

static int state_incomplete(const struct state *s, const char *command)
{
	return msg_error("%s cannot be compared: it does not have all rows; write it with %s --json --top 0",
			 s->path, command);
}

/* Return: whether rows are missing: the totals cover all of them. */
static bool lacks_rows(const struct state *s, const json_t *totals, const char *const *names)
{
	int kind;

	for (kind = 0; kind < SITE_KINDS; kind++) {
		const json_t *total = json_object_get(totals, names[kind]);
		struct figures sum = site_rows_sum(&s->tags.rows, kind);

		if (sum.bytes != state_json_number(total, "live") ||
		    sum.objects != state_json_number(total, "objects"))
			return true;
	}
	return false;
}

/* --- allocinfo: becomes the text of a saved state ------------------------------------ */

static void write_age(FILE *out, const json_t *row)
{
	const json_t *age = json_object_get(row, "oldest_ms");

	if (json_is_integer(age))
		fprintf(out, "%" PRId64, (int64_t)json_integer_value(age));
	else
		fputc('-', out);
}

static bool write_row(FILE *out, const json_t *row)
{
	static const char *const keys[] = { "live",   "objects", "requested",
					    "allocs", "frees",	 "peak", NULL };
	char location[LOCATION_MAX], kind[16], address[32];
	size_t i;

	if (!json_is_object(row) || !has_numbers(row, keys) ||
	    !json_text(row, "site", location, sizeof(location)) ||
	    !json_text(row, "kind", kind, sizeof(kind)))
		return false;
	fputs(kind, out);
	for (i = 0; keys[i]; i++)
		fprintf(out, " %" PRId64, state_json_number(row, keys[i]));
	fputc(' ', out);
	write_age(out, row);
	if (!json_text(row, "address", address, sizeof(address)) ||
	    strncmp(address, "0x", 2))
		strcpy(address, "0x-");
	fprintf(out, " %s 0 %s\n", address + 2, location);
	return true;
}

static void write_values(FILE *out, json_t *object, const char *before)
{
	const char *key;
	json_t *value;
	char text[256];

	json_object_foreach(object, key, value) {
		if (json_is_integer(value))
			snprintf(text, sizeof(text), "%" PRId64,
				 (int64_t)json_integer_value(value));
		else if (!json_text(object, key, text, sizeof(text)))
			continue;
		fprintf(out, "# stat %s%s %s\n", before, key, text);
	}
}

static void write_counters(FILE *out, json_t *root)
{
	static const char *const names[] = { TAGS_KERNEL, TAGS_BUILD_ID,
					     TAGS_BOOT };
	char text[256];
	size_t i;

	if (!json_is_object(json_object_get(root, "error")))
		return;
	fprintf(out, "# stat accounting %d\n",
		json_is_true(json_object_get(root, "accounting")));
	write_values(out, json_object_get(root, "error"), "");
	write_values(out, json_object_get(root, "holes"), "hole ");
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (json_text(root, names[i], text, sizeof(text)))
			fprintf(out, "# stat %s %s\n", names[i], text);
	if (json_is_integer(json_object_get(root, TAGS_SINCE)))
		fprintf(out, "# stat " TAGS_SINCE " %" PRId64 "\n",
			state_json_number(root, TAGS_SINCE));
}

static int read_allocinfo(struct state *s, json_t *root)
{
	json_t *tags = json_object_get(root, "tags"), *row;
	char *text, why[256];
	struct memtext m;
	FILE *out;
	size_t i;
	int err;

	if (json_is_true(json_object_get(root, "change")))
		return msg_error("%s cannot be compared: it has changes (allocinfo --diff), not what is live",
				 s->path);
	out = memtext_open(&m);
	fputs("kmemtrace tags - version: 1\n", out);
	json_array_foreach(tags, i, row)
		if (!write_row(out, row))
			break;
	write_counters(out, root);
	text = memtext_close(&m, NULL);
	err = i < json_array_size(tags) ? state_damaged(s, "a row lacks a figure") :
	      tags_parse(&s->tags, text, why, sizeof(why)) ?
					state_damaged(s, why) :
					EXIT_DONE;
	free(text);
	if (!err && lacks_rows(s, json_object_get(root, "totals"), site_kind_names))
		return state_incomplete(s, "allocinfo");
	return err;
}

/* --- report ------------------------------------------------------------------------- */

/* Some keys are numbers. A stack is an array of functions, or null. */
static void write_value(FILE *out, const json_t *value)
{
	const char *text = json_string_value(value);
	json_t *function;
	size_t i;

	if (text)
		fputs(text, out);
	else if (json_is_integer(value))
		fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (!json_array_size(value))
		fputs(json_is_array(value) ? "(empty)" : "(not recorded)", out);
	json_array_foreach(value, i, function) {
		fputs(i ? " <- " : "", out);
		write_value(out, json_is_string(function) ? function : NULL);
	}
}

/* Return: the values of the keys of a row, which the caller frees. */
static char *row_name(const struct keys *keys, const json_t *row)
{
	struct memtext m;
	FILE *out = memtext_open(&m);
	char *name;
	size_t i;

	for (i = 0; i < keys->count; i++) {
		fputs(i ? ", " : "", out);
		write_value(out, json_object_get(row, keys_member(keys->by[i])));
	}
	name = memtext_close(&m, NULL);
	table_clean(name);
	return name;
}

static bool has_keys(const json_t *row, const struct keys *keys)
{
	size_t i;

	for (i = 0; i < keys->count; i++)
		if (!json_object_get(row, keys_member(keys->by[i])))
			return false;
	return true;
}

static bool state_json_add_row(struct state *s, const struct keys *keys, const json_t *json)
{
	static const char *const figures[] = {
		"live",	     "objects",	    "requested",	    "allocs", "frees",
		"live_low", "live_high", "objects_low", "objects_high", NULL
	};
	char text[16];
	struct site_row *row;
	struct figures *f;
	int kind;

	if (!json_is_object(json) || !has_numbers(json, figures) || !has_keys(json, keys) ||
	    !json_text(json, "kind", text, sizeof(text)))
		return false;
	kind = option_name(site_kind_names, SITE_ALL_KINDS, text);
	if (kind < SITE_PERCPU)
		return false;
	row = site_rows_add(&s->tags.rows, kind, row_name(keys, json));
	if (strcmp(s->by, "site")) {
		sitename_free(&row->name);
		sitename_parse(&row->name, "");
	}
	f = &row->f;
	f->bytes = state_json_number(json, "live");
	f->objects = state_json_number(json, "objects");
	f->requested = state_json_number(json, "requested");
	f->allocs = state_json_number(json, "allocs");
	f->frees = state_json_number(json, "frees");
	f->low = state_json_number(json, "live_low");
	/* the tool prints numbers above 2^63 as negative ones */
	f->high = state_json_number(json, "live_high") < 0 ? INT64_MAX :
						    state_json_number(json, "live_high");
	f->objects_low = state_json_number(json, "objects_low");
	f->objects_high = state_json_number(json, "objects_high");
	s->is_uncertain |= f->low != f->bytes || f->high != f->bytes;
	return true;
}

/* Return: false if the document does not tell the keys of its rows. */
static bool take_keys(struct state *s, struct keys *keys, const json_t *by)
{
	size_t i, len = 0;
	json_t *key;

	*s->by = '\0';
	json_array_foreach(by, i, key)
		if (len < sizeof(s->by))
			len += snprintf(s->by + len, sizeof(s->by) - len, "%s%s", i ? "," : "",
					json_is_string(key) ? json_string_value(key) : "");
	return len < sizeof(s->by) && keys_parse(keys, s->by);
}

static void take_filters(struct state *s, const json_t *root)
{
	const char *filter = json_string_value(json_object_get(root, "filter"));
	json_t *value;
	size_t i;

	s->filter = filter ? xstrdup(filter) : NULL;
	if (filter)
		table_clean(s->filter);
	json_array_foreach(json_object_get(root, "recorded_if"), i, value) {
		filter = json_is_string(value) ? json_string_value(value) : "";
		state_add_filter(s, filter, strlen(filter));
	}
}

static int read_report(struct state *s, const json_t *root)
{
	const json_t *rows = json_object_get(root, "rows"), *live = json_object_get(root, "live");
	static const char no_live[] = "or its rows show something else than what is live";
	struct keys keys;
	char text[256];
	json_t *row;
	size_t i;

	s->source = STATE_RECORDING;
	if (json_text(root, "no_live", text, sizeof(text)))
		return msg_error("%s cannot be compared: what is live in it is not known, because %s",
				 s->path, text);
	if (!take_keys(s, &keys, json_object_get(root, "by")))
		return state_damaged(s, no_live);
	json_array_foreach(rows, i, row)
		if (!state_json_add_row(s, &keys, row))
			return state_damaged(s, no_live);
	if (lacks_rows(s, live, site_total_names))
		return state_incomplete(s, "report");
	for (i = 0; i < SITE_KINDS; i++)
		s->largest[i] = state_json_number(json_object_get(live, site_total_names[i]),
						  "largest");
	json_text(root, "kernel", text, sizeof(text));
	state_set_kernel(s, text, "");
	json_text(root, "note", s->note, sizeof(s->note));
	take_filters(s, root);
	s->seconds = json_number_value(json_object_get(root, "seconds"));
	s->lost = state_json_number(root, "lost_events");
	s->is_uncertain |= s->lost > 0;
	s->is_lossy = s->lost || json_object_get(root, "snapshots");
	return EXIT_DONE;
}

static int read_document(struct state *s, json_t *root)
{
	if (state_json_number(root, "version") != JSON_VERSION)
		return state_damaged(s, "or of another version");
	if (json_is_array(json_object_get(root, "tags")) &&
	    json_is_object(json_object_get(root, "totals")))
		return read_allocinfo(s, root);
	if (json_is_array(json_object_get(root, "rows")) &&
	    json_is_object(json_object_get(root, "live")))
		return read_report(s, root);
	return msg_error("%s cannot be compared: it is not the output of report --json or allocinfo --json",
			 s->path);
}

int state_read_json(struct state *s, const char *text)
{
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	int ret;

	if (!root) {
		table_clean(error.text);
		return msg_error("%s cannot be read as JSON: line %d: %s", s->path,
				 error.line, error.text);
	}
	ret = read_document(s, root);
	json_decref(root);
	return ret;
}
