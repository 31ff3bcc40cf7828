// SPDX-License-Identifier: GPL-2.0-only
/*
 * A database of SQLite. The recording is read once: the rows of events are written as they
 * are read, those of sites and of live memory at the end.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/caches.h"
#include "account/tags.h"
#include "account/trust.h"
#include "base/asset.h"
#include "base/die.h"
#include "base/listing.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/table.h"
#include "export/database.h"
#include "export/eventrows.h"
#include "export/formats.h"
#include "report/losses.h"

/* version of the tables; it changes if a query may have to change */
#define SCHEMA 1

ASSET(schema_sql, "export/schema.sql");

/* a recording that is written */
struct writing {
	struct database d;		/* the database */
	struct report r;		/* the report */
	struct eventrows events;	/* the tables of events */
};

/* --- the tables sites, meta and notes ------------------------------------------- */

static bool is_listed(const char *name, const char *list)
{
	char word[64];

	snprintf(word, sizeof(word), " %s ", name);
	return strstr(list, word);
}

static void insert_cell(struct insert *i, const struct table_column *column,
			const struct table_cell *cell)
{
	if (column->kind == TABLE_STRING)
		insert_text(i, cell->string);
	else if (cell->unknown || cell->blank || cell->beyond)
		insert_null(i);
	else if (column->kind == TABLE_PERCENT)
		insert_real(i, cell->number / 10.0);
	else
		insert_signed(i, cell->number);
}

static void siterows_write_rows(struct insert *i, const struct listing *l,
				const char *skip, uint64_t (*id)(void *arg, size_t row),
				void *arg)
{
	struct table_cell cell;
	size_t row, c;

	for (row = 0; row < l->shown; row++) {
		uint64_t number = id(arg, l->row[row]);

		if (!number)
			continue;
		insert_number(i, number);
		for (c = 0; c < l->nr_columns; c++) {
			if (is_listed(l->columns[c].key, skip))
				continue;
			table_get_cell(l->get, l->arg, l->row[row], c, &cell);
			insert_cell(i, &l->columns[c], &cell);
		}
		insert_row(i);
	}
}

static void siterows_write(struct database *d, const struct listing *l,
			   const char *skip, uint64_t (*id)(void *arg, size_t row),
			   void *arg)
{
	char columns[1024] = "id";
	struct insert i;
	size_t c, len = 2;

	for (c = 0; c < l->nr_columns; c++)
		if (!is_listed(l->columns[c].key, skip) &&
		    len < sizeof(columns))
			len += snprintf(columns + len, sizeof(columns) - len,
					",%s", l->columns[c].key);
	insert_begin(&i, d, "sites", columns);
	siterows_write_rows(&i, l, skip, id, arg);
	insert_end(&i);
}

/* A number, a text or null; anything else is written as JSON. */
static void insert_value(struct insert *i, const json_t *value)
{
	char *text;

	switch (json_typeof(value)) {
	case JSON_INTEGER:
		insert_signed(i, json_integer_value(value));
		break;
	case JSON_REAL:
		insert_real(i, json_real_value(value));
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		insert_number(i, json_is_true(value));
		break;
	case JSON_STRING:
		insert_text(i, json_string_value(value));
		break;
	case JSON_NULL:
		insert_null(i);
		break;
	default:
		text = json_dumps(value, JSON_COMPACT);
		insert_text(i, text);
		free(text);
	}
}

static void siterows_meta(struct database *d, const json_t *document, const char *skip)
{
	struct insert i;
	const char *key;
	json_t *value;

	insert_begin(&i, d, "meta", "key,value");
	json_object_foreach((json_t *)document, key, value) {
		if (is_listed(key, skip))
			continue;
		insert_text(&i, key);
		insert_value(&i, value);
		insert_row(&i);
	}
	insert_end(&i);
}

static void siterows_notes(struct database *d, char *text)
{
	char *line, *rest = NULL;
	struct insert i;

	insert_begin(&i, d, "notes", "note");
	for (line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		insert_text(&i, line);
		insert_row(&i);
	}
	insert_end(&i);
	free(text);
}

/* --- both inputs -------------------------------------------------------------- */

static void write_about(struct database *d, const char *input)
{
	json_t *all = json_pack("{s:i,s:s,s:s}", "schema", SCHEMA,
				"tool_version", KMEMTRACE_VERSION, "input",
				input);

	siterows_meta(d, all, "");
	json_decref(all);
}

/* --- a recording -------------------------------------------------------------- */

