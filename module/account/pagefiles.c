// SPDX-License-Identifier: GPL-2.0-only
/*
 * A reader stops no CPU and takes no lock of the allocators: frames may be allocated
 * and freed while it reads. Like /proc/kpageflags, the files read struct page without a
 * reference.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/memory.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pageblock-flags.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/kmemtrace_pages.h>

#include "account/account.h"
#include "account/bucket.h"
#include "account/cgroups.h"
#include "account/earlier.h"
#include "account/frame.h"
#include "account/object.h"
#include "account/pagefiles.h"
#include "account/tables.h"
#include "account/tag.h"
#include "account/vmap.h"
#include "base/cache.h"
#include "base/compat.h"
#include "base/guard.h"
#include "base/open.h"

/* maximum number of objects that begin in one frame */
#define OBJECTS_MAX (PAGE_SIZE / KMT_SLOT_ALIGN)
/* places that are searched in the table with interrupts off */
#define OBJECTS_AT_ONCE 16ul

/* --- reading an array ----------------------------------------------------- */

/**
 * struct array - a file that is an array of entries
 * @size: bytes of an entry
 * @end: returns the index after the last entry of the part that contains an index; 0 if
 *	none contains it
 * @fill: writes an entry
 */
struct array {
	size_t size;
	u64 (*end)(u64 index);
	void (*fill)(u64 index, void *entry);
};

