// SPDX-License-Identifier: GPL-2.0-only
#include "kmt_field.h"

#define SIZE(type, member) sizeof(((struct type *)0)->member)
#define EVENT(member)                                                          \
	.base = KMT_IN_EVENT, .offset = offsetof(struct kmt_event, member),    \
	.size = SIZE(kmt_event, member)
#define EXTRA(member)                                                          \
	.base = KMT_IN_EXTRA, .offset = offsetof(struct kmt_extra, member),    \
	.size = SIZE(kmt_extra, member)
#define HEAD(member)                                                           \
	.at = offsetof(struct kmemtrace_event, member),                        \
	.at_size = SIZE(kmemtrace_event, member)
#define ALLOC(member)                                                          \
	.group = KMT_GROUP_ALLOC,                                              \
	.at = sizeof(struct kmemtrace_event) +                                 \
	      offsetof(struct kmemtrace_stats_alloc, member),                  \
	.at_size = SIZE(kmemtrace_stats_alloc, member)
#define FEATURE(name, ID, member)                                              \
	.group = KMT_FEATURE_##ID,                                             \
	.at = offsetof(struct kmemtrace_feature_##name, member),               \
	.at_size = SIZE(kmemtrace_feature_##name, member)
#define NOWHERE(GROUP) .group = KMT_GROUP_##GROUP, .at = KMT_NOT_RECORDED

const struct kmt_field kmt_fields[] = {
	{ "common_type", "unsigned short", "number of the event, as in its file id",
	  .base = KMT_IN_EVENT, .offset = offsetof(struct kmt_event, event_id),
	  .size = 2, .at_size = 2, .common = true },
	{ "common_seq", "int", "number of the event; while recording, the next one",
	  EVENT(seq), .group = KMT_GROUP_SEQ, HEAD(seq_num), .common = true,
	  .is_signed = true },
	{ "common_size", "unsigned short", "bytes of the record",
	  EXTRA(size), .group = KMT_GROUP_SIZE, HEAD(event_size),
	  .common = true },
	{ "call_site", "unsigned long", "code that called the allocator",
	  EVENT(call_site), HEAD(call_site), .kind = KMT_FIELD_HEX },
	{ "ptr", "const void *", "the memory",
	  EVENT(ptr), HEAD(ptr), .kind = KMT_FIELD_HEX },
	{ "bytes_req", "size_t", "bytes asked for",
	  EVENT(bytes_req), ALLOC(bytes_req) },
	{ "bytes_alloc", "size_t", "bytes used up",
	  EVENT(bytes_alloc), ALLOC(bytes_alloc) },
	{ "gfp_flags", "unsigned int", "flags of the allocation",
	  EVENT(gfp_flags), ALLOC(gfp_flags), .kind = KMT_FIELD_HEX },
	{ "node", "int", "NUMA node that was asked for, -1 for none",
	  EVENT(node), ALLOC(numa_node), .is_signed = true },
	{ "time", "u64", "nanoseconds on the clock of the kernel log",
	  EVENT(time), FEATURE(time, TIME, ns), .kind = KMT_FIELD_NS },
	{ "cache_id", "u16", "number of the cache in the file caches",
	  EVENT(cache), FEATURE(cache, CACHE, cache) },
	{ "order", "u8", "the block has 1 << order pages",
	  EVENT(order), FEATURE(page, PAGE, order) },
	{ "migratetype", "s8", "migrate type, -1 if it is not known",
	  EVENT(migratetype), FEATURE(page, PAGE, migratetype),
	  .is_signed = true },
	{ "pid", "int", "thread that it happened in",
	  EXTRA(pid), FEATURE(task, TASK, pid), .is_signed = true },
	{ "tgid", "int", "process that it happened in",
	  EXTRA(tgid), FEATURE(task, TASK, tgid), .is_signed = true },
	{ "context", "unsigned char", "interrupts, softirq and so on, as common_flags",
	  EXTRA(context), FEATURE(task, TASK, context),
	  .kind = KMT_FIELD_HEX },
	{ "preempt_count", "unsigned char", "how deep preemption was disabled",
	  EXTRA(preempt_count), FEATURE(task, TASK, preempt_count) },
	{ "comm", "char[16]", "name of the thread",
	  EXTRA(comm), FEATURE(task, TASK, comm), .kind = KMT_FIELD_CHARS },
	{ "cgroup", "u64", "number of the thread's cgroup",
	  EXTRA(cgroup), FEATURE(cgroup, CGROUP, cgroup) },
	{ "stack", "u64[]", "return addresses, the innermost first",
	  .base = KMT_IN_EXTRA, .offset = offsetof(struct kmt_extra, stack),
	  .size = sizeof(u64), .group = KMT_FEATURE_STACK, .kind = KMT_FIELD_STACK,
	  .at = sizeof(struct kmemtrace_feature) },

	/* fields that are in no record */
	{ "cpu", "int", "CPU that it happened on",
	  EXTRA(cpu), NOWHERE(CPU), .kind = KMT_FIELD_CPU, .is_signed = true },
	{ "cache", "char *", "name of the cache",
	  EXTRA(cache_name), NOWHERE(CACHE_NAME), .kind = KMT_FIELD_STRING },
	{ "pfn", "unsigned long", "number of the first page frame",
	  EXTRA(pfn), NOWHERE(PFN), .kind = KMT_FIELD_HEX },
	{ "nid", "int", "NUMA node that the memory is on",
	  EXTRA(nid), NOWHERE(NID), .is_signed = true },
	{ "age", "u64", "nanoseconds that the memory was live; of frees",
	  EXTRA(age), NOWHERE(AGE), .kind = KMT_FIELD_NS },
	{ "live_bytes", "u64", "bytes live with the tag of the call site",
	  EXTRA(live_bytes), NOWHERE(TAG) },
	{ "live_objects", "u64", "objects live with the tag of the call site",
	  EXTRA(live_objects), NOWHERE(TAG) },

	/* their names in event tracing */
	{ "common_flags", "unsigned char", "context",
	  EXTRA(context), FEATURE(task, TASK, context), .alias = true },
	{ "common_preempt_count", "unsigned char", "preempt_count",
	  EXTRA(preempt_count), FEATURE(task, TASK, preempt_count),
	  .alias = true },
	{ "common_pid", "int", "pid",
	  EXTRA(pid), FEATURE(task, TASK, pid), .is_signed = true,
	  .alias = true },
	{ "common_tgid", "int", "tgid",
	  EXTRA(tgid), FEATURE(task, TASK, tgid), .is_signed = true,
	  .alias = true },
	{ "COMM", "char[16]", "comm",
	  EXTRA(comm), FEATURE(task, TASK, comm), .kind = KMT_FIELD_CHARS,
	  .alias = true },
	{ "CPU", "int", "cpu", EXTRA(cpu), NOWHERE(CPU), .kind = KMT_FIELD_CPU,
	  .is_signed = true, .alias = true },
	{ "common_cpu", "int", "cpu", EXTRA(cpu), NOWHERE(CPU),
	  .kind = KMT_FIELD_CPU, .is_signed = true, .alias = true },
	{ "name", "char *", "cache", EXTRA(cache_name), NOWHERE(CACHE_NAME),
	  .kind = KMT_FIELD_STRING, .alias = true },
	{}
};

const struct kmt_kind_name kmt_kind_names[KMT_EVENT_KINDS] = {
	[KMT_EVENT_KIND(KMEMTRACE_EVENT_ALLOC, KMEMTRACE_TYPE_KMALLOC)] =
		{ "kmem", "kmalloc" },
	[KMT_EVENT_KIND(KMEMTRACE_EVENT_FREE, KMEMTRACE_TYPE_KMALLOC)] =
		{ "kmem", "kfree" },
	[KMT_EVENT_KIND(KMEMTRACE_EVENT_ALLOC, KMEMTRACE_TYPE_CACHE)] =
		{ "kmem", "kmem_cache_alloc" },
	[KMT_EVENT_KIND(KMEMTRACE_EVENT_FREE, KMEMTRACE_TYPE_CACHE)] =
		{ "kmem", "kmem_cache_free" },
	[KMT_EVENT_KIND(KMEMTRACE_EVENT_ALLOC, KMEMTRACE_TYPE_PAGES)] =
		{ "kmem", "mm_page_alloc" },
	[KMT_EVENT_KIND(KMEMTRACE_EVENT_FREE, KMEMTRACE_TYPE_PAGES)] =
		{ "kmem", "mm_page_free" },
	[KMT_EVENT_KIND(KMEMTRACE_EVENT_ALLOC, KMEMTRACE_TYPE_PERCPU)] =
		{ "percpu", "percpu_alloc_percpu" },
	[KMT_EVENT_KIND(KMEMTRACE_EVENT_FREE, KMEMTRACE_TYPE_PERCPU)] =
		{ "percpu", "percpu_free_percpu" },
};

const struct kmt_field *kmt_field_find(const char *name, size_t len, u32 groups)
{
	const struct kmt_field *f;

	for (f = kmt_fields; f->name; f++)
		if (kmt_field_is_in(f, groups) && kmt_is_word(name, len, f->name))
			return f;
	return NULL;
}

u64 kmt_field_number(const struct kmt_field *f, const struct kmt_event *ev,
		     const struct kmt_extra *x)
{
	const void *p = (const u8 *)(f->base == KMT_IN_EVENT ? (const void *)ev :
							       x) + f->offset;

	switch (f->size) {
	case 1:
		return f->is_signed ? (u64)*(const s8 *)p : *(const u8 *)p;
	case 2:
		return f->is_signed ? (u64)*(const s16 *)p : *(const u16 *)p;
	case 4:
		return f->is_signed ? (u64)*(const s32 *)p : *(const u32 *)p;
	}
	return *(const u64 *)p;
}

const char *kmt_field_string(const struct kmt_field *f,
			     const struct kmt_extra *x)
{
	const void *p = (const u8 *)x + f->offset;

	return f->kind == KMT_FIELD_CHARS ? p : *(const char *const *)p;
}

u32 kmt_kind_groups(unsigned int kind)
{
	bool free = kind == KMT_EVENT_KIND(KMEMTRACE_EVENT_FREE, kind / 2);
	u32 groups = KMT_FEATURE_TIME | KMT_FEATURES_EXTRA | KMT_GROUP_CPU |
		     KMT_GROUP_SEQ | KMT_GROUP_SIZE;

	groups |= free ? KMT_GROUP_AGE : KMT_GROUP_ALLOC | KMT_GROUP_TAG;
	if (kind / 2 == KMEMTRACE_TYPE_CACHE)
		groups |= KMT_FEATURE_CACHE | KMT_GROUP_CACHE_NAME;
	if (kind / 2 == KMEMTRACE_TYPE_PAGES)
		groups |= KMT_FEATURE_PAGE | KMT_GROUP_PFN;
	/* per-CPU memory is on many nodes */
	if (kind / 2 != KMEMTRACE_TYPE_PERCPU)
		groups |= KMT_GROUP_NID;
	return groups;
}

int kmt_system_find(const char *system)
{
	int kind;

	for (kind = 0; kind < KMT_EVENT_KINDS; kind++)
		if (!strcmp(kmt_kind_names[kind].system, system))
			return kind;
	return -1;
}

int kmt_kind_find(const char *name, size_t len)
{
	int kind;

	for (kind = 0; kind < KMT_EVENT_KINDS; kind++) {
		const struct kmt_kind_name *k = &kmt_kind_names[kind];
		size_t system = strlen(k->system);

		if (kmt_is_word(name, len, k->event))
			return kind;
		if (len > system && !strncmp(name, k->system, system) &&
		    name[system] == ':' &&
		    kmt_is_word(name + system + 1, len - system - 1, k->event))
			return kind;
	}
	return -1;
}

const struct kmt_feature_name kmt_feature_names[] = {
	{ "time", KMT_FEATURE_TIME },	{ "cache", KMT_FEATURE_CACHE },
	{ "page", KMT_FEATURE_PAGE },	{ "task", KMT_FEATURE_TASK },
	{ "cgroup", KMT_FEATURE_CGROUP }, { "stack", KMT_FEATURE_STACK },
	{}
};

static bool find_feature(const char *word, size_t len, u32 *mask)
{
	const struct kmt_feature_name *f;

	*mask = kmt_is_word(word, len, "all") ? KMT_FEATURES_ALL : 0;
	if (*mask || kmt_is_word(word, len, "none"))
		return true;
	for (f = kmt_feature_names; f->name; f++)
		if (kmt_is_word(word, len, f->name))
			*mask = f->mask;
	return *mask;
}

const char *kmt_features_parse(const char *text, u32 *features)
{
	u32 set = 0, add = 0, remove = 0, mask;
	bool whole = false;

	for (;;) {
		const char *word, *name;

		text += strspn(text, " \t\n,");
		if (!*text)
			break;
		word = text;
		text += strcspn(text, " \t\n,");
		name = word + (*word == '+' || *word == '-');
		if (text == name || !find_feature(name, text - name, &mask))
			return word;
		if (*word == '+')
			add |= mask;
		else if (*word == '-')
			remove |= mask;
		else
			set |= mask;
		whole |= name == word;
	}
	*features = ((whole ? set : *features) | add) & ~remove;
	return NULL;
}
