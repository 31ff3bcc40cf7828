// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "base/errlog.h"

/* tracing/error_log also keeps 8 */
#define ERRORS 8

static struct error {
	u64 ns;
	const char *what;
	const char *where;
	char *text;
	unsigned int column;
} errors[ERRORS];

static DEFINE_MUTEX(errors_lock);
static unsigned int count; /* errors since the last clear */

void kmt_errlog_add(const char *where, const char *what, const char *text,
		    unsigned int column)
{
	size_t len = strlen(text);
	struct error *e;
	char *copy;

	while (len && isspace(text[len - 1]))
		len--;
	copy = kstrndup(text, len, GFP_KERNEL);
	if (!copy)
		return; /* event tracing does the same */
	mutex_lock(&errors_lock);
	e = &errors[count++ % ERRORS];
	kfree(e->text);
	*e = (struct error){
		.ns = ktime_get_boottime_ns(),
		.what = what,
		.where = where,
		.text = copy,
		.column = column,
	};
	mutex_unlock(&errors_lock);
}

void kmt_errlog_show(struct seq_file *m)
{
	unsigned int i;

	mutex_lock(&errors_lock);
	for (i = count > ERRORS ? count - ERRORS : 0; i < count; i++) {
		const struct error *e = &errors[i % ERRORS];
		u64 us = e->ns / 1000;

		seq_printf(m, "[%5llu.%06llu] %s: error: %s\n  Command: %s\n",
			   us / 1000000, us % 1000000, e->where, e->what,
			   e->text);
		if (e->column)
			seq_printf(m, "%*s\n",
				   (int)(strlen("  Command: ") + e->column),
				   "^");
	}
	mutex_unlock(&errors_lock);
}

const char *kmt_errlog_newest(void)
{
	const char *what = "";

	mutex_lock(&errors_lock);
	if (count)
		what = errors[(count - 1) % ERRORS].what;
	mutex_unlock(&errors_lock);
	return what;
}

void kmt_errlog_clear(void)
{
	int i;

	mutex_lock(&errors_lock);
	for (i = 0; i < ERRORS; i++) {
		kfree(errors[i].text);
		errors[i].text = NULL;
	}
	count = 0;
	mutex_unlock(&errors_lock);
}
