/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The verdicts on all sites that were observed.
 */
#ifndef FINDINGS_H
#define FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "account/sites.h"
#include "leaks/observe.h"
#include "leaks/verdict.h"

/**
 * struct finding - a site
 * @site: number of the site
 * @location: location of the site
 * @row: its samples
 * @v: the verdict
 * @with: location of the cache that it grows in step with (companions.h), or NULL
 * @held: what holds its objects, or those of @with (held.h); NULL: not known. If the verdict is
 *	not VERDICT_HELD, both may grow alike by chance, and the site is not named
 * @opened: it grew by as many objects as files were opened, and not closed
 * @by_files: files that were opened, and not closed, hold its objects, or those of a site of
 *	which it is the leader
 * @leader: location of the site that it grows in lock step with, and that has most of the
 *	bytes (companions_in_step()); NULL: none. It is not named then, and has no text
 * @has_pages: it has a tag of pages
 * @freed: bytes that were live at the last sample, and that the kernel freed when asked
 * @left_out: see findings_is_left_out(); it has no row
 * @named: the verdict is that it leaks, the second check has confirmed it, and there is no
 *	@leader
 * @masked: it would be a suspect if no event had been lost
 * @survive: share of the allocations that live at the highest age observed; below 0 if
 *	there were no allocations
 */
struct finding {
	uint32_t site;
	const char *location;
	const struct observed *row;
	struct verdict v;
	const char *with;
	const struct held *held;
	bool opened;
	bool by_files;
	const char *leader;
	bool has_pages;
	double freed;
	bool left_out;
	bool named;
	bool masked;
	double survive;
};

/* all sites */
struct findings {
	/*
	 * the sites, the most suspicious first; then those with a @leader, those that do not grow,
	 * and those with @left_out; without those of allocators themselves
	 */
	struct finding *finding;
	size_t count;	/* number of sites */
	size_t suspects; /* number of sites that leak by their verdict; these are the first ones */
	/* number of sites with the verdict that users hold their objects; these follow */
	size_t held;
	size_t caches;	/* number of sites with the verdict that they are a cache; these follow */
	size_t named;	/* number of sites that are named */
	size_t masked;	/* number of sites that would be suspects if no event had been lost */
	size_t texts;	/* number of sites with a text (findings_has_text()) */
	/* bytes by which the allocators' own memory grew, such as pages of slabs */
	double slab_growth;
	double object_growth; /* bytes by which the objects grew */
	/* bytes by which the rows earlier/ grew; neither of the two has them */
	double earlier_growth;
	/* bytes by which the memory of processes and files grew, which is not judged */
	double users_growth;
};

/**
 * findings_make() - judge all sites
 * @f: set up; the caller calls findings_free() later
 * @w: the observation, after observe_merge()
 * @sites: the sites
 */
void findings_make(struct findings *f, const struct observation *w,
		  const struct sites *sites);

/**
 * findings_confirm() - use the second check of observe_again()
 * @f: the findings
 * @w: the observation
 *
 * If the kernel was asked to free its caches (observe_reclaim()), the second check decides:
 * of the sites that leak or are a cache, those leak whose memory is still there.
 *
 * Of the sites that leak in lock step, only the one with most bytes is named.
 */
void findings_confirm(struct findings *f, const struct observation *w);

/**
 * findings_hint() - get a sentence on how to find what holds the objects of a location
 * @location: the location
 *
 * The kernel shows no number of events of inotify and fanotify, nor of elements of eBPF maps.
 *
 * Return: the sentence; NULL: there is none.
 */
const char *findings_hint(const char *location);

/** findings_candidates() - number of sites that may have a text; these are the first ones */
size_t findings_candidates(const struct findings *f);

/** findings_has_text() - whether there is more to say about a site than its row */
bool findings_has_text(const struct finding *f);

/**
 * findings_fills() - check whether a site only fills a cache that the kernel can reclaim
 * @objects: number of objects by which the site grew
 * @row: the row of the site
 * @w: the observation
 *
 * The objects are in slab caches that are SLAB_RECLAIM_ACCOUNT. The growth of others may
 * exceed neither half of it, nor VERDICT_Z standard deviations.
 */
bool findings_fills(double objects, const struct observed *row, const struct observation *w);

/**
 * findings_frees_late() - check whether the kernel frees the objects of a site in groups
 * @location: its location
 *
 * A call path then has no frees in a short recording, although it does not leak.
 */
bool findings_frees_late(const char *location);

/**
 * findings_waits() - check whether objects may only wait to be freed by the kernel
 * @location: location of their site
 * @objects: number of objects by which the site grew
 * @w: the observation
 *
 * The kernel frees the areas of vmalloc() in groups, and with them the objects of
 * alloc_vmap_area(). A process that ends leaves the area of its stack, so they grow for
 * minutes or hours. @w->unpurged tells how many wait. The growth may exceed this by
 * VERDICT_Z standard deviations, because the areas are counted after the last sample. Page tables
 * of areas stay for other areas.
 */
bool findings_waits(const char *location, double objects, const struct observation *w);

/** findings_live() - get the live bytes at the last sample */
double findings_live(const struct finding *f, const struct observation *w);

/** findings_old() - get those of them that are older than the first level */
double findings_old(const struct finding *f, const struct observation *w);

/**
 * findings_is_left_out() - check whether a site cannot be a leak that the user looks for
 * @location: its location
 *
 * It allocates memory of processes, with their page tables, or the page cache: a process that
 * grows is no leak of the kernel. Page tables of the kernel itself are allocated elsewhere,
 * except for upper levels. The check knows the functions of Linux 6.1 to 7.3. Or it is one of kmemtrace itself,
 * which grows with what it observes, for example with the names of modules that come and go.
 * Or it is a row of memory from before accounting.
 */
bool findings_is_left_out(const char *location);

/**
 * findings_is_earlier() - check whether a row is of memory from before accounting
 * @location: its location
 *
 * No code allocates there: such a row only grows while the survey finds more of this memory.
 */
bool findings_is_earlier(const char *location);

/** findings_is_at() - check whether an address is one of the call sites of a site */
bool findings_is_at(const struct finding *f, const struct sites *sites, uint64_t address);

/**
 * findings_wanted() - find the tags of the sites with a text (findings_has_text())
 * @f: the findings
 * @sites: the sites
 * @max: number of sites; the first ones are taken
 *
 * Return: for each tag of @sites, whether it is of such a site; the caller frees it.
 */
bool *findings_wanted(const struct findings *f, const struct sites *sites, size_t max);

/** findings_free() - undo findings_make() */
void findings_free(struct findings *f);

/*
 * The share of allocations that is live at an age, from counts of the living.
 *
 * Accounting knows when an object was allocated and whether it is live, but not when it
 * was freed. With lifetimes, see report/survival.h.
 */

/**
 * kept_shares() - compute the share that is live in intervals of ages
 * @births: number of objects that were allocated in an interval of ages
 * @living: number of these that are live now; not above @births
 * @n: number of intervals, by ascending age
 * @share: set to the share that is live in each interval, which does not rise
 *
 * For such data (current status data), the maximum likelihood estimate is the isotonic
 * regression of living / births, with the weights @births (Ayer and others, An empirical
 * distribution function for sampling with incomplete information, 1955). Shares that
 * would rise are replaced by their mean, until none rises. An interval without births
 * gets the share of the one before; 1 if it is the first.
 */
void kept_shares(const double *births, const double *living, size_t n, double *share);

#endif /* FINDINGS_H */
