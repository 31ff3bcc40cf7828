// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/figures.h"
#include "base/msg.h"
#include "base/similar.h"
#include "waste/live_waste.h"
#include "why/callers.h"
#include "why/target.h"
#include "why/siteview.h"
#include "why/why.h"

#define SYMBOL_MAX 512

/**
 * struct wanted - the sites that are searched
 * @y: the answer
 * @pattern: text that names them
 * @address: address of a call; 0: any
 * @may_be_none: that there is no such site is no error
 */
struct wanted {
	const struct why *y;
	struct pattern pattern;
	uint64_t address;
	bool may_be_none;
};

/**
 * struct site_answer - what was read about the sites
 * @m: the sites
 * @shown: number of sites that are shown in full
 * @live: the waste of all sites
 * @ages: the ages
 * @caches: the slab caches
 * @callers: the call paths
 * @number: number of each site in @live
 * @slabs: for each site, number of slabs that have an object of it
 * @last: for each site, start of the last such slab, plus 1
 */
struct site_answer {
	struct matches m;
	size_t shown;
	struct live_wastes live;
	struct agefile ages;
	struct slabcaches caches;
	struct callers callers;
	uint32_t *number;
	uint64_t *slabs;
	uint64_t *last;
};

/* --- which sites ------------------------------------------------------------------------- */

/* With code tags, the location has no offset, but the symbol has. */
static bool is_wanted(void *arg, const struct site_row *tag)
{
	const struct wanted *w = arg;
	char symbol[SYMBOL_MAX];

	if (w->address)
		return tag->address == w->address;
	if (pattern_matches(&w->pattern, tag->location))
		return true;
	if (!tag->address)
		return false;
	code_symbol(&w->y->code, tag->address, symbol, sizeof(symbol));
	return pattern_matches(&w->pattern, symbol);
}

static int none(const struct wanted *w, const char *text, const struct tags *tags)
{
	const char *function = w->pattern.name.function;
	struct similar similar;
	size_t i;

	similar_init(&similar, function);
	for (i = 0; i < tags->rows.count; i++)
		similar_offer(&similar, tags->rows.row[i].name.plain);
	if (similar.best && *function && strcmp(similar.best, function))
		msg_error("no site '%s' has allocated since accounting began; did you mean '%s'? (allocinfo --top 0 lists all)",
			  text, similar.best);
	else
		msg_error("no site '%s' has allocated since accounting began (allocinfo --top 0 lists all; a function that allocates in its last step may count as its caller, and so does an inlined one without codetags load)",
			  text);
	return EXIT_FAILED;
}

/* --- reading ------------------------------------------------------------------------------- */

static void see_object(void *arg, const struct slabwalk *walk,
		       const struct kmemtrace_object *object)
{
	uint32_t site = sites_of(&walk->w.sites, object->tag);
	struct site_answer *a = arg;
	size_t i;

	for (i = 0; i < a->shown; i++) {
		if (a->number[i] != site || a->last[i] == walk->slab.start + 1)
			continue;
		a->last[i] = walk->slab.start + 1;
		a->slabs[i]++;
	}
}

static void number_sites(struct site_answer *a)
{
	const struct sites *sites = &a->live.walk.w.sites;
	size_t i, k;

	a->number = xcalloc(a->shown + 1, sizeof(*a->number));
	a->slabs = xcalloc(a->shown + 1, sizeof(*a->slabs));
	a->last = xcalloc(a->shown + 1, sizeof(*a->last));
	/* a site without an id has no memory */
	for (i = 0; i < a->shown; i++)
		for (k = 0; k < a->m.match[i].count; k++)
			if (a->m.match[i].tag[k]->id)
				a->number[i] = sites_of(sites, a->m.match[i].tag[k]->id);
}

static int read_callers(struct site_answer *a, const struct why *y)
{
	const struct callers_source source = { y->o.input, y->o.seconds, y->o.debuginfo };

	if (!y->o.input && !y->o.seconds)
		return EXIT_DONE;
	return callers_read(&a->callers, &source, &a->live.walk.w.sites.tags, &a->m, a->shown,
			    &y->code);
}

static int why_site_read_all(struct site_answer *a, const struct why *y)
{
	int ret = read_callers(a, y);

	if (ret)
		return ret;
	number_sites(a);
	slabcaches_read(&a->caches);
	if (agefile_open(&a->ages) || agefile_read(&a->ages))
		return EXIT_FAILED;
	a->live.object = see_object;
	a->live.arg = a;
	return live_wastes_run(&a->live);
}

/* --- output -------------------------------------------------------------------------------- */

static const struct table_column columns[] = { FIGURE_LIVE, FIGURE_SITE };

