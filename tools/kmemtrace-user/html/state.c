// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/tagrows.h"
#include "account/trust.h"
#include "base/json.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "export/formats.h"
#include "html/ages.h"
#include "html/discreet.h"
#include "html/live.h"
#include "html/state.h"
#include "html/tables.h"
#include "trace/anonymized.h"

/* The page has at most so many tags. */
#define ROWS_MAX 5000

/* Only the module tells the age of each object. */
static json_t *json_ages(const struct tags *tags, const struct listing *l, bool live)
{
	return live ? ages_of_module(tags, l) :
		      json_pack("{s:s}", "why",
				"a saved state has only the age of the oldest object");
}

static json_t *json_sites(const struct tags *tags, bool live)
{
	struct listing l = tagrows_list(tags);
	json_t *all = NULL;

	listing_sort(&l, TAGROWS_LIVE, ROWS_MAX);
	all = tables_json(&l);
	json_object_set_new(all, "ages", json_ages(tags, &l, live));
	listing_free(&l);
	return all;
}

static json_t *json_sums(const struct tags *tags)
{
	struct listing l = tagrows_list(tags);
	json_t *all;

	l.nr_columns = TAGROWS_SUMS;
	listing_sort(&l, TAGROWS_LIVE, ROWS_MAX);
	all = tables_json(&l);
	listing_free(&l);
	return all;
}

/* The sums of all tags of each kind that there is. */
static json_t *json_kinds(const struct tags *tags)
{
	struct tag sum[TAG_KINDS] = { 0 };
	struct tags kinds = { .tag = sum };
	int kind;
	size_t i;

	for (kind = 0; kind < TAG_KINDS; kind++) {
		struct tag *to = &sum[kinds.count];
		bool exists = false;

		*to = (struct tag){ .kind = kind };
		for (i = 0; i < tags->count; i++) {
			if (tags->tag[i].kind != (enum tag_kind)kind)
				continue;
			tag_add(to, &tags->tag[i], 1);
			exists = true;
		}
		kinds.count += exists;
	}
	return json_sums(&kinds);
}

/* The accuracy, in the words of allocinfo. */
static json_t *json_words(const struct tags *tags)
{
	struct memtext text;
	FILE *out = memtext_open(&text);

	trust_write(tags, out);
	fprintf(out, "%s\n", TAG_KINDS_NOTE);
	return tables_lines(memtext_close(&text, NULL));
}

static json_t *json_kernel(const struct tags *tags)
{
	char text[256];

	if (!tags_word(tags, TAGS_KERNEL, text, sizeof(text)))
		return json_null();
	return json_string(text);
}

static json_t *json_title(char *name)
{
	table_clean(name);
	return json_string(name);
}

static int read_state(const char *path, const struct anonymize *how,
		      json_t **ret)
{
	char name[ANONYMIZED_NAME] = "live memory";
	struct tags tags;

	if (path && anonymized_name(how, path, name))
		return EXIT_FAILED;

	if (tags_read(&tags, path)) {
		tags_free(&tags);
		return EXIT_FAILED;
	}
	*ret = json_pack("{s:i,s:o,s:o,s:o,s:o,s:o}", "version", JSON_VERSION,
			 "title", json_title(name), "kernel", json_kernel(&tags),
			 "words", json_words(&tags), "kinds", json_kinds(&tags), "sites",
			 json_sites(&tags, !path));
	tags_free(&tags);
	return EXIT_DONE;
}

/* The message was printed. */
static bool lacks_ages(const json_t *document)
{
	const json_t *sites = json_object_get(document, "sites");

	return json_object_get(json_object_get(sites, "ages"), "why");
}

/* The observation takes time, so it comes first: all figures are then of one moment. */
int state_document(const char *path, double seconds, const struct anonymize *how,
		   json_t **ret)
{
	json_t *leaks = json_object();
	int err = EXIT_DONE;

	*ret = NULL;
	if (!path)
		err = live_leaks(leaks, seconds);
	if (!err)
		err = read_state(path, how, ret);
	if (!err)
		json_object_update(*ret, leaks);
	if (!err && !path)
		err = live_add(*ret);
	if (!err && !path && lacks_ages(*ret))
		err = EXIT_FAILED;
	json_decref(leaks);
	/* a document that lacks parts is written as well */
	if (*ret && discreet_document(*ret, how)) {
		json_decref(*ret);
		*ret = NULL;
		err = EXIT_FAILED;
	}
	return err;
}
