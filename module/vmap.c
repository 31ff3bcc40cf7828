// SPDX-License-Identifier: GPL-2.0-only
/*
 * /proc/vmallocinfo lists the areas, but hides where they are: by default an
 * address is printed as a hash of it. The file vmalloc_starts has, for each
 * address where an area may begin, what vmallocinfo prints for it; so the two
 * can be put together. An area of per-CPU memory begins at a boundary of 2 MB,
 * but need not be mapped there: hence the last column.
 *
 * Who frees a page table of the kernel first interrupts all CPUs, to flush what
 * they know of it; so none goes while interrupts are off, as with
 * get_user_pages_fast().
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pgtable.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "lockdown.h"
#include "vmap.h"

/**
 * struct addresses - addresses where areas are
 * @start: the first one
 * @end: the one after the last
 */
struct addresses {
	unsigned long start;
	unsigned long end;
};

/* In ascending order. */
static void get_ranges(struct addresses ranges[2])
{
	ranges[0] = (struct addresses){ VMALLOC_START, VMALLOC_END };
#ifdef MODULES_VADDR
	ranges[1] = (struct addresses){ MODULES_VADDR, MODULES_END };
	if (ranges[1].start < ranges[0].start)
		swap(ranges[0], ranges[1]);
#else
	ranges[1] = ranges[0];
#endif
}

unsigned long kmt_vmap_end(unsigned long addr)
{
	struct addresses r[2];
	int i;

	get_ranges(r);
	for (i = 0; i < ARRAY_SIZE(r); i++)
		if (addr >= r[i].start && addr < r[i].end)
			return r[i].end;
	return 0;
}

bool kmt_vmap_pfn(unsigned long addr, unsigned long *pfn)
{
	struct page *page = NULL;
	unsigned long flags;

	if (!kmt_vmap_end(addr))
		return false;
	local_irq_save(flags);
	page = vmalloc_to_page((void *)addr);
	local_irq_restore(flags);
	if (page)
		*pfn = page_to_pfn(page);
	return page;
}

/* --- where areas begin ---------------------------------------------------- */

/* Return: whether the page is mapped; @next is set to where to look next. */
static bool __look(unsigned long addr, unsigned long end, unsigned long *next)
{
	pgd_t *pgd = kmt_kernel_pgd(addr);
	p4d_t *p4d;
	pud_t *pud;
	pmd_t *pmd;

	*next = pgd_addr_end(addr, end);
	if (pgd_none(*pgd))
		return false;
	*next = p4d_addr_end(addr, end);
	p4d = p4d_offset(pgd, addr);
	if (p4d_none(*p4d))
		return false;
	*next = pud_addr_end(addr, end);
	pud = pud_offset(p4d, addr);
	if (pud_none(*pud) || pud_leaf(*pud))
		return !pud_none(*pud);
	*next = pmd_addr_end(addr, end);
	pmd = pmd_offset(pud, addr);
	if (pmd_none(*pmd) || pmd_leaf(*pmd))
		return !pmd_none(*pmd);
	*next = addr + PAGE_SIZE;
	return !pte_none(*pte_offset_kernel(pmd, addr));
}

static bool look(unsigned long addr, unsigned long end, unsigned long *next)
{
	unsigned long flags;
	bool mapped;

	local_irq_save(flags);
	mapped = __look(addr, end, next);
	local_irq_restore(flags);
	return mapped;
}

/*
 * Where a row of mapped pages begins, or goes on over a boundary of 2 MB.
 * Return: the first such place at @addr or after it; @end if there is none.
 */
static unsigned long next_start(unsigned long addr, unsigned long end)
{
	unsigned long next, unused;
	bool before = false;

	if (addr & ~PMD_MASK)
		before = look(addr - PAGE_SIZE, end, &unused);
	for (; addr < end; addr = next) {
		bool mapped = look(addr, end, &next);

		if (mapped && (!before || !(addr & ~PMD_MASK)))
			return addr;
		before = mapped;
		cond_resched();
	}
	return end;
}

/**
 * struct walk - a reader's way through the ranges
 * @range: to go through
 * @addr: where it is
 */
struct walk {
	struct addresses range[2];
	unsigned long addr;
};

/* The position is that of the page, so that a walk can begin anywhere. */
static void *walk_begin(struct seq_file *m, loff_t *pos)
{
	struct walk *w = m->private;
	unsigned long addr = (unsigned long)*pos << PAGE_SHIFT;
	int i;

	get_ranges(w->range);
	for (i = 0; i < ARRAY_SIZE(w->range); i++) {
		const struct addresses *r = &w->range[i];

		w->addr = next_start(max(addr, r->start), r->end);
		if (w->addr < r->end) {
			*pos = w->addr >> PAGE_SHIFT;
			return w;
		}
	}
	return NULL;
}

static void *walk_step(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return walk_begin(m, pos);
}

static void walk_end(struct seq_file *m, void *v)
{
}

static int walk_show(struct seq_file *m, void *v)
{
	const struct walk *w = v;

	seq_printf(m, "%lx %pK %pK\n", w->addr, (void *)w->addr,
		   (void *)(w->addr & PMD_MASK));
	return 0;
}

static const struct seq_operations walk_ops = {
	.start = walk_begin,
	.next = walk_step,
	.stop = walk_end,
	.show = walk_show,
};

static int open_starts(struct inode *inode, struct file *file)
{
	int err = kmt_lockdown_open();

	return err ?: seq_open_private(file, &walk_ops, sizeof(struct walk));
}

static const struct file_operations starts_fops = {
	.owner = THIS_MODULE,
	.open = open_starts,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release_private,
};

int __init kmt_vmap_create(struct dentry *dir)
{
	return PTR_ERR_OR_ZERO(debugfs_create_file("vmalloc_starts", 0400, dir,
						   NULL, &starts_fops));
}
