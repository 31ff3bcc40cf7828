// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: all here is under kmt_event_lock().
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kallsyms.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "errlog.h"
#include "event.h"
#include "filter.h"
#include "gate.h"
#include "symbol.h"

/**
 * struct filter_file - a file filter
 * @text: of the filter in force, or NULL
 * @refused: what was written last, if it was refused, or NULL
 * @error: why
 */
struct filter_file {
	char *text;
	char *refused;
	struct kmt_filter_error error;
};

static struct filter_file files[KMT_EVENT_KINDS];
/* those of systems; a system is named by its first event */
static struct filter_file system_files[KMT_EVENT_KINDS];

/* --- compiling ------------------------------------------------------------ */

static bool find_function(void *arg, const char *name, size_t len, u64 address,
			  u64 *start, u64 *size)
{
	struct kmt_text text;
	char word[KSYM_NAME_LEN];

	if (!name) {
		if (kmt_symbol_around(address, &text))
			return false;
	} else {
		if (len >= sizeof(word))
			return false;
		memcpy(word, name, len);
		word[len] = '\0';
		if (kmt_symbol_find(word, &text))
			return false;
	}
	*start = text.start;
	*size = text.end - text.start;
	return true;
}

struct kmt_filter *kmt_filter_make(unsigned int kind, const char *text,
				   struct kmt_filter_error *error)
{
	const struct kmt_filter_env env = {
		.groups = kmt_kind_groups(kind),
		.nr_cpus = nr_cpu_ids,
		.function = find_function,
	};
	struct kmt_filter *room, *filter;

	room = kvmalloc(kmt_filter_room(strlen(text)), GFP_KERNEL);
	if (!room)
		return ERR_PTR(-ENOMEM);
	if (kmt_filter_compile(room, text, &env, error)) {
		filter = kvmalloc(room->size, GFP_KERNEL);
		if (filter)
			memcpy(filter, room, room->size);
		else
			filter = ERR_PTR(-ENOMEM);
	} else {
		filter = ERR_PTR(-EINVAL);
	}
	kvfree(room);
	return filter;
}

/* --- writing -------------------------------------------------------------- */

static bool clears(const char *text)
{
	return !strcmp(skip_spaces(text), "0");
}

static void __forget_refused(struct filter_file *file)
{
	kfree(file->refused);
	file->refused = NULL;
}

static void __refuse(struct filter_file *file, const char *text,
		     const struct kmt_filter_error *error)
{
	__forget_refused(file);
	file->refused = kstrdup(text, GFP_KERNEL);
	file->error = *error;
	kmt_errlog_add("event filter parse error",
		       kmt_filter_text(error->code), text, error->column);
}

static void __set_text(struct filter_file *file, char *text)
{
	__forget_refused(file);
	kfree(file->text);
	file->text = text;
}

static int __put_in_force(unsigned int kind, const char *text,
			  struct kmt_filter_error *error)
{
	struct kmt_filter *filter = NULL;
	char *copy = NULL;

	if (!clears(text)) {
		filter = kmt_filter_make(kind, text, error);
		if (IS_ERR(filter))
			return PTR_ERR(filter);
		copy = kstrdup(text, GFP_KERNEL);
		if (!copy) {
			kvfree(filter);
			return -ENOMEM;
		}
	}
	__set_text(&files[kind], copy);
	kmt_gate_set_filter(kind, filter);
	return 0;
}

int kmt_filter_write(unsigned int kind, char *text,
		     struct kmt_filter_error *error)
{
	int err;

	strim(text); /* at the end alone: what it returns is left */
	kmt_event_lock();
	err = __put_in_force(kind, text, error);
	if (err == -EINVAL)
		__refuse(&files[kind], text, error);
	kmt_event_unlock();
	return err;
}

static bool in_system(unsigned int kind, const char *system)
{
	return !strcmp(kmt_kind_names[kind].system, system);
}

static struct filter_file *system_file(const char *system)
{
	return &system_files[kmt_system_find(system)];
}

int kmt_filter_write_system(const char *system, char *text)
{
	struct kmt_filter_error error;
	unsigned int kind, done = 0;
	int err = 0;

	strim(text); /* at the end alone: what it returns is left */
	kmt_event_lock();
	for (kind = 0; kind < KMT_EVENT_KINDS; kind++) {
		if (!in_system(kind, system))
			continue;
		err = __put_in_force(kind, text, &error);
		if (err == -ENOMEM)
			break;
		done += !err;
	}
	if (done && err != -ENOMEM) {
		__forget_refused(system_file(system));
		err = 0;
	} else if (err == -EINVAL) {
		error.code = KMT_FILTER_BAD_SUBSYS_FILTER;
		error.column = 1;
		__refuse(system_file(system), text, &error);
	}
	kmt_event_unlock();
	return err;
}

/* --- reading -------------------------------------------------------------- */

static void __show_refused(const struct filter_file *file, struct seq_file *m)
{
	seq_printf(m, "%s\n%*s\nparse_error: %s\n", file->refused,
		   file->error.column, "^", kmt_filter_text(file->error.code));
}

void kmt_filter_show(unsigned int kind, struct seq_file *m)
{
	const struct filter_file *file = &files[kind];
	const char *text;

	kmt_event_lock();
	text = file->text ?: "none";
	if (file->refused) {
		__show_refused(file, m);
		seq_printf(m, "filter in force: %s\n", text);
	} else {
		seq_printf(m, "%s\n", text);
	}
	kmt_event_unlock();
}

void kmt_filter_show_system(const char *system, struct seq_file *m)
{
	const struct filter_file *file = system_file(system);

	kmt_event_lock();
	if (file->refused)
		__show_refused(file, m);
	else
		seq_puts(m,
			 "### global filter ###\n"
			 "# Use this to set filters for multiple events.\n"
			 "# Only events with the given fields will be affected.\n"
			 "# If no events are modified, an error message will be displayed here\n");
	kmt_event_unlock();
}

void kmt_filter_exit(void)
{
	unsigned int kind;

	kmt_event_lock();
	for (kind = 0; kind < KMT_EVENT_KINDS; kind++) {
		__set_text(&files[kind], NULL);
		__forget_refused(&system_files[kind]);
		kmt_gate_set_filter(kind, NULL);
	}
	kmt_event_unlock();
}
