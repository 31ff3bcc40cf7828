// SPDX-License-Identifier: GPL-2.0-only
/* Notes on locking: kmt_event_lock() guards everything in this file. */
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kallsyms.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "base/errlog.h"
#include "base/symbol.h"
#include "record/mode.h"
#include "steer/event.h"
#include "steer/filter.h"

/**
 * struct filter_file - a file filter
 * @text: the filter in force, or NULL
 * @refused: the last text written, if it was refused; or NULL
 * @error: the error in @refused
 */
struct filter_file {
	char *text;
	char *refused;
	struct kmt_filter_error error;
};

static struct filter_file files[KMT_EVENT_KINDS];
/* the files of systems; the index of a system is its first event */
static struct filter_file system_files[KMT_EVENT_KINDS];

/* --- compiling ------------------------------------------------------------ */

/* @arg: set to 0 or the error */
static bool find_function(void *arg, const char *name, size_t len, u64 address,
			  u64 *start, u64 *size)
{
	struct kmt_text text;
	char word[KSYM_NAME_LEN];
	int *err = arg;

	if (!name) {
		*err = kmt_symbol_around(address, &text);
	} else if (len < sizeof(word)) {
		memcpy(word, name, len);
		word[len] = '\0';
		*err = kmt_symbol_find(word, &text);
	} else {
		*err = -ENOENT;
	}
	if (*err)
		return false;
	*start = text.start;
	*size = text.end - text.start;
	return true;
}

struct kmt_filter *kmt_filter_make(int kind, const char *text,
				   struct kmt_filter_error *error)
{
	int err = 0;
	const struct kmt_filter_env env = {
		.groups = kind == KMT_FOREIGN ? KMT_FOREIGN_GROUPS :
						kmt_kind_groups(kind),
		.nr_cpus = nr_cpu_ids,
		.function = find_function,
		.arg = &err,
	};
	struct kmt_filter *room, *filter;

	room = kvmalloc(kmt_filter_room(strlen(text)), GFP_KERNEL);
	if (!room)
		return ERR_PTR(-ENOMEM);
	if (!kmt_filter_compile(room, text, &env, error)) {
		filter = ERR_PTR(err == -ENOMEM ? err : -EINVAL);
	} else if (kmt_filter_steps(room) > KMT_FILTER_STEPS_MAX) {
		*error = (struct kmt_filter_error){ KMT_FILTER_TOO_MANY_PREDS, 1 };
		filter = ERR_PTR(-EINVAL);
	} else {
		filter = kvmalloc(room->size, GFP_KERNEL);
		if (filter)
			memcpy(filter, room, room->size);
		else
			filter = ERR_PTR(-ENOMEM);
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

/**
 * struct made - a filter that can be put in force
 * @filter: the filter; NULL removes the present one
 * @text: its text, or NULL
 */
struct made {
	struct kmt_filter *filter;
	char *text;
};

static int make(unsigned int kind, const char *text, struct made *m,
		struct kmt_filter_error *error)
{
	*m = (struct made){ NULL, NULL };
	if (clears(text))
		return 0;
	m->filter = kmt_filter_make(kind, text, error);
	if (IS_ERR(m->filter))
		return PTR_ERR(m->filter);
	m->text = kstrdup(text, GFP_KERNEL);
	if (m->text)
		return 0;
	kvfree(m->filter);
	return -ENOMEM;
}

/*
 * Each event sees either the old filter or the new one. @m->filter is set to the old one,
 * which __retire() frees.
 */
static void __publish(unsigned int kind, struct made *m)
{
	struct kmt_mode *mode = &kmt_modes[kind];
	struct kmt_filter *new = m->filter;

	m->filter = rcu_dereference_protected(mode->filter,
					      kmt_event_lock_held());
	__set_text(&files[kind], m->text);
	/* a probe that sees KMT_MODE_FILTER then sees a filter */
	if (new)
		rcu_assign_pointer(mode->filter, new);
	kmt_mode_change(kind, KMT_MODE_FILTER, new);
}

/* After a grace period. */
static void __retire(unsigned int kind, struct made *m)
{
	struct kmt_mode *mode = &kmt_modes[kind];

	if (!m->filter)
		return;
	if (rcu_access_pointer(mode->filter) == m->filter)
		RCU_INIT_POINTER(mode->filter, NULL);
	kvfree(m->filter);
}

/* @kinds: mask of the events that get the filters in @made; waits for one grace period */
static void __put_in_force(u32 kinds, struct made *made)
{
	unsigned long all = kinds;
	unsigned int kind;
	bool any = false;

	for_each_set_bit(kind, &all, KMT_EVENT_KINDS) {
		__publish(kind, &made[kind]);
		any = any || made[kind].filter;
	}
	if (!any)
		return;
	synchronize_rcu();
	for_each_set_bit(kind, &all, KMT_EVENT_KINDS)
		__retire(kind, &made[kind]);
}

int kmt_filter_write(unsigned int kind, char *text,
		     struct kmt_filter_error *error)
{
	struct made made[KMT_EVENT_KINDS];
	int err;

	strim(text); /* only at the end: its result is not used */
	err = make(kind, text, &made[kind], error);
	kmt_event_lock();
	if (!err)
		__put_in_force(BIT(kind), made);
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

/* Return: mask of the events that can have the filter; -ENOMEM. */
static int make_system(const char *system, const char *text, struct made *made)
{
	struct kmt_filter_error error;
	unsigned int kind;
	int err = 0, done = 0;

	for (kind = 0; kind < KMT_EVENT_KINDS && err != -ENOMEM; kind++) {
		if (!in_system(kind, system))
			continue;
		err = make(kind, text, &made[kind], &error);
		done |= err ? 0 : BIT(kind);
	}
	if (err != -ENOMEM)
		return done;
	for (kind = 0; kind < KMT_EVENT_KINDS; kind++) {
		if (!(done & BIT(kind)))
			continue;
		kvfree(made[kind].filter);
		kfree(made[kind].text);
	}
	return err;
}

int kmt_filter_write_system(const char *system, char *text)
{
	const struct kmt_filter_error error = {
		.code = KMT_FILTER_BAD_SUBSYS_FILTER, .column = 1,
	};
	struct made made[KMT_EVENT_KINDS];
	int done;

	strim(text); /* only at the end: its result is not used */
	done = make_system(system, text, made);
	kmt_event_lock();
	if (done > 0)
		__forget_refused(system_file(system));
	else if (!done)
		__refuse(system_file(system), text, &error);
	if (done > 0)
		__put_in_force(done, made);
	kmt_event_unlock();
	return done > 0 ? 0 : done ? done : -EINVAL;
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
	struct made none[KMT_EVENT_KINDS] = { };
	unsigned int kind;

	kmt_event_lock();
	__put_in_force(GENMASK(KMT_EVENT_KINDS - 1, 0), none);
	for (kind = 0; kind < KMT_EVENT_KINDS; kind++)
		__forget_refused(&system_files[kind]);
	kmt_event_unlock();
}
