// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: kmt_channel_sem, for writing, whenever probes come or go
 * or recording changes; inside it event_lock, which guards the table.
 */
#include <linux/bits.h>
#include <linux/glob.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "account.h"
#include "channel.h"
#include "charge.h"
#include "event.h"
#include "hook.h"
#include "probe.h"

struct kmt_event_type kmt_events[KMT_EVENTS] = {
	[KMT_EVENT_KMALLOC] = {
		.system = "kmem", .name = "kmalloc",
		.probe = { kmt_charge_kmalloc, kmt_probe_kmalloc } },
	[KMT_EVENT_KMEM_CACHE_ALLOC] = {
		.system = "kmem", .name = "kmem_cache_alloc",
		.probe = { kmt_charge_kmem_cache_alloc, kmt_probe_kmem_cache_alloc } },
	[KMT_EVENT_KFREE] = {
		.system = "kmem", .name = "kfree", .frees = true,
		.probe = { kmt_charge_kfree, kmt_probe_kfree } },
	[KMT_EVENT_KMEM_CACHE_FREE] = {
		.system = "kmem", .name = "kmem_cache_free", .frees = true,
		.probe = { kmt_charge_kmem_cache_free, kmt_probe_kmem_cache_free } },
	[KMT_EVENT_MM_PAGE_ALLOC] = {
		.system = "kmem", .name = "mm_page_alloc",
		.probe = { kmt_charge_mm_page_alloc, kmt_probe_mm_page_alloc } },
	[KMT_EVENT_MM_PAGE_FREE] = {
		.system = "kmem", .name = "mm_page_free", .frees = true,
		.probe = { kmt_charge_mm_page_free, kmt_probe_mm_page_free } },
	[KMT_EVENT_PERCPU_ALLOC] = {
		.system = "percpu", .name = "percpu_alloc_percpu",
		.probe = { kmt_charge_percpu_alloc, kmt_probe_percpu_alloc } },
	[KMT_EVENT_PERCPU_FREE] = {
		.system = "percpu", .name = "percpu_free_percpu", .frees = true,
		.probe = { kmt_charge_percpu_free, kmt_probe_percpu_free } },
};

/* The events that a hook stands in for, and the uses that it has. */
static const struct {
	u32 events;
	bool uses[KMT_USES];
	bool frees;
} hook_users[KMT_HOOKS] = {
	[KMT_HOOK_FREE_BULK] = {
		BIT(KMT_EVENT_KFREE) | BIT(KMT_EVENT_KMEM_CACHE_FREE),
		{ true, true }, true },
	[KMT_HOOK_ALLOC_BULK] = {
		BIT(KMT_EVENT_KMEM_CACHE_ALLOC), { true, true }, false },
	[KMT_HOOK_PAGES_BULK] = {
		BIT(KMT_EVENT_MM_PAGE_ALLOC), { true, true }, false },
	[KMT_HOOK_MIGRATE] = {
		BIT(KMT_EVENT_MM_PAGE_ALLOC), { true, false }, true },
};

#define for_each_event(ev)                                                     \
	for (ev = kmt_events; ev < kmt_events + KMT_EVENTS; ev++)

static DEFINE_MUTEX(event_lock);
static bool recording; /* under kmt_channel_sem */
static bool accounting; /* under kmt_channel_sem */

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

static bool is_wanted(const struct kmt_event_type *ev, enum kmt_use use)
{
	return use == KMT_ACCOUNT ? accounting : recording && ev->wanted;
}

static int attach(struct kmt_event_type *ev, enum kmt_use use)
{
	int err;

	if (ev->attached[use] || !is_wanted(ev, use))
		return 0;
	err = tracepoint_probe_register(ev->tracepoint, ev->probe[use], NULL);
	if (err)
		pr_err("cannot attach to %s:%s: %d\n", ev->system, ev->name,
		       err);
	else
		WRITE_ONCE(ev->attached[use], true);
	return err;
}

static void detach(struct kmt_event_type *ev, enum kmt_use use)
{
	if (!ev->attached[use] || is_wanted(ev, use))
		return;
	tracepoint_probe_unregister(ev->tracepoint, ev->probe[use], NULL);
	WRITE_ONCE(ev->attached[use], false);
}

/* A kernel without the function has a hole, which is no error (selftest.c). */
static void __apply_hooks(bool frees)
{
	struct kmt_event_type *ev;
	int hook, use;

	for (hook = 0; hook < KMT_HOOKS; hook++) {
		bool wanted = false;

		if (hook_users[hook].frees != frees)
			continue;
		for_each_event(ev)
			for (use = 0; use < KMT_USES; use++)
				wanted |= hook_users[hook].uses[use] &&
					  (hook_users[hook].events &
					   BIT(ev - kmt_events)) &&
					  ev->attached[use];
		if (wanted)
			kmt_hook_attach(hook);
		else
			kmt_hook_detach(hook);
	}
}

static int __attach_all(bool frees)
{
	struct kmt_event_type *ev;
	int err = 0, use;

	for_each_event(ev)
		for (use = 0; use < KMT_USES && ev->frees == frees; use++)
			if (!err)
				err = attach(ev, use);
	__apply_hooks(frees);
	return err;
}

static void __detach_all(bool frees)
{
	struct kmt_event_type *ev;
	int use;

	for_each_event(ev)
		for (use = 0; use < KMT_USES && ev->frees == frees; use++)
			detach(ev, use);
	__apply_hooks(frees);
	tracepoint_synchronize_unregister();
}

/*
 * Attach what should be attached, detach what should not. Frees are seen
 * before allocations are, and for longer, so that nothing is thought live
 * whose free went by unseen.
 */
static int __kmt_event_apply(void)
{
	int err = __attach_all(true);

	if (!err) {
		tracepoint_synchronize_unregister();
		err = __attach_all(false);
	}
	if (err)
		recording = accounting = false;
	__detach_all(false);
	__detach_all(true);
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

int kmt_event_account(bool on)
{
	int err = 0;

	down_write(&kmt_channel_sem);
	mutex_lock(&event_lock);
	if (on && !kmt_account_ready()) {
		err = -EPERM;
	} else if (on != accounting) {
		if (on)
			kmt_account_reset();
		accounting = on;
		err = __kmt_event_apply();
	}
	mutex_unlock(&event_lock);
	up_write(&kmt_channel_sem);
	return err;
}

bool kmt_event_accounting(void)
{
	return READ_ONCE(accounting);
}

bool kmt_event_recording(void)
{
	return READ_ONCE(recording);
}

void kmt_event_exit(void)
{
	kmt_event_record(false);
	kmt_event_account(false);
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
