// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpuhp_setup_state() should call the callback for the CPUs that are online. For a
 * dynamic state of the prepare section (CPUHP_BP_PREPARE_DYN), older kernels such as
 * 6.1 did not do so until a stable update. This file therefore calls it on all kernels.
 */
#include <linux/cpu.h>
#include <linux/module.h>

#include "base/cpus.h"

#ifdef KMT_DEBUG
static int refuse_cpu = -1;
module_param(refuse_cpu, int, 0600);
MODULE_PARM_DESC(refuse_cpu, "for tests: a CPU for which the module finds no memory");

bool kmt_cpus_is_refused(unsigned int cpu)
{
	return READ_ONCE(refuse_cpu) == (int)cpu;
}
#else
bool kmt_cpus_is_refused(unsigned int cpu)
{
	return false;
}
#endif

int __init kmt_cpus_prepare(const char *name, int (*prepare)(unsigned int cpu))
{
	int cpu, err;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		prepare(cpu);
	err = cpuhp_setup_state_nocalls_cpuslocked(CPUHP_BP_PREPARE_DYN, name,
						   prepare, NULL);
	cpus_read_unlock();
	return err;
}

void kmt_cpus_forget(int state)
{
	if (state > 0)
		cpuhp_remove_state_nocalls(state);
}
