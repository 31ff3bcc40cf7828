// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ctype.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/kmemtrace.h>
#include <trace/events/kmem.h> /* for the names of the gfp flags */

#include "account.h"
#include "allocinfo.h"
#include "cache.h"
#include "callsite.h"
#include "channel.h"
#include "codetag.h"
#include "control.h"
#include "event.h"
#include "kmt_event.h"
#include "probe.h"
#include "slab.h"
#include "stats.h"
#include "tag.h"

#define WRITE_MAX 4096

/* --- what the files show -------------------------------------------------- */

static int abi_version_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "%u\n", KMEMTRACE_ABI_VERSION);
	return 0;
}

static int total_overruns_show(struct seq_file *m, void *unused)
{
	struct kmt_channel_cpu lost;

	kmt_channel_lost(&lost);
	seq_printf(m, "%llu\n", lost.lost_bytes);
	return 0;
}

static int lost_events_show(struct seq_file *m, void *unused)
{
	struct kmt_channel_cpu lost;

	kmt_channel_lost(&lost);
	seq_printf(m, "%llu\n", lost.lost_events);
	return 0;
}

static int sequence_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "%u\n", kmt_probe_sequence());
	return 0;
}

static int enabled_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "%d\n", kmt_event_recording());
	return 0;
}

static int buffer_size_kb_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "%llu\n", kmt_channel_size() >> 10);
	return 0;
}

static int available_events_show(struct seq_file *m, void *unused)
{
	kmt_event_show(m, false);
	return 0;
}

static int set_event_show(struct seq_file *m, void *unused)
{
	kmt_event_show(m, true);
	return 0;
}

static int caches_show(struct seq_file *m, void *unused)
{
	kmt_cache_show(m);
	return 0;
}

static int stats_show(struct seq_file *m, void *unused)
{
	kmt_stats_show(m);
	return 0;
}

static int caches_live_show(struct seq_file *m, void *unused)
{
	return kmt_slab_show(m);
}

static int wrappers_show(struct seq_file *m, void *unused)
{
	kmt_callsite_show_wrappers(m);
	return 0;
}

static int codetags_show(struct seq_file *m, void *unused)
{
	kmt_codetag_show(m);
	return 0;
}

static int gfp_flags_show(struct seq_file *m, void *unused)
{
	static const struct trace_print_flags names[] = { __def_gfpflag_names };
	int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		seq_printf(m, "0x%lx %s\n", names[i].mask, names[i].name);
	return 0;
}

static const struct {
	const char *name;
	u32 mask;
} feature_names[] = {
	{ "time", KMT_FEATURE_TIME },
	{ "cache", KMT_FEATURE_CACHE },
	{ "page", KMT_FEATURE_PAGE },
};

static int features_show(struct seq_file *m, void *unused)
{
	u32 on = kmt_probe_features();
	const char *blank = "";
	int i;

	for (i = 0; i < ARRAY_SIZE(feature_names); i++) {
		if (!(on & feature_names[i].mask))
			continue;
		seq_printf(m, "%s%s", blank, feature_names[i].name);
		blank = " ";
	}
	seq_puts(m, on ? "\n" : "none\n");
	return 0;
}

/* --- what can be written to them ------------------------------------------ */

static int enabled_write(char *text)
{
	bool on;
	int err = kstrtobool(strim(text), &on);

	return err ? err : kmt_event_record(on);
}

static int buffer_size_kb_write(char *text)
{
	u64 kb;
	int err = kstrtou64(strim(text), 0, &kb);

	if (err)
		return err;
	return kb > UINT_MAX ? -EINVAL : kmt_channel_resize(kb << 10);
}

/* An empty write clears; else every word adds or removes. */
static int set_event_write(char *text)
{
	char *word;
	bool any = false;
	int err = 0;

	while (!err && (word = strsep(&text, " \t\n,"))) {
		if (!*word)
			continue;
		any = true;
		err = kmt_event_set(word);
	}
	if (!any)
		kmt_event_clear();
	return err;
}

static void reflag(void)
{
	if (kmt_account_ready())
		kmt_tag_reflag();
}

static void wrappers_clear(void)
{
	kmt_callsite_clear_wrappers();
	reflag();
}

