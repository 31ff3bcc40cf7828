// SPDX-License-Identifier: GPL-2.0-only
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "base/errlog.h"
#include "base/open.h"
#include "base/textfile.h"

/* event tracing has the same limit: a page on most machines */
#define WRITE_MAX 4096

static int show_file(struct seq_file *m, void *unused)
{
	const struct kmt_textfile *f = m->private;

	return f->show ? f->show(m, f->arg) : -EINVAL;
}

static int open_file(struct inode *inode, struct file *file)
{
	const struct kmt_textfile *f = inode->i_private;
	bool reads = file->f_mode & FMODE_READ;
	size_t size = reads && f->size ? f->size() : 0;
	int err = kmt_open_file();

	if (!err)
		err = single_open_size(file, show_file, (void *)f,
				       PAGE_ALIGN(size + 1));
	if (!err && f->clear && (file->f_mode & FMODE_WRITE) &&
	    (file->f_flags & O_TRUNC)) {
		err = f->clear(f->arg);
		if (err)
			single_release(inode, file);
	}
	return err;
}

static ssize_t write_file(struct file *file, const char __user *from,
			  size_t count, loff_t *ppos)
{
	const struct kmt_textfile *f = file_inode(file)->i_private;
	char *text;
	size_t i;
	int err;

	if (!f->write)
		return -EINVAL; /* event tracing returns the same */
	if (count >= WRITE_MAX)
		return -EINVAL;
	text = memdup_user_nul(from, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	for (i = 0; f->words && i < count; i++)
		if (!text[i])
			text[i] = ' ';
	err = f->write(text, f->arg);
	kfree(text);
	return err ? err : count;
}

static const struct file_operations textfile_fops = {
	.owner = THIS_MODULE,
	.open = open_file,
	.read = seq_read,
	.write = write_file,
	.llseek = seq_lseek,
	.release = single_release,
};

int kmt_textfile_number(const char *where, const char *text,
			unsigned long max, unsigned long *value)
{
	int err = kstrtoul(text, 10, value);

	if (!err && *value > max)
		err = -EINVAL;
	if (err)
		kmt_errlog_add(where,
			       max == 1 ? "This must be 0 or 1" :
					  "This must be a decimal number",
			       text, 1);
	return err;
}

int kmt_textfile_create(const struct kmt_textfile *f, struct dentry *dir)
{
	umode_t mode = (f->show ? 0400 : 0) | (f->write ? 0200 : 0);
	struct dentry *file;

	file = debugfs_create_file(f->name, mode, dir, (void *)f,
				   &textfile_fops);
	if (!IS_ERR(file))
		return 0;
	pr_err("cannot create the file %s in debugfs: error %ld\n", f->name,
	       PTR_ERR(file));
	return PTR_ERR(file);
}
