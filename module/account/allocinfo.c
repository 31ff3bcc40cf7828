// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters are read once, when the file is opened. All rows are therefore of about
 * the same moment, even if they are read slowly. No CPU is stopped for this.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "account/account.h"
#include "account/allocinfo.h"
#include "account/codetag.h"
#include "account/earlier.h"
#include "account/live.h"
#include "account/location.h"
#include "account/tables.h"
#include "account/tag.h"
#include "base/open.h"

static bool allocinfo_nodes;
module_param(allocinfo_nodes, bool, 0644);
MODULE_PARM_DESC(allocinfo_nodes, "allocinfo has the live bytes on each NUMA node, as nidN:BYTES (default: 0)");

/**
 * struct row - one tag
 * @site: its site
 * @tag: its index; 0 for a site in codetags that has no tag
 * @kind: KMT_KIND_*
 * @gone: flags of the tag but KMT_SITE_SETTLED, if its code is gone; else 0
 * @sum: its counters
 */
struct row {
	unsigned long site;
	u32 tag;
	u32 kind;
	u32 gone;
	struct kmt_sum sum;
};

/**
 * struct snapshot - the content of an open file
 * @ages: jiffies since the oldest live allocation, by tag; or NULL
 * @bytes: live bytes by tag and node; or NULL
 * @tags: number of tags in @bytes
 * @count: number of rows
 * @text: space for one location
 * @order: the rows, sorted by site; pointers, because a row takes long to move
 * @rows: the rows
 */
struct snapshot {
	unsigned long *ages;
	u64 *bytes;
	u32 tags;
	size_t count;
	char text[KMT_CODETAG_TEXT + 32];
	struct row **order;
	struct row rows[];
};

