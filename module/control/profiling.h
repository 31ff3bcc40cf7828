/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The switch of accounting, as mainline has it: the parameter mem_profiling=
 * and /proc/sys/vm/mem_profiling.
 */
#ifndef KMT_PROFILING_H
#define KMT_PROFILING_H

#include <linux/types.h>

/**
 * kmt_profiling_parse() - understand the parameter
 *
 * Without it, sysctl.vm.mem_profiling= on the kernel's command line counts.
 *
 * Context: may sleep.
 * Return: 0; -EINVAL with a line in the log; -ENOMEM.
 */
int kmt_profiling_parse(void);

/**
 * kmt_profiling_never() - whether accounting is off for good
 *
 * Context: any.
 */
bool kmt_profiling_never(void);

/**
 * kmt_profiling_compressed() - whether page tags are kept as small indices
 *
 * Context: any.
 */
bool kmt_profiling_compressed(void);

/**
 * kmt_profiling_start() - switch accounting on, if it is to be on and can be
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an error of the tracepoints.
 */
int kmt_profiling_start(void);

/**
 * kmt_profiling_disable_later() - switch accounting off, from a context that cannot
 *
 * Context: any but NMI.
 */
void kmt_profiling_disable_later(void);

/**
 * kmt_profiling_cancel() - if that was not done yet, do not do it any more
 *
 * Context: may sleep.
 */
void kmt_profiling_cancel(void);

/**
 * kmt_profiling_init() - make the sysctl
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int kmt_profiling_init(void);

/**
 * kmt_profiling_exit() - remove the sysctl
 *
 * Context: may sleep.
 */
void kmt_profiling_exit(void);

#endif /* KMT_PROFILING_H */
