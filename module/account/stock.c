// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory comes in spans of SPAN_SIZE bytes. All blocks of a span have the same size. A span
 * is in one of these lists of its node: empty, without a size; or partial, by size, if some
 * of its blocks are free. A span whose blocks are all in use is in no list but all.
 *
 * If all blocks of a span are free, it moves to the end of its list of partial spans. From
 * there it is used again for the same size, or the worker makes it empty.
 *
 * Notes on locking: each node has a lock for its lists and for the heads of its spans. It
 * is held with interrupts off and with the CPU's guard, so that no probe in an NMI waits
 * for it. The blocks of a CPU belong to the CPU, under the same conditions. The worker
 * waits for a grace period before a span becomes empty, because readers of blocks take no
 * lock.
 */
#include <linux/align.h>
#include <linux/gfp.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/topology.h>
#include <linux/workqueue.h>

#include "account/earlier.h"
#include "account/stock.h"
#include "base/compat.h"
#include "base/cpus.h"
#include "base/guard.h"

#define SPAN_ORDER 2
#define SPAN_SIZE  (PAGE_SIZE << SPAN_ORDER)

/* blocks that a CPU takes from a node, or gives back, at once; and keeps at most */
#define BATCH 8
#define KEEP  (3 * BATCH)
/* spans that are handled with interrupts off */
#define SPANS_AT_ONCE 16

/* a reserve has 1 / RESERVE_SHARE of the node's memory, within these numbers of spans */
#define RESERVE_SHARE 2048
#define RESERVE_MIN   16u
#define RESERVE_MAX   2048u
/* an empty reserve doubles the next one, up to this many times */
#define RESERVE_GROWTH 3

/* words of a block, by number of the size */
static const u16 size_words[KMT_STOCK_SIZES] = { 2,  4,	 8,  12,  16,  22, 32,
						 44, 64, 86, 128, 256, 512 };

/**
 * struct span - the head of a span; the blocks follow
 * @list: in a list of the node, unless all blocks are in use
 * @all: in the list of all spans of the node
 * @free: first free block; each has the address of the next one
 * @fresh: offset of the part that was never handed out
 * @used: number of blocks that are not free
 * @node: the node
 * @size: number of the size of its blocks
 */
struct span {
	struct list_head list;
	struct list_head all;
	void *free;
	u32 fresh;
	u32 used;
	u16 node;
	u16 size;
} __aligned(KMT_STOCK_ALIGN);

/**
 * struct pool - the spans of a node
 * @lock: guards all
 * @empty_count: spans in @empty
 * @idle_count: spans in @partial whose blocks are all free
 * @target: spans that the worker keeps in @empty
 * @growth: how often @target was doubled
 * @grown: it was doubled since the worker came
 * @count: all spans
 * @asked: the worker was asked to come
 * @empty: spans without a size
 * @all: all spans
 * @partial: spans with free blocks, by size
 */
struct pool {
	arch_spinlock_t lock;
	u32 empty_count;
	u32 idle_count;
	u32 target;
	u32 growth;
	u64 count;
	bool asked;
	bool grown;
	struct list_head empty;
	struct list_head all;
	struct list_head partial[KMT_STOCK_SIZES];
} ____cacheline_aligned_in_smp;

/**
 * struct kept - free blocks of one size that a CPU keeps
 * @first: the first; each has the address of the next one
 * @count: number of blocks
 */
struct kept {
	void *first;
	u32 count;
};

/**
 * struct cpu_stock - what belongs to one CPU
 * @kept: blocks, by size
 * @refused: requests that no node had a block for
 */
struct cpu_stock {
	struct kept kept[KMT_STOCK_SIZES];
	u64 refused;
};

static DEFINE_PER_CPU(struct cpu_stock *, cpu_stocks);
static int hotplug_state __ro_after_init;
static struct pool *pools[MAX_NUMNODES];
static bool closing;

#ifdef KMT_DEBUG
static uint stock_spans = ~0u;
module_param(stock_spans, uint, 0444);
MODULE_PARM_DESC(stock_spans, "maximum number of spans of a node, for tests");
#else
#define stock_spans ~0u
#endif

unsigned int kmt_stock_size(unsigned int words)
{
	unsigned int size = 0;

	while (size_words[size] < words)
		size++;
	return size;
}

static u32 block_bytes(unsigned int size)
{
	return ALIGN(KMT_STOCK_HEAD + size_words[size] * sizeof(u64),
		     KMT_STOCK_ALIGN);
}

