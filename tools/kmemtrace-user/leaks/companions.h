/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects that live and die with the objects of caches, for example what a security module
 * keeps for each inode: the kernel frees them together. They are recognized by how they
 * behave: their old memory changes from sample to sample by as many objects as that of one
 * or a few caches together. This comparison is exact, because all objects with the same
 * time of allocation get old at the same sample. Two sites that grow steadily, at rates that
 * happen to be equal, are no companions: the swings around the mean must be the same ones.
 *
 * A site that leaks one object for each object of a cache grows in the same way, until the
 * kernel frees objects of the cache. So the numbers of frees must be equal as well.
 */
#ifndef COMPANIONS_H
#define COMPANIONS_H

#include <stdbool.h>

#include "leaks/observe.h"

/* how a site behaves, compared with caches */
enum companions {
	COMPANIONS_NONE,   /* it has none, or its objects stay when those of the cache go */
	COMPANIONS_GROW,   /* grows with a cache; too few objects were freed to know more */
	COMPANIONS_DIE,	   /* lives and dies with a cache */
};

/* the caches with which a site grows */
struct companions_caches {
	const struct observed *most;	/* the row of the cache that explains most */
	/* old objects by which all of them grew, each counted once; without names of files */
	double grew;
	double deaths;			/* old objects of them that were freed */
	/* the same of the names of files: the most that one of these caches grew */
	double names_grew;
	double name_deaths;		/* the most that were freed of one of them */
	bool held;			/* whether users hold the objects of one of them */
};

/** companions_deaths() - count the old objects of a site that were freed */
double companions_deaths(const struct observation *w, const struct observed *row);

/** companions_is_cache() - whether the kernel can reclaim most objects, or a user holds them */
bool companions_is_cache(const struct observation *w, const struct observed *row);

/**
 * companions_find() - compare a site with all sites of caches
 * @w: the observation, with rows of sites
 * @row: the row of the site, which is no cache
 * @with: begins zeroed; set to what the site grows with
 *
 * Return: how it behaves.
 */
int companions_find(const struct observation *w, const struct observed *row,
		    struct companions_caches *with);

/**
 * companions_in_step() - check whether two sites grow in lock step, for one reason
 * @w: the observation
 * @row: a site
 * @other: another, which grows
 * @related: they are known to belong together
 *
 * At each sample, the ratio of their growths is that of the growths in all samples. A quarter of
 * the objects may come one sample later or earlier. Two sites that grow steadily are in step
 * by chance. So if the sites are not @related, their growth must also swing around its mean,
 * by a part of the growth, and at the same samples.
 */
bool companions_in_step(const struct observation *w, const struct observed *row,
			const struct observed *other, bool related);

#endif /* COMPANIONS_H */
