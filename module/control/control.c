// SPDX-License-Identifier: GPL-2.0-only
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/kmemtrace.h>
#include <linux/kmemtrace_pages.h>
#include <trace/events/kmem.h> /* for the names of the gfp flags */

#include "account/ages.h"
#include "account/allocinfo.h"
#include "account/cgroups.h"
#include "account/codetag.h"
#include "account/live.h"
#include "account/pagefiles.h"
#include "account/tables.h"
#include "account/tag.h"
#include "account/vmap.h"
#include "base/allocators.h"
#include "base/cache.h"
#include "base/callsite.h"
#include "base/errlog.h"
#include "base/open.h"
#include "base/textfile.h"
#include "control/control.h"
#include "control/events_dir.h"
#include "control/stats.h"
#include "kmt_field.h"
#include "record/buffers.h"
#include "record/channel.h"
#include "record/mode.h"
#include "record/modlog.h"
#include "record/number.h"
#include "record/snapshot.h"
#include "record/writer.h"
#include "steer/detail.h"
#include "steer/event.h"
#include "steer/foreign.h"

/* the characters of isspace(), with which event tracing separates words */
#define SPACES " \t\n\v\f\r\xa0"

/* --- read ------------------------------------------------------------------ */

static int abi_version_show(struct seq_file *m, void *arg)
{
	seq_printf(m, "%u\n", kmt_mode_timed() ? KMEMTRACE_ABI_VERSION :
						 KMEMTRACE_ABI_SEQUENCE);
	return 0;
}

static int pages_version_show(struct seq_file *m, void *arg)
{
	seq_printf(m, "%u\n", KMEMTRACE_PAGES_VERSION);
	return 0;
}

static int total_overruns_show(struct seq_file *m, void *arg)
{
	struct kmt_channel_cpu lost;

	kmt_channel_lost(&lost);
	seq_printf(m, "%llu\n", lost.dropped_bytes + lost.overwritten_bytes);
	return 0;
}

static int lost_events_show(struct seq_file *m, void *arg)
{
	struct kmt_channel_cpu lost;

	kmt_channel_lost(&lost);
	seq_printf(m, "%llu\n", lost.lost_events);
	return 0;
}

static int sequence_show(struct seq_file *m, void *arg)
{
	seq_printf(m, "%llu\n", kmt_number_sum());
	return 0;
}

static int order_show(struct seq_file *m, void *arg)
{
	seq_puts(m, kmt_mode_timed() ? "time\n" : "sequence\n");
	return 0;
}

static int clock_show(struct seq_file *m, void *arg)
{
	seq_printf(m, "%llu\n", kmt_writer_place());
	return 0;
}

static int enabled_show(struct seq_file *m, void *arg)
{
	seq_printf(m, "%d\n", !kmt_mode_paused());
	return 0;
}

static int buffer_size_kb_show(struct seq_file *m, void *arg)
{
	seq_printf(m, "%llu\n", kmt_buffers_size() >> 10);
	return 0;
}

static int overwrite_show(struct seq_file *m, void *arg)
{
	seq_printf(m, "%d\n", READ_ONCE(kmt_channel_overwrite));
	return 0;
}

static int snapshot_show(struct seq_file *m, void *arg)
{
	kmt_snapshot_show(m);
	return 0;
}

static int error_log_show(struct seq_file *m, void *arg)
{
	kmt_errlog_show(m);
	return 0;
}

static int available_events_show(struct seq_file *m, void *arg)
{
	kmt_event_show(m, false);
	return 0;
}

static int set_event_show(struct seq_file *m, void *arg)
{
	kmt_event_show(m, true);
	return 0;
}

static int triggers_show(struct seq_file *m, void *arg)
{
	kmt_foreign_show(m);
	return 0;
}

static int caches_show(struct seq_file *m, void *arg)
{
	kmt_cache_show(m);
	return 0;
}

static int cgroups_show(struct seq_file *m, void *arg)
{
	return kmt_cgroups_show(m);
}

static int stats_show(struct seq_file *m, void *arg)
{
	kmt_stats_show(m);
	return 0;
}

static int caches_live_show(struct seq_file *m, void *arg)
{
	return kmt_live_show_caches(m);
}

static int wrappers_show(struct seq_file *m, void *arg)
{
	kmt_wrappers_show(m);
	return 0;
}

static int codetags_show(struct seq_file *m, void *arg)
{
	kmt_codetag_show(m);
	return 0;
}

static int modules_show(struct seq_file *m, void *arg)
{
	kmt_modlog_show(m);
	return 0;
}

static int gfp_flags_show(struct seq_file *m, void *arg)
{
	static const struct trace_print_flags names[] = { __def_gfpflag_names };
	int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		seq_printf(m, "0x%lx %s\n", names[i].mask, names[i].name);
	return 0;
}