static struct span *span_of(void *block)
{
	return (void *)ALIGN_DOWN((unsigned long)block, SPAN_SIZE);
}

/* The first word of a free block is the address of the next one. */
static void **next_of(void *block)
{
	return block;
}

/* --- the worker ----------------------------------------------------------- */

/* Its name is the site of the memory in the tables of tags. */
static noinline bool add_span(struct pool *pool, int node)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_ZERO | __GFP_COMP | __GFP_NORETRY |
			  __GFP_NOWARN | __GFP_THISNODE;
	struct page *page = NULL;
	unsigned long flags;
	struct span *span;

	if (pool->count < stock_spans)
		page = alloc_pages_node(node, gfp, SPAN_ORDER);
	if (!page)
		return false;
	set_page_private(page, KMT_EARLIER_OWN_MARK);
	span = page_address(page);
	span->node = node;
	flags = kmt_guard_spin_lock(&pool->lock);
	list_add(&span->list, &pool->empty);
	list_add(&span->all, &pool->all);
	WRITE_ONCE(pool->empty_count, pool->empty_count + 1);
	WRITE_ONCE(pool->count, pool->count + 1);
	kmt_guard_spin_unlock(&pool->lock, flags);
	return true;
}

static bool has_too_many(const struct pool *pool)
{
	return READ_ONCE(pool->empty_count) > 2 * READ_ONCE(pool->target);
}

static bool has_idle(const struct pool *pool)
{
	return READ_ONCE(pool->idle_count) >
	       READ_ONCE(pool->target) / 4 + KMT_STOCK_SIZES;
}

/* Move up to SPANS_AT_ONCE idle spans to @idle. Return: whether there were so many. */
static bool take_idle(struct pool *pool, unsigned int size,
		      struct list_head *idle)
{
	unsigned long flags = kmt_guard_spin_lock(&pool->lock);
	struct list_head *partial = &pool->partial[size];
	unsigned int n = 0;

	for (; n < SPANS_AT_ONCE && !list_empty(partial); n++) {
		struct span *span = list_last_entry(partial, struct span, list);

		if (span->used)
			break;
		list_move(&span->list, idle);
		WRITE_ONCE(pool->idle_count, pool->idle_count - 1);
	}
	kmt_guard_spin_unlock(&pool->lock, flags);
	return n == SPANS_AT_ONCE;
}

/* Only the heads of blocks that were handed out are not 0. */
static void clear(struct span *span)
{
	u32 bytes = block_bytes(span->size), at;

	for (at = sizeof(*span); at + bytes <= span->fresh; at += bytes)
		memset((void *)span + at, 0, KMT_STOCK_HEAD);
}

/* Return: whether the pool needs the empty span; else it is taken out of the pool. */
static bool keep_empty(struct pool *pool, struct span *span)
{
	unsigned long flags = kmt_guard_spin_lock(&pool->lock);
	bool needed = !has_too_many(pool);

	if (needed) {
		list_move(&span->list, &pool->empty);
		WRITE_ONCE(pool->empty_count, pool->empty_count + 1);
	} else {
		list_del(&span->list);
		list_del(&span->all);
		WRITE_ONCE(pool->count, pool->count - 1);
	}
	kmt_guard_spin_unlock(&pool->lock, flags);
	return needed;
}

static void free_span(struct span *span)
{
	struct page *page = virt_to_page(span);

	set_page_private(page, 0);
	__free_pages(page, SPAN_ORDER);
}

/* Make idle spans empty, and free those that are not needed. */
static void collect(struct pool *pool)
{
	struct span *span, *next;
	unsigned int size;
	LIST_HEAD(idle);

	if (!has_idle(pool))
		return;
	for (size = 0; size < KMT_STOCK_SIZES; size++)
		while (take_idle(pool, size, &idle))
			cond_resched();
	synchronize_rcu(); /* for readers of blocks */
	list_for_each_entry_safe(span, next, &idle, list) {
		clear(span);
		if (!keep_empty(pool, span))
			free_span(span);
		cond_resched();
	}
}

/* Return: the target of a node; 0 if it has no memory. */
static u32 first_target(int node)
{
	if (!node_state(node, N_NORMAL_MEMORY))
		return 0;
	return clamp_t(unsigned long,
		       (node_present_pages(node) / RESERVE_SHARE) >> SPAN_ORDER,
		       RESERVE_MIN, RESERVE_MAX);
}

