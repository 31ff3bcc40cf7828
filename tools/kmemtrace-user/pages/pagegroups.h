/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums of pages that have something in common: the site that allocated them, what
 * they are now, or both, and so on.
 */
#ifndef PAGEGROUPS_H
#define PAGEGROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pairs.h"
#include "pages/survey.h"

/* what groups are made by */
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
	PAGE_KEYS,
};

/* "site" and so on */
extern const char *const page_key_names[PAGE_KEYS];

/* keys that can be combined */
#define PAGE_KEYS_MAX 2

/* the process of a page that none has mapped */
#define PAGES_NO_PROCESS 0

/**
 * struct page_sums - the sums of a group
 * @pages: how many
 * @mapped: of these, mapped by processes
 * @maps: how often these are mapped, in all
 * @ages: how many are of known age
 * @oldest: in hundredths of a second, if there are @ages
 * @youngest: likewise
 * @kinds: how many are of each kind now
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
 * struct pagegroups - groups
 * @by: what they are made by
 * @nr_by: how many of these there are, 1 or 2
 * @keys: of each group
 * @sums: of each group
 * @room: for how many there is memory
 * @all: sums of all of them
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
 * pagegroups_parse_by() - understand --by
 * @text: "site" or "site,kind"
 * @by: set to the keys
 *
 * Return: how many there are; 0 after an error.
 */
int pagegroups_parse_by(const char *text, enum page_key by[PAGE_KEYS_MAX]);

/** pagegroups_init() - no groups yet; false if memory ran out */
bool pagegroups_init(struct pagegroups *g, const enum page_key *by, int nr_by);

/**
 * pagegroups_add() - take in a page
 * @g: the groups
 * @page: the page
 * @pid: the process that has mapped it, or PAGES_NO_PROCESS
 *
 * Return: false if memory ran out.
 */
bool pagegroups_add(struct pagegroups *g, const struct page *page, int pid);

/**
 * pagegroups_name() - what the key of a group is called
 * @g: the groups
 * @w: the walk that they are of
 * @group: number of the group
 * @key: 0, or 1 for the second key
 * @to: gets the name; of a process, its number
 * @size: of @to
 */
void pagegroups_name(const struct pagegroups *g, const struct survey *w,
		     size_t group, int key, char *to, size_t size);

/** page_sums_kind() - what most of the pages of a group are */
enum frame_kind page_sums_kind(const struct page_sums *s);

/** pagegroups_exit() - undo pagegroups_init() */
void pagegroups_exit(struct pagegroups *g);

#endif /* PAGEGROUPS_H */