static int wrappers_write(char *text)
{
	char *word;
	int err = 0;

	while (!err && (word = strsep(&text, " \t\n,")))
		if (*word)
			err = kmt_callsite_set_wrapper(word);
	reflag();
	return err;
}

static u32 feature_mask(const char *name)
{
	int i;

	if (!strcmp(name, "all"))
		return KMT_FEATURES_ALL;
	for (i = 0; i < ARRAY_SIZE(feature_names); i++)
		if (!strcmp(name, feature_names[i].name))
			return feature_names[i].mask;
	return 0;
}

static int features_write(char *text)
{
	u32 old = kmt_probe_features(), set = 0, add = 0, remove = 0, mask;
	bool whole = false;
	char *word;

	while ((word = strsep(&text, " \t\n,"))) {
		char sign = *word;

		if (!sign)
			continue;
		if (sign == '+' || sign == '-')
			word++;
		mask = feature_mask(word);
		if (!mask && strcmp(word, "none"))
			return -EINVAL;
		if (sign == '+')
			add |= mask;
		else if (sign == '-')
			remove |= mask;
		else {
			whole = true;
			set |= mask;
		}
	}
	kmt_probe_set_features(((whole ? set : old) | add) & ~remove);
	return 0;
}

/* --- the files ------------------------------------------------------------ */

/**
 * struct control - one file
 * @name: of the file
 * @show: prints it
 * @write: takes what was written, without a trailing 0 inside; NULL: read only
 * @clear: called when it is opened with O_TRUNC, or NULL
 */
struct control {
	const char *name;
	int (*show)(struct seq_file *m, void *unused);
	int (*write)(char *text);
	void (*clear)(void);
};

static const struct control controls[] = {
	{ "abi_version", abi_version_show },
	{ "total_overruns", total_overruns_show },
	{ "lost_events", lost_events_show },
	{ "sequence", sequence_show },
	{ "enabled", enabled_show, enabled_write },
	{ "buffer_size_kb", buffer_size_kb_show, buffer_size_kb_write },
	{ "features", features_show, features_write },
	{ "available_events", available_events_show },
	{ "set_event", set_event_show, set_event_write, kmt_event_clear },
	{ "wrappers", wrappers_show, wrappers_write, wrappers_clear },
	{ "codetags", codetags_show, kmt_codetag_write, kmt_codetag_clear },
	{ "caches", caches_show },
	{ "caches_live", caches_live_show },
	{ "gfp_flags", gfp_flags_show },
	{ "stats", stats_show },
};

static int control_open(struct inode *inode, struct file *file)
{
	const struct control *control = inode->i_private;

	if (control->clear && (file->f_mode & FMODE_WRITE) &&
	    (file->f_flags & O_TRUNC))
		control->clear();
	return single_open(file, control->show, NULL);
}

static ssize_t control_write(struct file *file, const char __user *from,
			     size_t count, loff_t *ppos)
{
	const struct control *control = file_inode(file)->i_private;
	char *text;
	int err;

	if (!control->write)
		return -EACCES;
	if (count >= WRITE_MAX)
		return -EINVAL;
	text = memdup_user_nul(from, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	err = strlen(text) == count ? control->write(text) : -EINVAL;
	kfree(text);
	return err ? err : count;
}

static const struct file_operations control_fops = {
	.owner = THIS_MODULE,
	.open = control_open,
	.read = seq_read,
	.write = control_write,
	.llseek = seq_lseek,
	.release = single_release,
};

struct dentry *__init kmt_control_create_dir(void)
{
	struct dentry *dir = debugfs_create_dir("kmemtrace", NULL);

	if (IS_ERR(dir))
		pr_err("cannot make the directory kmemtrace in debugfs: %ld\n",
		       PTR_ERR(dir));
	return dir;
}

int __init kmt_control_init(struct dentry *dir)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(controls); i++) {
		const struct control *c = &controls[i];
		struct dentry *file;

		file = debugfs_create_file(c->name, c->write ? 0600 : 0400, dir,
					   (void *)c, &control_fops);
		if (IS_ERR(file)) {
			pr_err("cannot make the file %s in debugfs: %ld\n",
			       c->name, PTR_ERR(file));
			return PTR_ERR(file);
		}
	}
	return kmt_allocinfo_create_tags(dir);
}
