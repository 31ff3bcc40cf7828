// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "base/errlog.h"
#include "control/boot.h"
#include "kmt_field.h"
#include "record/mode.h"
#include "steer/detail.h"
#include "steer/event.h"
#include "steer/filter.h"
#include "steer/foreign.h"
#include "steer/trigger.h"

static bool enable;
module_param(enable, bool, 0444);
MODULE_PARM_DESC(enable, "start recording at once: yes or no (default)");
static char *set_event;
module_param(set_event, charp, 0444);
MODULE_PARM_DESC(set_event, "events to enable, as in the file set_event, separated by commas");
/* filters may have addresses of the kernel, so only root reads them */
static char *filter;
module_param(filter, charp, 0400);
MODULE_PARM_DESC(filter, "filters, EVENT.FILTER or SYSTEM.FILTER, separated by semicolons");
static char *trigger;
module_param(trigger, charp, 0400);
MODULE_PARM_DESC(trigger, "triggers, EVENT.TRIGGER, separated by semicolons; EVENT may be any SYSTEM:EVENT of the kernel");
static char *detail;
module_param(detail, charp, 0400);
MODULE_PARM_DESC(detail, "rules of the file detail, separated by semicolons, for example live_bytes>256M");
static char *features;
module_param(features, charp, 0444);
MODULE_PARM_DESC(features, "optional parts of records, as in the file features, separated by commas");

static int set_one_event(char *word)
{
	int err = kmt_event_set(word);

	if (err == -EINVAL)
		pr_err("set_event: there is no event %s; use a name as in available_events, for example kmem:kmalloc\n",
		       word);
	else if (err)
		pr_err("set_event: cannot enable %s: error %d\n", word, err);
	return err;
}

/* Split "EVENT.REST" at the dot. Return: the kind of the event, or -1. */
static int split(char *word, char **rest)
{
	char *dot = strchr(word, '.');

	if (!dot)
		return -1;
	*dot = '\0';
	*rest = dot + 1;
	return kmt_kind_find(word, strlen(word));
}

/* Log what was expected instead of @word, which split() may have cut at the dot. */
static int refuse(const char *expected, char *word, char *rest)
{
	if (rest != word)
		rest[-1] = '.';
	pr_err("%s, not '%s'\n", expected, word);
	return -EINVAL;
}

/* Errors go to the kernel log: the files filter and error_log do not exist yet. */
static int set_one_filter(char *word)
{
	struct kmt_filter_error error;
	char *text = word;
	int kind = split(word, &text), err;

	if (kind < 0 && text != word && kmt_system_find(word) >= 0) {
		err = kmt_filter_write_system(word, text);
		if (err == -EINVAL)
			pr_err("filter: no event of %s can have this filter: %s\n",
			       word, text);
		else if (err)
			pr_err("filter: cannot set '%s': error %d\n", text, err);
		return err;
	}
	if (kind < 0)
		return refuse("filter: expecting EVENT.FILTER, for example kmem:kmalloc.bytes_req>4096", word, text);
	err = kmt_filter_write(kind, text, &error);
	if (err == -EINVAL)
		pr_err("filter: %s, at column %u of '%s'\n",
		       kmt_filter_text(error.code), error.column, text);
	else if (err)
		pr_err("filter: cannot set '%s': error %d\n", text, err);
	return err;
}

static int log_refused(const char *parameter, const char *text, int err)
{
	if (err)
		pr_err("%s: '%s' is refused: error %d: %s\n", parameter, text, err,
		       kmt_errlog_newest());
	return err;
}

/* The name of an event that kmemtrace does not record begins with that of its system. */
static int set_one_trigger(char *word)
{
	char *text = word;
	int kind = split(word, &text), err;

	if (kind < 0 && text != word && strchr(word, ':')) {
		text[-1] = ':';
		text = word;
		err = kmt_foreign_write(word);
	} else if (kind < 0) {
		return refuse("trigger: expecting EVENT.TRIGGER, for example kmem:kmalloc.stacktrace:5", word, text);
	} else {
		err = kmt_trigger_write(kind, text);
	}
	return log_refused("trigger", text, err);
}

static int set_one_detail(char *word)
{
	return log_refused("detail", word, kmt_detail_write(word));
}

/* Cut off the text before the next separator. A separator in quotes does not count. */
static char *next_word(char **rest, const char *separators)
{
	char *word = *rest, *end, quote = 0;

	if (!word)
		return NULL;
	for (end = word; *end; end++) {
		if (quote ? *end == quote : *end == '\'' || *end == '"')
			quote = quote ? 0 : *end;
		else if (!quote && strchr(separators, *end))
			break;
	}
	*rest = *end ? end + 1 : NULL;
	*end = '\0';
	return strim(word);
}

static int for_each_word(const char *text, const char *separators,
			 int (*set)(char *word))
{
	char *copy = kstrdup(text, GFP_KERNEL), *rest = copy, *word;
	int err = copy ? 0 : -ENOMEM;

	while (!err && (word = next_word(&rest, separators)))
		if (*word)
			err = set(word);
	kfree(copy);
	return err;
}

static int set_features(void)
{
	u32 mask = 0;
	const char *wrong = kmt_features_parse(features, &mask);

	if (wrong) {
		pr_err("features: there is no '%s'; use time, cache, page, task, cgroup, stack\n",
		       wrong);
		return -EINVAL;
	}
	kmt_mode_set_features(mask);
	return 0;
}

int __init kmt_boot_init(void)
{
	int err = 0;

	if (features)
		err = set_features();
	if (!err && set_event) {
		kmt_event_clear();
		err = for_each_word(set_event, ", \t\n", set_one_event);
	}
	if (!err && filter)
		err = for_each_word(filter, ";", set_one_filter);
	if (!err && trigger)
		err = for_each_word(trigger, ";", set_one_trigger);
	if (!err && detail)
		err = for_each_word(detail, ";", set_one_detail);
	if (!err && enable)
		err = kmt_event_record(true);
	return err;
}
