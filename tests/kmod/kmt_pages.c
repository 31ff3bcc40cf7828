// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that allocates pages and lists their frames, so that a test knows them. Write
 * a command to debugfs/kmt_pages/run:
 *
 *   alloc ORDER N    pages_alloc() allocates N blocks of 1 << ORDER pages
 *   split            call split_page() for each block
 *   movable N        pages_movable() allocates N pages with GFP_HIGHUSER_MOVABLE
 *   free N           free the first N blocks
 *   vmalloc N        pages_vmalloc() allocates N pages with vmalloc()
 *   cache SLABS N    fill SLABS slabs of N objects in the cache kmt_pages; half of the
 *                    objects are from pages_object(), half from pages_other(). Then
 *                    free all but one object of pages_object() in each slab; in every
 *                    second slab, keep one object of pages_other() as well
 *   drop             free everything
 *
 * pfns lists the frame numbers of all blocks, one on each line. slabs contains "ALONE
 * BOTH BYTES": the number of slabs that keep an object of pages_object() only, the
 * number that keep one of each function, and the size of all these slabs in bytes.
 * addresses has a line "page ADDRESS" for each block, "object ADDRESS" for each object,
 * and "area ADDRESS" for the memory of vmalloc().
 *
 * /dev/kmt_pages maps the pages in this order with vm_insert_page(). Blocks of an order
 * above 0 must have been split before.
 */
#include <linux/debugfs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#define PAGES_MAX   4096
#define OBJECT_SIZE 400

struct held {
	struct page *page;
	unsigned int order;
};

static DEFINE_MUTEX(lock);
static struct held held[PAGES_MAX];
static unsigned int nr_held;
static void *area;
static struct kmem_cache *cache;
static void **objects; /* the objects that were not freed */
static unsigned int nr_objects;
static unsigned int slabs_alone, slabs_both;
static unsigned long slabs_bytes;
static struct dentry *dir;

noinline struct page *pages_alloc(unsigned int order);
noinline struct page *pages_movable(void);
noinline void *pages_vmalloc(size_t bytes);
noinline void *pages_object(void);
noinline void *pages_other(void);

/* barrier() in these functions: the compiler must not make tail calls */
noinline struct page *pages_alloc(unsigned int order)
{
	struct page *page = alloc_pages(GFP_KERNEL, order);

	barrier();
	return page;
}

noinline struct page *pages_movable(void)
{
	struct page *page = alloc_page(GFP_HIGHUSER_MOVABLE);

	barrier();
	return page;
}

noinline void *pages_vmalloc(size_t bytes)
{
	void *p = vmalloc(bytes);

	barrier();
	return p;
}

noinline void *pages_object(void)
{
	void *p = kmem_cache_alloc(cache, GFP_KERNEL);

	barrier();
	return p;
}

noinline void *pages_other(void)
{
	void *p = kmem_cache_alloc(cache, GFP_KERNEL);

	barrier();
	return p;
}

/* --- pages ------------------------------------------------------------------- */

static int hold(struct page *page, unsigned int order)
{
	if (!page)
		return -ENOMEM;
	held[nr_held++] = (struct held){ page, order };
	return 0;
}

static int alloc_many(unsigned int order, unsigned int n)
{
	int err = 0;

	if (n > PAGES_MAX - nr_held)
		return -ENOSPC;
	while (n-- && !err)
		err = hold(pages_alloc(order), order);
	return err;
}

static int alloc_movable(unsigned int n)
{
	int err = 0;

	if (n > PAGES_MAX - nr_held)
		return -ENOSPC;
	while (n-- && !err)
		err = hold(pages_movable(), 0);
	return err;
}

static int split(void)
{
	unsigned int i, k, before = nr_held, pages = 0;

	for (i = 0; i < nr_held; i++)
		pages += 1 << held[i].order;
	if (pages > PAGES_MAX)
		return -ENOSPC;
	for (i = 0; i < before; i++) {
		if (!held[i].order)
			continue;
		split_page(held[i].page, held[i].order);
		for (k = 1; k < 1 << held[i].order; k++)
			held[nr_held++] =
				(struct held){ held[i].page + k, 0 };
		held[i].order = 0;
	}
	return 0;
}

