// SPDX-License-Identifier: GPL-2.0-only
/* Notes on locking: names_mutex guards the names of caches, which change. */
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "account/earlier.h"

#define CALLERS_AT (KMT_EARLIER_KINDS + KMT_CACHES_MAX)

const char kmt_earlier_sites[CALLERS_AT + KMT_EARLIER_CALLERS];

/* Readers may see a caller as soon as it is in the array. */
static const char *callers[KMT_EARLIER_CALLERS];

static DEFINE_MUTEX(names_mutex);
static char *cache_names[KMT_CACHES_MAX];

static const char *const kind_names[KMT_EARLIER_KINDS] = {
	[KMT_EARLIER_SLAB] = "slab",
	[KMT_EARLIER_LARGE] = "large_kmalloc",
	[KMT_EARLIER_PAGE_TABLE] = "page_table",
	[KMT_EARLIER_ANON] = "anonymous",
	[KMT_EARLIER_SHMEM] = "shmem",
	[KMT_EARLIER_FILE] = "page_cache",
	[KMT_EARLIER_HUGETLB] = "hugetlb",
	[KMT_EARLIER_PERCPU] = "percpu",
	[KMT_EARLIER_MODULE] = "module",
	[KMT_EARLIER_VMALLOC] = "vmalloc",
	[KMT_EARLIER_OFFLINE] = "offline",
	[KMT_EARLIER_POOL] = "page_pool",
	[KMT_EARLIER_OWN] = "stock",
	[KMT_EARLIER_MEMMAP] = "memory_map",
	[KMT_EARLIER_OTHER] = "other",
};

unsigned long kmt_earlier_caller_site(const char *caller)
{
	const char *copy;
	unsigned int i;

	for (i = 0; i < KMT_EARLIER_CALLERS && callers[i]; i++)
		if (!strcmp(callers[i], caller))
			return (unsigned long)&kmt_earlier_sites[CALLERS_AT + i];
	copy = i < KMT_EARLIER_CALLERS ? kstrdup(caller, GFP_KERNEL) : NULL;
	if (!copy)
		return kmt_earlier_kind_site(KMT_EARLIER_VMALLOC);
	smp_store_release(&callers[i], copy);
	return (unsigned long)&kmt_earlier_sites[CALLERS_AT + i];
}

bool kmt_earlier_name_cache(u16 cache)
{
	struct kmt_cache_info info;
	char **name = &cache_names[cache];
	bool changed;

	if (!cache)
		return false;
	kmt_cache_read(cache, &info);
	mutex_lock(&names_mutex);
	changed = !*name || strcmp(*name, info.name);
	if (changed) {
		kfree(*name);
		*name = kstrdup(info.name, GFP_KERNEL);
	}
	mutex_unlock(&names_mutex);
	return changed;
}

void kmt_earlier_exit(void)
{
	unsigned int i;

	for (i = 0; i < KMT_CACHES_MAX; i++) {
		kfree(cache_names[i]);
		cache_names[i] = NULL;
	}
	for (i = 0; i < KMT_EARLIER_CALLERS && callers[i]; i++) {
		kfree(callers[i]);
		callers[i] = NULL;
	}
}

bool kmt_earlier_describe(unsigned long site, char *text, size_t size)
{
	unsigned long i = site - (unsigned long)kmt_earlier_sites;

	if (!kmt_earlier_is_site(site))
		return false;
	if (i < KMT_EARLIER_KINDS) {
		snprintf(text, size, "earlier/page:0 %sfunc:%s",
			 i == KMT_EARLIER_OWN ? "[kmemtrace] " : "", kind_names[i]);
		return true;
	}
	if (i >= CALLERS_AT) {
		snprintf(text, size, "earlier/vmalloc:0 %s",
			 smp_load_acquire(&callers[i - CALLERS_AT]) ?:
				 "func:vmalloc");
		return true;
	}
	i -= KMT_EARLIER_KINDS;
	mutex_lock(&names_mutex);
	snprintf(text, size, "earlier/slab:0 func:%s", cache_names[i] ?: "other");
	mutex_unlock(&names_mutex);
	return true;
}