static int by_site(const void *a, const void *b)
{
	const struct row *x = *(const struct row **)a;
	const struct row *y = *(const struct row **)b;

	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	if (x->gone != y->gone)
		return x->gone < y->gone ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

static u32 gone_of(u32 flags)
{
	return flags & KMT_SITE_GONE ? flags & ~KMT_SITE_SETTLED : 0;
}

/* Return: false if the tag is not in use, or nothing was charged to it. */
static bool fill_row(struct row *row, u32 tag)
{
	u32 flags;

	row->site = kmt_tag_read(tag, &row->kind, &flags, &row->sum);
	if (!row->site)
		return false;
	row->tag = tag;
	row->gone = gone_of(flags);
	/*
	 * a wrapper has a tag, but is not charged; pages of a large kmalloc() are
	 * charged anew
	 */
	return row->sum.allocs || row->sum.objects || row->sum.bytes;
}

static void sort_rows(struct snapshot *snap)
{
	size_t i;

	for (i = 0; i < snap->count; i++)
		snap->order[i] = &snap->rows[i];
	sort(snap->order, snap->count, sizeof(*snap->order), by_site, NULL);
}

static void collect_tags(struct snapshot *snap, size_t room)
{
	u32 tag, count = kmt_tables_ready() ? kmt_tag_count() : 0;
	struct row *row = snap->rows;

	for (tag = 1; tag <= count && snap->count < room; tag++) {
		cond_resched(); /* a sum visits all CPUs */
		if (fill_row(row, tag)) {
			row++;
			snap->count++;
		} else {
			memset(row, 0, sizeof(*row));
		}
	}
	sort_rows(snap);
}

/* Add the sites in codetags that have no tag. */
static void collect_codetags(struct snapshot *snap, size_t room)
{
	size_t i = 0, tags = snap->count;
	unsigned long site = 0;

	while (snap->count < room && (site = kmt_codetag_next(site))) {
		cond_resched();
		while (i < tags && snap->order[i]->site < site)
			i++;
		if (i == tags || snap->order[i]->site != site)
			snap->rows[snap->count++].site = site;
	}
	if (snap->count > tags)
		sort_rows(snap);
}

static void free_snapshot(struct snapshot *snap)
{
	kvfree(snap->order);
	kvfree(snap->ages);
	kvfree(snap->bytes);
	kvfree(snap);
}

static struct snapshot *take_snapshot(void)
{
	size_t room = kmt_codetag_count() + 64;
	struct snapshot *snap;

	if (kmt_tables_ready())
		room += kmt_tag_count();
	snap = kvzalloc(struct_size(snap, rows, room), GFP_KERNEL);
	if (!snap)
		return NULL;
	snap->order = kvmalloc_array(room, sizeof(*snap->order), GFP_KERNEL);
	if (!snap->order) {
		free_snapshot(snap);
		return NULL;
	}
	collect_tags(snap, room);
	collect_codetags(snap, room);
	return snap;
}

/* Find out whether the code of a row has gone since the file was opened. */
static void look_again(struct row *row)
{
	u32 kind, flags = 0;

	if (!row->tag)
		return;
	if (kmt_tag_site(row->tag, &kind, &flags) != row->site)
		row->gone = KMT_SITE_GONE;
	else
		row->gone = gone_of(flags);
}

static const char *location(struct snapshot *snap, struct row *row)
{
	const char *text;

	if (!row->gone) {
		kmt_location_get(row->tag, row->site, snap->text,
				 sizeof(snap->text));
		/* afterwards: the text may be that of other code already */
		look_again(row);
		if (!row->gone)
			return snap->text;
	}
	rcu_read_lock();
	text = kmt_tag_location(row->tag, row->site);
	/* the tag was reused meanwhile, or there was no memory for the location */
	if (!text)
		text = "?:0 func:?";
	/* if the module is loaded again, the same place gets another row */
	if (row->gone & KMT_SITE_UNLOADED)
		snprintf(snap->text, sizeof(snap->text), "%s (unloaded) #%u",
			 text, row->gone >> KMT_SITE_UNLOAD_SHIFT);
	else
		strscpy(snap->text, text, sizeof(snap->text));
	rcu_read_unlock();
	return snap->text;
}

/* --- going through the rows ----------------------------------------------- */

static void *seq_begin(struct seq_file *m, loff_t *pos)
{
	struct snapshot *snap = m->private;

	if (*pos == 0)
		return SEQ_START_TOKEN;
	return *pos <= snap->count ? &snap->order[*pos - 1] : NULL;
}

static void *seq_step(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return seq_begin(m, pos);
}

static void seq_end(struct seq_file *m, void *v)
{
}

/* allocinfo has one row for a site, also if it allocated objects and pages. */
static bool is_continued(const struct snapshot *snap, struct row **at)
{
	return at > snap->order && at[-1]->site == at[0]->site &&
	       at[-1]->gone == at[0]->gone;
}

/* Print the live bytes of the rows from @from to before @end on each node, unless 0. */
static void show_nodes(struct seq_file *m, const struct snapshot *snap,
		       struct row **from, struct row **end)
{
	unsigned int node;
	struct row **row;
	u64 bytes;

	for (node = 0; snap->bytes && node < nr_node_ids; node++) {
		bytes = 0;
		for (row = from; row < end; row++)
			if (row[0]->tag < snap->tags)
				bytes += snap->bytes[(size_t)row[0]->tag * nr_node_ids +
						     node];
		if (bytes)
			seq_printf(m, "nid%u:%llu ", node, bytes);
	}
}

static int allocinfo_show(struct seq_file *m, void *v)
{
	struct snapshot *snap = m->private;
	struct row **at = v, **next;
	s64 bytes = 0, objects = 0;

	if (v == SEQ_START_TOKEN) {
		seq_printf(m, "allocinfo - version: %s\n"
			      "#     <size>  <calls> <tag info>\n",
			   snap->bytes ? "2.0" : "1.0");
		return 0;
	}
	if (is_continued(snap, at))
		return 0;
	for (next = at; next == at || (next < snap->order + snap->count &&
				       is_continued(snap, next));
	     next++) {
		bytes += next[0]->sum.bytes;
		objects += next[0]->sum.objects;
	}
	seq_printf(m, "%12lli %8llu %s ", bytes, objects, location(snap, *at));
	show_nodes(m, snap, at, next);
	seq_putc(m, '\n');
	return 0;
}

static void show_age(struct seq_file *m, const struct snapshot *snap, u32 tag)
{
	if (snap->ages && tag && snap->ages[tag] != ULONG_MAX)
		seq_printf(m, " %llu", kmt_tick_age_ms(snap->ages[tag]));
	else
		seq_puts(m, " -");
}

/* The peak is at least the live bytes of the row, also if these have fallen since. */
static u64 peak(const struct row *row)
{
	if (!row->tag)
		return 0;
	return max_t(u64, kmt_tag_peak(row->tag, row->site), row->sum.bytes);
}

/* seq_printf() would take twice as long for all of a row. */
static void show_sum(struct seq_file *m, const struct kmt_sum *sum)
{
	seq_put_decimal_ll(m, " ", sum->bytes);
	seq_put_decimal_ll(m, " ", sum->objects);
	seq_put_decimal_ll(m, " ", sum->requested);
	seq_put_decimal_ull(m, " ", sum->allocs);
	seq_put_decimal_ull(m, " ", sum->frees);
}

static int tags_show(struct seq_file *m, void *v)
{
	static const char *const kinds[KMT_KINDS] = { "slab", "page", "page",
						      "percpu" };
	struct snapshot *snap = m->private;
	const char *text;
	struct row *row;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "kmemtrace tags - version: 1\n"
			    "# kind bytes objects requested allocs frees peak oldest_ms address id location\n");
		return 0;
	}
	row = *(struct row **)v;
	text = location(snap, row); /* first: it may find that the code is gone */
	seq_puts(m, kinds[row->kind]);
	show_sum(m, &row->sum);
	seq_put_decimal_ull(m, " ", peak(row));
	show_age(m, snap, row->tag);
	/* the address of code that is gone may be in use by other code */
	if (row->gone || kmt_codetag_is_client(row->site) ||
	    kmt_earlier_is_site(row->site))
		seq_puts(m, " -");
	else
		seq_printf(m, " %lx", row->site);
	seq_put_decimal_ull(m, " ", row->tag);
	seq_putc(m, ' ');
	seq_puts(m, text);
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations allocinfo_ops = {
	.start = seq_begin,
	.next = seq_step,
	.stop = seq_end,
	.show = allocinfo_show,
};