static int free_first(unsigned int n)
{
	unsigned int i;

	n = min(n, nr_held);
	for (i = 0; i < n; i++)
		__free_pages(held[i].page, held[i].order);
	nr_held -= n;
	memmove(held, held + n, nr_held * sizeof(held[0]));
	return 0;
}

/* --- slabs -------------------------------------------------------------------- */

static unsigned long slab_of(const void *object)
{
	return (unsigned long)page_address(virt_to_head_page(object));
}

/**
 * struct object - an object of the cache
 * @address: its address
 * @other: pages_other() allocated it; else pages_object()
 */
struct object {
	void *address;
	bool other;
};

static int by_address(const void *a, const void *b)
{
	const struct object *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static unsigned int count_of_slab(const struct object *first,
				  const struct object *end)
{
	const struct object *o = first;

	while (o < end && slab_of(o->address) == slab_of(first->address))
		o++;
	return o - first;
}

/* Find the first object of a slab that pages_other() (@other) or pages_object() made. */
static void *first_by(const struct object *of_slab, unsigned int n, bool other)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (of_slab[i].other == other)
			return of_slab[i].address;
	return NULL;
}

static bool of_both(const struct object *of_slab, unsigned int n)
{
	return first_by(of_slab, n, false) && first_by(of_slab, n, true);
}

static void free_all(const struct object *of_slab, unsigned int n)
{
	while (n)
		kmem_cache_free(cache, of_slab[--n].address);
}

/* Keep one object of pages_object() and, if @both, of pages_other(); free the rest. */
static void thin_out(const struct object *of_slab, unsigned int n, bool both)
{
	void *object = first_by(of_slab, n, false);
	void *other = both ? first_by(of_slab, n, true) : NULL;
	unsigned int i;

	objects[nr_objects++] = object;
	if (both)
		objects[nr_objects++] = other;
	slabs_both += both;
	slabs_alone += !both;
	slabs_bytes += page_size(virt_to_head_page(object));
	for (i = 0; i < n; i++)
		if (of_slab[i].address != object && of_slab[i].address != other)
			kmem_cache_free(cache, of_slab[i].address);
}

static void drop_objects(void)
{
	while (nr_objects)
		kmem_cache_free(cache, objects[--nr_objects]);
	vfree(objects);
	objects = NULL;
	slabs_alone = slabs_both = slabs_bytes = 0;
}

static unsigned int alloc_objects(struct object *all, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		all[i].other = i % 2;
		all[i].address = all[i].other ? pages_other() : pages_object();
		if (!all[i].address)
			break;
	}
	return i;
}

/*
 * The allocator hands out objects of several slabs in any order, and keeps some in lists
 * of its own. So allocate twice the number of objects. Enough slabs are then full; free
 * all objects of the other slabs.
 */
static int fill(unsigned int slabs, unsigned int per_slab)
{
	unsigned int count = 2 * slabs * per_slab, i, n, done = 0;
	struct object *all;

	all = vzalloc(array_size(count, sizeof(*all)));
	objects = vzalloc(array_size(slabs, 2 * sizeof(*objects)));
	if (!all || !objects) {
		vfree(all);
		drop_objects();
		return -ENOMEM;
	}
	kmem_cache_shrink(cache); /* frees empty slabs: allocation starts in new ones */
	count = alloc_objects(all, count);
	sort(all, count, sizeof(*all), by_address, NULL);
	for (i = 0; i < count; i += n) {
		n = count_of_slab(all + i, all + count);
		if (done < slabs && n == per_slab && of_both(all + i, n))
			thin_out(all + i, n, done++ % 2);
		else
			free_all(all + i, n);
	}
	vfree(all);
	if (done == slabs)
		return 0;
	drop_objects();
	return -EAGAIN;
}

static void drop(void)
{
	free_first(nr_held);
	vfree(area);
	area = NULL;
	drop_objects();
}

/* --- the files ------------------------------------------------------------------ */