static int features_show(struct seq_file *m, void *arg)
{
	const struct kmt_feature_name *f;
	u32 on = kmt_mode_features();
	const char *blank = "";

	for (f = kmt_feature_names; f->name; f++) {
		if (!(on & f->mask))
			continue;
		seq_printf(m, "%s%s", blank, f->name);
		blank = " ";
	}
	seq_puts(m, on ? "\n" : "none\n");
	return 0;
}

/* --- write ----------------------------------------------------------------- */

static int enabled_write(char *text, void *arg)
{
	unsigned long on;
	int err = kmt_textfile_number("enabled", text, ULONG_MAX, &on);

	return err ? err : kmt_event_record(on);
}

static int buffer_size_kb_write(char *text, void *arg)
{
	unsigned long kb;
	int err = kmt_textfile_number("buffer_size_kb", text, ULONG_MAX, &kb);

	if (err)
		return err;
	/* a size that would overflow is too large in any case */
	err = kmt_buffers_resize(min_t(u64, kb, UINT_MAX) << 10);
	if (err == -EINVAL)
		kmt_errlog_add("buffer_size_kb",
			       "The size is 0 or too large: the kernel log has the reason",
			       text, 1);
	else if (err == -EBUSY)
		kmt_errlog_add("buffer_size_kb",
			       "A cpu<n> or snapshot_cpu<n> is open: close it",
			       text, 0);
	return err;
}

/* Each word enables or disables events. As in event tracing, only O_TRUNC clears. */
static int set_event_write(char *text, void *arg)
{
	char *word;
	int err = 0;

	while (!err && (word = strsep(&text, SPACES ","))) {
		if (!*word)
			continue;
		err = kmt_event_set(word);
		if (err == -EINVAL)
			kmt_errlog_add("set_event", "There is no such event",
				       word, 1);
	}
	return err;
}

/* Walks have stored where they end, and tags whether their site is in a wrapper. */
static void wrappers_changed(void)
{
	kmt_callsite_forget();
	if (kmt_tables_ready())
		kmt_tag_reflag();
}

static int wrappers_clear(void *arg)
{
	int err = kmt_wrappers_clear();

	wrappers_changed();
	return err;
}

static const char *why_no_wrapper(int err)
{
	switch (err) {
	case -ENOENT:
		return "The kernel has no such function, or it is no wrapper that can be removed";
	case -ENOSPC:
		return "There are too many wrappers";
	default:
		return "There is no memory";
	}
}

static int wrappers_write(char *text, void *arg)
{
	char *word;
	int err = 0;

	while (!err && (word = strsep(&text, SPACES ","))) {
		if (!*word)
			continue;
		err = kmt_wrapper_set(word);
		if (err)
			kmt_errlog_add("wrappers", why_no_wrapper(err), word, 1);
	}
	wrappers_changed();
	return err;
}

static int features_write(char *text, void *arg)
{
	u32 features = kmt_mode_features();
	const char *wrong = kmt_features_parse(text, &features);

	if (wrong) {
		kmt_errlog_add("features", "There is no such feature", text,
			       wrong - text + 1);
		return -EINVAL;
	}
	kmt_mode_set_features(features);
	return 0;
}

static int triggers_write(char *text, void *arg)
{
	return kmt_foreign_write(text);
}

static int detail_show(struct seq_file *m, void *arg)
{
	return kmt_detail_show(m);
}

static int detail_write(char *text, void *arg)
{
	return kmt_detail_write(text);
}

static int detail_clear(void *arg)
{
	kmt_detail_clear();
	return 0;
}

static int codetags_write(char *text, void *arg)
{
	return kmt_codetag_write(text);
}

static int codetags_clear(void *arg)
{
	kmt_codetag_clear();
	return 0;
}

static int set_event_clear(void *arg)
{
	kmt_event_clear();
	return 0;
}

static int overwrite_write(char *text, void *arg)
{
	unsigned long on;
	int err = kmt_textfile_number("overwrite", text, 1, &on);

	if (err)
		return err;
	err = kmt_buffers_set_overwrite(on);
	if (err == -EBUSY)
		kmt_errlog_add("overwrite",
			       "The buffers are in use: switch recording off, remove its triggers, close cpu<n> and snapshot_cpu<n>",
			       text, 0);
	return err;
}

static const char *why_no_order(int err)
{
	switch (err) {
	case -EBUSY:
		return "The buffers are in use: switch recording off, remove its triggers, close cpu<n> and snapshot_cpu<n>";
	case -ENODEV:
		return "The kernel does not trust the time stamp counter of this machine: write sequence";
	case -EINVAL:
		return "The order is sequence or time";
	default:
		return "There is no memory";
	}
}

