// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: no lock is needed. All tests but that of kfree_rcu() end before
 * stats can be read. rcu_verdict is one word, read with READ_ONCE().
 */
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "account/live.h"
#include "base/cache.h"
#include "base/compat.h"
#include "probe/hook.h"
#include "probe/selftest.h"
#include "steer/event.h"

#define OBJECTS 8
#define TRIES	20 /* checks for kfree_rcu(), one each second */

enum verdict { UNTESTED, OPEN, CLOSED, TESTING };

static const char *const verdict_names[] = { "untested", "open", "closed",
					     "testing" };

/*
 * A freed object may have been allocated again since, and is then known again. So a
 * test of a free passes if at least one of the objects is not known.
 */
static bool all_known(void **objects)
{
	bool all = true;
	int i;

	for (i = 0; i < OBJECTS; i++)
		all &= kmt_live_knows(objects[i]);
	return all;
}

static enum verdict verdict(bool seen)
{
	return seen ? CLOSED : OPEN;
}

static struct kmem_cache *create_cache(void)
{
	return kmem_cache_create("kmemtrace_selftest", 200, 0, 0,
				 kmt_cache_unmerged);
}

static enum verdict test_alloc_bulk(void)
{
	struct kmem_cache *cache = create_cache();
	enum verdict result = UNTESTED;
	void *objects[OBJECTS];
	int i;

	if (!cache)
		return result;
	if (kmem_cache_alloc_bulk(cache, GFP_KERNEL, OBJECTS, objects)) {
		result = verdict(all_known(objects));
		for (i = 0; i < OBJECTS; i++)
			kmem_cache_free(cache, objects[i]);
	}
	kmem_cache_destroy(cache);
	return result;
}

/* The first object of a new cache is in a new slab. */
static enum verdict test_slab_pages(void)
{
	struct kmem_cache *cache = create_cache();
	enum verdict result = UNTESTED;
	void *object;

	if (!cache)
		return result;
	object = kmem_cache_alloc(cache, GFP_KERNEL);
	if (object) {
		result = verdict(
			kmt_live_knows_slab(virt_to_head_page(object)));
		kmem_cache_free(cache, object);
	}
	kmem_cache_destroy(cache);
	return result;
}

static bool alloc_objects(void **objects)
{
	int i;

	for (i = 0; i < OBJECTS; i++)
		objects[i] = kmalloc(200, GFP_KERNEL);
	for (i = 0; i < OBJECTS && objects[i]; i++)
		;
	if (i == OBJECTS)
		return true;
	for (i = 0; i < OBJECTS; i++)
		kfree(objects[i]);
	return false;
}

static enum verdict test_free_bulk(void)
{
	void *objects[OBJECTS], *freed[OBJECTS];
	bool known;

	if (!alloc_objects(objects))
		return UNTESTED;
	known = all_known(objects);
	memcpy(freed, objects, sizeof(freed)); /* kfree_bulk() reorders its array */
	kfree_bulk(OBJECTS, objects);
	return verdict(known && !all_known(freed));
}

static void free_known_page(struct page *page, bool *known, bool *gone)
{
	*known &= kmt_live_knows_page(page);
	__free_page(page);
	*gone |= !kmt_live_knows_page(page);
}

static enum verdict test_pages_bulk(void)
{
	struct page *pages[OBJECTS] = { NULL };
	bool known = true, gone = false;
	unsigned int i, n;

	n = kmt_alloc_pages_bulk(GFP_KERNEL, OBJECTS, pages);
	for (i = 0; i < n; i++)
		free_known_page(pages[i], &known, &gone);
	return n ? verdict(known && gone) : UNTESTED;
}

/* A block of pages that is freed page by page. */
static enum verdict test_split(void)
{
	struct page *page = alloc_pages(GFP_KERNEL, 2);
	bool known = true, gone = false;
	int i;

	if (!page)
		return UNTESTED;
	split_page(page, 2);
	for (i = 0; i < 4; i++)
		free_known_page(page + i, &known, &gone);
	return verdict(known && gone);
}

/* --- kfree_rcu ------------------------------------------------------------ */

struct rcu_object {
	struct rcu_head rcu;
	char data[100];
};

static struct rcu_object *rcu_objects[OBJECTS];
static enum verdict rcu_verdict;
static int rcu_tries;

static void look_for_rcu(struct work_struct *work);
static DECLARE_DELAYED_WORK(rcu_work, look_for_rcu);

