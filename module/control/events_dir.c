// SPDX-License-Identifier: GPL-2.0-only
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "base/textfile.h"
#include "control/events_dir.h"
#include "control/format.h"
#include "steer/event.h"
#include "steer/filter.h"
#include "steer/trigger.h"

static unsigned int kind_of(void *arg)
{
	return (unsigned long)arg;
}

/* Enable or disable the events that match "system:event". */
static int set_events(const char *system, const char *event, bool on)
{
	char pattern[64];

	snprintf(pattern, sizeof(pattern), "%s%s:%s", on ? "" : "!", system,
		 event);
	return kmt_event_set(pattern);
}

/* --- files of one event ---------------------------------------------------- */

static int enable_show(struct seq_file *m, void *arg)
{
	bool soft, on = kmt_event_is_enabled(kind_of(arg), &soft);

	seq_printf(m, "%d%s\n", on, soft ? "*" : "");
	return 0;
}

static int enable_write(char *text, void *arg)
{
	const struct kmt_kind_name *name = &kmt_kind_names[kind_of(arg)];
	unsigned long on;
	int err = kmt_textfile_number("enable", text, 1, &on);

	return err ? err : set_events(name->system, name->event, on);
}

static int id_show(struct seq_file *m, void *arg)
{
	seq_printf(m, "%u\n", kmt_format_id(kind_of(arg)));
	return 0;
}

static int format_show(struct seq_file *m, void *arg)
{
	kmt_format_show(kind_of(arg), m);
	return 0;
}

static int filter_show(struct seq_file *m, void *arg)
{
	kmt_filter_show(kind_of(arg), m);
	return 0;
}

static int filter_write(char *text, void *arg)
{
	struct kmt_filter_error error; /* the file itself shows the error */

	return kmt_filter_write(kind_of(arg), text, &error);
}

static int trigger_show(struct seq_file *m, void *arg)
{
	kmt_trigger_show(kind_of(arg), m);
	return 0;
}

static int trigger_write(char *text, void *arg)
{
	return kmt_trigger_write(kind_of(arg), text);
}

static int hist_show(struct seq_file *m, void *arg)
{
	return kmt_trigger_show_hists(kind_of(arg), m);
}

/* --- files of a system, or of all events ----------------------------------- */

/* @system: name of the system; NULL: all systems */
static bool in_system(unsigned int kind, const char *system)
{
	return !system || !strcmp(kmt_kind_names[kind].system, system);
}

static int enable_all_show(struct seq_file *m, void *arg)
{
	/* by @seen: no event; all off; all on; some on and some off */
	static const char answers[] = { '?', '0', '1', 'X' };
	unsigned int kind, seen = 0;

	for (kind = 0; kind < KMT_EVENTS; kind++)
		if (in_system(kind, arg))
			seen |= kmt_event_is_active(kind) ? 2 : 1;
	seq_printf(m, "%c\n", answers[seen]);
	return 0;
}

static int enable_all_write(char *text, void *arg)
{
	unsigned long on;
	int err = kmt_textfile_number("enable", text, 1, &on);

	return err ? err : set_events(arg ?: "*", "*", on);
}

static int system_filter_show(struct seq_file *m, void *arg)
{
	kmt_filter_show_system(arg, m);
	return 0;
}

static int system_filter_write(char *text, void *arg)
{
	return kmt_filter_write_system(arg, text);
}

/* --- create ---------------------------------------------------------------- */

static const struct kmt_textfile event_templates[] = {
	{ "enable", enable_show, enable_write },
	{ "filter", filter_show, filter_write },
	{ "trigger", trigger_show, trigger_write },
	{ "hist", hist_show },
	{ "format", format_show },
	{ "id", id_show },
};

static const struct kmt_textfile system_templates[] = {
	{ "enable", enable_all_show, enable_all_write },
	{ "filter", system_filter_show, system_filter_write },
};

static const struct kmt_textfile all_enable = {
	"enable", enable_all_show, enable_all_write,
};

static struct kmt_textfile event_files[KMT_EVENTS][ARRAY_SIZE(event_templates)];
/* indexed by the first event of each system */
static struct kmt_textfile system_files[KMT_EVENTS]
				       [ARRAY_SIZE(system_templates)];

static int create_files(struct kmt_textfile *files,
			const struct kmt_textfile *templates, int count,
			void *arg, struct dentry *dir)
{
	int i, err = 0;

	for (i = 0; !err && i < count; i++) {
		files[i] = templates[i];
		files[i].arg = arg;
		err = kmt_textfile_create(&files[i], dir);
	}
	return err;
}

static int create_event(unsigned int kind, struct dentry *system_dir)
{
	struct dentry *dir =
		debugfs_create_dir(kmt_kind_names[kind].event, system_dir);

	if (IS_ERR(dir))
		return PTR_ERR(dir);
	return create_files(event_files[kind], event_templates,
			    ARRAY_SIZE(event_templates),
			    (void *)(unsigned long)kind, dir);
}

/* @first: first event of the system */
static int create_system(unsigned int first, struct dentry *events_dir)
{
	const char *system = kmt_kind_names[first].system;
	struct dentry *dir = debugfs_create_dir(system, events_dir);
	unsigned int kind;
	int err;

	if (IS_ERR(dir))
		return PTR_ERR(dir);
	err = create_files(system_files[first], system_templates,
			   ARRAY_SIZE(system_templates), (void *)system, dir);
	for (kind = first; !err && kind < KMT_EVENTS; kind++)
		if (in_system(kind, system))
			err = create_event(kind, dir);
	return err;
}

int __init kmt_events_dir_init(struct dentry *parent)
{
	struct dentry *dir = debugfs_create_dir("events", parent);
	unsigned int kind;
	int err;

	if (IS_ERR(dir))
		return PTR_ERR(dir);
	err = kmt_textfile_create(&all_enable, dir);
	for (kind = 0; !err && kind < KMT_EVENTS; kind++)
		if (kmt_system_find(kmt_kind_names[kind].system) == kind)
			err = create_system(kind, dir);
	return err;
}
