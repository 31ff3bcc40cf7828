// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables may be freed during the walk. Each entry is read without faults, and only tables that
 * the caller accepts are read: frames of online memory. So a table that was freed and allocated
 * again makes the result wrong, and nothing else.
 */
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/uaccess.h>

#include "account/pagetables.h"

/* --- the tables that map the kernel ---------------------------------------- */

/*
 * KASAN maps many ranges of addresses by the same tables. So a table is not visited if the
 * entry before it leads to it as well.
 */

/* The lowest tables are not read: they have no tables below them. */
static void walk_pmds(const pmd_t *table, bool (*visit)(unsigned long pfn))
{
	unsigned long pfn, before = 0;
	pmd_t entry;
	int i;

	for (i = 0; i < PTRS_PER_PMD; i++) {
		if (get_kernel_nofault(entry, table + i) || pmd_none(entry) ||
		    pmd_leaf(entry) || pmd_bad(entry))
			continue;
		pfn = pmd_pfn(entry);
		if (pfn != before)
			visit(pfn);
		before = pfn;
	}
	cond_resched();
}

static void walk_puds(const pud_t *table, bool (*visit)(unsigned long pfn))
{
	unsigned long pfn, before = 0;
	pud_t entry;
	int i;

	for (i = 0; i < PTRS_PER_PUD; i++) {
		if (get_kernel_nofault(entry, table + i) || pud_none(entry) ||
		    pud_leaf(entry) || pud_bad(entry))
			continue;
		pfn = pud_pfn(entry);
		if (pfn != before && visit(pfn))
			walk_pmds(__va(PFN_PHYS(pfn)), visit);
		before = pfn;
	}
}

static void walk_p4ds(const p4d_t *table, int from, int to,
		      bool (*visit)(unsigned long pfn))
{
	unsigned long pfn, before = 0;
	p4d_t entry;
	int i;

	for (i = from; i < to; i++) {
		if (get_kernel_nofault(entry, table + i) || p4d_none(entry) ||
		    p4d_leaf(entry) || p4d_bad(entry))
			continue;
		pfn = p4d_pfn(entry);
		if (pfn != before && visit(pfn))
			walk_puds(__va(PFN_PHYS(pfn)), visit);
		before = pfn;
	}
}

static void walk_pgds(const pgd_t *table, int from, bool (*visit)(unsigned long pfn))
{
	unsigned long pfn, before = 0;
	pgd_t entry;
	int i;

	for (i = from; i < PTRS_PER_PGD; i++) {
		if (get_kernel_nofault(entry, table + i) || pgd_none(entry) ||
		    pgd_bad(entry))
			continue;
		pfn = PHYS_PFN(pgd_val(entry) & PTE_PFN_MASK);
		if (pfn != before && visit(pfn))
			walk_p4ds(__va(PFN_PHYS(pfn)), 0, PTRS_PER_P4D, visit);
		before = pfn;
	}
}

/* This worker has borrowed the mm of a process, and may return it whenever it sleeps. */
static struct mm_struct *grab_mm(void)
{
	struct mm_struct *mm;

	preempt_disable();
	mm = current->active_mm;
	mmgrab(mm);
	preempt_enable();
	return mm;
}

/* All processes have the tables of the kernel. With four levels, the top level is p4d_t. */
static void walk_kernel(bool (*visit)(unsigned long pfn))
{
	struct mm_struct *mm = grab_mm();
	int from = pgd_index(PAGE_OFFSET);

	if (pgtable_l5_enabled())
		walk_pgds(mm->pgd, from, visit);
	else
		walk_p4ds((const p4d_t *)mm->pgd, from, PTRS_PER_PGD, visit);
	mmdrop(mm);
}

/* --- the top-level tables of processes --------------------------------------- */

/*
 * Top-level tables that are found before they are visited, which may sleep. Each time, the list
 * of processes is followed from its start.
 */
#define PGDS_AT_ONCE 1024

/* Return: the frame of the table of a process; 0 if it has none. Its first thread may be gone. */
static unsigned long pgd_of(struct task_struct *task)
{
	struct task_struct *thread;
	unsigned long pfn = 0;

	/* for_each_thread() names tasklist_lock, which is not exported, in kernels with lockdep */
	list_for_each_entry_rcu(thread, &task->signal->thread_head, thread_node) {
		task_lock(thread);
		if (thread->mm)
			pfn = PHYS_PFN(__pa(thread->mm->pgd));
		task_unlock(thread);
		if (pfn)
			break;
	}
	return pfn;
}

/* Get the frames of the tables of processes after the first @skip. Return: how many. */
static int find_pgds(unsigned long pfn[PGDS_AT_ONCE], unsigned long skip)
{
	struct task_struct *task;
	int n = 0;

	rcu_read_lock();
	for_each_process(task) {
		if (skip) {
			skip--;
			continue;
		}
		pfn[n++] = pgd_of(task);
		if (n == PGDS_AT_ONCE)
			break;
	}
	rcu_read_unlock();
	return n;
}

/* Processes begin and end meanwhile, so that a few may be missed. */
static void walk_processes(bool (*visit)(unsigned long pfn))
{
	/* too large for the stack; there is one worker */
	static unsigned long pfn[PGDS_AT_ONCE];
	unsigned long done = 0;
	int i, n;

	do {
		n = find_pgds(pfn, done);
		for (i = 0; i < n; i++)
			if (pfn[i])
				visit(pfn[i]);
		done += n;
		cond_resched();
	} while (n == PGDS_AT_ONCE);
}

void kmt_pagetables_walk(bool (*visit)(unsigned long pfn))
{
	walk_kernel(visit);
	walk_processes(visit);
}