static void why_site_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct match *m = &((const struct matches *)arg)->match[i];

	row_number(cell, m->bytes);
	row_text(cell, m->location);
}

static void print_matches(struct why *y, const struct site_answer *a)
{
	const struct listing table = LISTING(columns, a->m.count, why_site_cell, &a->m);
	char title[64];

	if (a->m.count == 1 && !y->o.json)
		return;
	snprintf(title, sizeof(title), "%zu sites match", a->m.count);
	sheet_section(&y->sheet, title, NULL);
	sheet_table(&y->sheet, "matches", &table, NULL);
	if (a->shown < a->m.count)
		sheet_line(&y->sheet, "(the first %zu are shown below, %zu more with --top 0)",
			   a->shown, a->m.count - a->shown);
}

static void note_callers(struct why *y, const struct site_answer *a)
{
	const struct witness *w = &a->callers.witness;

	if (!a->callers.is_known)
		return;
	if (!y->o.input && a->shown > WITNESS_SITES)
		sheet_note(&y->sheet, "callers of all sites but the first %d", WITNESS_SITES);
	if (w->left_out)
		sheet_note(&y->sheet, "callers of %zu calls, which had no place in the filter",
			   w->left_out);
	if (*w->build_id && *y->code.build_id && strcmp(w->build_id, y->code.build_id))
		sheet_note(&y->sheet, "whether the callers are right: %s is of another kernel, so its offsets may be of other calls",
			   y->o.input);
}

static int print_all(struct why *y, struct site_answer *a)
{
	char title[64] = "Site";
	const struct siteview v = { .sheet = &y->sheet, .title = title, .code = &y->code,
				    .ages = &a->ages, .wastes = &a->live.w,
				    .caches = &a->caches, .callers = &a->callers };
	int ret;
	size_t i;

	print_matches(y, a);
	for (i = 0; i < a->shown; i++) {
		if (a->m.count > 1)
			snprintf(title, sizeof(title), "Site %zu of %zu", i + 1, a->m.count);
		sheet_item(&y->sheet, "sites");
		siteview_print(&v, &a->m.match[i], a->number[i], a->slabs[i]);
	}
	note_callers(y, a);
	if (a->live.rules.padded)
		sheet_note(&y->sheet, "how to save memory on slabs: KASAN or slub_debug adds data to objects, which the waste includes");
	ret = why_end(y, &a->live.walk.w.sites.tags);
	return ret ? ret : a->callers.is_known && a->callers.witness.lost ? EXIT_LOST : EXIT_DONE;
}

/* A call that allocated is one site; another address of code stands for its function. */
static void why_site_find(struct site_answer *a, struct wanted *w)
{
	const struct tags *tags = &a->live.walk.w.sites.tags;

	matches_find(&a->m, tags, is_wanted, w);
	if (!a->m.count && w->address) {
		w->address = 0;
		matches_free(&a->m);
		matches_find(&a->m, tags, is_wanted, w);
	}
}

static int why_site_explain(struct why *y, struct wanted *w, const char *text)
{
	struct site_answer a = { .ages.fd = -1 };
	const struct tags *tags = &a.live.walk.w.sites.tags;
	int ret = live_wastes_open(&a.live);

	if (!ret)
		why_site_find(&a, w);
	if (!ret && !a.m.count && w->may_be_none) {
		sheet_line(&y->sheet, "No call in this function has allocated since accounting began.");
		ret = why_end(y, tags);
	} else if (!ret && !a.m.count) {
		ret = none(w, text, tags);
	} else if (!ret) {
		a.shown = y->o.top && y->o.top < a.m.count ? y->o.top : a.m.count;
		ret = why_site_read_all(&a, y);
		if (!ret)
			ret = print_all(y, &a);
	}
	callers_free(&a.callers);
	slabcaches_free(&a.caches);
	agefile_close(&a.ages);
	live_wastes_close(&a.live);
	matches_free(&a.m);
	free(a.number);
	free(a.slabs);
	free(a.last);
	return ret;
}

static int explain_pattern(struct why *y, const char *text, uint64_t address)
{
	struct wanted w = { .y = y, .address = address, .may_be_none = address };
	int ret;

	pattern_parse(&w.pattern, text);
	if (pattern_is_empty(&w.pattern))
		ret = msg_usage("why", "'%s' names neither a function nor a file with its line",
				text);
	else
		ret = why_site_explain(y, &w, text);
	pattern_free(&w.pattern);
	return ret;
}

int why_site(struct why *y)
{
	return explain_pattern(y, y->target.text, 0);
}

int why_sites_in(struct why *y, uint64_t address, const char *function)
{
	return explain_pattern(y, function, address);
}
