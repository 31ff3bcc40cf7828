// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/msg.h"
#include "control/control.h"
#include "kmt_field.h"
#include "record/frozen.h"
#include "record/settings.h"

/* --- the features of a recording ------------------------------------------ */

#define SEPARATORS " \t\n,"

/* Return: true if the list contains names with a sign and names without. */
static bool is_mixed(const char *text)
{
	bool has_signed = false, has_plain = false;

	for (text += strspn(text, SEPARATORS); *text;
	     text += strspn(text, SEPARATORS)) {
		bool is_signed = *text == '+' || *text == '-';

		has_signed |= is_signed;
		has_plain |= !is_signed;
		text += strcspn(text, SEPARATORS);
	}
	return has_signed && has_plain;
}

bool features_change(const char *text, u32 *features, const char **wrong)
{
	u32 changed = *features;

	*wrong = kmt_features_parse(text, &changed);
	if (*wrong || is_mixed(text))
		return false;
	/* an empty list removes all features */
	*features = text[strspn(text, SEPARATORS)] ? changed : 0;
	return true;
}

void features_text(u32 features, char text[FEATURES_TEXT])
{
	const struct kmt_feature_name *f;
	size_t at = 0;

	snprintf(text, FEATURES_TEXT, "none");
	for (f = kmt_feature_names; f->name; f++)
		if (features & f->mask)
			at += snprintf(text + at, FEATURES_TEXT - at, "%s%s",
				       at ? " " : "", f->name);
}

/* --- settings ------------------------------------------------------------- */

#define NO_EVENTS "!*:*"

static int refused(const char *name, const char *value, int err)
{
	if (err == -ENODEV && !strcmp(name, "order"))
		return msg_error("--order time is not possible: the kernel does not trust the time stamp counter of this machine (dmesg | grep -i tsc): leave out --order");
	if (err == -EBUSY && !strcmp(name, "order"))
		return msg_error("the order cannot be changed: another recorder is running, or there is a trigger traceon (kmemtrace-user events)");
	if (err == -EBUSY && !strcmp(name, "overwrite"))
		return msg_error("buffers cannot be replaced: another recorder is running, or there is a trigger traceon (kmemtrace-user events)");
	if (err == -EBUSY)
		return msg_error("another recorder is running");
	return msg_error("the module refuses %s=%s: %s; see %s", name, value,
			 strerror(-err),
			 strcmp(name, "features") ? "the kernel log" :
						    "the module's file error_log");
}

/* An older module lacks the files of newer options. */
static int cannot_read(const char *name, int err)
{
	static const char *const options[][2] = {
		{ "buffer_size_kb", "buffer-size" }, { "features", "features" },
		{ "order", "order" },		     { "overwrite", "flight" },
	};
	size_t i;

	for (i = 0; err == ENOENT && i < sizeof(options) / sizeof(*options); i++)
		if (!strcmp(name, options[i][0]))
			return msg_error("this module does not have --%s, because it has no file %s: leave the option out, or load the module that came with this tool",
					 options[i][1], name);
	return control_cannot_read(name, err);
}

static int change(struct settings *s, int dir, const char *name,
		  const char *value)
{
	char *old = control_read(dir, name, NULL);
	int err;

	if (!old)
		return cannot_read(name, errno);
	err = control_write(dir, name, value);
	if (err) {
		free(old);
		return refused(name, value, err);
	}
	s->changed[s->count].name = name;
	s->changed[s->count++].old = old;
	return EXIT_DONE;
}

void settings_restore(struct settings *s, int dir)
{
	while (s->count) {
		const char *name = s->changed[--s->count].name;
		char *old = s->changed[s->count].old;

		if (!strcmp(name, "set_event"))
			control_write(dir, name, NO_EVENTS);
		control_write(dir, name, old);
		free(old);
	}
}

/*
 * Buffers that overwrite cannot be read while recording is on. A flight recorder needs
 * such buffers, any other recorder the opposite.
 */
static bool switches_overwrite(int dir, const struct settings_wanted *wanted)
{
	uint64_t overwrite = 0;

	control_read_u64(dir, "overwrite", &overwrite);
	return !!overwrite != wanted->flight;
}

