/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sections about a site.
 */
#ifndef SITEVIEW_H
#define SITEVIEW_H

#include <stdint.h>

#include "leaks/agefile.h"
#include "waste/wastes.h"
#include "why/callers.h"
#include "why/code.h"
#include "why/target.h"
#include "why/sheet.h"
#include "why/slabcaches.h"

/**
 * struct siteview - where the figures are from
 * @sheet: the output
 * @title: title of the first section
 * @code: the code
 * @ages: what was read from the file ages; NULL: print only the first sections
 * @wastes: waste of all sites
 * @caches: the slab caches
 * @callers: call paths; with callers.is_known false, how to get them is printed
 */
struct siteview {
	struct sheet *sheet;
	const char *title;
	const struct code *code;
	const struct agefile *ages;
	const struct wastes *wastes;
	const struct slabcaches *caches;
	const struct callers *callers;
};

/**
 * siteview_print() - print a site
 * @v: where the figures are from
 * @m: the site
 * @number: its number in @v->wastes
 * @slabs: number of slabs that have an object of the site
 */
void siteview_print(const struct siteview *v, const struct match *m, uint32_t number,
		    uint64_t slabs);

/**
 * siteview_caches() - print the slab caches that fit
 * @s: the output
 * @caches: the slab caches
 * @want: what is known about the cache
 */
void siteview_caches(struct sheet *s, const struct slabcaches *caches,
		     const struct slabcache_want *want);

#endif /* SITEVIEW_H */
