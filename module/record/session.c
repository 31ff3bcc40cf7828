// SPDX-License-Identifier: GPL-2.0-only
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/module.h>

#include "event.h"
#include "session.h"

static ssize_t write_session(struct file *file, const char __user *from,
			     size_t count, loff_t *ppos)
{
	bool on;
	int err = kstrtobool_from_user(from, count, &on);

	if (!err && on)
		err = kmt_event_record_for(file);
	else if (!err)
		kmt_event_release(file);
	return err ? err : count;
}

static int release_session(struct inode *inode, struct file *file)
{
	kmt_event_release(file);
	return 0;
}

static const struct file_operations session_fops = {
	.owner = THIS_MODULE,
	.open = nonseekable_open,
	.write = write_session,
	.release = release_session,
};

int __init kmt_session_create(struct dentry *dir)
{
	return PTR_ERR_OR_ZERO(debugfs_create_file("session", 0200, dir, NULL,
						   &session_fops));
}
