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
#include "account/live.h"
#include "account/tables.h"
#include "account/tag.h"

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
 * @count: number of rows
 * @text: space for one location
 * @rows: sorted by site
 */
struct snapshot {
	unsigned long *ages;
	size_t count;
	char text[KMT_CODETAG_TEXT + 32];
	struct row rows[];
};

static int by_site(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	if (x->gone != y->gone)
		return x->gone < y->gone ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

/* Return: false if the tag is not in use, or nothing was charged to it. */
static bool fill_row(struct row *row, u32 tag)
{
	u32 flags;

	row->site = kmt_tag_read(tag, &row->kind, &flags, &row->sum);
	if (!row->site)
		return false;
	row->tag = tag;
	row->gone = flags & KMT_SITE_GONE ? flags & ~KMT_SITE_SETTLED : 0;
	/*
	 * a wrapper has a tag, but is not charged; pages of a large kmalloc() are
	 * charged anew
	 */
	return row->sum.allocs || row->sum.objects || row->sum.bytes;
}

/* Collect the tags, then the sites in codetags that have no tag. */
static void collect(struct snapshot *snap, size_t room)
{
	struct row *rows = snap->rows;
	size_t n = 0, tags, i = 0;
	unsigned long site;
	u32 tag, count = kmt_tables_ready() ? kmt_tag_count() : 0;

	for (tag = 1; tag <= count && n < room; tag++) {
		cond_resched(); /* a sum visits all CPUs */
		if (fill_row(&rows[n], tag))
			n++;
		else
			memset(&rows[n], 0, sizeof(rows[n]));
	}
	sort(rows, n, sizeof(*rows), by_site, NULL);
	tags = n;
	for (site = 0; n < room && (site = kmt_codetag_next(site));) {
		cond_resched();
		while (i < tags && rows[i].site < site)
			i++;
		if (i == tags || rows[i].site != site)
			rows[n++].site = site;
	}
	sort(rows, n, sizeof(*rows), by_site, NULL);
	snap->count = n;
}

static struct snapshot *take_snapshot(void)
{
	size_t room = kmt_codetag_count() + 64;
	struct snapshot *snap;

	if (kmt_tables_ready())
		room += kmt_tag_count();
	snap = kvzalloc(struct_size(snap, rows, room), GFP_KERNEL);
	if (snap)
		collect(snap, room);
	return snap;
}

static void free_snapshot(struct snapshot *snap)
{
	kvfree(snap->ages);
	kvfree(snap);
}

static const char *location(struct snapshot *snap, const struct row *row)
{
	const char *text;

	if (!row->gone) {
		kmt_codetag_describe(row->site, snap->text,
				     sizeof(snap->text));
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
	return *pos <= snap->count ? &snap->rows[*pos - 1] : NULL;
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
static bool is_continued(const struct snapshot *snap, const struct row *row)
{
	return row > snap->rows && row[-1].site == row->site &&
	       row[-1].gone == row->gone;
}

static int allocinfo_show(struct seq_file *m, void *v)
{
	struct snapshot *snap = m->private;
	const struct row *row = v, *next;
	s64 bytes = 0, objects = 0;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "allocinfo - version: 1.0\n"
			    "#     <size>  <calls> <tag info>\n");
		return 0;
	}
	if (is_continued(snap, row))
		return 0;
	for (next = row; next == row || (next < snap->rows + snap->count &&
					 is_continued(snap, next));
	     next++) {
		bytes += next->sum.bytes;
		objects += next->sum.objects;
	}
	seq_printf(m, "%12lli %8llu %s \n", bytes, objects,
		   location(snap, row));
	return 0;
}

static void show_age(struct seq_file *m, const struct snapshot *snap, u32 tag)
{
	if (snap->ages && tag && snap->ages[tag] != ULONG_MAX)
		seq_printf(m, " %llu", kmt_account_age_ms(snap->ages[tag]));
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

static int tags_show(struct seq_file *m, void *v)
{
	static const char *const kinds[KMT_KINDS] = { "slab", "page", "page",
						      "percpu" };
	struct snapshot *snap = m->private;
	const struct row *row = v;
	const struct kmt_sum *sum;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "kmemtrace tags - version: 2\n"
			    "# kind bytes objects requested allocs frees peak oldest_ms address id location\n");
		return 0;
	}
	sum = &row->sum;
	seq_printf(m, "%s %lld %lld %lld %llu %llu %llu", kinds[row->kind],
		   sum->bytes, sum->objects, sum->requested, sum->allocs,
		   sum->frees, peak(row));
	show_age(m, snap, row->tag);
	/* the address of code that is gone may be in use by other code */
	if (row->gone || kmt_codetag_is_client(row->site))
		seq_puts(m, " -");
	else
		seq_printf(m, " %lx", row->site);
	seq_printf(m, " %u %s\n", row->tag, location(snap, row));
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

static int allocinfo_open(struct inode *inode, struct file *file)
{
	return open_snapshot(file, &allocinfo_ops, take_snapshot());
}

/* The ages need a walk over all live memory, which readers that refresh cannot afford. */
static int tags_quick_open(struct inode *inode, struct file *file)
{
	return open_snapshot(file, &tags_ops, take_snapshot());
}

static int tags_open(struct inode *inode, struct file *file)
{
	struct snapshot *snap = take_snapshot();
	size_t i;
	u32 count = 0;

	for (i = 0; snap && i < snap->count; i++)
		count = max(count, snap->rows[i].tag + 1);
	if (count && kmt_tables_ready()) {
		snap->ages = kvmalloc_array(count, sizeof(*snap->ages),
					    GFP_KERNEL);
		if (!snap->ages) {
			free_snapshot(snap);
			return -ENOMEM;
		}
		kmt_live_oldest(snap->ages, count);
	}
	return open_snapshot(file, &tags_ops, snap);
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
