// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpuhp_setup_state() should call the callback for the CPUs that are online. Older
 * kernels, 6.1 among them, did not do so for a dynamic state of the prepare section
 * (CPUHP_BP_PREPARE_DYN) until a stable update. So this file calls it on every kernel.
 */
#include <linux/cpu.h>
#include <linux/minmax.h>

#include "base/cpus.h"

int __init kmt_cpus_prepare(const char *name, int (*prepare)(unsigned int cpu))
{
	int cpu, err = 0;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		err = err ? err : prepare(cpu);
	if (!err)
		err = cpuhp_setup_state_nocalls_cpuslocked(CPUHP_BP_PREPARE_DYN,
							   name, prepare, NULL);
	cpus_read_unlock();
	return err;
}

void kmt_cpus_forget(int state)
{
	if (state > 0)
		cpuhp_remove_state_nocalls(state);
}
