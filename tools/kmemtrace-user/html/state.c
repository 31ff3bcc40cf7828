// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/sitename.h"
#include "account/tags.h"
#include "account/trust.h"
#include "base/json.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "export/formats.h"
#include "html/state.h"
#include "html/tables.h"

enum column {
	COL_LIVE,
	COL_OBJECTS,
	COL_ALLOCS,
	COL_FREES,
	COL_PEAK,
	COL_OLDEST,
	COL_KIND,
	COL_SITE,
	COL_MODULE,
	COL_WASTE,
	COL_REQUESTED,
	COLS,
};

/* The keys are those of report, because the page uses them; the titles those of allocinfo. */
static const struct table_column columns[COLS] = {
	[COL_LIVE] = { "LIVE", "live", TABLE_BYTES, 7 },
	[COL_OBJECTS] = { "OBJECTS", "objects", TABLE_COUNT, 7 },
	[COL_ALLOCS] = { "ALLOCS", "allocs", TABLE_COUNT, 7 },
	[COL_FREES] = { "FREES", "frees", TABLE_COUNT, 7 },
	[COL_PEAK] = { "PEAK", "peak", TABLE_BYTES, 7 },
	[COL_OLDEST] = { "AGE", "oldest_ms", TABLE_AGE, 5 },
	[COL_KIND] = { "KIND", "kind", TABLE_STRING, 6 },
	[COL_SITE] = { "LOCATION", "site", TABLE_STRING, 0 },
	[COL_MODULE] = { "MODULE", "module", TABLE_STRING, 0 },
	[COL_WASTE] = { "WASTE", "waste_bytes", TABLE_BYTES, 7 },
	[COL_REQUESTED] = { "REQ", "live_req", TABLE_BYTES, 7 },
};

static void set_module(const struct tag *t, struct table_cell *cell)
{
	struct sitename site;

	if (!sitename_parse(&site, t->location)) {
		msg_no_memory();
		return;
	}
	snprintf(cell->string, sizeof(cell->string), "%s",
		 *site.module ? site.module : "kernel");
	table_clean(cell->string);
	sitename_free(&site);
}

static uint64_t number(const struct tag *t, enum column column)
{
	switch (column) {
	case COL_LIVE:
		return t->bytes;
	case COL_OBJECTS:
		return t->objects;
	case COL_ALLOCS:
		return t->allocs;
	case COL_FREES:
		return t->frees;
	case COL_PEAK:
		return t->peak;
	case COL_OLDEST:
		return t->oldest_ms;
	case COL_WASTE:
		return tag_waste(t);
	default:
		return t->requested;
	}
}

static void get_cell(void *arg, size_t row, size_t column,
		     struct table_cell *cell)
{
	const struct tags *tags = arg;
	const struct tag *t = &tags->tag[row];

	switch (column) {
	case COL_KIND:
		snprintf(cell->string, sizeof(cell->string), "%s",
			 tag_kind_names[t->kind]);
		break;
	case COL_SITE:
		snprintf(cell->string, sizeof(cell->string), "%s", t->location);
		table_clean(cell->string);
		break;
	case COL_MODULE:
		cell->string[0] = '\0';
		set_module(t, cell);
		break;
	default:
		cell->number = number(t, column);
		cell->unknown = column == COL_OLDEST && t->oldest_ms < 0;
	}
}

static json_t *json_sites(const struct tags *tags)
{
	struct listing l = {
		.columns = columns,
		.nr_columns = COLS,
		.nr_rows = tags->count,
		.get = get_cell,
		.arg = (void *)tags,
	};
	json_t *sites = listing_sort(&l, COL_LIVE, 0) ? tables_json(&l) : NULL;

	listing_free(&l);
	return sites;
}

/* The accuracy, in the words of allocinfo. */
static json_t *json_words(const struct tags *tags)
{
	struct memtext text;
	FILE *out = memtext_open(&text);

	if (!out)
		return NULL;
	trust_write(tags, out);
	fprintf(out, "%s\n", TAG_KINDS_NOTE);
	return tables_lines(memtext_close(&text, NULL));
}

static json_t *json_kernel(const struct tags *tags)
{
	char text[256];

	tags_kernel(tags, text, sizeof(text));
	return *text ? json_string(text) : json_null();
}

static json_t *json_title(const char *path)
{
	char text[1024];

	snprintf(text, sizeof(text), "%s",
		 path ? formats_file_name(path) : "live memory");
	table_clean(text);
	return json_string(text);
}

int state_document(const char *path, json_t **ret)
{
	struct tags tags;

	*ret = NULL;
	if (tags_read(&tags, path)) {
		tags_free(&tags);
		return EXIT_FAILED;
	}
	*ret = json_pack("{s:i,s:o,s:o,s:o,s:o}", "version", JSON_VERSION,
			 "title", json_title(path), "kernel", json_kernel(&tags),
			 "words", json_words(&tags), "sites", json_sites(&tags));
	tags_free(&tags);
	return *ret ? EXIT_DONE : msg_oom();
}