static void sqlite_watch(struct report *r)
{
	struct writing *w = r->watch_arg;

	eventrows_watch(&w->events, r);
}

static bool each(struct report *r, const struct merged *record, bool matches)
{
	struct writing *w = r->watch_arg;

	return eventrows_add(&w->events, record, matches);
}

static bool is_wanted(const struct writing *w, const struct group *g)
{
	return eventrows_wanted(&w->events, analysis_kind_of(g->type));
}

/* The number in sites: that of the group, from 1 on. */
static uint64_t site_id(void *arg, size_t row)
{
	struct writing *w = arg;
	const struct group *g = w->r.rows[row];

	return is_wanted(w, g) ? g - w->r.a.groups.groups + 1 : 0;
}

static void write_live_row(struct writing *w, struct insert *i,
			   enum site_kind class,
			   const struct map_slot *slot)
{
	const struct live l = live_unpack(slot);
	const struct size *size = live_size(&w->r.a.live[class], slot);
	const struct map_slot *birth =
		size_is_whole(size)
			? map_find(&w->events.births.map[class], slot->key)
			: NULL;

	insert_hex(i, slot->key);
	insert_text(i, site_total_names[class]);
	insert_number(i, (uint64_t)l.group + 1);
	insert_number(i, size->alloc);
	insert_number(i, size->req);
	insert_number(i, l.cpu);
	insert_number(i, !size_is_whole(size));
	insert_number(i, report_is_uncertain(&w->r) && (!l.fresh || w->r.a.aging));
	if (birth)
		insert_number(i, birth->value);
	else
		insert_null(i);
	insert_row(i);
}

static void write_live(struct writing *w)
{
	struct insert i;
	unsigned int class;
	size_t n;

	if (w->r.no_live)
		return;
	insert_begin(&i, &w->d, "live",
		     "address,class,site_id,bytes,requested,cpu,is_part,is_unsure,allocation_id");
	for (class = 0; class < SITE_KINDS; class++) {
		const struct map *map = &w->r.a.live[class].map;

		if (!eventrows_wanted(&w->events, class))
			continue;
		for (n = 0; n <= map->mask; n++)
			if (map->slots[n].key)
				write_live_row(w, &i, class, &map->slots[n]);
	}
	insert_end(&i);
}

static void write_classes(struct writing *w)
{
	static const char *const columns[] = { "live",	  "objects",  "uncertain",
					       "largest", "implicit", "unmatched" };
	json_t *all = report_json(&w->r), *live = json_object_get(all, "live"), *sums;
	const char *class;
	struct insert i;
	size_t c;

	insert_begin(&i, &w->d, "classes",
		     "class,live,objects,uncertain,largest,implicit,unmatched");
	json_object_foreach(live, class, sums) {
		insert_text(&i, class);
		for (c = 0; c < 6; c++) {
			json_t *sum = json_object_get(sums, columns[c]);

			if (c < 3 && w->r.no_live)
				insert_null(&i);
			else
				insert_number(&i, json_integer_value(sum));
		}
		insert_row(&i);
	}
	insert_end(&i);
	siterows_meta(&w->d, all, " kinds live ");
	json_decref(all);
}

/* Adds the values of the recording that report does not print. */
static void write_origin(struct writing *w)
{
	static const char *const keys[] = { "hostname", "command", "build_id",
					   "page_size" };
	char value[1024];
	struct insert i;
	size_t n;

	insert_begin(&i, &w->d, "meta", "key,value");
	for (n = 0; n < sizeof(keys) / sizeof(keys[0]); n++) {
		if (!input_value(w->r.in.meta, keys[n], value, sizeof(value)))
			continue;
		insert_text(&i, keys[n]);
		insert_text(&i, value);
		insert_row(&i);
	}
	insert_end(&i);
}

static void write_words(struct writing *w)
{
	struct memtext text;
	FILE *out = memtext_open(&text);

	report_words(&w->r, out);
	siterows_notes(&w->d, memtext_close(&text, NULL));
}

static int write_tables(struct writing *w)
{
	report_sort(&w->r);
	eventrows_finish(&w->events, &w->d);
	siterows_write(&w->d, &w->r.list, "", site_id, w);
	write_live(w);
	write_classes(w);
	write_origin(w);
	write_about(&w->d, "recording");
	write_words(w);
	return w->d.failed ? EXIT_FAILED : EXIT_DONE;
}

