/* SPDX-License-Identifier: GPL-2.0-only */
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
#ifndef TREND_H
#define TREND_H

#include <stdbool.h>
#include <stddef.h>

/* in seconds: growth is shown by the hour */
#define TREND_HOUR 3600

/**
 * struct trend - a slope
 * @slope: the slope of Theil and Sen, in units of y by units of x
 * @low: lower limit of the slope, with 95 % confidence
 * @high: upper limit
 */
struct trend {
	double slope;
	double low;
	double high;
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

#endif /* TREND_H */
