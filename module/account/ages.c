// SPDX-License-Identifier: GPL-2.0-only
/*
 * The walk reads the entries of page frames and the slots of objects without a lock. In the
 * table of objects without slots, it locks one bucket at a time: without the lock, an object
 * could be missed or counted twice, because the free of another object moves it. The walk
 * needs memory only for the tags that have live memory when it begins.
 */
#include <linux/bitops.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/kmemtrace_ages.h>

#include "account/account.h"
#include "account/ages.h"
#include "account/frame.h"
#include "account/live.h"
#include "account/object.h"
#include "account/tables.h"
#include "account/tag.h"
#include "base/cache.h"
#include "base/open.h"
#include "base/textfile.h"

static u32 mark;

/* --- the mark ------------------------------------------------------------- */

/* The lock keeps a writer that was preempted from setting the mark back. */
static int set_mark(char *text, void *arg)
{
	static DEFINE_MUTEX(lock);
	unsigned long next;

	mutex_lock(&lock);
	next = (jiffies | ((1ul << KMT_TICK_SHIFT) - 1)) + 1;
	while (time_before(jiffies, next))
		schedule_timeout_uninterruptible(next - jiffies);
	WRITE_ONCE(mark, (u32)(next >> KMT_TICK_SHIFT));
	mutex_unlock(&lock);
	return 0;
}

static int show_mark(struct seq_file *m, void *arg)
{
	seq_printf(m, "%llu\n",
		   kmt_tick_age_ms(kmt_tick_age(READ_ONCE(mark))));
	return 0;
}

/* --- the walk ------------------------------------------------------------- */

/**
 * struct ages - the content of an open file
 * @lock: serialises reads of threads that share the open file
 * @size: bytes in @head and @tag; 0 before the first read
 * @count: length of @index
 * @index: number of the entry in @tag plus 1, by tag; 0: none
 * @head: the header
 * @tag: the entries
 */
struct ages {
	struct mutex lock;
	size_t size;
	u32 count;
	u32 *index;
	struct kmemtrace_ages *head;
	struct kmemtrace_ages_tag *tag;
};

/* Return: the entry of a class; NULL if it has none. */
static struct kmemtrace_ages_tag *entry_of(const struct ages *ages, u32 class)
{
	u32 tag = kmt_tag_of_class(class);

	if (class <= KMT_CLASS_UNSEEN || tag >= ages->count || !ages->index[tag])
		return NULL;
	return &ages->tag[ages->index[tag] - 1];
}

static void add(const struct ages *ages, struct kmemtrace_ages_tag *t, u32 born,
		u64 objects, u64 bytes)
{
	u32 age = ages->head->now - born;
	unsigned int bucket;

	/* allocated since the walk began */
	if (age > S32_MAX)
		age = 0;
	bucket = min(fls(age), KMEMTRACE_AGES_BUCKETS - 1);
	t->age[bucket].objects += objects;
	t->age[bucket].bytes += bytes;
	if ((s32)(born - ages->head->mark) >= 0) {
		t->marked.objects += objects;
		t->marked.bytes += bytes;
	}
}

static void visit_object(unsigned long ptr, u64 value, u16 cache, void *arg)
{
	u32 class = kmt_account_class(value);
	struct kmemtrace_ages_tag *t = entry_of(arg, class);
	u64 bytes = kmt_class_bytes(&kmt_classes[class]);

	if (!t)
		return;
	add(arg, t, kmt_account_born(value), 1, bytes);
	if (cache == KMT_OBJECT_NO_CACHE)
		cache = kmt_live_cache_index(ptr);
	if (kmt_cache_is_reclaimable(cache)) {
		t->reclaimable.objects++;
		t->reclaimable.bytes += bytes;
	}
}

/* The pages of an allocation can be freed one by one, so each of them counts. */
static void visit_frame(unsigned long pfn, struct kmt_frame frame,
			struct kmt_frame before, void *arg)
{
	u32 class = kmt_frame_class(frame);
	struct kmemtrace_ages_tag *t = entry_of(arg, class);
	bool first = kmt_frame_is_head(frame);
	u32 born;

	if (!t)
		return;
	if (!first && kmt_frame_is_head(before) &&
	    kmt_class_kind(&kmt_classes[class]) == KMT_KIND_LARGE)
		born = kmt_frame_upper(before); /* frame.h */
	else
		born = kmt_slots_born(pfn, frame);
	add(arg, t, born, first, PAGE_SIZE);
}

/* Return: whether a tag has live memory with known ages. */
static bool is_live(u32 tag)
{
	unsigned int kind;
	struct kmt_sum sum;
	u32 flags;

	if (!kmt_tag_read(tag, &kind, &flags, &sum) || !sum.bytes)
		return false;
	return kmt_frame_keeps_birth() ||
	       kind == KMT_KIND_SLAB || kind == KMT_KIND_PERCPU;
}

