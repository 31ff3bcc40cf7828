// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>

#include "record/mode.h"
#include "record/number.h"

static unsigned long long seq_start;
module_param(seq_start, ullong, 0444);
MODULE_PARM_DESC(seq_start, "first sequence number (to test that records have its low half)");

#ifdef KMT_DEBUG
static int count_more(const char *text, const struct kernel_param *unused)
{
	u64 more;
	int err = kstrtou64(text, 0, &more);

	if (!err)
		atomic64_add(more, &kmt_sequence.next);
	return err;
}
module_param_call(seq_jump, count_more, NULL, NULL, 0200);
MODULE_PARM_DESC(seq_jump, "for tests: a number to add to the counter of events");
#endif

struct kmt_sequence kmt_sequence;
DEFINE_PER_CPU(u64, kmt_numbers);

int __init kmt_number_init(void)
{
	int cpu;

	atomic64_set(&kmt_sequence.next, seq_start);
	for_each_possible_cpu(cpu)
		per_cpu(kmt_numbers, cpu) = seq_start - 1;
	return 0;
}

u64 kmt_number_next_on(int cpu)
{
	return READ_ONCE(per_cpu(kmt_numbers, cpu)) + 1;
}

u64 kmt_number_sum(void)
{
	u64 sum = 0;
	int cpu;

	if (!kmt_mode_timed())
		return atomic64_read(&kmt_sequence.next);
	for_each_possible_cpu(cpu)
		sum += kmt_number_next_on(cpu);
	return sum;
}

u64 kmt_number_next(void)
{
	return kmt_mode_timed() ? kmt_number_next_on(smp_processor_id()) :
				  kmt_number_sum();
}
