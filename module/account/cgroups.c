// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cgroup.h>
#include <linux/ctype.h>
#include <linux/limits.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/page_counter.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/kmemtrace_pages.h>

#include "account/cgroups.h"

#ifdef CONFIG_MEMCG

/* cgroups that are shown without a pause */
#define AT_ONCE 64

/* The caller is under rcu_read_lock(), which keeps the cgroup as well. */
static u64 entry_of(struct mem_cgroup *memcg)
{
	u64 removed = READ_ONCE(memcg->css.flags) & CSS_ONLINE ? 0 : KMEMTRACE_CGROUP_REMOVED;

	return cgroup_id(memcg->css.cgroup) | removed;
}

/*
 * Without a reference, the page may be freed and charged to another cgroup, but a cgroup
 * that was found is freed only after a grace period. The kernel's page_cgroup_ino() does
 * the same.
 */
u64 kmt_cgroups_of_page(struct page *head)
{
	struct mem_cgroup *memcg;
	u64 entry = 0;

	rcu_read_lock();
	memcg = page_memcg_check(head);
	if (memcg)
		entry = entry_of(memcg);
	rcu_read_unlock();
	return entry;
}

static void show_one(struct seq_file *m, struct mem_cgroup *memcg, char *path)
{
	u64 entry = entry_of(memcg);
	char *at;

	if (cgroup_path(memcg->css.cgroup, path, PATH_MAX) < 0)
		strcpy(path, "?");
	/* a name can have any character but a newline and a slash */
	for (at = path; *at; at++)
		if (!isprint(*at))
			*at = '?';
	seq_printf(m, "%llu %s %lu %s\n", entry & ~KMEMTRACE_CGROUP_REMOVED,
		   entry & KMEMTRACE_CGROUP_REMOVED ? "removed" : "online",
		   page_counter_read(&memcg->memory), path);
}

/* The root is never freed, not even if the hierarchy is mounted anew. */
static struct cgroup_subsys_state *find_root(void)
{
	struct cgroup_subsys_state *css = task_css(current, memory_cgrp_id);

	while (css->parent)
		css = css->parent;
	return css;
}

/* The reference keeps @css in the list of its parent. */
static void let_others_run(struct cgroup_subsys_state *css)
{
	if (!css_tryget(css))
		return;
	rcu_read_unlock();
	cond_resched();
	rcu_read_lock();
	css_put(css);
}

/* A removed cgroup is in the list of its parent until its last reference is put. */
static void show_all(struct seq_file *m, char *path)
{
	struct cgroup_subsys_state *root, *css;
	unsigned int n = 0;

	rcu_read_lock();
	root = find_root();
	css_for_each_descendant_pre(css, root) {
		show_one(m, mem_cgroup_from_css(css), path);
		if (!(++n % AT_ONCE))
			let_others_run(css);
	}
	rcu_read_unlock();
}

int kmt_cgroups_show(struct seq_file *m)
{
	char *path;

	if (mem_cgroup_disabled())
		return 0;
	path = kmalloc(PATH_MAX, GFP_KERNEL);
	if (!path)
		return -ENOMEM;
	show_all(m, path);
	kfree(path);
	return 0;
}

#else

u64 kmt_cgroups_of_page(struct page *head)
{
	return 0;
}

int kmt_cgroups_show(struct seq_file *m)
{
	return 0;
}

#endif
