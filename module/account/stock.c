// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory comes in spans of SPAN_SIZE bytes. All blocks of a span have the same size. A span
 * is in one of the lists of its node: empty, without a size; or one by size and by how many of
 * its blocks are in use. Blocks are taken from the fullest span, so that others become idle:
 * without a block in use. From there a span is used again for the same size, or becomes empty.
 *
 * The worker fills the reserve of empty spans. If it was used up, it grows, and shrinks again
 * later; but not if the kernel had no memory: the worker then waits, each time longer. If the
 * kernel is short of memory, the shrinker takes idle spans, half of the reserve, and the
 * blocks that CPUs keep.
 *
 * Notes on locking: each node has a lock for its lists and for the heads of its spans. It
 * is held with interrupts off and with the CPU's guard, so that no probe in an NMI waits
 * for it. The blocks of a CPU belong to the CPU, under the same conditions. An idle span
 * becomes empty only after a grace period, because readers of blocks take no lock.
 *
 * Many CPUs of a node may need its lock at once. So a probe does not wait for its turn: the CPU has
 * its own blocks until it tries again, and a block that cannot be given back stays with the CPU.
 * Only a CPU without a block waits: without slots, the survey could not charge what is in the page.
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
#include <linux/sched.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/topology.h>
#include <linux/workqueue.h>

#include "account/earlier.h"
#include "account/stock.h"
#include "base/compat.h"
#include "base/guard.h"

#define SPAN_ORDER 2
#define SPAN_SIZE  (PAGE_SIZE << SPAN_ORDER)

/* blocks that a CPU takes from a node, or gives back, at once; and keeps at most */
#define BATCH 8
#define KEEP  (3 * BATCH)
#define LOW   (BATCH / 2) /* with so few, it takes more, unless the lock is taken */
/* spans that are handled with interrupts off */
#define SPANS_AT_ONCE 16

/* a reserve has 1 / RESERVE_SHARE of the node's memory, within these numbers of spans */
#define RESERVE_SHARE 2048
#define RESERVE_MIN   16u
#define RESERVE_MAX   2048u
/* an empty reserve doubles the next one, up to this many times; each lasts for this time */
#define RESERVE_GROWTH 3
#define RESERVE_DECAY  (60 * HZ)

/* time until the worker asks the kernel for memory again, if it had none */
#define WAIT_MIN (HZ / 10)
#define WAIT_MAX (10 * HZ)
/* time between two requests for the blocks that CPUs keep */
#define DRAIN_EVERY (10 * HZ)

/*
 * The lists of spans with blocks of one size: idle ones; in LEVELS groups, by how many blocks are
 * in use; full ones
 */
#define LEVELS 4u
#define IDLE   0u
#define FULL   (LEVELS + 1)

/* words of a block, by number of the size */
static const u16 size_words[KMT_STOCK_SIZES] = { 2,  4,	 8,  12,  16,  22, 32,
						 44, 64, 86, 128, 256, 512 };

/**
 * struct span - the head of a span; the blocks follow
 * @list: in a list of the node
 * @all: in the list of all spans of the node
 * @free: first free block; each has the address of the next one
 * @fresh: offset of the part that was never handed out
 * @used: number of blocks that are not free
 * @node: the node
 * @size: number of the size of its blocks
 * @level: the list that it is in: IDLE to FULL
 * @idle_since: get_state_synchronize_rcu() when it became idle
 */
struct span {
	struct list_head list;
	struct list_head all;
	void *free;
	u32 fresh;
	u32 used;
	u16 node;
	u16 size;
	u16 level;
	unsigned long idle_since;
} __aligned(KMT_STOCK_ALIGN);

/**
 * struct pool - the spans of a node
 * @lock: guards all
 * @empty_count: spans in @empty
 * @idle_count: spans whose blocks are all free
 * @base: spans in the reserve that did not grow
 * @growth: how often the reserve was doubled
 * @grown: it was doubled since the worker came
 * @grown_at: time of the last change of @growth, in jiffies
 * @count: all spans
 * @asked: the worker was asked to come, or will come by itself
 * @wait: jiffies that the worker waits, because the kernel had no memory; or 0
 * @retry: time until which it waits
 * @empty: spans without a size
 * @all: all spans
 * @lists: the others, by size and level
 */
