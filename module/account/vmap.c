// SPDX-License-Identifier: GPL-2.0-only
/*
 * /proc/vmallocinfo lists the areas of vmalloc(), but by default prints a hash instead
 * of an address. The file vmalloc_starts has, for each address where an area may begin,
 * the text that vmallocinfo prints for this address. The tool joins the two files. An
 * area of per-CPU memory begins at a boundary of 2 MiB, and need not be mapped there.
 * The last column is the text for this boundary.
 *
 * Freeing a kernel page table usually sends a TLB-flush IPI to all CPUs. Disabled
 * interrupts therefore keep the table alive, as in get_user_pages_fast(). Where the
 * hardware flushes TLBs without an IPI, a table may be freed during the walk. Then the
 * result is wrong, like a result that is out of date.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pgtable.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/vmalloc.h>

#include "account/vmap.h"
#include "base/compat.h"
#include "base/open.h"
#include "base/peek.h"

/**
 * struct addresses - a range of addresses that contains areas
 * @start: first address
 * @end: address after the last
 */
struct addresses {
	unsigned long start;
	unsigned long end;
};

/* Sets the ranges in ascending order. */
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

bool kmt_vmap_is_module(unsigned long addr)
{
#ifdef MODULES_VADDR
	return addr >= MODULES_VADDR && addr < MODULES_END;
#else
	return false;
#endif
}

/* --- the page tables ------------------------------------------------------ */

/**
 * struct spot - the page tables at one address
 * @mapped: a frame is mapped at the address
 * @pfn: number of the frame; only if @mapped
 * @next: the next address to look at
 */
struct spot {
	bool mapped;
	unsigned long pfn;
	unsigned long next;
};

/* Return: number of the frame at @addr, in a huge page that begins with @page. */
static unsigned long within(struct page *page, unsigned long addr,
			    unsigned long mask)
{
	return page_to_pfn(page) + ((addr & ~mask) >> PAGE_SHIFT);
}

/* nothing is mapped, or the table is being freed */
static struct spot nothing(unsigned long next)
{
	return (struct spot){ .next = next };
}

/*
 * Areas may be mapped and unmapped meanwhile. Each entry is read once and without
 * faults, because its table may have been freed.
 */
static struct spot __look(unsigned long addr, unsigned long end)
{
	pgd_t *pgdp = kmt_kernel_pgd(addr), pgd;
	p4d_t *p4dp, p4d;
	pud_t *pudp, pud;
	pmd_t *pmdp, pmd;
	pte_t pte;

	if (kmt_peek(&pgd, pgdp, sizeof(pgd)) || pgd_none(pgd) || pgd_bad(pgd))
		return nothing(pgd_addr_end(addr, end));
	p4dp = p4d_offset_lockless(pgdp, pgd, addr);
	if (kmt_peek(&p4d, p4dp, sizeof(p4d)) || p4d_none(p4d) || p4d_bad(p4d))
		return nothing(p4d_addr_end(addr, end));
	pudp = pud_offset_lockless(p4dp, p4d, addr);
	if (kmt_peek(&pud, pudp, sizeof(pud)) || pud_none(pud))
		return nothing(pud_addr_end(addr, end));
	if (pud_leaf(pud))
		return (struct spot){ true, within(pud_page(pud), addr, PUD_MASK),
				      pud_addr_end(addr, end) };
	if (pud_bad(pud))
		return nothing(pud_addr_end(addr, end));
	pmdp = pmd_offset_lockless(pudp, pud, addr);
	if (kmt_peek(&pmd, pmdp, sizeof(pmd)) || pmd_none(pmd))
		return nothing(pmd_addr_end(addr, end));
	if (pmd_leaf(pmd))
		return (struct spot){ true, within(pmd_page(pmd), addr, PMD_MASK),
				      pmd_addr_end(addr, end) };
	if (pmd_bad(pmd))
		return nothing(pmd_addr_end(addr, end));
	if (kmt_peek(&pte, pte_offset_kernel(&pmd, addr), sizeof(pte)) ||
	    !pte_present(pte))
		return nothing(addr + PAGE_SIZE);
	return (struct spot){ true, pte_pfn(pte), addr + PAGE_SIZE };
}

static struct spot look(unsigned long addr, unsigned long end)
{
	unsigned long flags;
	struct spot spot;

	local_irq_save(flags);
	spot = __look(addr, end);
	local_irq_restore(flags);
	return spot;
}

bool kmt_vmap_pfn(unsigned long addr, unsigned long *pfn)
{
	unsigned long end = kmt_vmap_end(addr);
	struct spot spot;

	if (!end)
		return false;
	spot = look(addr, end);
	*pfn = spot.pfn;
	return spot.mapped;
}

/* Return: false if @visit has ended the walk. */
static bool walk_range(const struct addresses *range,
		       bool (*visit)(unsigned long addr, unsigned long pfn,
				     unsigned long count))
{
	unsigned long addr;
	struct spot spot;

	for (addr = range->start; addr < range->end; addr = spot.next) {
		spot = look(addr, range->end);
		if (spot.mapped &&
		    !visit(addr, spot.pfn, (spot.next - addr) >> PAGE_SHIFT))
			return false;
		cond_resched();
	}
	return true;
}

void kmt_vmap_walk(bool (*visit)(unsigned long addr, unsigned long pfn,
				 unsigned long count))
{
	struct addresses ranges[2];
	int i;

	get_ranges(ranges);
	for (i = 0; i < ARRAY_SIZE(ranges); i++)
		if (!walk_range(&ranges[i], visit))
			return;
}

void kmt_vmap_walk_memmap(bool (*visit)(unsigned long addr, unsigned long pfn,
					unsigned long count))
{
#ifdef CONFIG_SPARSEMEM_VMEMMAP
	/* no node has the frames of memory that is offline yet */
	const struct addresses memmap = {
		(unsigned long)pfn_to_page(0),
		(unsigned long)pfn_to_page(1ul << (MAX_PHYSMEM_BITS - PAGE_SHIFT)),
	};

	walk_range(&memmap, visit);
#endif
}

/* --- where areas begin ---------------------------------------------------- */

/*
 * A possible start is a mapped page that follows an unmapped one, or a mapped page at a
 * boundary of 2 MiB.
 * Return: the first possible start at @addr or after it; @end if there is none.
 */
static unsigned long next_start(unsigned long addr, unsigned long end)
{
	bool before = false;
	struct spot spot;

	if (addr & ~PMD_MASK)
		before = look(addr - PAGE_SIZE, end).mapped;
	for (; addr < end; addr = spot.next) {
		spot = look(addr, end);
		if (spot.mapped && (!before || !(addr & ~PMD_MASK)))
			return addr;
		before = spot.mapped;
		cond_resched();
	}
	return end;
}

/**
 * struct walk - the position of a reader
 * @range: ranges to read
 * @addr: the present address
 */
struct walk {
	struct addresses range[2];
	unsigned long addr;
};

/* The position is the number of the page, so that a walk can begin anywhere. */
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
	int err = kmt_open_addresses();

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
