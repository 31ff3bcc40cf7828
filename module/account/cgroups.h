/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory cgroups that pages are charged to. A cgroup that was removed stays in memory as
 * long as pages are charged to it, or references to it exist. The kernel shows the pages of
 * such a cgroup as those of its parent (/proc/kpagecgroup), so nothing else shows them.
 */
#ifndef KMT_CGROUPS_H
#define KMT_CGROUPS_H

#include <linux/types.h>

struct page;
struct seq_file;

/**
 * kmt_cgroups_of_page() - find the memory cgroup that a page is charged to
 * @head: the page, or the head of its compound page; without a reference
 *
 * Context: any.
 * Return: the id of the cgroup, with KMEMTRACE_CGROUP_REMOVED if it was removed; 0 if there
 * is none, or this kernel has no memory cgroups.
 */
u64 kmt_cgroups_of_page(struct page *head);

/**
 * kmt_cgroups_show() - print all memory cgroups that are in memory
 * @m: gets rows "id state pages path"; the state is online or removed, and pages are those
 *	that are charged, with those of cgroups below it
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int kmt_cgroups_show(struct seq_file *m);

#endif /* KMT_CGROUPS_H */