static void refill(struct pool *pool, int node)
{
	WRITE_ONCE(pool->asked, false);
	collect(pool);
	if (!node_online(node))
		return;
	if (!pool->target)
		WRITE_ONCE(pool->target, first_target(node));
	WRITE_ONCE(pool->grown, false);
	while (READ_ONCE(pool->empty_count) < READ_ONCE(pool->target) &&
	       !READ_ONCE(closing))
		if (!add_span(pool, node))
			break; /* a later request asks again */
}

static void work_on_pools(struct work_struct *work)
{
	int node;

	for_each_node(node)
		if (pools[node])
			refill(pools[node], node);
}

static DECLARE_WORK(pool_work, work_on_pools);

static void start_work(struct irq_work *work)
{
	if (!READ_ONCE(closing))
		queue_work(kmt_unbound_wq, &pool_work);
}

static DEFINE_IRQ_WORK(pool_irq_work, start_work);

static void ask(struct pool *pool)
{
	if (READ_ONCE(pool->asked))
		return;
	WRITE_ONCE(pool->asked, true);
	irq_work_queue(&pool_irq_work);
}

/* --- the lists of a node -------------------------------------------------- */

/* The caller of a function that begins with __ has locked the pool. */

/* Return: whether the span has a free block. */
static bool __has_free(const struct span *span)
{
	return span->free ||
	       span->fresh + block_bytes(span->size) <= SPAN_SIZE;
}

/* Return: a free block of the span, which has one. */
static void *__take_block(struct pool *pool, struct span *span)
{
	void *block = span->free;

	if (!span->used++)
		WRITE_ONCE(pool->idle_count, pool->idle_count - 1);
	if (block) {
		span->free = *next_of(block);
		return block;
	}
	block = (void *)span + span->fresh;
	span->fresh += block_bytes(span->size);
	return block;
}

/* Return: a span with free blocks; NULL if there is none. */
static struct span *__partial(struct pool *pool, unsigned int size)
{
	struct span *span;

	span = list_first_entry_or_null(&pool->partial[size], struct span,
					list);
	if (span)
		return span;
	span = list_first_entry_or_null(&pool->empty, struct span, list);
	if (!span)
		return NULL;
	WRITE_ONCE(pool->empty_count, pool->empty_count - 1);
	WRITE_ONCE(pool->idle_count, pool->idle_count + 1);
	span->size = size;
	span->free = NULL;
	span->fresh = sizeof(*span);
	list_move(&span->list, &pool->partial[size]);
	return span;
}

/* Move up to @count blocks to @k. */
static void fetch_from(struct pool *pool, unsigned int size, unsigned int count,
		       struct kept *k)
{
	unsigned int i;
	void *block;

	arch_spin_lock(&pool->lock);
	for (i = 0; i < count; i++) {
		struct span *span = __partial(pool, size);

		if (!span)
			break;
		block = __take_block(pool, span);
		if (!__has_free(span))
			list_del_init(&span->list);
		*next_of(block) = k->first;
		k->first = block;
		k->count++;
	}
	if (pool->empty_count < pool->target / 2)
		ask(pool);
	arch_spin_unlock(&pool->lock);
}

/* The reserve of the node was too small, or the node has memory only since a while. */
static void grow_reserve(struct pool *pool, int node)
{
	if (!node_state(node, N_NORMAL_MEMORY))
		return;
	arch_spin_lock(&pool->lock);
	if (pool->target && pool->growth < RESERVE_GROWTH && !pool->grown) {
		pool->growth++;
		pool->grown = true;
		WRITE_ONCE(pool->target, 2 * pool->target);
	}
	ask(pool);
	arch_spin_unlock(&pool->lock);
}

static noinline void fetch(unsigned int size, struct cpu_stock *stock)
{
	struct kept *k = &stock->kept[size];
	int node, here = numa_mem_id();

	if (likely(pools[here]))
		fetch_from(pools[here], size, BATCH, k);
	if (likely(k->first))
		return;
	if (pools[here])
		grow_reserve(pools[here], here);
	for_each_online_node(node) {
		if (node == here || !pools[node])
			continue;
		fetch_from(pools[node], size, BATCH, k);
		if (k->first)
			return;
	}
	stock->refused++;
}

static void __put_block(struct pool *pool, void *block)
{
	struct span *span = span_of(block);
	bool was_full = !__has_free(span);

	*next_of(block) = span->free;
	span->free = block;
	if (was_full)
		list_add(&span->list, &pool->partial[span->size]);
	if (--span->used)
		return;
	list_move_tail(&span->list, &pool->partial[span->size]);
	WRITE_ONCE(pool->idle_count, pool->idle_count + 1);
	if (has_idle(pool))
		ask(pool);
}

