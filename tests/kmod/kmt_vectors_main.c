// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs the filter engine, as compiled for the kernel, with the same tables as the unit
 * tests. debugfs/kmt_vectors prints a KTAP result for each group of vectors, and each
 * vector that fails.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "filter_check.h"

static struct dentry *file;

/**
 * struct space - buffers that are too large for the stack
 * @event: the event
 * @room: the compiled filter
 */
struct space {
	struct fv_event event;
	u64 room[FV_ROOM / sizeof(u64)];
};

static void show_text(struct seq_file *m, const char *text)
{
	seq_puts(m, "# \"");
	seq_escape(m, text, "\t\n\v\f\r");
	seq_puts(m, "\"");
}

static void check_group(struct seq_file *m, enum fv_group group,
			struct space *space)
{
	unsigned int n = 0, failed = 0;
	size_t i;

	for (i = 0; i < FV_VECTORS; i++) {
		const struct fv_vector *v = &fv_vectors[i];
		const char *wrong;

		if (v->group != group)
			continue;
		n++;
		wrong = fv_check_vector(v, (void *)space->room, &space->event);
		if (!wrong)
			continue;
		failed++;
		show_text(m, v->text);
		seq_printf(m, " of record %d: %s\n", v->record, wrong);
	}
	seq_printf(m, "%sok %d %s (%u vectors)\n", failed || !n ? "not " : "",
		   group + 1, fv_group_names[group], n);
}

static void check_refused(struct seq_file *m, struct space *space)
{
	struct kmt_filter_error error;
	unsigned int failed = 0;
	size_t i;

	for (i = 0; i < FV_REFUSED; i++) {
		const struct fv_refused *v = &fv_refused[i];
		const char *wrong = fv_check_refused(v, (void *)space->room,
						     &error);

		if (!wrong)
			continue;
		failed++;
		show_text(m, v->text);
		seq_printf(m, " %s: %s, column %u\n", wrong,
			   kmt_filter_text(error.code), error.column);
	}
	seq_printf(m, "%sok %d texts that are refused (%zu texts)\n",
		   failed ? "not " : "", FV_GROUPS + 1, FV_REFUSED);
}

static int kmt_vectors_show(struct seq_file *m, void *unused)
{
	struct space *space = kmalloc(sizeof(*space), GFP_KERNEL);
	enum fv_group group;

	if (!space)
		return -ENOMEM;
	seq_printf(m, "KTAP version 1\n1..%d\n", FV_GROUPS + 1);
	for (group = 0; group < FV_GROUPS; group++)
		check_group(m, group, space);
	check_refused(m, space);
	kfree(space);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(kmt_vectors);

static int __init kmt_vectors_init(void)
{
	file = debugfs_create_file("kmt_vectors", 0400, NULL, NULL,
				   &kmt_vectors_fops);
	return 0;
}
module_init(kmt_vectors_init);

static void __exit kmt_vectors_exit(void)
{
	debugfs_remove(file);
}
module_exit(kmt_vectors_exit);

MODULE_DESCRIPTION("Checks the filter engine of kmemtrace with its table of vectors");
MODULE_LICENSE("GPL");
