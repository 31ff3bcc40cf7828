// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/msg.h"
#include "pages/survey.h"

/*
 * The values of a frame come from several files, which are read one after the other. A
 * small batch keeps the time between these reads short. It is as fast as a large one.
 */
#ifndef BATCH
#define BATCH 4096
#endif

/* Checks the zone and the node of the filter. */
static int find_place(struct survey *w)
{
	const struct zones *z = &w->zones;
	char names[ZONES_MAX * sizeof(z->zone[0]) + 1] = "";
	int i = ZONES_MAX;

	w->zone = -1;
	if (w->filter.zone)
		for (i = 0; i < ZONES_MAX && strcmp(z->zone[i], w->filter.zone); i++)
			sprintf(names + strlen(names), "%s%s", i && *z->zone[i] ? " " : "", z->zone[i]);
	if (i < ZONES_MAX)
		w->zone = i;
	if (w->filter.zone && w->zone < 0)
		return msg_error("this machine has no zone '%s', but %s", w->filter.zone, names);
	if (w->filter.node >= (int)z->nr_nodes)
		return msg_error("this machine has no NUMA node %d: the last one is %u",
				 w->filter.node, z->nr_nodes - 1);
	return 0;
}

int survey_check_site(const struct survey *w, const char *text)
{
	size_t i;

	if (!text)
		return 0;
	for (i = 0; i < w->sites.count; i++)
		if (strstr(w->sites.location[i], text))
			return 0;
	msg_error("no site that has allocated since accounting began has '%s' in its location (allocinfo --top 0 lists all)",
		  text);
	return -1;
}

int survey_open(struct survey *w, const struct page_filter *filter)
{
	size_t i;

	memset(w, 0, sizeof(*w));
	w->filter = *filter;
	if (frames_open(&w->frames,
			FRAMES_FLAGS | FRAMES_COUNT | FRAMES_OWNER |
				(filter->cgroups ? FRAMES_CHARGED : 0),
			NULL) ||
	    (filter->cgroups && cgroups_read(&w->cgroups)) ||
	    zones_read(&w->zones) || find_place(w) ||
	    vmallocs_read(&w->vmallocs) || sites_read(&w->sites))
		return -1;
	w->wanted = xcalloc(w->sites.count, sizeof(*w->wanted));
	for (i = 0; i < w->sites.count; i++)
		w->wanted[i] = !filter->site || strstr(w->sites.location[i], filter->site);
	if (survey_check_site(w, filter->site))
		return -1;
	w->kinds.vmallocs = &w->vmallocs;
	progress_start(&w->progress, "pages", w->frames.end);
	return 0;
}

void survey_get(const struct survey *w, size_t i, struct page *page)
{
	const struct frames *f = &w->frames;

	page->flags = f->flags[i];
	page->count = f->count[i];
	page->owner = &f->owner[i];
	page->site = sites_of(&w->sites, page->owner->tag);
	page->cgroup = f->charged ? f->charged[i] : 0;
}

int survey_next(struct survey *w, struct page *page)
{
	struct frames *f = &w->frames;
	size_t i;
	int ret;

	do {
		if (w->next == f->n) {
			ret = frames_next(f, BATCH);
			if (ret <= 0)
				return ret;
			progress_step(&w->progress, f->pfn);
			w->next = 0;
		}
		i = w->next++;
		page->pfn = f->pfn + i;
		page->kind = kind_of_frame(&w->kinds, page->pfn, f->flags[i], &f->owner[i]);
	} while (page->kind == KIND_HOLE);
	survey_get(w, i, page);
	return 1;
}

bool survey_wants(const struct survey *w, const struct page *page)
{
	const struct page_filter *f = &w->filter;
	const struct kmemtrace_page *owner = page->owner;

	return (f->kind < 0 || (int)page->kind == f->kind) &&
	       (w->zone < 0 || owner->zone == w->zone) &&
	       (f->node < 0 || owner->node == f->node) &&
	       (f->order < 0 || owner->order == f->order) &&
	       (!f->min_age || (owner->age != KMEMTRACE_AGE_UNKNOWN &&
				owner->age >= f->min_age)) &&
	       w->wanted[page->site];
}

void survey_close(struct survey *w)
{
	progress_end(&w->progress);
	frames_close(&w->frames);
	vmallocs_free(&w->vmallocs);
	sites_free(&w->sites);
	cgroups_free(&w->cgroups);
	free(w->wanted);
}