static int read_recording(struct writing *w, unsigned int classes)
{
	int ret;

	eventrows_init(&w->events, &w->d);
	w->events.r = &w->r;
	w->events.classes = classes;
	ret = w->d.failed ? EXIT_FAILED : report_read(&w->r, "export");
	if (!ret)
		ret = write_tables(w);
	eventrows_exit(&w->events);
	return ret;
}

static void set_report(struct writing *w, const struct export *e)
{
	w->r = (struct report){
		.expression = e->expression,
		.since = e->since,
		.until = e->until,
		.debuginfo = e->debuginfo,
		.keys.raw_ip = e->raw_ip,
		.sort = COL_LIVE,
		.wants_peaks = true,
		.needs_live = true,
		.watch = sqlite_watch,
		.watch_arg = w,
		.each = each,
	};
	keys_parse(&w->r.keys, key_names[BY_SITE]);
}

static int write_recording(struct writing *w, const struct export *e)
{
	int ret;

	set_report(w, e);
	ret = input_open(&w->r.in, e->paths, e->count);
	if (ret)
		return ret;
	ret = read_recording(w, e->classes);
	if (!ret)
		losses_note(&w->r.in);
	return report_end(&w->r, ret);
}

/* --- a state of accounting ------------------------------------------------------ */

/* @arg: the tags, and the classes */
struct wanted_tags {
	const struct tags *tags;
	unsigned int classes;
};

static uint64_t tag_id(void *arg, size_t row)
{
	const struct wanted_tags *w = arg;

	return export_has_class(w->classes, w->tags->rows.row[row].kind) ? row + 1 : 0;
}

static void write_trust(struct database *d, const struct tags *tags)
{
	json_t *all = trust_json(tags);
	struct memtext text;
	FILE *out = memtext_open(&text);

	siterows_meta(d, all, "");
	json_decref(all);
	trust_write(tags, out);
	fprintf(out, "%s\n", SITE_KINDS_NOTE);
	siterows_notes(d, memtext_close(&text, NULL));
}

static void write_kernel(struct database *d, const struct tags *tags)
{
	char text[256];
	bool is_known = tags_word(tags, TAGS_KERNEL, text, sizeof(text));
	struct insert i;

	insert_begin(&i, d, "meta", "key,value");
	insert_text(&i, "kernel");
	insert_text(&i, is_known ? text : NULL);
	insert_row(&i);
	insert_end(&i);
}

/* A saved state has no caches. */
static int write_cache_rows(struct database *d)
{
	struct tags caches = { 0 };
	struct insert i;
	char why[256];
	size_t n;
	int ret = EXIT_DONE;

	if (caches_read_module(&caches, why, sizeof(why)))
		ret = msg_error("%s", why);
	insert_begin(&i, d, "caches", "id,name,live,objects");
	for (n = 0; n < caches.rows.count; n++) {
		const struct site_row *t = &caches.rows.row[n];

		table_clean(t->location);
		insert_number(&i, n + 1);
		insert_text(&i, t->location);
		insert_signed(&i, t->f.bytes);
		insert_signed(&i, t->f.objects);
		insert_row(&i);
	}
	insert_end(&i);
	tags_free(&caches);
	return ret;
}

static int write_tags(struct database *d, const struct export *e,
		      const struct tags *tags)
{
	struct wanted_tags wanted = { tags, e->classes };
	struct listing l = tagrows_list(tags);
	int ret = EXIT_DONE;

	listing_sort(&l, TAGROWS_LIVE, 0);
	siterows_write(d, &l, " module waste ", tag_id, &wanted);
	listing_free(&l);
	if (!e->count && export_has_class(e->classes, SITE_SLAB))
		ret = write_cache_rows(d);
	write_about(d, "state of accounting");
	write_kernel(d, tags);
	write_trust(d, tags);
	return ret;
}

static int write_state(struct database *d, const struct export *e)
{
	struct tags tags;
	int ret = EXIT_FAILED;

	if (!formats_read_tags(e, &tags))
		ret = write_tags(d, e, &tags);
	tags_free(&tags);
	return ret;
}

int sqlite_write(const struct export *e)
{
	struct writing *w = xcalloc(1, sizeof(*w));
	int ret = EXIT_FAILED;

	if (database_open(&w->d, e->path, e->name) &&
	    database_run(&w->d, schema_sql))
		ret = e->input == EXPORT_STATE ? write_state(&w->d, e)
					       : write_recording(w, e);
	if (!database_close(&w->d))
		ret = EXIT_FAILED;
	free(w);
	return ret;
}
