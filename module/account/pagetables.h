/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pages of the page tables that map the kernel, and of the top-level tables of processes.
 * Newer kernels (7.3, not 6.12) mark them as page tables; older ones mark few of them.
 */
#ifndef KMT_PAGETABLES_H
#define KMT_PAGETABLES_H

/**
 * kmt_pagetables_walk() - visit the pages of page tables
 * @visit: called with the number of the first frame of each table. It may be called more than
 *	once for a table, and, if a table was freed meanwhile, for any number. Returns whether
 *	the table may be read: the frame is memory that is online
 *
 * Context: may sleep, and so may @visit.
 */
void kmt_pagetables_walk(bool (*visit)(unsigned long pfn));

#endif /* KMT_PAGETABLES_H */
