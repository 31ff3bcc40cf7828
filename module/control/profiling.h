/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The switch of accounting, with the same interface as mainline: the parameter
 * mem_profiling= and the sysctl vm.mem_profiling.
 */
#ifndef KMT_PROFILING_H
#define KMT_PROFILING_H

#include <linux/types.h>

/**
 * kmt_profiling_parse() - parse the parameter mem_profiling=
 *
 * Without the parameter, sysctl.vm.mem_profiling= on the kernel's command line is used.
 *
 * Context: may sleep.
 * Return: 0; -EINVAL if the parameter is wrong, and the log says so; -ENOMEM.
 */
int kmt_profiling_parse(void);

/**
 * kmt_profiling_never() - whether accounting is off until the module is unloaded
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
 * kmt_profiling_start() - switch accounting on if the parameter asks for it
 *
 * Without memory for the tables, accounting stays off, which is no error.
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an error of the tracepoints.
 */
int kmt_profiling_start(void);

/**
 * kmt_profiling_disable_later() - switch accounting off in a workqueue
 *
 * Context: any but NMI, and no lock that schedule_work() takes.
 */
void kmt_profiling_disable_later(void);

/**
 * kmt_profiling_cancel() - cancel kmt_profiling_disable_later(), or wait for its end
 *
 * Context: may sleep.
 */
void kmt_profiling_cancel(void);

/**
 * kmt_profiling_init() - create the sysctl
 *
 * It is read-only if there are no tables.
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
