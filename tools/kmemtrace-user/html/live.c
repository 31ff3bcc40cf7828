// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "account/caches.h"
#include "base/die.h"
#include "base/figures.h"
#include "base/msg.h"
#include "html/live.h"
#include "html/machine.h"
#include "html/tables.h"
#include "html/verdicts.h"
#include "leaks/findings.h"
#include "leaks/leakview.h"
#include "leaks/observe.h"
#include "process/usage_rows.h"
#include "waste/live_waste.h"

/* The page has at most so many rows of each table. */
#define ROWS_MAX 5000

/* --- caches ------------------------------------------------------------------------- */

enum { CACHE_LIVE, CACHE_OBJECTS, CACHE_NAME, CACHE_COLS };

static const struct table_column cache_columns[CACHE_COLS] = {
	[CACHE_LIVE] = FIGURE_LIVE,
	[CACHE_OBJECTS] = FIGURE_OBJECTS,
	[CACHE_NAME] = FIGURE_CACHE,
};

static void get_cache(void *arg, size_t row, size_t column, struct table_cell *cell)
{
	const struct tag *t = &((const struct tags *)arg)->tag[row];

	if (column == CACHE_NAME)
		snprintf(cell->string, sizeof(cell->string), "%s", t->location);
	else
		cell->number = column == CACHE_LIVE ? t->bytes : t->objects;
}

static int make_caches(json_t **ret)
{
	struct tags tags;
	struct listing l = {
		.columns = cache_columns,
		.nr_columns = CACHE_COLS,
		.get = get_cache,
		.arg = &tags,
	};
	char why[256];
	int err = caches_read_module(&tags, why, sizeof(why));

	l.nr_rows = tags.count;
	if (!err) {
		listing_sort(&l, CACHE_LIVE, ROWS_MAX);
		*ret = tables_json(&l);
	}
	listing_free(&l);
	tags_free(&tags);
	return err ? msg_error("%s", why) : EXIT_DONE;
}

/* --- processes ------------------------------------------------------------------------ */

static const enum usage_column process_columns[] = {
	USAGE_PSS,  USAGE_RSS,	USAGE_USS,   USAGE_SHARED, USAGE_SWAP,
	USAGE_ANON, USAGE_FILES, USAGE_THP,   USAGE_LOCKED, USAGE_SIZE,
	USAGE_PID,  USAGE_NAME,	USAGE_COLUMNS,
};

/* A process may end meanwhile, and kernel threads have no memory of their own. */
static int read_processes(struct usage_view *v, struct footprint_reader *r,
			  const int *pid, size_t pids)
{
	const struct footprint_choice all = { .end = UINT64_MAX };
	size_t i;
	int err = 0;

	v->process = xcalloc(pids + 1, sizeof(*v->process));
	for (i = 0; i < pids && err != FOOTPRINT_BROKEN; i++) {
		struct footprint *f = &v->process[v->processes];

		err = footprint_read(r, f, pid[i], &all);
		if (err || !f->rows) {
			footprint_free(f);
			continue;
		}
		footprint_keep_total(f);
		v->processes++;
	}
	return err == FOOTPRINT_BROKEN ? EXIT_FAILED : EXIT_DONE;
}

static json_t *json_processes(struct usage_view *v, const struct footprint_reader *r)
{
	struct table_column columns[USAGE_COLUMNS];
	struct usage_rows rows;
	struct listing l = { .columns = columns, .get = usage_rows_get, .arg = &rows };
	json_t *all;

	v->sees_frames = r->sees_frames;
	v->sees_soft_dirty = r->sees_soft_dirty;
	v->sees_ksm = r->sees_ksm;
	v->sort = usage_rows_find_column(r->sees_frames ? "pss" : "rss");
	usage_rows_init(&rows, v, v->processes, process_columns);
	usage_rows_add_processes(&rows);
	l.nr_columns = usage_rows_columns(&rows, columns);
	l.nr_rows = rows.count;
	listing_keep(&l, ROWS_MAX);
	all = tables_json(&l);
	listing_free(&l);
	free(rows.row);
	return all;
}

static int make_processes(json_t **ret)
{
	struct usage_view v = { .summary = true };
	struct footprint_reader r;
	int *pid, err;
	ssize_t pids = process_list(NULL, &pid);
	size_t i;

	if (pids < 0)
		return EXIT_FAILED;
	err = footprint_start(&r, NULL) ? EXIT_FAILED : read_processes(&v, &r, pid, pids);
	if (!err) {
		*ret = json_processes(&v, &r);
	}
	for (i = 0; i < v.processes; i++)
		footprint_free(&v.process[i]);
	free(v.process);
	footprint_stop(&r);
	free(pid);
	return err;
}

/* --- waste ---------------------------------------------------------------------------- */

static int make_waste(json_t **ret)
{
	struct wasteview v = {
		.sort = WASTE_SAVED,
		.format = TABLE_JSON,
		.document = ret,
	};

	int err = live_waste(&v);

	if (!err)
		verdicts_cut_waste(*ret);
	return err;
}

/* --- leaks ---------------------------------------------------------------------------- */

static int live_judge(json_t **ret, struct observation *w, const struct sites *sites)
{
	struct findings f;
	struct leakview v = { .w = w, .f = &f, .tags = &sites->tags };
	int err = EXIT_FAILED;

	findings_make(&f, w, sites);
	if (!f.suspects || !observe_again(w)) {
		findings_confirm(&f, w);
		*ret = leakview_document(&v);
		verdicts_cut_leaks(*ret);
		err = EXIT_DONE;
	}
	findings_free(&f);
	return err;
}

static int observe(json_t **ret, double seconds)
{
	struct observation w;
	struct sites sites = { 0 };
	int err = EXIT_FAILED;

	if (observe_check())
		return EXIT_FAILED;
	if (!observe_run(&w, seconds, OBSERVE_SETTLE)) {
		if (!sites_read(&sites)) {
			observe_merge(&w, &sites);
			err = live_judge(ret, &w, &sites);
		}
		sites_free(&sites);
	}
	observe_free(&w);
	return err;
}

int live_leaks(json_t *document, double seconds)
{
	json_t *leaks = NULL;
	int ret = EXIT_DONE;

	if (seconds)
		ret = observe(&leaks, seconds);
	else
		leaks = json_pack("{s:s}", "why",
				  "verdicts need an observation: html --live --for 60s");
	if (!ret)
		json_object_set_new(document, "leaks", leaks);
	return ret;
}

/* --- all parts -------------------------------------------------------------------------- */

static const struct {
	const char *name;
	const char *command;
	int (*make)(json_t **ret);
} parts[] = {
	{ "memory", "memory", machine_document },
	{ "caches", "top --by cache", make_caches },
	{ "waste", "waste", make_waste },
	{ "processes", "pagemap --all", make_processes },
};

int live_add(json_t *document)
{
	int ret = EXIT_DONE;
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		json_t *part = NULL;
		char why[128];

		snprintf(why, sizeof(why), "it could not be read; %s prints the reason",
			 parts[i].command);
		if (parts[i].make(&part)) {
			ret = EXIT_FAILED;
			part = json_pack("{s:s}", "why", why);
		}
		json_object_set_new(document, parts[i].name, part);
	}
	return ret;
}
