/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Preparing CPUs before they come online.
 */
#ifndef KMT_CPUS_H
#define KMT_CPUS_H

#include <linux/cpuhotplug.h>
#include <linux/init.h>

/**
 * kmt_cpus_prepare() - prepare each CPU that is online, or before it comes online
 * @name: of the step, as the kernel shows it
 * @prepare: called with the number of a CPU, in a task that may sleep; it is
 *	called again for a CPU that was offline. 0, or -errno, and then the CPU
 *	does not come online
 *
 * If it fails, some CPUs may have been prepared: the caller frees what that took.
 *
 * Context: may sleep; takes cpus_read_lock().
 * Return: what kmt_cpus_forget() takes, above 0; -errno.
 */
int __init kmt_cpus_prepare(const char *name, int (*prepare)(unsigned int cpu));

/**
 * kmt_cpus_forget() - prepare CPUs no longer
 * @state: from kmt_cpus_prepare(); 0 or below: nothing is done
 *
 * Context: may sleep; takes cpus_read_lock().
 */
void kmt_cpus_forget(int state);

#endif /* KMT_CPUS_H */
