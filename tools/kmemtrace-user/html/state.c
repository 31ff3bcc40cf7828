// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
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

static json_t *json_sites(const struct tags *tags)
{
	struct listing l = tagrows_list(tags);
	json_t *sites = listing_sort(&l, TAGROWS_LIVE, 0) ? tables_json(&l) : NULL;

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

	if (!tags_word(tags, TAGS_KERNEL, text, sizeof(text)))
		return json_null();
	return json_string(text);
}

static json_t *json_title(const char *path)
{
	char text[1024];

	snprintf(text, sizeof(text), "%s",
		 path ? formats_file_name(path) : "live memory");
	table_clean(text);
	return json_string(text);
}

static int read_state(const char *path, json_t **ret)
{
	struct tags tags;

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
		err = read_state(path, ret);
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
