/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The last step of the survey (survey.h) on kernels with sheaves (base/sheaf.h): objects that
 * CPUs and nodes keep for their next allocations are not live.
 */
#ifndef KMT_KEPT_H
#define KMT_KEPT_H

#include <linux/types.h>

/**
 * kmt_kept_known() - whether the survey finds the objects that CPUs keep, in lists or sheaves
 *
 * Context: any.
 */
bool kmt_kept_known(void);

/**
 * kmt_kept_correct() - stop counting free objects as live
 * @stopped: returns whether the survey was stopped; this function then ends soon
 *
 * Context: the survey, after all slabs were visited; may sleep.
 * Return: their number.
 */
u64 kmt_kept_correct(bool (*stopped)(void));

/**
 * kmt_kept_init() - find out how sheaves are read
 *
 * Context: may sleep; after kmt_freelist_init().
 * Return: 0 or -ENOMEM.
 */
int kmt_kept_init(void);

#endif /* KMT_KEPT_H */