/* --- the blocks of a CPU --------------------------------------------------- */

static void *take_kept(struct kept *k)
{
	void *block = k->first;

	if (block) {
		k->first = *next_of(block);
		k->count--;
	}
	return block;
}

/* Return: a block of another node; NULL if it has none. */
static noinline void *take_from(int node, unsigned int size)
{
	struct pool *pool = pools[node];
	struct kept k = { };

	if (pool)
		fetch_from(pool, size, 1, &k);
	return k.first;
}

void *kmt_stock_get(unsigned int size, int node)
{
	struct cpu_stock *stock = this_cpu_read(cpu_stocks);
	void *block;

	if (unlikely(node != numa_mem_id())) {
		block = take_from(node, size);
		if (block)
			return block;
	}
	if (unlikely(!stock->kept[size].first))
		fetch(size, stock);
	return take_kept(&stock->kept[size]);
}

static noinline void return_block(void *block)
{
	struct pool *pool = pools[span_of(block)->node];

	arch_spin_lock(&pool->lock);
	__put_block(pool, block);
	arch_spin_unlock(&pool->lock);
}

/* Other nodes have blocks here if this one had none left. */
static noinline void give_back(struct kept *k)
{
	unsigned int i;

	for (i = 0; i < BATCH; i++)
		return_block(take_kept(k));
}

/* A block of another node goes back there. Else the next page of this CPU would get it. */
void kmt_stock_put(void *block)
{
	struct kept *k = &this_cpu_read(cpu_stocks)->kept[span_of(block)->size];

	if (unlikely(span_of(block)->node != numa_mem_id())) {
		return_block(block);
		return;
	}
	*next_of(block) = k->first;
	k->first = block;
	if (unlikely(++k->count > KEEP))
		give_back(k);
}

/* --- all nodes ------------------------------------------------------------ */

u64 kmt_stock_memory(void)
{
	u64 count = 0;
	int node;

	for_each_node(node)
		if (pools[node])
			count += READ_ONCE(pools[node]->count);
	return count * SPAN_SIZE;
}

u64 kmt_stock_refused(void)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct cpu_stock *stock = per_cpu(cpu_stocks, cpu);

		if (stock)
			sum += READ_ONCE(stock->refused);
	}
	return sum;
}

/* The blocks of a CPU stay when it goes offline. */
static int create_cpu_stock(unsigned int cpu)
{
	struct cpu_stock *stock = per_cpu(cpu_stocks, cpu);

	if (!stock)
		stock = kzalloc_node(sizeof(*stock), GFP_KERNEL,
				     cpu_to_node(cpu));
	per_cpu(cpu_stocks, cpu) = stock;
	return stock ? 0 : -ENOMEM;
}

static int __init create_pool(int node)
{
	struct pool *pool = kzalloc_node(sizeof(*pool), GFP_KERNEL, node);
	int i;

	if (!pool)
		return -ENOMEM;
	INIT_LIST_HEAD(&pool->empty);
	INIT_LIST_HEAD(&pool->all);
	for (i = 0; i < KMT_STOCK_SIZES; i++)
		INIT_LIST_HEAD(&pool->partial[i]);
	pools[node] = pool;
	return 0;
}

int __init kmt_stock_init(void)
{
	int node;

	for_each_node(node)
		if (create_pool(node))
			return -ENOMEM;
	hotplug_state = kmt_cpus_prepare("kmemtrace:stock", create_cpu_stock);
	if (hotplug_state < 0)
		return hotplug_state;
	work_on_pools(NULL);
	return kmt_stock_memory() ? 0 : -ENOMEM;
}

static void destroy_pool(int node)
{
	struct pool *pool = pools[node];
	struct span *span, *next;

	list_for_each_entry_safe(span, next, &pool->all, all)
		free_span(span);
	kfree(pool);
	pools[node] = NULL;
}

void kmt_stock_exit(void)
{
	int node, cpu;

	kmt_cpus_forget(hotplug_state);
	WRITE_ONCE(closing, true);
	irq_work_sync(&pool_irq_work);
	cancel_work_sync(&pool_work);
	for_each_node(node)
		if (pools[node])
			destroy_pool(node);
	for_each_possible_cpu(cpu) {
		kfree(per_cpu(cpu_stocks, cpu));
		per_cpu(cpu_stocks, cpu) = NULL;
	}
}
