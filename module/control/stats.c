// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpumask.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>

#include "account/codetag.h"
#include "account/tables.h"
#include "base/allocators.h"
#include "base/cache.h"
#include "base/callsite.h"
#include "base/clock.h"
#include "control/stats.h"
#include "probe/hook.h"
#include "probe/modules.h"
#include "probe/selftest.h"
#include "record/buffers.h"
#include "record/channel.h"
#include "record/mode.h"
#include "record/number.h"
#include "record/snapshot.h"
#include "record/writer.h"
#include "steer/event.h"
#include "steer/foreign.h"

static void show(struct seq_file *m, const char *name, u64 value)
{
	seq_printf(m, "%s %llu\n", name, value);
}

static u64 now(void)
{
	u64 ns;

	preempt_disable();
	ns = kmt_clock_now();
	preempt_enable();
	return ns;
}

void kmt_stats_show(struct seq_file *m)
{
	struct kmt_channel_cpu lost;
	int cpu;

	kmt_channel_lost(&lost);
	show(m, "recording", !kmt_mode_paused());
	show(m, "clock_ns", now());
	show(m, "sequence", kmt_number_sum());
	show(m, "order_doubtful", kmt_writer_doubtful());
	show(m, "events", kmt_writer_events());
	show(m, "lost_events", lost.lost_events);
	show(m, "lost_bytes", lost.lost_bytes);
	show(m, "nested_events", kmt_writer_nested());
	show(m, "nested_triggers", kmt_foreign_nested());
	show(m, "buffer_bytes_per_cpu", kmt_buffers_size());
	show(m, "buffer_memory_bytes", kmt_buffers_memory());
	show(m, "overwrite", READ_ONCE(kmt_channel_overwrite));
	show(m, "snapshots_missed", kmt_snapshot_missed());
	show(m, "cache_layout_known", kmt_cache_layout.known);
	show(m, "caches", kmt_cache_count() - kmt_cache_destroyed());
	show(m, "caches_refused", kmt_cache_refused());
	show(m, "allocator_functions", kmt_allocators_count());
	kmt_allocators_show_missing(m);
	show(m, "call_site_mismatches", kmt_callsite_mismatches());
	show(m, "accounting", kmt_event_accounting());
	kmt_tables_show_stats(m);
	show(m, "missed_calls", kmt_hook_missed());
	show(m, "codetags", kmt_codetag_count());
	kmt_modules_show_leaks(m);
	kmt_selftest_show(m);
	for_each_possible_cpu(cpu)
		seq_printf(m, "next_number.cpu%d %llu\n", cpu,
			   kmt_number_next_on(cpu));
	kmt_channel_show_starts(&kmt_channel, m);
	for_each_possible_cpu(cpu)
		seq_printf(m, "lost_events.cpu%d %llu\n", cpu,
			   READ_ONCE(per_cpu_ptr(&kmt_channel_cpu, cpu)
					     ->lost_events));
}

size_t kmt_stats_show_size(void)
{
	/* three lines for each CPU; counters and names; the leaks that modules.c keeps */
	return num_possible_cpus() * 144 + SZ_16K + SZ_8K;
}
