// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the kernel distrust the time stamp counter, as it does when it finds that the
 * counters of CPUs differ. This lasts until the machine boots again.
 */
#include <linux/module.h>
#include <asm/tsc.h>

static int __init distrust_init(void)
{
	mark_tsc_unstable("kmt_distrust was loaded");
	return 0;
}
module_init(distrust_init);

static void __exit distrust_exit(void)
{
}
module_exit(distrust_exit);

MODULE_DESCRIPTION("Makes the kernel distrust the time stamp counter");
MODULE_LICENSE("GPL");
