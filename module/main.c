// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmemtrace: records every allocation and free of kernel memory.
 *
 * Loading is a row of steps, unloading the same row backwards; a step that
 * fails undoes those before it.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>

#include "cache.h"
#include "callsite.h"
#include "channel.h"
#include "control.h"
#include "event.h"
#include "probe.h"

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

/* Last, so that nobody can have a file of a module that fails to load open. */
static int __init control_init(void)
{
	return kmt_control_init(dir);
}

#define STEPS 8

static int (*const init[STEPS])(void) __initconst = {
	kmt_cache_init, kmt_callsite_init, kmt_probe_init, kmt_event_init,
	dir_init,	channel_init,	   enable_init,	   control_init,
};

static void (*const undo[STEPS])(void) = {
	kmt_cache_exit, NULL,		  NULL,		  NULL,
	dir_exit,	kmt_channel_exit, kmt_event_exit, NULL,
};

static void undo_steps(int done)
{
	while (done--)
		if (undo[done])
			undo[done]();
}

static int __init kmemtrace_init(void)
{
	int step, err = 0;

	for (step = 0; step < STEPS; step++) {
		err = init[step]();
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
	undo_steps(STEPS);
}
module_exit(kmemtrace_exit);

MODULE_DESCRIPTION("Records and accounts allocations of kernel memory");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");
