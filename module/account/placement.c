// SPDX-License-Identifier: GPL-2.0-only
/*
 * Only with KMT_DEBUG: the parameter placement shows whether entries of frames, slots and
 * counters are on the node of the page or CPU. One line for each node with memory:
 *
 *   NODE ENTRIES ENTRIES-ELSEWHERE SLOTS SLOTS-ELSEWHERE CPUS CPUS-ELSEWHERE
 *
 * The counts are pages of the node whose entry is not 0, pages that have slots, CPUs that are
 * online, and how many of each have them on another node.
 */
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "account/frame.h"
#include "account/slots.h"
#include "account/tables.h"
#include "account/tag.h"

/**
 * struct placed - counts of the pages and CPUs of a node
 * @entries: pages with an entry
 * @entries_elsewhere: the entry is on another node
 * @slots: pages with slots
 * @slots_elsewhere: the slots are on another node
 * @cpus: CPUs that are online
 * @cpus_elsewhere: the counters are on another node
 */
struct placed {
	unsigned long entries;
	unsigned long entries_elsewhere;
	unsigned long slots;
	unsigned long slots_elsewhere;
	unsigned int cpus;
	unsigned int cpus_elsewhere;
};

/* Return: the node of the first page of a table. */
static int node_of(const void *table)
{
	return page_to_nid(vmalloc_to_page(table));
}

static void count_page(unsigned long pfn, struct kmt_frame frame,
		       struct kmt_frame before, void *arg)
{
	struct kmt_frame *at = kmt_frame_at(pfn);
	struct placed *placed = arg;
	int node;

	if (!at || !pfn_valid(pfn))
		return;
	node = pfn_to_nid(pfn);
	placed += node;
	placed->entries++;
	placed->entries_elsewhere += node_of(at) != node;
	if (!(frame.word & KMT_FRAME_SLOTS))
		return;
	placed->slots++;
	placed->slots_elsewhere +=
		page_to_nid(virt_to_page(kmt_slots_of(frame))) != node;
}

static void count_cpus(struct placed *placed)
{
	int cpu, node;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		node = cpu_to_node(cpu);
		placed[node].cpus++;
		rcu_read_lock(); /* the counters may move to another address */
		placed[node].cpus_elsewhere +=
			node_of(per_cpu(kmt_counters, cpu)) != node;
		rcu_read_unlock();
	}
	cpus_read_unlock();
}

static int get_placement(char *text, const struct kernel_param *param)
{
	struct placed *placed = kcalloc(nr_node_ids, sizeof(*placed), GFP_KERNEL);
	int node, n = 0;

	if (!placed)
		return -ENOMEM;
	if (kmt_tables_ready())
		count_cpus(placed);
	if (kmt_tables_ready() && kmt_frame_keeps_birth())
		kmt_frame_walk(count_page, placed, true);
	for_each_node_state(node, N_MEMORY)
		n += scnprintf(text + n, PAGE_SIZE - n,
			       "%d %lu %lu %lu %lu %u %u\n", node,
			       placed[node].entries,
			       placed[node].entries_elsewhere,
			       placed[node].slots, placed[node].slots_elsewhere,
			       placed[node].cpus, placed[node].cpus_elsewhere);
	kfree(placed);
	return n;
}

static const struct kernel_param_ops placement_ops = {
	.get = get_placement,
};

module_param_cb(placement, &placement_ops, NULL, 0400);
MODULE_PARM_DESC(placement, "nodes of the tables, for tests");