static const struct seq_operations tags_ops = {
	.start = seq_begin,
	.next = seq_step,
	.stop = seq_end,
	.show = tags_show,
};

/* --- the files ------------------------------------------------------------ */

static int open_snapshot(struct file *file, const struct seq_operations *ops,
			 struct snapshot *snap)
{
	int err;

	if (!snap)
		return -ENOMEM;
	err = seq_open(file, ops);
	if (err)
		free_snapshot(snap);
	else
		((struct seq_file *)file->private_data)->private = snap;
	return err;
}

static int release(struct inode *inode, struct file *file)
{
	free_snapshot(((struct seq_file *)file->private_data)->private);
	return seq_release(inode, file);
}

/* Return: the number of the last tag in the rows plus 1; 0 without tags. */
static u32 tags_in(const struct snapshot *snap)
{
	u32 count = 0;
	size_t i;

	for (i = 0; snap && i < snap->count; i++)
		count = max(count, snap->rows[i].tag + 1);
	return kmt_tables_ready() && count > 1 ? count : 0;
}

/* Return: 0, or -errno; then the snapshot is freed. */
static int add_nodes(struct snapshot *snap, u32 count)
{
	int err = -ENOMEM;

	snap->tags = count;
	snap->bytes = kvmalloc(array3_size(count, nr_node_ids,
					   sizeof(*snap->bytes)),
			       GFP_KERNEL);
	if (snap->bytes)
		err = kmt_live_nodes(snap->bytes, count, nr_node_ids);
	if (err)
		free_snapshot(snap);
	return err;
}

/* The same. */
static int add_ages(struct snapshot *snap, u32 count)
{
	int err = -ENOMEM;

	snap->ages = kvmalloc_array(count, sizeof(*snap->ages), GFP_KERNEL);
	if (snap->ages)
		err = kmt_live_oldest(snap->ages, count);
	if (err)
		free_snapshot(snap);
	return err;
}

static int allocinfo_open(struct inode *inode, struct file *file)
{
	struct snapshot *snap = take_snapshot();
	u32 count = READ_ONCE(allocinfo_nodes) ? tags_in(snap) : 0;
	int err = count ? add_nodes(snap, count) : 0;

	return err ? err : open_snapshot(file, &allocinfo_ops, snap);
}

/* The ages need a walk over all live memory, which readers that refresh cannot afford. */
static int tags_quick_open(struct inode *inode, struct file *file)
{
	int err = kmt_open_file();

	return err ?: open_snapshot(file, &tags_ops, take_snapshot());
}

static int tags_open(struct inode *inode, struct file *file)
{
	int err = kmt_open_file();
	struct snapshot *snap;
	u32 count;

	if (err)
		return err;
	snap = take_snapshot();
	count = tags_in(snap);
	if (count)
		err = add_ages(snap, count);
	return err ?: open_snapshot(file, &tags_ops, snap);
}

static const struct proc_ops allocinfo_proc_ops = {
	.proc_open = allocinfo_open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = release,
};

static const struct file_operations tags_fops = {
	.owner = THIS_MODULE,
	.open = tags_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = release,
};

static const struct file_operations tags_quick_fops = {
	.owner = THIS_MODULE,
	.open = tags_quick_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = release,
};

static struct proc_dir_entry *proc_dir, *proc_file;

void kmt_allocinfo_exit(void)
{
	proc_remove(proc_file);
	proc_remove(proc_dir);
}

int __init kmt_allocinfo_init(void)
{
	if (IS_ENABLED(CONFIG_MEM_ALLOC_PROFILING)) {
		proc_dir = proc_mkdir("kmemtrace", NULL);
		if (!proc_dir)
			return -ENOMEM;
	}
	proc_file = proc_create("allocinfo", 0400, proc_dir,
				&allocinfo_proc_ops);
	if (!proc_file) {
		kmt_allocinfo_exit();
		return -ENOMEM;
	}
	return 0;
}

int __init kmt_allocinfo_create_tags(struct dentry *dir)
{
	int err = PTR_ERR_OR_ZERO(
		debugfs_create_file("tags", 0400, dir, NULL, &tags_fops));

	return err ? err :
		     PTR_ERR_OR_ZERO(debugfs_create_file(
			     "tags_quick", 0400, dir, NULL, &tags_quick_fops));
}
