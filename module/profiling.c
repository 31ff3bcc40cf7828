// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel that profiles by itself has vm.mem_profiling; ours is then
 * kmemtrace.mem_profiling.
 */
#include <linux/capability.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/sysctl.h>

#include "account.h"
#include "compat.h"
#include "event.h"
#include "profiling.h"

static char *mem_profiling = "1";
module_param(mem_profiling, charp, 0444);
MODULE_PARM_DESC(mem_profiling, "account live memory: 1 (default), 0: not yet, never; \",compressed\" behind it: less memory for each page");

static bool on, never, compressed;
static struct ctl_table_header *header;

int __init kmt_profiling_parse(void)
{
	size_t len = strcspn(mem_profiling, ",");
	const char *rest = mem_profiling + len;

	compressed = !strcmp(rest, ",compressed");
	never = len == 5 && !strncmp(mem_profiling, "never", len);
	on = len == 1 && *mem_profiling == '1';
	if ((*rest && !compressed) ||
	    (!never && !on && !(len == 1 && *mem_profiling == '0'))) {
		pr_err("mem_profiling=%s: it is 0, 1 or never, each with or without \",compressed\"\n",
		       mem_profiling);
		return -EINVAL;
	}
	return 0;
}

bool kmt_profiling_never(void)
{
	return never;
}

bool kmt_profiling_compressed(void)
{
	return compressed;
}

static int handle(KMT_CTL_TABLE *table, int write, void *buffer, size_t *count,
		  loff_t *ppos)
{
	int value = kmt_event_accounting(), err;
	struct ctl_table copy = *table;

	/* as mainline's: root in a container is not enough */
	if (write && !capable(CAP_SYS_ADMIN))
		return -EPERM;
	copy.data = &value;
	err = proc_dointvec_minmax(&copy, write, buffer, count, ppos);
	if (err || !write)
		return err;
	return kmt_event_account(value);
}

static struct ctl_table sysctls[] = {
	{
		.procname = "mem_profiling",
		.maxlen = sizeof(int),
		.mode = 0644,
		.proc_handler = handle,
		.extra1 = SYSCTL_ZERO,
		.extra2 = SYSCTL_ONE,
	},
	KMT_SYSCTL_END
};

int __init kmt_profiling_start(void)
{
	return on ? kmt_event_account(true) : 0;
}

int __init kmt_profiling_init(void)
{
	if (never)
		sysctls[0].mode = 0444;
	header = register_sysctl(IS_ENABLED(CONFIG_MEM_ALLOC_PROFILING) ?
					 "kmemtrace" :
					 "vm",
				 sysctls);
	return header ? 0 : -ENOMEM;
}

void kmt_profiling_exit(void)
{
	if (header)
		unregister_sysctl_table(header);
}