/* Return: whether settings_apply_buffers() must change the order. */
static bool switches_order(int dir, const char *order)
{
	char *old = control_read(dir, "order", NULL);
	bool other = order && (!old || strncmp(old, order, strlen(order)));

	free(old);
	return other;
}

/* The order is "time". The kernel may have ceased to trust the counter since it was set. */
static bool time_is_impossible(int dir)
{
	return control_write(dir, "order", "time") == -ENODEV;
}

static void try_time(struct settings *s, int dir)
{
	char *old = control_read(dir, "order", NULL);

	if (!old || control_write(dir, "order", "time")) {
		free(old);
		return;
	}
	s->changed[s->count].name = "order";
	s->changed[s->count++].old = old;
}

/*
 * Without --order, the order by time is tried. The order is left alone if that would drop a
 * snapshot.
 */
static int apply_order(struct settings *s, int dir, const char *order)
{
	if (order && switches_order(dir, order))
		return change(s, dir, "order", order);
	if (order)
		return !strcmp(order, "time") && time_is_impossible(dir) ?
			       refused("order", order, -ENODEV) :
			       EXIT_DONE;
	if (frozen_is_taken(dir))
		return EXIT_DONE;
	if (switches_order(dir, "time"))
		try_time(s, dir);
	else if (time_is_impossible(dir))
		return change(s, dir, "order", "sequence");
	return EXIT_DONE;
}

/* Find errors of settings_apply_buffers() before it drops records. */
static int check_buffers(int dir, const struct settings_wanted *wanted)
{
	uint64_t enabled;

	if (wanted->buffer_kb && !control_read_u64(dir, "enabled", &enabled) &&
	    enabled)
		return msg_error("another recorder is running, or recording was switched on by hand: to stop it: echo 0 > /sys/kernel/debug/kmemtrace/enabled");
	if ((switches_overwrite(dir, wanted) || wanted->buffer_kb ||
	     switches_order(dir, wanted->order)) &&
	    frozen_is_taken(dir))
		return msg_error("there is a snapshot, which this would drop; save it first: kmemtrace-user snapshot --drop");
	return EXIT_DONE;
}

int settings_apply_buffers(struct settings *s, int dir,
			   const struct settings_wanted *wanted)
{
	char number[32];
	int ret = apply_order(s, dir, wanted->order);

	if (!ret && switches_overwrite(dir, wanted))
		ret = change(s, dir, "overwrite", wanted->flight ? "1" : "0");
	if (!ret && wanted->buffer_kb) {
		snprintf(number, sizeof(number), "%llu",
			 (unsigned long long)wanted->buffer_kb);
		ret = change(s, dir, "buffer_size_kb", number);
	}
	return ret;
}

/* Each name is written by itself: an error is then that of this name. */
static int enable_events(int dir, const char *events)
{
	char *list = xstrdup(events), *at = list, *word;
	int err = 0;

	while (!err && (word = strsep(&at, ", \t\n"))) {
		if (!*word)
			continue;
		err = control_write(dir, "set_event", word);
		if (err == -EINVAL)
			msg_error("there is no event '%s': kmemtrace-user events lists all events",
				  word);
		else if (err)
			msg_error("cannot enable the event '%s': %s", word, strerror(-err));
	}
	free(list);
	return err ? EXIT_FAILED : EXIT_DONE;
}

int settings_apply(struct settings *s, int dir,
		   const struct settings_wanted *wanted)
{
	int ret;

	ret = check_buffers(dir, wanted);
	if (!ret)
		ret = change(s, dir, "features", wanted->features);
	if (!ret)
		ret = change(s, dir, "set_event", NO_EVENTS);
	return ret ? ret : enable_events(dir, wanted->events ? wanted->events : "*:*");
}

bool settings_drop_buffers(const struct settings *s)
{
	unsigned int i;

	for (i = 0; i < s->count; i++)
		if (!strcmp(s->changed[i].name, "overwrite") ||
		    !strcmp(s->changed[i].name, "order") ||
		    !strcmp(s->changed[i].name, "buffer_size_kb"))
			return true;
	return false;
}
