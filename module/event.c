// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: kmt_channel_sem, for writing, whenever probes come or go
 * or recording changes; inside it event_lock, which guards the table.
 */
#include <linux/glob.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "channel.h"
#include "event.h"
#include "probe.h"

static struct kmt_event_type events[] = {
	{ .system = "kmem", .name = "kmalloc", .probe = kmt_probe_kmalloc },
	{ .system = "kmem", .name = "kmem_cache_alloc",
	  .probe = kmt_probe_kmem_cache_alloc },
	{ .system = "kmem", .name = "kfree", .probe = kmt_probe_kfree },
	{ .system = "kmem", .name = "kmem_cache_free",
	  .probe = kmt_probe_kmem_cache_free },
	{ .system = "kmem", .name = "mm_page_alloc",
	  .probe = kmt_probe_mm_page_alloc },
	{ .system = "kmem", .name = "mm_page_free",
	  .probe = kmt_probe_mm_page_free },
	{ .system = "percpu", .name = "percpu_alloc_percpu",
	  .probe = kmt_probe_percpu_alloc },
	{ .system = "percpu", .name = "percpu_free_percpu",
	  .probe = kmt_probe_percpu_free },
};

#define for_each_event(ev)                                                     \
	for (ev = events; ev < events + ARRAY_SIZE(events); ev++)

static DEFINE_MUTEX(event_lock);
static bool recording; /* under kmt_channel_sem */

static void match_tracepoint(struct tracepoint *tp, void *unused)
{
	struct kmt_event_type *ev;

	for_each_event(ev)
		if (!strcmp(tp->name, ev->name))
			ev->tracepoint = tp;
}

int __init kmt_event_init(void)
{
	struct kmt_event_type *ev;

	for_each_kernel_tracepoint(match_tracepoint, NULL);
	for_each_event(ev) {
		if (!ev->tracepoint) {
			pr_err("this kernel has no tracepoint %s:%s; it must be built with CONFIG_TRACEPOINTS and be 6.1 or newer\n",
			       ev->system, ev->name);
			return -ENOENT;
		}
		ev->wanted = true;
	}
	return 0;
}

static int attach(struct kmt_event_type *ev)
{
	int err;

	if (ev->attached)
		return 0;
	err = tracepoint_probe_register(ev->tracepoint, ev->probe, NULL);
	if (err)
		pr_err("cannot attach to %s:%s: %d\n", ev->system, ev->name,
		       err);
	else
		ev->attached = true;
	return err;
}

static void detach(struct kmt_event_type *ev)
{
	if (!ev->attached)
		return;
	tracepoint_probe_unregister(ev->tracepoint, ev->probe, NULL);
	ev->attached = false;
}

/* Attach what should be attached, detach what should not. */
static int __kmt_event_apply(void)
{
	struct kmt_event_type *ev;
	int err = 0;

	for_each_event(ev) {
		if (recording && ev->wanted && !err)
			err = attach(ev);
		else if (!recording || !ev->wanted)
			detach(ev);
	}
	if (err) {
		recording = false;
		for_each_event(ev)
			detach(ev);
	}
	tracepoint_synchronize_unregister();
	return err;
}

int kmt_event_record(bool on)
{
	int err = 0;

	down_write(&kmt_channel_sem);
	mutex_lock(&event_lock);
	if (on && !kmt_channel) {
		err = -ENOMEM; /* resizing left none */
	} else if (on != recording) {
		if (on) {
			kmt_channel_reset_lost();
			kmt_probe_start();
		}
		recording = on;
		err = __kmt_event_apply();
	}
	mutex_unlock(&event_lock);
	up_write(&kmt_channel_sem);
	return err;
}

bool kmt_event_recording(void)
{
	return READ_ONCE(recording);
}

void kmt_event_exit(void)
{
	kmt_event_record(false);
}

/* "event" is "*:event". */
static bool event_matches(const struct kmt_event_type *ev, const char *pattern)
{
	const char *colon = strchr(pattern, ':');
	char system[32];

	if (!colon)
		return glob_match(pattern, ev->name);
	if (colon - pattern >= sizeof(system))
		return false;
	memcpy(system, pattern, colon - pattern);
	system[colon - pattern] = '\0';
	return glob_match(system, ev->system) &&
	       (!colon[1] || glob_match(colon + 1, ev->name));
}

int kmt_event_set(const char *pattern)
{
	bool want = *pattern != '!';
	struct kmt_event_type *ev;
	int err = -EINVAL;

	if (!want)
		pattern++;
	down_write(&kmt_channel_sem);
	mutex_lock(&event_lock);
	for_each_event(ev) {
		if (event_matches(ev, pattern)) {
			ev->wanted = want;
			err = 0;
		}
	}
	if (!err)
		err = __kmt_event_apply();
	mutex_unlock(&event_lock);
	up_write(&kmt_channel_sem);
	return err;
}

void kmt_event_clear(void)
{
	kmt_event_set("!*:*");
}

void kmt_event_show(struct seq_file *m, bool wanted_only)
{
	struct kmt_event_type *ev;

	mutex_lock(&event_lock);
	for_each_event(ev)
		if (ev->wanted || !wanted_only)
			seq_printf(m, "%s:%s\n", ev->system, ev->name);
	mutex_unlock(&event_lock);
}