static int order_write(char *text, void *arg)
{
	char *word = strim(text);
	int err = -EINVAL;

	if (!strcmp(word, "time"))
		err = kmt_buffers_set_timed(true);
	else if (!strcmp(word, "sequence"))
		err = kmt_buffers_set_timed(false);
	if (err)
		kmt_errlog_add("order", why_no_order(err), word, 0);
	return err;
}

static int snapshot_write(char *text, void *arg)
{
	return kmt_snapshot_write(text);
}

/* Accepts and ignores any text. As in event tracing, only O_TRUNC clears the log. */
static int error_log_write(char *text, void *arg)
{
	return 0;
}

static int error_log_clear(void *arg)
{
	kmt_errlog_clear();
	return 0;
}

/* As in event tracing, the text does not matter. */
static int free_buffer_write(char *text, void *arg)
{
	int err = kmt_buffers_free();

	if (err)
		kmt_errlog_add("free_buffer", "The buffers are in use: switch recording off, remove its triggers, close cpu<n>",
			       text, 0);
	return err;
}

/* --- the files ------------------------------------------------------------- */

static const struct kmt_textfile files[] = {
	{ "abi_version", abi_version_show },
	{ "pages_version", pages_version_show },
	{ "total_overruns", total_overruns_show },
	{ "lost_events", lost_events_show },
	{ "sequence", sequence_show },
	{ "order", order_show, order_write },
	{ "clock", clock_show },
	{ "enabled", enabled_show, enabled_write },
	{ "buffer_size_kb", buffer_size_kb_show, buffer_size_kb_write },
	{ "free_buffer", NULL, free_buffer_write },
	{ "overwrite", overwrite_show, overwrite_write },
	{ "snapshot", snapshot_show, snapshot_write },
	{ "features", features_show, features_write },
	{ "available_events", available_events_show },
	{ "set_event", set_event_show, set_event_write, set_event_clear,
	  .words = true },
	{ "triggers", triggers_show, triggers_write },
	{ "detail", detail_show, detail_write, detail_clear,
	  .size = kmt_detail_show_size },
	{ "wrappers", wrappers_show, wrappers_write, wrappers_clear },
	{ "codetags", codetags_show, codetags_write, codetags_clear,
	  .size = kmt_codetag_show_size },
	{ "caches", caches_show },
	{ "caches_live", caches_live_show, .size = kmt_live_show_caches_size },
	{ "cgroups", cgroups_show },
	{ "gfp_flags", gfp_flags_show },
	{ "modules", modules_show },
	{ "stats", stats_show, .size = kmt_stats_show_size },
	{ "error_log", error_log_show, error_log_write, error_log_clear },
};

/*
 * The file session: recording ends when the file is closed. A recorder that is killed
 * cannot switch recording off itself, but the kernel closes its files.
 */

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

static int open_session(struct inode *inode, struct file *file)
{
	return kmt_open_file() ?: nonseekable_open(inode, file);
}

static int release_session(struct inode *inode, struct file *file)
{
	kmt_event_release(file);
	return 0;
}

static const struct file_operations session_fops = {
	.owner = THIS_MODULE,
	.open = open_session,
	.write = write_session,
	.release = release_session,
};

static int __init create_session(struct dentry *dir)
{
	return PTR_ERR_OR_ZERO(debugfs_create_file("session", 0200, dir, NULL,
						   &session_fops));
}

struct dentry *__init kmt_control_create_dir(void)
{
	struct dentry *dir = debugfs_create_dir("kmemtrace", NULL);

	if (!IS_ERR(dir))
		return dir;
	/* start_creating() and simple_pin_fs() in fs/debugfs/inode.c and fs/libfs.c */
	if (dir == ERR_PTR(-EPERM) || dir == ERR_PTR(-ENOENT) || dir == ERR_PTR(-ENODEV)) {
		pr_warn("this kernel has no debugfs (boot parameter debugfs=off or debugfs=no-mount): memory is accounted, but there are no files in debugfs, and nothing is recorded\n");
		return NULL;
	}
	pr_err("cannot make the directory kmemtrace in debugfs: %ld\n", PTR_ERR(dir));
	return dir;
}

int __init kmt_control_init(struct dentry *dir)
{
	int i, err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(files); i++)
		err = kmt_textfile_create(&files[i], dir);
	if (!err)
		err = create_session(dir);
	if (!err)
		err = kmt_events_dir_init(dir);
	if (!err)
		err = kmt_pagefiles_create(dir);
	if (!err)
		err = kmt_vmap_create(dir);
	if (!err)
		err = kmt_ages_create(dir);
	return err ? err : kmt_allocinfo_create_tags(dir);
}
