// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "errlog.h"

/* as tracing/error_log keeps */
#define ERRORS 8

static struct error {
	u64 ns;
	const char *what;
	char where[64];
	char text[256];
	unsigned int column;
} errors[ERRORS];

static DEFINE_MUTEX(errors_lock);
static unsigned int count; /* since they were cleared */

void kmt_errlog_add(const char *where, const char *what, const char *text,
		    unsigned int column)
{
	struct error *e;

	mutex_lock(&errors_lock);
	e = &errors[count++ % ERRORS];
	e->ns = ktime_get_boottime_ns();
	e->what = what;
	strscpy(e->where, where, sizeof(e->where));
	strscpy(e->text, text, sizeof(e->text));
	e->column = column < sizeof(e->text) ? column : 0;
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

void kmt_errlog_clear(void)
{
	mutex_lock(&errors_lock);
	count = 0;
	mutex_unlock(&errors_lock);
}
