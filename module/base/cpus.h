/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls a function for each CPU that is online, and for other CPUs before they come
 * online.
 */
#ifndef KMT_CPUS_H
#define KMT_CPUS_H

#include <linux/cpuhotplug.h>
#include <linux/init.h>
#include <linux/types.h>

/**
 * kmt_cpus_prepare() - call a function for online CPUs, and before CPUs come online
 * @name: name of the hotplug state, as the kernel shows it
 * @prepare: called with the number of a CPU; may sleep. It is called again if a CPU
 *	was offline and comes online. Returns 0 in any case: the machine needs the CPU more
 *	than what the module would allocate for it
 *
 * On failure, @prepare may have been called for some CPUs. The caller frees what it
 * allocated.
 *
 * Context: may sleep; takes cpus_read_lock().
 * Return: the state for kmt_cpus_forget(), above 0; -errno.
 */
int __init kmt_cpus_prepare(const char *name, int (*prepare)(unsigned int cpu));

/**
 * kmt_cpus_is_refused() - check whether a test lets the module find no memory for a CPU
 * @cpu: the CPU
 *
 * Context: any.
 */
bool kmt_cpus_is_refused(unsigned int cpu);

/**
 * kmt_cpus_forget() - undo kmt_cpus_prepare()
 * @state: from kmt_cpus_prepare(); nothing is done if it is 0 or below
 *
 * Context: may sleep; takes cpus_read_lock().
 */
void kmt_cpus_forget(int state);

#endif /* KMT_CPUS_H */
