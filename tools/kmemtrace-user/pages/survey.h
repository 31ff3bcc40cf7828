/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A walk over every page frame of the machine: its current kind, its number of mappings,
 * and its allocation site.
 */
#ifndef SURVEY_H
#define SURVEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/sites.h"
#include "base/progress.h"
#include "frames/frames.h"
#include "frames/kinds.h"
#include "frames/vmallocs.h"
#include "frames/zones.h"
#include "control/cgroups.h"

/**
 * struct page - one frame
 * @pfn: number of the frame
 * @flags: its flags in /proc/kpageflags
 * @count: number of its mappings
 * @owner: its entry in the module's file pages; valid until the next frame
 * @kind: its current kind
 * @site: number of the site that allocated it
 * @cgroup: memory cgroup that it is charged to, with KMEMTRACE_CGROUP_REMOVED; 0 if there is
 *	none, or survey_open() was not asked for it
 */
struct page {
	uint64_t pfn;
	uint64_t flags;
	uint64_t count;
	const struct kmemtrace_page *owner;
	enum frame_kind kind;
	uint32_t site;
	uint64_t cgroup;
};

/**
 * struct page_filter - conditions that a page must meet
 * @kind: current kind; -1: all
 * @site: text that the location of the site contains; NULL: all
 * @zone: name of the zone; NULL: all
 * @node: NUMA node; -1: all
 * @order: order of the allocation; -1: all
 * @min_age: lowest age, in units of 10 ms; 0: all, also pages of unknown age
 * @cgroups: the cgroup of each page is wanted, which is no condition
 */
struct page_filter {
	int kind;
	const char *site;
	const char *zone;
	int node;
	int order;
	uint64_t min_age;
	bool cgroups;
};

/* a filter that matches all pages */
#define PAGE_FILTER_NONE { .kind = -1, .node = -1, .order = -1 }

/**
 * struct survey - the walk
 * @frames: the files
 * @sites: the allocation sites
 * @cgroups: the memory cgroups, if they are wanted
 * @zones: names of zones and migratetypes
 * @vmallocs: areas of vmalloc()
 * @kinds: state of kind_of_frame()
 * @filter: the filter
 * @wanted: by number of a site: its pages match @filter.site
 * @zone: number of the zone in the filter; -1: all
 * @progress: the progress line
 * @next: place of the next frame in the batch of @frames
 */
struct survey {
	struct frames frames;
	struct sites sites;
	struct cgroups cgroups;
	struct zones zones;
	struct vmallocs vmallocs;
	struct kinds kinds;
	struct page_filter filter;
	bool *wanted;
	int zone;
	struct progress progress;
	size_t next;
};

/**
 * survey_open() - open the files, and read sites, zones and areas of vmalloc()
 * @w: set; must be closed with survey_close(), also after an error
 * @filter: filter for survey_wants()
 *
 * Return: 0; -1 after a message.
 */
int survey_open(struct survey *w, const struct page_filter *filter);

/**
 * survey_check_site() - check whether the location of a site has a text
 * @w: the survey, after survey_open(), which checks that of its filter
 * @text: the text; NULL: all have it
 *
 * Return: 0; -1 after a message, if none has it.
 */
int survey_check_site(const struct survey *w, const char *text);

/**
 * survey_next() - get the next frame; holes are skipped
 * @w: the walk
 * @page: set to the frame
 *
 * Return: 1; 0 at the end; -1 after a message.
 */
int survey_next(struct survey *w, struct page *page);

/** survey_get() - set all of @page but its number and kind, from place @i in @w->frames */
void survey_get(const struct survey *w, size_t i, struct page *page);

/** survey_wants() - whether a page matches the filter */
bool survey_wants(const struct survey *w, const struct page *page);

/** survey_close() - close the files, and free the data */
void survey_close(struct survey *w);

#endif /* SURVEY_H */
