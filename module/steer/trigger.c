// SPDX-License-Identifier: GPL-2.0-only
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "base/errlog.h"
#include "record/mode.h"
#include "record/wake.h"
#include "steer/event.h"
#include "steer/trigger.h"

unsigned int kmt_trigger_fire(unsigned int kind, struct kmt_context *c,
			      bool paused)
{
	return kmt_triggers_fire(rcu_dereference_sched(kmt_modes[kind].triggers),
				 c, paused);
}

int kmt_trigger_set(unsigned int kind, const struct kmt_trigger_spec *spec,
		    const char *text)
{
	struct kmt_trigger_set __rcu **where = &kmt_modes[kind].triggers;
	int err;

	kmt_event_lock();
	if (spec->remove)
		err = __kmt_triggers_remove(where, kind, spec);
	else
		err = __kmt_triggers_add(where, kind, spec);
	kmt_event_unlock();
	/* with overwrite=1, removing a trigger traceon may make buffers readable */
	kmt_wake_all();
	kmt_triggers_log(err, text);
	return err;
}

int kmt_trigger_write(unsigned int kind, char *text)
{
	struct kmt_trigger_spec spec;

	text = strim(text);
	if (kmt_trigger_parse(text, &spec))
		return kmt_trigger_set(kind, &spec, text);
	kmt_errlog_add("event trigger parse error", kmt_trigger_text(spec.error),
		       text, spec.column);
	return -EINVAL;
}

static void show_available(struct seq_file *m)
{
	int i;

	seq_puts(m, "# Available triggers:\n#");
	for (i = 0; i < KMT_TRIGGER_COMMANDS; i++)
		seq_printf(m, " %s", kmt_trigger_names[i]);
	seq_putc(m, '\n');
}

void kmt_trigger_show(unsigned int kind, struct seq_file *m)
{
	struct kmt_trigger_set __rcu **where = &kmt_modes[kind].triggers;

	kmt_event_lock();
	if (__kmt_triggers_are_none(where))
		show_available(m);
	else
		__kmt_triggers_show(where, NULL, m);
	kmt_event_unlock();
}

int kmt_trigger_show_hists(unsigned int kind, struct seq_file *m)
{
	int err;

	kmt_event_lock();
	err = __kmt_triggers_show_hists(&kmt_modes[kind].triggers, m);
	kmt_event_unlock();
	return err;
}

void kmt_trigger_exit(void)
{
	struct kmt_trigger_set *sets[KMT_EVENT_KINDS];
	unsigned int kind;
	bool any = false;

	kmt_event_lock();
	for (kind = 0; kind < KMT_EVENT_KINDS; kind++) {
		sets[kind] = __kmt_triggers_withdraw(&kmt_modes[kind].triggers,
						     kind);
		any = any || sets[kind];
	}
	if (any)
		synchronize_rcu();
	for (kind = 0; kind < KMT_EVENT_KINDS; kind++)
		__kmt_triggers_free(sets[kind], kind);
	__kmt_event_apply();
	kmt_event_unlock();
}
