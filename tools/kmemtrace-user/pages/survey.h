/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every page frame of the machine, one after the other: what it is now, how often
 * it is mapped, and who allocated it.
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

/**
 * struct page - one frame
 * @pfn: its number
 * @flags: of /proc/kpageflags
 * @count: how often it is mapped
 * @owner: who allocated it; good until the next frame
 * @kind: what it is now
 * @site: number of the site that allocated it
 */
struct page {
	uint64_t pfn;
	uint64_t flags;
	uint64_t count;
	const struct kmemtrace_page *owner;
	enum frame_kind kind;
	uint32_t site;
};

/**
 * struct page_filter - which pages are wanted
 * @kind: what they are now; -1: all
 * @site: a part of their site's location; NULL: all
 * @zone: name of their zone; NULL: all
 * @node: their NUMA node; -1: all
 * @order: of the allocation that they are of; -1: all
 * @min_age: in hundredths of a second; 0: all, with those of unknown age
 */
struct page_filter {
	int kind;
	const char *site;
	const char *zone;
	int node;
	int order;
	uint64_t min_age;
};

/* a filter that lets all through */
#define PAGE_FILTER_NONE { .kind = -1, .node = -1, .order = -1 }

/**
 * struct survey - the walk
 * @frames: the files
 * @sites: who allocates
 * @zones: names
 * @vmallocs: what vmalloc() has mapped
 * @kinds: state of kind_of_frame()
 * @filter: which pages are wanted
 * @wanted: by number of a site: whether its pages are wanted
 * @zone: number of the zone that is wanted, -1: all
 * @progress: how far it has come
 * @end: number after that of the last frame
 * @pfn: of the next frame
 * @batch: the first frame of those that were read
 * @count: how many were read
 */
struct survey {
	struct frames frames;
	struct sites sites;
	struct zones zones;
	struct vmallocs vmallocs;
	struct kinds kinds;
	struct page_filter filter;
	bool *wanted;
	int zone;
	struct progress progress;
	uint64_t end;
	uint64_t pfn;
	uint64_t batch;
	size_t count;
};

/**
 * survey_open() - open the files, read what is needed besides
 * @w: set; to be closed with survey_close(), also after an error
 * @filter: which pages survey_wants() is to tell
 *
 * Return: 0; -1 after a message.
 */
int survey_open(struct survey *w, const struct page_filter *filter);

/**
 * survey_next() - the next frame; those that do not exist are left out
 * @w: the walk
 * @page: set to it
 *
 * Return: 1; 0 at the end; -1 after a message.
 */
int survey_next(struct survey *w, struct page *page);

/** survey_wants() - whether the filter lets a page through */
bool survey_wants(const struct survey *w, const struct page *page);

/** survey_close() - close it */
void survey_close(struct survey *w);

#endif /* SURVEY_H */
