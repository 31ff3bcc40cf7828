// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmemtrace: accounts and records every allocation and free of kernel memory.
 *
 * Loading runs a list of steps; unloading undoes them in reverse order. If a step
 * fails, the steps before it are undone and loading fails.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>

#include "account/account.h"
#include "account/allocinfo.h"
#include "account/codetag.h"
#include "account/debuglog.h"
#include "account/location.h"
#include "account/pagefiles.h"
#include "account/tables.h"
#include "base/allocators.h"
#include "base/cache.h"
#include "base/callsite.h"
#include "base/errlog.h"
#include "control/boot.h"
#include "control/control.h"
#include "control/profiling.h"
#include "probe/attach.h"
#include "probe/hook.h"
#include "probe/modules.h"
#include "probe/selftest.h"
#include "record/buffers.h"
#include "record/channel.h"
#include "record/mode.h"
#include "record/modlog.h"
#include "record/number.h"
#include "record/snapshot.h"
#include "record/stream.h"
#include "record/wake.h"
#include "record/writer.h"
#include "steer/detail.h"
#include "steer/event.h"
#include "steer/filter.h"
#include "steer/foreign.h"
#include "steer/steer.h"
#include "steer/trigger.h"

#ifdef KMT_DEBUG
static uint fail_step;
module_param(fail_step, uint, 0444);
MODULE_PARM_DESC(fail_step, "let this step of loading fail, counted from 1");
#endif

static struct dentry *dir; /* NULL: the kernel has no debugfs */

static int __init dir_init(void)
{
	dir = kmt_control_create_dir();
	return PTR_ERR_OR_ZERO(dir);
}

static void dir_exit(void)
{
	debugfs_remove(dir);
}

static int __init tables_init(void)
{
	if (kmt_profiling_never())
		return 0;
	return kmt_tables_init(kmt_profiling_compressed(),
			       kmt_profiling_disable_later);
}

/* Cancel last: the tables may request this work until they are freed. */
static void tables_exit(void)
{
	kmt_tables_exit();
	kmt_profiling_cancel();
}

static int __init stream_init(void)
{
	return dir ? kmt_stream_init(dir) : 0;
}

/* Without debugfs nothing could be read, so nothing is recorded. */
static int __init boot_init(void)
{
	return dir ? kmt_boot_init() : 0;
}

static int __init selftest_init(void)
{
	kmt_selftest_start();
	return 0;
}

/* The last step: files cannot be opened before, so loading can still fail. */
static int __init control_init(void)
{
	int err = dir ? kmt_control_init(dir) : 0;

	if (!err)
		kmt_channel_release();
	return err;
}

/**
 * struct step - one step of loading
 * @init: runs the step, or NULL; may be in the init section
 * @undo: undoes the step, or NULL
 */
struct step {
	int (*init)(void);
	void (*undo)(void);
};

/* kmt_event_exit() stops all probes, so no probe runs while steps above are undone. */
static const struct step steps[] __refconst = {
	{ kmt_profiling_parse, NULL },
	{ kmt_cache_init, kmt_cache_exit },
	{ kmt_allocators_init, kmt_allocators_exit },
	{ NULL, kmt_callsite_exit },
	{ kmt_account_init, kmt_account_exit },
	/* memory that is unplugged is logged until the tables are freed */
	{ NULL, kmt_debuglog_exit },
	{ tables_init, tables_exit },
	{ NULL, kmt_codetag_exit },
	{ NULL, kmt_location_exit },
	{ NULL, kmt_errlog_clear },
	{ kmt_hook_init, kmt_hook_exit },
	{ kmt_mode_init, NULL },
	{ kmt_steer_init, kmt_steer_exit },
	{ kmt_number_init, NULL },
	{ kmt_writer_init, NULL },
	{ kmt_attach_init, NULL },
	{ kmt_pagefiles_init, kmt_pagefiles_exit },
	{ dir_init, dir_exit },
	{ kmt_wake_init, kmt_wake_exit },
	{ kmt_buffers_init, kmt_buffers_exit },
	{ stream_init, kmt_stream_exit },
	{ kmt_modules_init, kmt_modules_exit },
	{ kmt_modlog_init, kmt_modlog_exit },
	{ kmt_event_watch_sleep, kmt_event_unwatch_sleep },
	{ kmt_snapshot_init, kmt_snapshot_exit },
	{ NULL, kmt_event_exit },
	{ NULL, kmt_filter_exit },
	{ NULL, kmt_trigger_exit },
	{ NULL, kmt_detail_exit },
	{ kmt_foreign_init, kmt_foreign_exit },
	{ boot_init, NULL },
	{ kmt_profiling_start, NULL },
	/* before the sysctl that switches accounting off exists */
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
			step++; /* this step succeeded and must be undone */
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
