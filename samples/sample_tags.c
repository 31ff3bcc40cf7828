// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module whose allocations are charged to code tags of its own, by the names
 * that the kernel has for its own code tags. While it is loaded, /proc/allocinfo has
 * a line for each ring_make() in sample_tags_init():
 *
 *	the first	2 objects: a ring and its slots
 *	the second	2 objects of this kind, and 8 messages
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/kmemtrace_alloc_tag.h>

#define SLOTS	 4
#define MESSAGES 8

struct ring {
	struct alloc_tag *tag; /* what its messages are charged to */
	void **slots;
};

static struct ring *rings[2];
static void *messages[MESSAGES];

/*
 * A helper that allocates for its caller. The _noprof() allocators have no tag, so
 * the hook in ring_make() is the one in effect.
 */
static noinline struct ring *ring_make_noprof(void)
{
	struct ring *r = kzalloc_noprof(sizeof(*r), GFP_KERNEL);

	if (!r)
		return NULL;
	r->slots = kmalloc_array_noprof(SLOTS, sizeof(*r->slots),
					GFP_KERNEL | __GFP_ZERO);
	if (!r->slots) {
		kfree(r);
		return NULL;
	}
	alloc_tag_record(r->tag);
	return r;
}

/* Each caller has its own tag. */
#define ring_make(...) alloc_hooks(ring_make_noprof(__VA_ARGS__))

static void ring_free(struct ring *r)
{
	if (r)
		kfree(r->slots);
	kfree(r);
}

/* The messages of a ring are charged to the caller of its ring_make(). */
static noinline void *ring_message(struct ring *r)
{
	return alloc_hooks_tag(r->tag, kmalloc_noprof(1000, GFP_KERNEL));
}

static void free_all(void)
{
	int i;

	for (i = 0; i < MESSAGES; i++)
		kfree(messages[i]);
	for (i = 0; i < ARRAY_SIZE(rings); i++)
		ring_free(rings[i]);
}

static int __init sample_tags_init(void)
{
	int i;

	rings[0] = ring_make();
	rings[1] = ring_make();
	if (!rings[0] || !rings[1])
		goto nomem;
	for (i = 0; i < MESSAGES; i++) {
		messages[i] = ring_message(rings[1]);
		if (!messages[i])
			goto nomem;
	}
	return 0;
nomem:
	free_all();
	return -ENOMEM;
}
module_init(sample_tags_init);

static void __exit sample_tags_exit(void)
{
	free_all();
}
module_exit(sample_tags_exit);

MODULE_DESCRIPTION("Sample: code tags of kmemtrace");
MODULE_LICENSE("GPL");