static int run_command(const char *text)
{
	unsigned int order, n, per_slab;

	if (sscanf(text, "alloc %u %u", &order, &n) == 2)
		return order > 9 ? -EINVAL : alloc_many(order, n);
	if (sscanf(text, "movable %u", &n) == 1)
		return alloc_movable(n);
	if (sscanf(text, "free %u", &n) == 1)
		return free_first(n);
	if (sscanf(text, "vmalloc %u", &n) == 1) {
		if (area)
			return -EBUSY;
		area = pages_vmalloc((size_t)n * PAGE_SIZE);
		return area ? 0 : -ENOMEM;
	}
	if (sscanf(text, "cache %u %u", &n, &per_slab) == 2)
		return objects || per_slab < 3 ? -EINVAL : fill(n, per_slab);
	if (!strncmp(text, "split", 5))
		return split();
	if (strncmp(text, "drop", 4))
		return -EINVAL;
	drop();
	return 0;
}

static ssize_t run_write(struct file *file, const char __user *from, size_t len,
			 loff_t *ppos)
{
	char text[64];
	int err;

	if (len >= sizeof(text) || copy_from_user(text, from, len))
		return -EINVAL;
	text[len] = '\0';
	mutex_lock(&lock);
	err = run_command(text);
	mutex_unlock(&lock);
	return err ? err : len;
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.write = run_write,
};

static int pfns_show(struct seq_file *m, void *v)
{
	unsigned int i, k;

	mutex_lock(&lock);
	for (i = 0; i < nr_held; i++)
		for (k = 0; k < 1 << held[i].order; k++)
			seq_printf(m, "%lu\n", page_to_pfn(held[i].page) + k);
	mutex_unlock(&lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(pfns);

static int addresses_show(struct seq_file *m, void *v)
{
	unsigned int i;

	mutex_lock(&lock);
	for (i = 0; i < nr_held; i++)
		seq_printf(m, "page 0x%px\n", page_address(held[i].page));
	for (i = 0; i < nr_objects; i++)
		seq_printf(m, "object 0x%px\n", objects[i]);
	if (area)
		seq_printf(m, "area 0x%px\n", area);
	mutex_unlock(&lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(addresses);

static int slabs_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%u %u %lu\n", slabs_alone, slabs_both, slabs_bytes);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(slabs);

static int map(struct file *file, struct vm_area_struct *vma)
{
	unsigned long at = vma->vm_start;
	unsigned int i;
	int err = 0;

	/*
	 * The caller holds mmap_lock. A command may take locks under @lock that come before
	 * mmap_lock, as kmem_cache_shrink() does.
	 */
	if (!mutex_trylock(&lock))
		return -EBUSY;
	for (i = 0; i < nr_held && at < vma->vm_end && !err; i++) {
		err = held[i].order ?
			      -EINVAL :
			      vm_insert_page(vma, at, held[i].page);
		at += PAGE_SIZE;
	}
	mutex_unlock(&lock);
	return err;
}

static const struct file_operations map_fops = {
	.owner = THIS_MODULE,
	.mmap = map,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "kmt_pages",
	.fops = &map_fops,
};

static int __init kmt_pages_init(void)
{
	int err;

	/* this flag keeps the kernel from merging the cache with another one */
	cache = kmem_cache_create("kmt_pages", OBJECT_SIZE, 0,
				  SLAB_TYPESAFE_BY_RCU, NULL);
	if (!cache)
		return -ENOMEM;
	err = misc_register(&device);
	if (err) {
		kmem_cache_destroy(cache);
		return err;
	}
	dir = debugfs_create_dir("kmt_pages", NULL);
	debugfs_create_file("run", 0200, dir, NULL, &run_fops);
	debugfs_create_file("pfns", 0400, dir, NULL, &pfns_fops);
	debugfs_create_file("slabs", 0400, dir, NULL, &slabs_fops);
	debugfs_create_file("addresses", 0400, dir, NULL, &addresses_fops);
	return 0;
}
module_init(kmt_pages_init);

static void __exit kmt_pages_exit(void)
{
	debugfs_remove(dir);
	misc_deregister(&device);
	drop();
	rcu_barrier();
	kmem_cache_destroy(cache);
}
module_exit(kmt_pages_exit);

MODULE_DESCRIPTION("Allocates pages and lists their frames, for tests of kmemtrace");
MODULE_LICENSE("GPL");