static void look_for_rcu(struct work_struct *work)
{
	int i;

	if (!kmt_event_accounting()) {
		WRITE_ONCE(rcu_verdict, UNTESTED);
		return;
	}
	for (i = 0; i < OBJECTS; i++) {
		if (rcu_objects[i] && !kmt_live_knows(rcu_objects[i])) {
			WRITE_ONCE(rcu_verdict, CLOSED);
			return;
		}
	}
	if (++rcu_tries < TRIES)
		schedule_delayed_work(&rcu_work, HZ);
	else
		WRITE_ONCE(rcu_verdict, OPEN);
}

static void start_rcu(void)
{
	void *objects[OBJECTS];
	int i;

	rcu_verdict = UNTESTED;
	for (i = 0; i < OBJECTS; i++)
		objects[i] = kmalloc(sizeof(struct rcu_object), GFP_KERNEL);
	for (i = 0; i < OBJECTS; i++) {
		struct rcu_object *object = objects[i];

		rcu_objects[i] = object;
		if (!object)
			continue;
		kfree_rcu(object, rcu);
		rcu_verdict = TESTING;
	}
	if (rcu_verdict == TESTING)
		schedule_delayed_work(&rcu_work, HZ);
}

/* --- all holes ------------------------------------------------------------ */

/**
 * struct hole - a way to allocate or free for which the kernel has no tracepoint
 * @name: name in stats
 * @test: runs when the module is loaded; NULL: the module cannot make the kernel do it at will,
 *	so that only the hooks are checked
 * @hooks: mask of the hooks that close the hole; 0: no hook is needed
 * @of_driver: the function may be in a driver that is not loaded
 * @verdict: result of @test, or of the check
 */
struct hole {
	const char *name;
	enum verdict (*test)(void);
	u32 hooks;
	bool of_driver;
	enum verdict verdict;
};

static struct hole holes[] = {
	{ "alloc_bulk", test_alloc_bulk, BIT(KMT_HOOK_ALLOC_BULK) },
	{ "free_bulk", test_free_bulk, BIT(KMT_HOOK_FREE_BULK) },
	{ "pages_bulk", test_pages_bulk, BIT(KMT_HOOK_PAGES_BULK) },
	{ "split_pages", test_split, 0 },
	{ "slab_pages", test_slab_pages, 0 },
	{ "migrate", NULL, BIT(KMT_HOOK_MIGRATE) },
	{ "migrate_zsmalloc", NULL, BIT(KMT_HOOK_MIGRATE_ZSMALLOC), true },
	{ "migrate_balloon", NULL, BIT(KMT_HOOK_MIGRATE_BALLOON), true },
	{ "compaction", NULL,
	  BIT(KMT_HOOK_COMPACT_FREE) | BIT(KMT_HOOK_COMPACT_RELEASE) },
	{ "cache_release", NULL, BIT(KMT_HOOK_CACHE_RELEASE) },
};

/* Return: OPEN, if a hook is not attached. */
static enum verdict check_hooks(const struct hole *hole)
{
	int i;

	for (i = 0; i < KMT_HOOKS; i++) {
		if (!(hole->hooks & BIT(i)) || kmt_hook_attached(i))
			continue;
		return hole->of_driver && kmt_hook_lacking(i) ? UNTESTED : OPEN;
	}
	return CLOSED;
}

void kmt_selftest_start(void)
{
	struct hole *hole;

	if (!kmt_event_accounting())
		return;
	for (hole = holes; hole < holes + ARRAY_SIZE(holes); hole++) {
		hole->verdict = hole->test ? hole->test() : check_hooks(hole);
		if (hole->verdict == OPEN)
			pr_warn("hole %s is open: numbers will be off, see stats\n",
				hole->name);
	}
	start_rcu();
}

void kmt_selftest_exit(void)
{
	cancel_delayed_work_sync(&rcu_work);
}

/* Hooks are attached and detached after the load as well. */
static enum verdict verdict_now(const struct hole *hole)
{
	enum verdict now = check_hooks(hole);

	if (!kmt_event_accounting() || (hole->test && now == CLOSED))
		return hole->verdict;
	return now;
}

void kmt_selftest_show(struct seq_file *m)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(holes); i++)
		seq_printf(m, "hole %s %s\n", holes[i].name,
			   verdict_names[verdict_now(&holes[i])]);
	seq_printf(m, "hole kfree_rcu %s\n",
		   verdict_names[READ_ONCE(rcu_verdict)]);
}
