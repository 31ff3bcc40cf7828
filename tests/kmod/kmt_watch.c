// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts the calls of a function, with a kprobe. Event tracing refuses functions that are
 * built without ftrace, as those of kmemtrace are. Parameters:
 *
 *   function   the function; a static one of a module as "module:function"
 *   limit      the calls are compared with this number
 *   kill       another function: a task that calls it is killed there
 *
 * and, to be read:
 *
 *   calls      number of calls
 *   equal      those whose third argument is the limit
 *   above      those whose third argument is larger
 */
#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/sched/signal.h>

static char *function;
module_param(function, charp, 0444);
static ulong limit = ULONG_MAX;
module_param(limit, ulong, 0444);
static char *kill;
module_param(kill, charp, 0444);

static int atomic_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%lld\n", (long long)atomic64_read(kp->arg));
}

static const struct kernel_param_ops atomic_ops = {.get = atomic_get};

static atomic64_t calls, equal, above;
module_param_cb(calls, &atomic_ops, &calls, 0444);
module_param_cb(equal, &atomic_ops, &equal, 0444);
module_param_cb(above, &atomic_ops, &above, 0444);

static int called(struct kprobe *probe, struct pt_regs *regs)
{
	unsigned long third = regs_get_kernel_argument(regs, 2);

	atomic64_inc(&calls);
	if (third == limit)
		atomic64_inc(&equal);
	if (third > limit)
		atomic64_inc(&above);
	return 0;
}

static int kill_caller(struct kprobe *probe, struct pt_regs *regs)
{
	send_sig(SIGKILL, current, 1);
	return 0;
}

static struct kprobe probes[] = {
	{.pre_handler = called},
	{.pre_handler = kill_caller},
};
static struct kprobe *registered[] = {&probes[0], &probes[1]};

static int __init watch_init(void)
{
	probes[0].symbol_name = function;
	probes[1].symbol_name = kill;
	return register_kprobes(registered, kill ? 2 : 1);
}
module_init(watch_init);

static void __exit watch_exit(void)
{
	unregister_kprobes(registered, kill ? 2 : 1);
}
module_exit(watch_exit);

MODULE_DESCRIPTION("counts the calls of a function, for tests");
MODULE_LICENSE("GPL");