static ssize_t read_array(const struct array *array, char __user *to,
			  size_t count, loff_t *ppos)
{
	u64 index, end, entry[2];
	size_t done = 0;

	if (*ppos % array->size || count % array->size)
		return -EINVAL;
	index = *ppos / array->size;
	end = array->end(index);
	for (; done < count && index < end; index++, done += array->size) {
		array->fill(index, entry);
		if (copy_to_user(to + done, entry, array->size))
			return -EFAULT;
		if (index % 512)
			continue;
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	*ppos += done;
	return done;
}

/* --- pages ---------------------------------------------------------------- */

static u32 age_of(u32 born)
{
	unsigned long age = jiffies_to_clock_t(kmt_tick_age(born));

	return min_t(unsigned long, age, KMEMTRACE_AGE_UNKNOWN - 1);
}

static u8 migratetype_of(unsigned long pfn)
{
#ifdef CONFIG_SPARSEMEM
	unsigned long in_section = pfn & (PAGES_PER_SECTION - 1);
	unsigned long bit = (in_section >> pageblock_order) *
			    NR_PAGEBLOCK_BITS;
	const unsigned long *map =
		section_to_usemap(__pfn_to_section(pfn));
	unsigned long bits = READ_ONCE(map[bit / BITS_PER_LONG]) >>
			     (bit % BITS_PER_LONG);

	return kmt_migratetype(bits);
#else
	return KMEMTRACE_MIGRATETYPE_UNKNOWN;
#endif
}

/*
 * The second frame of a large kmalloc() has the waste (frame.h). The frame before it has
 * the time of allocation.
 */
static u32 age_of_frame(unsigned long pfn, struct kmt_frame frame, bool large)
{
	struct kmt_frame before;

	if (!kmt_frame_keeps_birth())
		return KMEMTRACE_AGE_UNKNOWN;
	if (large && !kmt_frame_is_head(frame)) {
		before = kmt_frame_get(pfn - 1);
		if (kmt_frame_is_head(before))
			frame = before;
	}
	return age_of(kmt_slots_born(pfn, frame));
}

/* In a page_pool, parts of a page have no references: the page counts them itself. */
static u16 refs_of(struct page *head)
{
	long refs = page_ref_count(head);

	if (data_race(kmt_page_is_of_pool(head)))
		refs = max(refs, data_race(kmt_page_pool_parts(head)));
	return clamp(refs, 0, U16_MAX);
}

static bool is_earlier_large(const struct kmt_class *class)
{
	return READ_ONCE(class->site) == kmt_earlier_kind_site(KMT_EARLIER_LARGE);
}

static void fill_owner(unsigned long pfn, struct kmemtrace_page *p)
{
	struct kmt_frame frame = kmt_frame_get(pfn);
	u32 id = kmt_frame_class(frame);
	const struct kmt_class *class = &kmt_classes[id];
	bool large;
	u32 flags;

	if (id <= KMT_CLASS_UNSEEN)
		return;
	large = kmt_class_kind(class) == KMT_KIND_LARGE;
	flags = READ_ONCE(class->flags);
	p->tag = kmt_tag_of_class(id);
	p->age = age_of_frame(pfn, frame, large);
	p->order = get_order(kmt_class_bytes(class));
	p->flags |= (kmt_frame_is_head(frame) ? KMEMTRACE_PAGE_HEAD : 0) |
		    (large || is_earlier_large(class) ? KMEMTRACE_PAGE_LARGE : 0) |
		    (flags & KMT_SITE_SLAB ? KMEMTRACE_PAGE_SLAB : 0) |
		    (flags & KMT_SITE_EARLIER ? KMEMTRACE_PAGE_EARLIER : 0) |
		    (kmt_earlier_is_known(READ_ONCE(class->site)) ?
			     KMEMTRACE_PAGE_KNOWN :
			     0);
}

static void fill_online_page(u64 pfn, struct page *page, struct kmemtrace_page *p)
{
	struct page *head = compound_head(page);

	p->flags = KMEMTRACE_PAGE_EXISTS;
	if (data_race(kmt_page_is_movable(head)))
		p->flags |= KMEMTRACE_PAGE_MOVABLE;
	/* the cache may be destroyed now, so the pointer is only compared */
	if (PageSlab(head) && kmt_cache_is_kmalloc(kmt_cache_of_slab(head)))
		p->flags |= KMEMTRACE_PAGE_KMALLOC;
	p->age = KMEMTRACE_AGE_UNKNOWN;
	p->migratetype = migratetype_of(pfn);
	p->zone = page_zonenum(page);
	p->node = data_race(page_to_nid(page));
	p->refs = refs_of(head);
	fill_owner(pfn, p);
}

static void fill_page(u64 pfn, void *entry)
{
	struct page *page;

	memset(entry, 0, sizeof(struct kmemtrace_page));
	rcu_read_lock(); /* see notify_readers() */
	page = pfn_to_online_page(pfn);
	if (page)
		fill_online_page(pfn, page, entry);
	rcu_read_unlock();
}

static u64 pages_end(u64 index)
{
	return kmt_frame_end();
}

static ssize_t read_pages(struct file *file, char __user *to, size_t count,
			  loff_t *ppos)
{
	static const struct array pages = { sizeof(struct kmemtrace_page),
					    pages_end, fill_page };

	return read_array(&pages, to, count, ppos);
}

/* --- cgroups -------------------------------------------------------------- */

static void fill_cgroup(u64 pfn, void *entry)
{
	struct page *page;
	u64 *e = entry;

	rcu_read_lock(); /* see notify_readers() */
	page = pfn_to_online_page(pfn);
	*e = page ? kmt_cgroups_of_page(compound_head(page)) : 0;
	rcu_read_unlock();
}

static ssize_t read_cgroups(struct file *file, char __user *to, size_t count,
			    loff_t *ppos)
{
	static const struct array cgroups = { sizeof(u64), pages_end, fill_cgroup };

	return read_array(&cgroups, to, count, ppos);
}

/* --- vmalloc -------------------------------------------------------------- */

static void fill_vmalloc(u64 index, void *entry)
{
	unsigned long pfn;
	u64 *e = entry;

	*e = kmt_vmap_pfn(index << PAGE_SHIFT, &pfn) ?
		     BIT_ULL(63) | (pfn & GENMASK_ULL(54, 0)) :
		     0;
}

static u64 vmalloc_end(u64 index)
{
	return kmt_vmap_end(index << PAGE_SHIFT) >> PAGE_SHIFT;
}

static ssize_t read_vmalloc(struct file *file, char __user *to, size_t count,
			    loff_t *ppos)
{
	static const struct array vmalloc = { sizeof(u64), vmalloc_end,
					      fill_vmalloc };

	return read_array(&vmalloc, to, count, ppos);
}

/* --- objects -------------------------------------------------------------- */

/**
 * struct found - the live objects that begin in one frame
 * @lock: serialises reads of threads that share the open file
 * @from: objects at lower addresses are left out
 * @count: number of objects
 * @entry: their entries
 */
struct found {
	struct mutex lock;
	unsigned long from;
	unsigned int count;
	struct kmemtrace_object entry[OBJECTS_MAX];
};

static void add_object(unsigned long ptr, u64 value, u16 cache, void *arg)
{
	const struct kmt_class *class = &kmt_classes[kmt_account_class(value)];
	struct found *found = arg;
	u32 bytes = kmt_class_bytes(class);

	if (kmt_class_kind(class) != KMT_KIND_SLAB || ptr < found->from ||
	    found->count == OBJECTS_MAX)
		return;
	found->entry[found->count++] = (struct kmemtrace_object){
		.address = __pa(ptr),
		.tag = kmt_tag_of_class(kmt_account_class(value)),
		.age = age_of(kmt_account_born(value)),
		.bytes = bytes,
		.requested = bytes - kmt_class_waste(class) -
			     kmt_account_waste(value),
	};
}

static void add_hashed(unsigned long ptr, u64 value, void *arg)
{
	add_object(ptr, value, KMT_OBJECT_NO_CACHE, arg);
}

static void find_hashed(unsigned long pfn, struct found *found)
{
	unsigned long start = (unsigned long)__va(PFN_PHYS(pfn)), slab, bytes;
	struct page *page = pfn_to_online_page(pfn), *head;
	unsigned long flags, from, to;
	unsigned int distance;

	if (!page)
		return;
	head = compound_head(page);
	if (!PageSlab(head))
		return;
	slab = (unsigned long)page_address(head);
	bytes = PAGE_SIZE
		<< min(data_race(compound_order(head)), KMT_SLAB_ORDER_MAX);
	if (start - slab >= bytes)
		return; /* the slab is being freed */
	distance = kmt_cache_distance(head, bytes) ?: KMT_SLOT_ALIGN;
	from = slab + roundup(found->from - slab, distance);
	for (; from < start + PAGE_SIZE; from += OBJECTS_AT_ONCE * distance) {
		to = min(from + OBJECTS_AT_ONCE * distance, start + PAGE_SIZE);
		local_irq_save(flags);
		if (kmt_guard_enter()) {
			kmt_bucket_visit(&kmt_objects, from, to, distance, add_hashed, found);
			kmt_guard_leave();
		}
		local_irq_restore(flags);
	}
}

/* Find the objects that begin in a frame, at @offset bytes or after. */
static void find_objects(unsigned long pfn, unsigned long offset,
			 struct found *found)
{
	struct kmt_frame frame;

	found->count = 0;
	found->from = (unsigned long)__va(PFN_PHYS(pfn)) + offset;
	rcu_read_lock(); /* see notify_readers() */
	frame = kmt_frame_get(pfn);
	if (frame.word & KMT_FRAME_SLOTS)
		kmt_slots_visit(pfn, frame, add_object, found);
	/* without an entry, it is not known */
	if (kmt_frame_is_hashed(frame) || !kmt_frame_at(pfn))
		find_hashed(pfn, found);
	rcu_read_unlock();
}

static int open_objects(struct inode *inode, struct file *file)
{
	int err = kmt_open_addresses();
	struct found *found;

	if (err)
		return err;
	found = kvmalloc(sizeof(*found), GFP_KERNEL);
	if (!found)
		return -ENOMEM;
	mutex_init(&found->lock);
	file->private_data = found;
	return 0;
}

static int release_objects(struct inode *inode, struct file *file)
{
	kvfree(file->private_data);
	return 0;
}

/*
 * Copy objects, and move the position to the next object or frame.
 * Return: bytes copied, or -EFAULT.
 */
static ssize_t copy_found(const struct found *found, char __user *to,
			  size_t room, unsigned long pfn, loff_t *ppos)
{
	unsigned int n = min_t(size_t, found->count,
			       room / sizeof(found->entry[0]));
	size_t bytes = n * sizeof(found->entry[0]);

	if (copy_to_user(to, found->entry, bytes))
		return -EFAULT;
	*ppos = n < found->count ? found->entry[n].address :
				   PFN_PHYS(pfn + 1);
	return bytes;
}

/* Return: whether to read the next frame; false if a signal is pending. */
static bool go_on(unsigned long pfn)
{
	if (pfn % 64)
		return true;
	cond_resched();
	return !signal_pending(current);
}

static ssize_t __read_objects(struct found *found, char __user *to,
			      size_t count, loff_t *ppos)
{
	const size_t size = sizeof(found->entry[0]);
	u64 pfn, end = kmt_frame_end();
	size_t done = 0;
	ssize_t n;

	if (count < size || *ppos < 0)
		return -EINVAL;
	if (!kmt_tables_ready())
		return 0;
	for (pfn = PHYS_PFN(*ppos); pfn < end && count - done >= size;
	     pfn = PHYS_PFN(*ppos)) {
		if (!go_on(pfn))
			return done ?: -EINTR;
		find_objects(pfn, offset_in_page(*ppos), found);
		n = copy_found(found, to + done, count - done, pfn, ppos);
		if (n < 0)
			return n;
		done += n;
	}
	return done;
}

static ssize_t read_objects(struct file *file, char __user *to, size_t count,
			    loff_t *ppos)
{
	struct found *found = file->private_data;
	ssize_t n;

	if (mutex_lock_interruptible(&found->lock))
		return -EINTR;
	n = __read_objects(found, to, count, ppos);
	mutex_unlock(&found->lock);
	return n;
}

/* --- the files ------------------------------------------------------------ */

static int open_pages(struct inode *inode, struct file *file)
{
	return kmt_open_file();
}

static const struct file_operations pages_fops = {
	.owner = THIS_MODULE,
	.open = open_pages,
	.read = read_pages,
	.llseek = no_seek_end_llseek,
};

static const struct file_operations cgroups_fops = {
	.owner = THIS_MODULE,
	.open = open_pages,
	.read = read_cgroups,
	.llseek = no_seek_end_llseek,
};

static int open_vmalloc(struct inode *inode, struct file *file)
{
	return kmt_open_addresses();
}

static const struct file_operations vmalloc_fops = {
	.owner = THIS_MODULE,
	.open = open_vmalloc,
	.read = read_vmalloc,
	.llseek = no_seek_end_llseek,
};

static const struct file_operations objects_fops = {
	.owner = THIS_MODULE,
	.open = open_objects,
	.read = read_objects,
	.llseek = no_seek_end_llseek,
	.release = release_objects,
};

/* The struct pages of memory that was unplugged go away after this. */
static int notify_readers(struct notifier_block *block, unsigned long event, void *arg)
{
	if (event == MEM_OFFLINE)
		synchronize_rcu();
	return NOTIFY_OK;
}

static struct notifier_block memory_notifier = {
	.notifier_call = notify_readers,
};

int __init kmt_pagefiles_init(void)
{
	return register_memory_notifier(&memory_notifier);
}

void kmt_pagefiles_exit(void)
{
	unregister_memory_notifier(&memory_notifier);
}

int __init kmt_pagefiles_create(struct dentry *dir)
{
	static const struct {
		const char *name;
		const struct file_operations *fops;
	} files[] = {
		{ "pages", &pages_fops },
		{ "page_cgroups", &cgroups_fops },
		{ "objects", &objects_fops },
		{ "vmalloc", &vmalloc_fops },
	};
	struct dentry *file;
	int i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		file = debugfs_create_file(files[i].name, 0400, dir, NULL,
					   files[i].fops);
		if (IS_ERR(file))
			return PTR_ERR(file);
	}
	return 0;
}
