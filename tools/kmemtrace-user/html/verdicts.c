// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/msg.h"
#include "base/textfile.h"
#include "html/tables.h"
#include "html/verdicts.h"
#include "leaks/findings.h"
#include "leaks/leakview.h"
#include "leaks/replay.h"
#include "waste/recorded_waste.h"

/* The page has at most so many rows of each. */
#define ROWS_MAX 200

static json_t *json_why(const char *why)
{
	return json_pack("{s:s}", "why", why);
}

void verdicts_cut_waste(json_t *waste)
{
	static const char *const sums[] = { "saved", "waste", "live", NULL };

	if (waste)
		tables_cut(waste, "rows", ROWS_MAX, sums);
}

void verdicts_cut_leaks(json_t *leaks)
{
	static const char *const sums[] = { "live", NULL };

	if (leaks)
		tables_cut(leaks, "sites", ROWS_MAX, sums);
}

/* Both commands read a file as a whole. Return: NULL, or the reason why they cannot. */
static const char *refusal(const struct content *s)
{
	const struct export *e = &s->e;
	const struct report *r = &s->table[CONTENT_KINDS];

	if (r->no_live)
		return r->no_live;
	if (e->count > 1)
		return "raw files are no recording";
	if (e->expression || e->since || e->until)
		return "the page shows a part of the recording only";
	return NULL;
}

/* --- waste -------------------------------------------------------------------- */

static int add_waste(json_t *document, const struct content *s)
{
	json_t *waste = NULL;
	struct wasteview v = {
		.sort = "saved",
		.format = TABLE_JSON,
		.document = &waste,
	};
	int ret = recorded_waste(&v, s->e.paths[0], s->e.raw_ip,
				 s->e.debuginfo);

	if (waste) {
		verdicts_cut_waste(waste);
		json_object_set_new(document, "waste", waste);
	}
	return ret == EXIT_LOST ? EXIT_DONE : ret;
}

/* --- leaks -------------------------------------------------------------------- */

static bool is_named(const struct findings *f, const struct sites *sites,
		     uint64_t site)
{
	size_t i;

	for (i = 0; i < f->count; i++)
		if ((f->finding[i].named || f->finding[i].leader) &&
		    findings_is_at(&f->finding[i], sites, site))
			return true;
	return false;
}

static void mark_stacks(struct content *s, const struct findings *f,
			const struct sites *sites)
{
	const struct profile *p = &s->profile;
	size_t i;

	s->leaks = xcalloc(p->count + 1, sizeof(*s->leaks));
	for (i = 0; f->named && i < p->count; i++)
		s->leaks[i] = is_named(f, sites, p->rows[i].site);
}

static void verdicts_judge(json_t *document, struct content *s, const struct replay *r)
{
	struct findings f;
	struct leakview v = { .w = &r->w, .f = &f, .tags = &r->sites.tags,
			      .replay = r };
	json_t *leaks;

	findings_make(&f, &r->w, &r->sites);
	findings_confirm(&f, &r->w);
	mark_stacks(s, &f, &r->sites);
	leaks = leakview_document(&v);
	findings_free(&f);
	/* it has the path of the file, and what the page has elsewhere */
	json_object_del(leaks, "recording");
	verdicts_cut_leaks(leaks);
	json_object_set_new(document, "leaks", leaks);
}

/* A sentence may begin with the path: the page has the file only. */
static const char *without_directory(const char *why, const char *path)
{
	size_t len = textfile_name(path) - path;

	return strncmp(why, path, len) ? why : why + len;
}

static int add_leaks(json_t *document, struct content *s)
{
	const struct report *r = &s->table[CONTENT_KINDS];
	struct replay replay;
	char why[512];
	int ret;

	if (!r->a.has_time) {
		json_object_set_new(
			document, "leaks",
			json_why(merge_stats(r->in.merge)->events ?
					 "the records have no times" :
					 "there are no records"));
		return EXIT_DONE;
	}
	ret = replay_try(&replay, s->e.paths[0], OBSERVE_SETTLE, why, sizeof(why));
	if (!ret && *why)
		json_object_set_new(document, "leaks", json_why(without_directory(why, s->e.paths[0])));
	else if (!ret) {
		verdicts_judge(document, s, &replay);
		ret = 0;
	}
	replay_free(&replay);
	return ret;
}

int verdicts_add(json_t *document, struct content *s)
{
	const char *why = refusal(s);
	int ret;

	if (why) {
		json_object_set_new(document, "waste", json_why(why));
		json_object_set_new(document, "leaks", json_why(why));
		return EXIT_DONE;
	}
	ret = add_waste(document, s);
	if (!ret && s->e.raw_ip)
		json_object_set_new(document, "leaks",
				    json_why("leaks names functions, and --raw-ip asks for addresses"));
	else if (!ret)
		ret = add_leaks(document, s);
	return ret;
}
