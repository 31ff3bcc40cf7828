/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides from samples of a site whether it leaks. It reads no file and prints nothing:
 * the command and the model in tests/ use the same functions.
 *
 * Total live memory oscillates with the load. Memory that leaks gets old. So the decision
 * looks at memory that is older than some age. Objects that wait for kfree_rcu() are
 * younger. There are several ages (levels), each twice the one before. The level with the
 * most suspicious result counts, and of these the one with the highest z (see below):
 * there, the noise of objects with a normal life is gone.
 *
 * A site leaks if all of this is true:
 *
 * - The lower limit of the slope is above 0 (trend_of()).
 * - The smallest value of each quarter of the samples is above that of the quarter before.
 *   It is not so if memory oscillates, or grows once.
 * - The growth is not balanced. Without a leak, as many objects die at an age above the
 *   level as get that old. With M objects that got old and D that died, M - D is about
 *   normal with a variance of M + D. If objects come and go in groups, the variance is
 *   the sum of the squares of the groups: of the changes from sample to sample. The growth
 *   must exceed VERDICT_Z standard deviations, with the larger of the two variances. So
 *   nine objects are enough if they come one by one, but not if they come in two groups.
 * - The growth does not slow down: the last quarter grows by at least half as much as
 *   each quarter before. Two standard deviations of its number of objects are allowed. A
 *   cache that fills slows down.
 * - It has not stopped. A level shows the growth of a time that is over: by its age. So the
 *   lowest level at which nothing was freed must have grown by at least half of the average,
 *   in the last half and the last quarter of the samples; two standard deviations of
 *   the number of groups are allowed.
 * - It has not been larger before. If all live memory of the site is old, the
 *   peak before the samples must not be above what is live now.
 *
 * If events were lost, each may be the free of one of the objects. So they are subtracted
 * from the growth before it is compared.
 */
#ifndef VERDICT_H
#define VERDICT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The slope of a series, with a confidence interval. Robust: a few outliers change
 * neither.
 *
 * The slope is that of Theil and Sen: the median of the slopes of all pairs of points.
 * Its confidence interval is that of Sen (Estimates of the regression coefficient based on
 * Kendall's tau, J. Am. Stat. Assoc. 63, 1968): with N pairs in ascending order, it goes
 * from number (N - C) / 2 to number (N + C) / 2 + 1, and C is z * sqrt(Var(S)). S is
 * Kendall's statistic. Without ties, Var(S) = n (n - 1) (2n + 5) / 18.
 *
 * Live memory is no series of independent values: a value is near the one before. The
 * interval would be much too narrow. Var(S) is therefore multiplied by the factor of Hamed
 * and Rao (A modified Mann-Kendall trend test for autocorrelated data, J. Hydrology 204,
 * 1998):
 *
 *   1 + 2 / (n (n-1) (n-2)) * sum over lags i of (n-i) (n-i-1) (n-i-2) r(i)
 *
 * r(i) is the autocorrelation of the ranks of what remains without the slope. As in the
 * paper, only significant values count. A factor below 1 is not used.
 */

/* in seconds: growth is shown by the hour */
#define TREND_HOUR 3600

/* a slope */
struct trend {
	double slope;	/* the slope of Theil and Sen, in units of y by units of x */
	double low;	/* lower limit of the slope, with 95 % confidence */
	double high;	/* upper limit */
};

/**
 * trend_of() - compute the slope of a series
 * @trend: set to the slope; all 0 if there are fewer than 4 points
 * @x: ascending, without equal values
 * @y: the values
 * @n: number of points
 *
 * Takes time and memory in proportion to @n squared.
 */
void trend_of(struct trend *trend, const double *x, const double *y, size_t n);

/* maximum number of levels; a level also needs the values of the next one */
#define VERDICT_LEVELS 10
#define VERDICT_Z      3

/* from the least to the most suspicious */
enum verdict_kind {
	VERDICT_STEADY,	    /* does not grow */
	VERDICT_OSCILLATES, /* grows and shrinks */
	VERDICT_ONCE,	    /* grew in a part of the time only, and did not shrink */
	VERDICT_FEW,	    /* grows, but by too few objects or groups */
	VERDICT_FORMER,	    /* has been as large before */
	VERDICT_LAZY,	    /* the kernel frees such objects later; see findings.h */
	VERDICT_SLOWS,	    /* grows less and less, or has stopped */
	VERDICT_CACHE,	    /* the kernel can reclaim such objects; see findings.h */
	VERDICT_HELD,	    /* users of the kernel hold such objects; see held.h */
	VERDICT_LEAKS,
	VERDICT_KINDS,
};

/* the memory of a site that is older than a level */
struct old_memory {
	const double *bytes;	/* by number of the sample */
	const double *objects;	/* by number of the sample */
};

/* the samples of a site */
struct verdict_series {
	/* number of samples; with fewer than VERDICT_Z squared, nothing can be named */
	size_t n;
	const double *time;			/* time of each, in seconds, at equal distances */
	/* number of levels, the last of which is only used for the deaths of the one before */
	size_t levels;
	/* number of samples in the age of the first level; the next level has twice that */
	size_t step;
	struct old_memory old[VERDICT_LEVELS];	/* memory that is older than the level */
	double live;				/* live bytes at the last sample */
	/* largest number of live bytes before the samples; 0 if it is not known */
	double peak;
	/* objects of any age that may have been freed unnoticed */
	double lost;
};

/* the result */
struct verdict {
	enum verdict_kind kind;	/* the verdict */
	size_t level;		/* the level that counted */
	struct trend trend;	/* slope in bytes per second */
	/* bytes by which the memory grew from the first to the last sample */
	double growth;
	double objects;		/* objects by which it grew */
	/*
	 * objects older than the level that were freed during the samples; those that also got old
	 * during them may be missing
	 */
	double deaths;
	double z;		/* standard deviations above balanced */
	double last;		/* bytes older than the level at the last sample */
	double base;		/* the smallest value in the last quarter of the samples */
};

/** verdict_of() - decide whether a site leaks */
void verdict_of(struct verdict *v, const struct verdict_series *s);

/**
 * verdict_deaths() - count objects older than a level that were freed during the samples
 * @old: objects that are older than the level, by sample
 * @older: objects that are older than the next level
 * @n: number of samples
 * @step: number of samples in the age of the level
 *
 * In steps of the level's age: those older than it, less those left afterwards.
 *
 * Return: the number; those that also got old during the samples may be missing.
 */
double verdict_deaths(const double *old, const double *older, size_t n, size_t step);

/** verdict_is_less() - whether a count of objects is clearly less than half of another one */
bool verdict_is_less(double grew, double average);

/**
 * verdict_confirms() - check a suspect again, later
 * @v: the verdict
 * @later: bytes older than its level at the second check
 * @survivors: bytes of those in @later that had been older than the level at the last
 *	sample already; below 0 if not known
 *
 * The second check must be later than the delay of kfree_rcu() and a grace period.
 *
 * Noise only adds memory to what leaks. So the base of the verdict counts, not the last
 * sample.
 *
 * Return: whether the memory is still there: neither @later nor @survivors is below the
 * base by more than a quarter of the growth.
 */
bool verdict_confirms(const struct verdict *v, double later, double survivors);

/**
 * verdict_compare() - order verdicts by suspicion
 * @a: a verdict
 * @b: another
 *
 * Return: below 0 if @a is more suspicious, above 0 if @b is.
 */
int verdict_compare(const struct verdict *a, const struct verdict *b);

/** verdict_name() - get the name of a kind for JSON */
const char *verdict_name(enum verdict_kind kind);

#endif /* VERDICT_H */
