// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that receives buffers of 2 KiB as a network driver does, and keeps a few of them,
 * for tests of `pages --pinned`. At load, it gets 16 buffers in each of "rounds" rounds. It
 * keeps one of them and frees the others. It keeps all of three more rounds. At unload, it
 * frees everything. The parameter scheme says where the buffers are from:
 *
 *   own      the module cuts compound pages of 32 KiB, allocated by parts_block()
 *   frag     page_frag_alloc(), which cuts pages of 32 KiB
 *   pool     a page_pool with pages of 32 KiB
 *   kmalloc  kmalloc(), called by parts_kmalloc()
 *
 * In all but the last, each block stays allocated for one buffer. kmalloc() uses the space
 * of the others for the next round.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#ifdef HAS_POOL_HELPERS
#include <net/page_pool/helpers.h>
#else
#include <net/page_pool.h>
#endif

#define PART	    2048
#define ORDER	    3
#define IN_BLOCK    ((PAGE_SIZE << ORDER) / PART)
#define FULL_ROUNDS 3

static char *scheme = "own";
module_param(scheme, charp, 0444);
MODULE_PARM_DESC(scheme, "own, frag, pool or kmalloc");

static unsigned int rounds = 1000;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "rounds of which one buffer is kept");

/**
 * struct source - where buffers are from
 * @name: value of scheme
 * @open: prepares it; may be NULL
 * @get: returns a buffer, or NULL
 * @put: frees one
 * @close: undoes @open and @get; may be NULL
 */
struct source {
	const char *name;
	int (*open)(void);
	void *(*get)(void);
	void (*put)(void *part);
	void (*close)(void);
};

static const struct source *source;
static void **kept;
static unsigned int nr_kept;

noinline struct page *parts_block(void);
noinline void *parts_kmalloc(void);

/* --- a driver's own blocks ------------------------------------------------------ */

static struct page *block;
static unsigned int nr_cut;

/* barrier(): the compiler must not make a tail call */
noinline struct page *parts_block(void)
{
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_COMP, ORDER);

	barrier();
	return page;
}

static void *get_own(void)
{
	if (nr_cut % IN_BLOCK == 0) {
		block = parts_block();
		if (!block)
			return NULL;
		page_ref_add(block, IN_BLOCK - 1);
	}
	return page_address(block) + nr_cut++ % IN_BLOCK * PART;
}

static void put_own(void *part)
{
	put_page(virt_to_head_page(part));
}

/* --- page_frag_alloc() ------------------------------------------------------------- */

static struct page_frag_cache frags;

static void *get_frag(void)
{
	return page_frag_alloc(&frags, PART, GFP_KERNEL);
}

static void put_frag(void *part)
{
	page_frag_free(part);
}

static void close_frags(void)
{
#ifdef HAS_FRAG_CACHE
	page_frag_cache_drain(&frags);
#else
	if (frags.va)
		__page_frag_cache_drain(virt_to_head_page(frags.va), frags.pagecnt_bias);
#endif
}

#ifdef CONFIG_PAGE_POOL
/* --- a page_pool -------------------------------------------------------------------- */

static struct page_pool *pool;

static int open_pool(void)
{
	struct page_pool_params params = {
#ifdef PP_FLAG_PAGE_FRAG /* newer kernels need no flag */
		.flags = PP_FLAG_PAGE_FRAG,
#endif
		.order = ORDER,
		.pool_size = 64,
		.nid = NUMA_NO_NODE,
	};

	pool = page_pool_create(&params);
	return PTR_ERR_OR_ZERO(pool);
}

static void *get_from_pool(void)
{
	unsigned int offset;
	struct page *page;

	local_bh_disable();
	page = page_pool_alloc_frag(pool, &offset, PART, GFP_ATOMIC);
	local_bh_enable();
	return page ? page_address(page) + offset : NULL;
}

static void put_to_pool(void *part)
{
	local_bh_disable();
	page_pool_put_full_page(pool, virt_to_head_page(part), false);
	local_bh_enable();
}

static void close_pool(void)
{
	page_pool_destroy(pool);
}

#endif
/* --- kmalloc() ----------------------------------------------------------------------- */

noinline void *parts_kmalloc(void)
{
	void *p = kmalloc(PART, GFP_KERNEL);

	barrier();
	return p;
}

static void put_kmalloc(void *part)
{
	kfree(part);
}

/* --- the rounds ------------------------------------------------------------------------ */

static const struct source sources[] = {
	{ "own", NULL, get_own, put_own, NULL },
	{ "frag", NULL, get_frag, put_frag, close_frags },
#ifdef CONFIG_PAGE_POOL
	{ "pool", open_pool, get_from_pool, put_to_pool, close_pool },
#endif
	{ "kmalloc", NULL, parts_kmalloc, put_kmalloc, NULL },
};

/* Get the buffers of a round, and keep the first @keep of them. */
static int play_round(unsigned int keep)
{
	void *part[IN_BLOCK];
	unsigned int i, n;

	for (n = 0; n < IN_BLOCK; n++) {
		part[n] = source->get();
		if (!part[n])
			break;
	}
	for (i = 0; i < n; i++) {
		if (i < keep)
			kept[nr_kept++] = part[i];
		else
			source->put(part[i]);
	}
	return n == IN_BLOCK ? 0 : -ENOMEM;
}

static void free_all(void)
{
	while (nr_kept)
		source->put(kept[--nr_kept]);
	if (source->close)
		source->close();
	vfree(kept);
}

static int __init kmt_parts_init(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(sources); i++)
		if (!strcmp(scheme, sources[i].name))
			source = &sources[i];
	if (!source)
		return -EINVAL;
	kept = vzalloc((rounds + FULL_ROUNDS * IN_BLOCK) * sizeof(*kept));
	if (!kept)
		return -ENOMEM;
	err = source->open ? source->open() : 0;
	if (err) {
		vfree(kept);
		return err;
	}
	for (i = 0; i < rounds && !err; i++)
		err = play_round(1);
	for (i = 0; i < FULL_ROUNDS && !err; i++)
		err = play_round(IN_BLOCK);
	if (err)
		free_all();
	return err;
}
module_init(kmt_parts_init);

static void __exit kmt_parts_exit(void)
{
	free_all();
}
module_exit(kmt_parts_exit);

MODULE_DESCRIPTION("Keeps a few parts of many blocks of pages, for tests of kmemtrace");
MODULE_LICENSE("GPL");