/* Return: number of live tags, which are numbered in @index. */
static u32 number_tags(struct ages *ages)
{
	u32 tag, live = 0;

	for (tag = 1; tag < ages->count; tag++) {
		cond_resched(); /* a sum visits all CPUs */
		ages->index[tag] = is_live(tag) ? ++live : 0;
	}
	return live;
}

static void name_tags(struct ages *ages)
{
	unsigned int kind;
	u32 tag, flags;

	for (tag = 1; tag < ages->count; tag++) {
		struct kmemtrace_ages_tag *t;

		if (!ages->index[tag])
			continue;
		t = &ages->tag[ages->index[tag] - 1];
		t->tag = tag;
		if (kmt_tag_site(tag, &kind, &flags) &&
		    flags & (KMT_SITE_SLAB | KMT_SITE_BACKING))
			t->flags = KMEMTRACE_AGES_BACKING;
	}
}

static void fill_head(struct kmemtrace_ages *head, u32 tags)
{
	*head = (struct kmemtrace_ages){
		.size = sizeof(*head),
		.version = KMEMTRACE_AGES_VERSION,
		.tag_size = sizeof(struct kmemtrace_ages_tag),
		.tags = tags,
		.buckets = KMEMTRACE_AGES_BUCKETS,
		.flags = (kmt_frame_keeps_birth() ? 0 : KMEMTRACE_AGES_NO_PAGES) |
			 (kmt_cache_reclaimable_known() ? 0 : KMEMTRACE_AGES_NO_RECLAIMABLE),
		.now = kmt_tick_now(),
		.mark = READ_ONCE(mark),
		.tick_ns = (u64)NSEC_PER_SEC * (1 << KMT_TICK_SHIFT) / HZ,
		.time_ns = local_clock(),
		.since_ns = kmt_tables_since(),
	};
}

static void forget(struct ages *ages)
{
	kvfree(ages->head);
	kvfree(ages->index);
	ages->head = NULL;
	ages->index = NULL;
	ages->size = 0;
}

static int walk(struct ages *ages)
{
	u32 live;
	int err;

	/* memory whose free waits for a grace period is not counted as live */
	rcu_barrier();
	forget(ages);
	ages->count = kmt_tables_ready() ? kmt_tag_count() + 1 : 1;
	ages->index = kvcalloc(ages->count, sizeof(*ages->index), GFP_KERNEL);
	if (!ages->index)
		return -ENOMEM;
	live = number_tags(ages);
	ages->size = sizeof(*ages->head) + live * sizeof(*ages->tag);
	ages->head = kvzalloc(ages->size, GFP_KERNEL);
	if (!ages->head) {
		forget(ages);
		return -ENOMEM;
	}
	ages->tag = (void *)(ages->head + 1);
	fill_head(ages->head, live);
	if (!live)
		return 0;
	name_tags(ages);
	err = kmt_object_walk(visit_object,
			      kmt_frame_keeps_birth() ? visit_frame : NULL, ages);
	if (err)
		forget(ages);
	return err;
}

/* --- the files ------------------------------------------------------------ */

static int open_ages(struct inode *inode, struct file *file)
{
	int err = kmt_open_file();
	struct ages *ages;

	if (err)
		return err;
	ages = kzalloc(sizeof(*ages), GFP_KERNEL);
	if (!ages)
		return -ENOMEM;
	mutex_init(&ages->lock);
	file->private_data = ages;
	return 0;
}

static int release_ages(struct inode *inode, struct file *file)
{
	struct ages *ages = file->private_data;

	forget(ages);
	kfree(ages);
	return 0;
}

static ssize_t read_ages(struct file *file, char __user *to, size_t count,
			 loff_t *ppos)
{
	struct ages *ages = file->private_data;
	ssize_t n = 0;

	if (mutex_lock_interruptible(&ages->lock))
		return -EINTR;
	if (!*ppos || !ages->size)
		n = walk(ages);
	if (!n)
		n = simple_read_from_buffer(to, count, ppos, ages->head,
					    ages->size);
	mutex_unlock(&ages->lock);
	return n;
}

static const struct file_operations ages_fops = {
	.owner = THIS_MODULE,
	.open = open_ages,
	.read = read_ages,
	.llseek = default_llseek,
	.release = release_ages,
};

int __init kmt_ages_create(struct dentry *dir)
{
	static const struct kmt_textfile mark_file = {
		.name = "mark",
		.show = show_mark,
		.write = set_mark,
	};
	struct dentry *file;

	mark = kmt_tick_now();
	file = debugfs_create_file("ages", 0400, dir, NULL, &ages_fops);
	if (IS_ERR(file))
		return PTR_ERR(file);
	return kmt_textfile_create(&mark_file, dir);
}
