// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bits.h>
#include <linux/init.h>

#include "base/cache.h"
#include "probe/attach.h"
#include "probe/hook.h"
#include "probe/probe.h"
#include "record/mode.h"
#include "steer/event.h"

#define USE_BOTH (KMT_USE_RECORD | KMT_USE_ACCOUNT)

static const struct kmt_event_hook hooks[KMT_HOOKS] = {
	[KMT_HOOK_FREE_BULK] = {
		BIT(KMT_EVENT_KFREE) | BIT(KMT_EVENT_KMEM_CACHE_FREE),
		USE_BOTH, true },
	[KMT_HOOK_FREE_SHEAF] = { BIT(KMT_EVENT_KFREE), USE_BOTH, true },
	[KMT_HOOK_ALLOC_BULK] = {
		BIT(KMT_EVENT_KMEM_CACHE_ALLOC), USE_BOTH, false },
	[KMT_HOOK_PAGES_BULK] = {
		BIT(KMT_EVENT_MM_PAGE_ALLOC), USE_BOTH, false },
	[KMT_HOOK_MIGRATE] = {
		BIT(KMT_EVENT_MM_PAGE_ALLOC), KMT_USE_ACCOUNT, true },
	[KMT_HOOK_MIGRATE_ZSMALLOC] = {
		BIT(KMT_EVENT_MM_PAGE_ALLOC), KMT_USE_ACCOUNT, true },
	[KMT_HOOK_MIGRATE_BALLOON] = {
		BIT(KMT_EVENT_MM_PAGE_ALLOC), KMT_USE_ACCOUNT, true },
	[KMT_HOOK_COMPACT_FREE] = {
		BIT(KMT_EVENT_MM_PAGE_ALLOC), KMT_USE_ACCOUNT, true },
	[KMT_HOOK_COMPACT_RELEASE] = {
		BIT(KMT_EVENT_MM_PAGE_ALLOC), KMT_USE_ACCOUNT, true },
	[KMT_HOOK_CACHE_RELEASE] = {
		BIT(KMT_EVENT_KMALLOC) | BIT(KMT_EVENT_KMEM_CACHE_ALLOC) |
			BIT(KMT_EVENT_KMEM_CACHE_FREE),
		USE_BOTH, true },
};

static struct kmt_event_probes probes __ro_after_init = {
	.probe = {
		[KMT_EVENT_KMALLOC] = kmt_probe_kmalloc,
		[KMT_EVENT_KFREE] = kmt_probe_kfree,
		[KMT_EVENT_KMEM_CACHE_ALLOC] = kmt_probe_kmem_cache_alloc,
		[KMT_EVENT_KMEM_CACHE_FREE] = kmt_probe_kmem_cache_free,
		[KMT_EVENT_MM_PAGE_ALLOC] = kmt_probe_mm_page_alloc,
		[KMT_EVENT_MM_PAGE_FREE] = kmt_probe_mm_page_free,
		[KMT_EVENT_PERCPU_ALLOC] = kmt_probe_percpu_alloc,
		[KMT_EVENT_PERCPU_FREE] = kmt_probe_percpu_free,
	},
	.hooks = hooks,
	.nr_hooks = KMT_HOOKS,
	.attach_hooks = kmt_hook_attach,
	.detach_hooks = kmt_hook_detach,
};

int __init kmt_attach_init(void)
{
	if (!kmt_cache_layout.known)
		probes.probe[KMT_EVENT_KMEM_CACHE_ALLOC] =
			kmt_probe_kmem_cache_alloc_asking;
	return kmt_event_init(&probes);
}

int kmt_attach_module(void)
{
	return kmt_event_attach_hooks();
}

void kmt_attach_forget_module(const struct module *module)
{
	kmt_event_lock();
	kmt_hook_detach_module(module);
	kmt_event_unlock();
}
