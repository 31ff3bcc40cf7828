/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums over groups of pages. The pages of a group have one or two keys in common: for
 * example the site that allocated them, or their current kind.
 */
#ifndef PAGEGROUPS_H
#define PAGEGROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pairs.h"
#include "pages/survey.h"

/* the keys that pages can be grouped by */
enum page_key {
	PAGES_BY_SITE,
	PAGES_BY_KIND,
	PAGES_BY_FLAGS,
	PAGES_BY_ORDER,
	PAGES_BY_ZONE,
	PAGES_BY_NODE,
	PAGES_BY_MIGRATETYPE,
	PAGES_BY_PROCESS,
	PAGES_BY_AGE,
	PAGES_BY_CGROUP,
	PAGE_KEYS,
};

/* names as in --by, for example "site" */
extern const char *const page_key_names[PAGE_KEYS];

/* maximum number of keys in one table */
#define PAGE_KEYS_MAX 2

/* stands for the process of a page that no process has mapped */
#define PAGES_NO_PROCESS 0

/**
 * struct page_sums - the sums of a group
 * @pages: number of pages
 * @mapped: number of pages that are mapped by processes
 * @maps: total number of their mappings
 * @ages: number of pages of known age
 * @oldest: highest age, in units of 10 ms; only valid if @ages is not 0
 * @youngest: lowest age; likewise
 * @kinds: number of pages of each current kind
 */
struct page_sums {
	uint64_t pages;
	uint64_t mapped;
	uint64_t maps;
	uint64_t ages;
	uint32_t oldest;
	uint32_t youngest;
	uint64_t kinds[KINDS];
};

/**
 * struct pagegroups - groups of pages
 * @by: the keys
 * @nr_by: number of keys, 1 or 2
 * @keys: the values of the keys of each group
 * @sums: the sums of each group
 * @room: number of groups that @sums has memory for
 * @all: sums over all groups
 */
struct pagegroups {
	enum page_key by[PAGE_KEYS_MAX];
	int nr_by;
	struct pairs keys;
	struct page_sums *sums;
	size_t room;
	struct page_sums all;
};

/**
 * pagegroups_parse_by() - parse the argument of --by
 * @text: "site" or "site,kind"
 * @by: set to the keys
 *
 * Return: number of keys; 0 if @text is invalid.
 */
int pagegroups_parse_by(const char *text, enum page_key by[PAGE_KEYS_MAX]);

/** pagegroups_init() - start without groups */
void pagegroups_init(struct pagegroups *g, const enum page_key *by, int nr_by);

/**
 * pagegroups_add() - add a page to its group
 * @g: the groups
 * @page: the page
 * @pid: the process that has mapped it, or PAGES_NO_PROCESS
 */
void pagegroups_add(struct pagegroups *g, const struct page *page, int pid);

/**
 * pagegroups_name() - write the value of a group's key as text
 * @g: the groups
 * @w: the walk that the pages come from
 * @group: number of the group
 * @key: 0 for the first key, 1 for the second
 * @to: gets the text; for a process, its number
 * @size: size of @to, in bytes
 */
void pagegroups_name(const struct pagegroups *g, const struct survey *w,
		     size_t group, int key, char *to, size_t size);

/** page_sums_kind() - the most frequent current kind in a group */
enum frame_kind page_sums_kind(const struct page_sums *s);

/** pagegroups_exit() - undo pagegroups_init() */
void pagegroups_exit(struct pagegroups *g);

#endif /* PAGEGROUPS_H */