struct pool {
	arch_spinlock_t lock;
	u32 empty_count;
	u32 idle_count;
	u32 base;
	u32 growth;
	u64 count;
	bool asked;
	bool grown;
	unsigned long grown_at;
	unsigned long wait;
	unsigned long retry;
	struct list_head empty;
	struct list_head all;
	struct list_head lists[KMT_STOCK_SIZES][FULL + 1];
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

static struct cpu_stock __percpu *cpu_stocks __ro_after_init;
static struct pool *pools[MAX_NUMNODES];
static struct shrinker *shrinker;
static bool closing;
static bool drain_wanted;
static unsigned long drained_at; /* in jiffies */

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

static u32 span_blocks(unsigned int size)
{
	return (SPAN_SIZE - sizeof(struct span)) / block_bytes(size);
}

/* Return: number of spans that the worker keeps in pool->empty. */
static u32 target_of(const struct pool *pool)
{
	return READ_ONCE(pool->base) << READ_ONCE(pool->growth);
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

/* --- making spans empty --------------------------------------------------- */

/* Only the heads of blocks that were handed out are not 0. */
static void clear(struct span *span)
{
	u32 bytes = block_bytes(span->size), at;

	for (at = sizeof(*span); at + bytes <= span->fresh; at += bytes)
		memset((void *)span + at, 0, KMT_STOCK_HEAD);
}

/* Make up to SPANS_AT_ONCE idle spans of a size empty. Return: their number. */
static unsigned int empty_idle(struct pool *pool, unsigned int size)
{
	struct list_head *idle = &pool->lists[size][IDLE];
	unsigned long flags = kmt_guard_spin_lock(&pool->lock);
	struct span *span;
	LIST_HEAD(taken);
	unsigned int n;

	for (n = 0; n < SPANS_AT_ONCE && !list_empty(idle); n++) {
		span = list_last_entry(idle, struct span, list);
		if (!poll_state_synchronize_rcu(span->idle_since))
			break;
		list_move(&span->list, &taken);
	}
	WRITE_ONCE(pool->idle_count, pool->idle_count - n);
	kmt_guard_spin_unlock(&pool->lock, flags);
	list_for_each_entry(span, &taken, list)
		clear(span);
	flags = kmt_guard_spin_lock(&pool->lock);
	list_splice(&taken, &pool->empty);
	WRITE_ONCE(pool->empty_count, pool->empty_count + n);
	kmt_guard_spin_unlock(&pool->lock, flags);
	return n;
}

static void free_span(struct span *span)
{
	struct page *page = virt_to_page(span);

	set_page_private(page, 0);
	__free_pages(page, SPAN_ORDER);
}

/* Free up to SPANS_AT_ONCE empty spans, so that @keep are left. Return: their number. */
static unsigned int free_empty(struct pool *pool, u32 keep)
{
	unsigned long flags = kmt_guard_spin_lock(&pool->lock);
	struct span *span, *next;
	unsigned int n = 0;
	LIST_HEAD(taken);

	for (; n < SPANS_AT_ONCE && pool->empty_count > keep; n++) {
		span = list_last_entry(&pool->empty, struct span, list);
		list_move(&span->list, &taken);
		list_del(&span->all);
		WRITE_ONCE(pool->empty_count, pool->empty_count - 1);
	}
	WRITE_ONCE(pool->count, pool->count - n);
	kmt_guard_spin_unlock(&pool->lock, flags);
	list_for_each_entry_safe(span, next, &taken, list)
		free_span(span);
	return n;
}

/* --- the worker ----------------------------------------------------------- */

/*
 * Its name is the site of the memory in the tables of tags. Only a reserve that is used up is
 * worth that the kernel frees other memory for it.
 */
static noinline bool add_span(struct pool *pool, int node)
{
	gfp_t gfp = GFP_KERNEL | __GFP_ZERO | __GFP_COMP | __GFP_NORETRY |
		    __GFP_NOWARN | __GFP_THISNODE;
	struct page *page = NULL;
	unsigned long flags;
	struct span *span;

	if (READ_ONCE(pool->empty_count))
		gfp &= ~__GFP_DIRECT_RECLAIM;
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

static bool has_idle(const struct pool *pool)
{
	return READ_ONCE(pool->idle_count) > target_of(pool) / 4 + KMT_STOCK_SIZES;
}

/* Make idle spans empty, and free those that are not needed. */
static void collect(struct pool *pool)
{
	unsigned int size;

	if (has_idle(pool)) {
		synchronize_rcu(); /* for readers of blocks */
		for (size = 0; size < KMT_STOCK_SIZES; size++)
			while (empty_idle(pool, size) == SPANS_AT_ONCE)
				cond_resched();
	}
	while (free_empty(pool, 2 * target_of(pool)))
		cond_resched();
}

/* Return: the reserve of a node; 0 if it has no memory. */
static u32 first_reserve(int node)
{
	if (!node_state(node, N_NORMAL_MEMORY))
		return 0;
	return clamp_t(unsigned long, (node_present_pages(node) / RESERVE_SHARE) >> SPAN_ORDER,
		       RESERVE_MIN, RESERVE_MAX);
}

static void set_growth(struct pool *pool, u32 growth)
{
	unsigned long flags = kmt_guard_spin_lock(&pool->lock);

	WRITE_ONCE(pool->growth, growth);
	WRITE_ONCE(pool->grown_at, jiffies);
	kmt_guard_spin_unlock(&pool->lock, flags);
}

/* Return: whether there are enough spans. */
static bool fill_reserve(struct pool *pool, int node)
{
	while (READ_ONCE(pool->empty_count) < target_of(pool) && !READ_ONCE(closing))
		if (!add_span(pool, node))
			return false;
	return true;
}

/* Return: jiffies after which the worker must come again, if it is not asked before. */
static unsigned long refill(struct pool *pool, int node)
{
	unsigned long now = jiffies;
	u32 growth = READ_ONCE(pool->growth);

	if (node_online(node) && !pool->base)
		WRITE_ONCE(pool->base, first_reserve(node));
	if (growth && time_after(now, READ_ONCE(pool->grown_at) + RESERVE_DECAY))
		set_growth(pool, growth - 1);
	collect(pool);
	if (pool->wait && time_before(now, pool->retry))
		return pool->retry - now;
	WRITE_ONCE(pool->grown, false);
	WRITE_ONCE(pool->asked, false);
	if (!node_online(node) || fill_reserve(pool, node)) {
		WRITE_ONCE(pool->wait, 0);
		return READ_ONCE(pool->growth) ? RESERVE_DECAY : MAX_JIFFY_OFFSET;
	}
	WRITE_ONCE(pool->asked, true);
	WRITE_ONCE(pool->wait, clamp_t(unsigned long, 2 * pool->wait, WAIT_MIN, WAIT_MAX));
	pool->retry = jiffies + pool->wait;
	return pool->wait;
}

static void drain_all(void);
static void work_on_pools(struct work_struct *work);
static DECLARE_DELAYED_WORK(pool_work, work_on_pools);

static void work_on_pools(struct work_struct *work)
{
	unsigned long next = MAX_JIFFY_OFFSET;
	int node;

	if (xchg(&drain_wanted, false))
		drain_all();
	for_each_node(node)
		if (pools[node])
			next = min(next, refill(pools[node], node));
	if (next != MAX_JIFFY_OFFSET && !READ_ONCE(closing))
		queue_delayed_work(kmt_unbound_wq, &pool_work, next);
}

static void start_work(struct irq_work *work)
{
	if (!READ_ONCE(closing))
		mod_delayed_work(kmt_unbound_wq, &pool_work, 0);
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

/* Move a span to the list for its number of used blocks. */
static void __relist(struct pool *pool, struct span *span)
{
	u32 blocks = span_blocks(span->size);
	u32 level = span->used == blocks ? FULL : DIV_ROUND_UP(span->used * LEVELS, blocks);

	if (level == span->level)
		return;
	if (level == IDLE) {
		span->idle_since = get_state_synchronize_rcu();
		WRITE_ONCE(pool->idle_count, pool->idle_count + 1);
	} else if (span->level == IDLE) {
		WRITE_ONCE(pool->idle_count, pool->idle_count - 1);
	}
	span->level = level;
	list_move(&span->list, &pool->lists[span->size][level]);
}

/* Return: a free block of the span, which has one. */
static void *__take_block(struct pool *pool, struct span *span)
{
	void *block = span->free;

	if (block) {
		span->free = *next_of(block);
	} else {
		block = (void *)span + span->fresh;
		span->fresh += block_bytes(span->size);
	}
	span->used++;
	__relist(pool, span);
	return block;
}

/* Return: the fullest span with a free block; NULL if there is none. */
static struct span *__find_span(struct pool *pool, unsigned int size)
{
	struct list_head *list = &pool->lists[size][LEVELS];
	struct span *span;

	for (; list >= pool->lists[size]; list--)
		if (!list_empty(list))
			return list_first_entry(list, struct span, list);
	span = list_first_entry_or_null(&pool->empty, struct span, list);
	if (!span)
		return NULL;
	WRITE_ONCE(pool->empty_count, pool->empty_count - 1);
	WRITE_ONCE(pool->idle_count, pool->idle_count + 1);
	span->size = size;
	span->level = IDLE;
	span->free = NULL;
	span->fresh = sizeof(*span);
	list_move(&span->list, &pool->lists[size][IDLE]);
	return span;
}

/*
 * CPUs do not wait for each other to find nothing. A span that moves to another list may be missed.
 *
 * Return: false if the kernel has no memory, and the pool seems to have no block.
 */
static bool may_have_block(const struct pool *pool, unsigned int size)
{
	unsigned int level;

	if (!READ_ONCE(pool->wait) || READ_ONCE(pool->empty_count))
		return true;
	for (level = IDLE; level <= LEVELS; level++)
		if (!list_empty(&pool->lists[size][level]))
			return true;
	return false;
}

/* Return: whether the lock was taken. */
static bool lock_pool(struct pool *pool, bool wait)
{
	if (wait)
		arch_spin_lock(&pool->lock);
	return wait || arch_spin_trylock(&pool->lock);
}

/* Move up to @count blocks to @k; none if the lock is taken and the caller does not @wait. */
static void fetch_from(struct pool *pool, unsigned int size, unsigned int count,
		       struct kept *k, bool wait)
{
	unsigned int i;
	void *block;

	if (!may_have_block(pool, size) || !lock_pool(pool, wait))
		return;
	for (i = 0; i < count; i++) {
		struct span *span = __find_span(pool, size);

		if (!span)
			break;
		block = __take_block(pool, span);
		*next_of(block) = k->first;
		k->first = block;
		k->count++;
	}
	if (pool->empty_count < target_of(pool) / 2)
		ask(pool);
	arch_spin_unlock(&pool->lock);
}

static bool may_grow(const struct pool *pool)
{
	return READ_ONCE(pool->base) && !READ_ONCE(pool->wait) &&
	       READ_ONCE(pool->growth) < RESERVE_GROWTH && !READ_ONCE(pool->grown);
}

/*
 * The reserve of the node was too small, or the node has memory only since a while, or the
 * kernel had no memory for it.
 */
static void grow_reserve(struct pool *pool, int node)
{
	if (!node_state(node, N_NORMAL_MEMORY))
		return;
	if (may_grow(pool)) {
		arch_spin_lock(&pool->lock);
		if (may_grow(pool)) {
			WRITE_ONCE(pool->growth, pool->growth + 1);
			WRITE_ONCE(pool->grown, true);
			WRITE_ONCE(pool->grown_at, jiffies);
		}
		arch_spin_unlock(&pool->lock);
	}
	ask(pool);
}

static noinline void fetch(unsigned int size, struct cpu_stock *stock)
{
	struct kept *k = &stock->kept[size];
	int node, here = numa_mem_id();
	bool wait = !k->first;

	if (likely(pools[here]))
		fetch_from(pools[here], size, BATCH, k, wait);
	if (likely(k->first))
		return;
	if (pools[here])
		grow_reserve(pools[here], here);
	for_each_online_node(node) {
		if (node == here || !pools[node])
			continue;
		fetch_from(pools[node], size, BATCH, k, wait);
		if (k->first)
			return;
	}
	stock->refused++;
}

static void __put_block(struct pool *pool, void *block)
{
	struct span *span = span_of(block);

	*next_of(block) = span->free;
	span->free = block;
	span->used--;
	__relist(pool, span);
	if (!span->used && has_idle(pool))
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

void *kmt_stock_get(unsigned int size, int node)
{
	struct cpu_stock *stock = this_cpu_ptr(cpu_stocks);
	struct kept remote = { };

	if (unlikely(node != numa_mem_id()) && pools[node])
		fetch_from(pools[node], size, 1, &remote, false);
	if (unlikely(remote.first))
		return remote.first;
	if (unlikely(stock->kept[size].count <= LOW))
		fetch(size, stock);
	return take_kept(&stock->kept[size]);
}

/* Give the first block back to its node. Return: false if there is none, or the lock was taken. */
static bool give_one(struct kept *k)
{
	struct pool *pool = k->first ? pools[span_of(k->first)->node] : NULL;

	if (!pool || !lock_pool(pool, false))
		return false;
	__put_block(pool, take_kept(k));
	arch_spin_unlock(&pool->lock);
	return true;
}

/* Other nodes have blocks here if this one had none left. */
static noinline void give_back(struct kept *k, unsigned int count)
{
	while (count-- && give_one(k))
		;
}

/* A block of another node goes back there. Else the next page of this CPU would get it. */
void kmt_stock_put(void *block)
{
	struct kept *k = &this_cpu_ptr(cpu_stocks)->kept[span_of(block)->size];

	*next_of(block) = k->first;
	k->first = block;
	k->count++;
	if (unlikely(span_of(block)->node != numa_mem_id()))
		give_back(k, 1);
	if (unlikely(k->count > KEEP))
		give_back(k, BATCH);
}

/* --- when memory is short ------------------------------------------------- */

/* Give back the blocks of one size that this CPU keeps. */
static void drain(void *size)
{
	unsigned long flags = kmt_guard_lock();

	give_back(&this_cpu_ptr(cpu_stocks)->kept[(unsigned long)size], KEEP);
	kmt_guard_unlock(flags);
}

/* One size at a time: interrupts are off meanwhile. One CPU at a time: all need the same lock. */
static void drain_all(void)
{
	unsigned long size;
	int cpu;

	for_each_online_cpu(cpu) {
		for (size = 0; size < KMT_STOCK_SIZES; size++)
			smp_call_function_single(cpu, drain, (void *)size, true);
		cond_resched();
	}
}

/* The spans that the shrinker leaves in the reserve; with fewer, probes ask for more. */
static u32 reserve_to_keep(const struct pool *pool)
{
	return (READ_ONCE(pool->base) + 1) / 2;
}

static unsigned long count_free(struct shrinker *s, struct shrink_control *sc)
{
	const struct pool *pool = pools[sc->nid];
	u32 empty, keep;

	if (!pool)
		return 0;
	empty = READ_ONCE(pool->empty_count);
	keep = reserve_to_keep(pool);
	return (unsigned long)(READ_ONCE(pool->idle_count) + (empty > keep ? empty - keep : 0))
	       << SPAN_ORDER;
}

static unsigned long free_some(struct shrinker *s, struct shrink_control *sc)
{
	u32 wanted = DIV_ROUND_UP(sc->nr_to_scan, 1ul << SPAN_ORDER);
	struct pool *pool = pools[sc->nid];
	u32 keep = reserve_to_keep(pool);
	unsigned long freed = 0, n;
	unsigned int size;

	set_growth(pool, 0);
	for (size = 0; size < KMT_STOCK_SIZES; size++)
		while (READ_ONCE(pool->empty_count) < keep + wanted)
			if (!empty_idle(pool, size))
				break;
	while (freed < wanted && (n = free_empty(pool, keep)))
		freed += n;
	if (time_after(jiffies, READ_ONCE(drained_at) + DRAIN_EVERY)) {
		WRITE_ONCE(drained_at, jiffies);
		WRITE_ONCE(drain_wanted, true);
		mod_delayed_work(kmt_unbound_wq, &pool_work, 0);
	}
	return freed ? freed << SPAN_ORDER : SHRINK_STOP;
}

static int __init create_shrinker(void)
{
	drained_at = jiffies - DRAIN_EVERY;
	shrinker = kmt_shrinker_alloc(SHRINKER_NUMA_AWARE, "kmemtrace-stock");
	if (!shrinker)
		return -ENOMEM;
	shrinker->count_objects = count_free;
	shrinker->scan_objects = free_some;
	shrinker->batch = SPANS_AT_ONCE << SPAN_ORDER;
	return kmt_shrinker_register(shrinker, "kmemtrace-stock");
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

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(cpu_stocks, cpu)->refused);
	return sum;
}

static int __init create_pool(int node)
{
	struct pool *pool = kzalloc_node(sizeof(*pool), GFP_KERNEL, node);
	int i, j;

	if (!pool)
		return -ENOMEM;
	INIT_LIST_HEAD(&pool->empty);
	INIT_LIST_HEAD(&pool->all);
	for (i = 0; i < KMT_STOCK_SIZES; i++)
		for (j = 0; j <= FULL; j++)
			INIT_LIST_HEAD(&pool->lists[i][j]);
	pools[node] = pool;
	return 0;
}

int __init kmt_stock_init(void)
{
	int node;

	for_each_node(node)
		if (create_pool(node))
			return -ENOMEM;
	/* has room for all possible CPUs: a CPU that comes online needs no memory */
	cpu_stocks = alloc_percpu(struct cpu_stock);
	if (!cpu_stocks)
		return -ENOMEM;
	work_on_pools(NULL);
	return kmt_stock_memory() ? create_shrinker() : -ENOMEM;
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
	int node;

	kmt_shrinker_free(shrinker);
	WRITE_ONCE(closing, true);
	irq_work_sync(&pool_irq_work);
	cancel_delayed_work_sync(&pool_work);
	for_each_node(node)
		if (pools[node])
			destroy_pool(node);
	free_percpu(cpu_stocks);
}
