// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmemtrace: accounts and records every allocation and free of kernel memory.
 *
 * Loading is a row of steps, unloading the same row backwards; a step that
 * fails undoes those before it.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>

#include "account.h"
#include "allocinfo.h"
#include "boot.h"
#include "cache.h"
#include "callsite.h"
#include "channel.h"
#include "client.h"
#include "codetag.h"
#include "control.h"
#include "debuglog.h"
#include "errlog.h"
#include "event.h"
#include "filter.h"
#include "gate.h"
#include "hook.h"
#include "modlog.h"
#include "profiling.h"
#include "selftest.h"
#include "slab.h"
#include "snapshot.h"
#include "steer.h"
#include "stream.h"
#include "trigger.h"
#include "writer.h"

static bool enable;
module_param(enable, bool, 0444);
MODULE_PARM_DESC(enable, "start recording at once: yes or no (default)");

#ifdef KMT_DEBUG
static uint fail_step;
module_param(fail_step, uint, 0444);
MODULE_PARM_DESC(fail_step, "let this step of loading fail, counted from 1");
#endif

static struct dentry *dir;

static int __init dir_init(void)
{
	dir = kmt_control_create_dir();
	return PTR_ERR_OR_ZERO(dir);
}

static void dir_exit(void)
{
	debugfs_remove(dir);
}

static int __init channel_init(void)
{
	return kmt_channel_init(dir);
}

static int __init enable_init(void)
{
	return enable ? kmt_event_record(true) : 0;
}

static int __init selftest_init(void)
{
	kmt_selftest_start();
	return 0;
}

/* Last, so that nobody can have a file of a module that fails to load open. */
static int __init control_init(void)
{
	int err = kmt_control_init(dir);

	if (!err)
		kmt_stream_release();
	return err;
}

/**
 * struct step - one step of loading
 * @init: does it, or NULL; gone once the module is loaded
 * @undo: undoes it, or NULL
 */
struct step {
	int (*init)(void);
	void (*undo)(void);
};

/* No probe runs any more when what stands above kmt_event_exit is undone. */
static const struct step steps[] __refconst = {
	{ kmt_profiling_parse, NULL },
	{ kmt_cache_init, kmt_cache_exit },
	{ kmt_slab_init, NULL },
	{ kmt_callsite_init, kmt_callsite_exit },
	{ kmt_account_init, kmt_account_exit },
	{ NULL, kmt_debuglog_exit },
	{ NULL, kmt_codetag_exit },
	{ NULL, kmt_errlog_clear },
	{ NULL, kmt_hook_exit },
	{ kmt_gate_init, NULL },
	{ kmt_steer_init, kmt_steer_exit },
	{ kmt_writer_init, NULL },
	{ kmt_event_init, NULL },
	{ dir_init, dir_exit },
	{ channel_init, kmt_channel_exit },
	{ kmt_client_init, kmt_client_exit },
	{ kmt_modlog_init, kmt_modlog_exit },
	{ kmt_event_watch_sleep, kmt_event_unwatch_sleep },
	{ kmt_snapshot_init, kmt_snapshot_exit },
	{ NULL, kmt_event_exit },
	{ NULL, kmt_filter_exit },
	{ NULL, kmt_trigger_exit },
	{ kmt_boot_init, NULL },
	{ enable_init, NULL },
	{ kmt_profiling_start, NULL },
	/* before anybody can switch accounting off */
	{ selftest_init, kmt_selftest_exit },
	{ kmt_profiling_init, kmt_profiling_exit },
	{ kmt_allocinfo_init, kmt_allocinfo_exit },
	{ control_init, NULL },
};

static void undo_steps(int done)
{
	while (done--)
		if (steps[done].undo)
			steps[done].undo();
}

static int __init kmemtrace_init(void)
{
	int step, err = 0;

	for (step = 0; step < ARRAY_SIZE(steps); step++) {
		err = steps[step].init ? steps[step].init() : 0;
		if (err)
			break;
#ifdef KMT_DEBUG
		if (step + 1 == fail_step) {
			step++; /* this one did succeed */
			err = -EINTR;
			break;
		}
#endif
	}
	if (err)
		undo_steps(step);
	return err;
}
module_init(kmemtrace_init);

static void __exit kmemtrace_exit(void)
{
	undo_steps(ARRAY_SIZE(steps));
}
module_exit(kmemtrace_exit);

MODULE_DESCRIPTION("Records and accounts allocations of kernel memory");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");
