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
#include "html/discreet.h"
#include "html/live.h"
#include "html/state.h"
#include "html/tables.h"
#include "trace/anonymized.h"

/* The page has at most so many tags. */
#define ROWS_MAX 5000

/* The first columns of the tags. */
static json_t *json_tags(const struct tags *tags, size_t columns)
{
	struct listing l = tagrows_list(tags);
	json_t *all = NULL;

	if (columns < l.nr_columns)
		l.nr_columns = columns;
	if (listing_sort(&l, TAGROWS_LIVE, ROWS_MAX))
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
	return json_tags(&kinds, TAGROWS_SUMS);
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
			 json_tags(&tags, SIZE_MAX));
	tags_free(&tags);
	return *ret ? EXIT_DONE : msg_oom();
}

/* The observation takes time, so it comes first: all figures are then of one moment. */
int state_document(const char *path, double seconds, const struct anonymize *how,
		   json_t **ret)
{
	json_t *leaks = json_object();
	int err = leaks ? EXIT_DONE : msg_oom();

	*ret = NULL;
	if (!err && !path)
		err = live_leaks(leaks, seconds);
	if (!err)
		err = read_state(path, how, ret);
	if (!err && json_object_update(*ret, leaks))
		err = msg_oom();
	if (!err && !path)
		err = live_add(*ret);
	json_decref(leaks);
	/* a document that lacks parts is written as well */
	if (*ret && discreet_document(*ret, how)) {
		json_decref(*ret);
		*ret = NULL;
		err = EXIT_FAILED;
	}
	return err;
}
