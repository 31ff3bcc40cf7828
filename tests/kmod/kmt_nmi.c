// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fires kmem:kmalloc and kmem:kfree in NMIs, without allocating anything.
 *
 * Write "CPU COUNT" to debugfs/kmt_nmi/run. The module sends COUNT NMIs to that CPU, one
 * after the other. Each NMI fires one allocation and its free, with a call site that is
 * unique and no address of code. Each sixteenth NMI also fires a free without an
 * allocation. The file handled has the number of NMIs handled. The write fails with
 * ETIMEDOUT if an NMI is not handled within 10 s.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <trace/events/kmem.h>

#ifdef CONFIG_X86_64

#include <asm/apic.h>
#include <asm/nmi.h>

#define SITE	 0xfeed000000000000ul
#define PTR	 0xfeee000000000000ul
#define WAIT_MS	 10000

static struct dentry *dir;
static int target = -1;
static u32 sent, handled;

static int handle(unsigned int type, struct pt_regs *regs)
{
	u32 n = READ_ONCE(handled);
	unsigned long site = SITE + n * 16ul;
	void *ptr = (void *)(PTR + n * 64ul);

	if (smp_processor_id() != READ_ONCE(target) || READ_ONCE(sent) == n)
		return NMI_DONE;
	trace_kmalloc(site, ptr, 64, 64, GFP_ATOMIC, NUMA_NO_NODE);
	trace_kfree(site, ptr);
	if (n % 16 == 0)
		trace_kfree(site, ptr + 8);
	smp_store_release(&handled, n + 1);
	return NMI_HANDLED;
}

static int send_one(int cpu)
{
	ktime_t end = ktime_add_ms(ktime_get(), WAIT_MS);

	WRITE_ONCE(sent, sent + 1);
	apic->send_IPI(cpu, NMI_VECTOR);
	while (smp_load_acquire(&handled) != sent) {
		if (ktime_after(ktime_get(), end))
			return -ETIMEDOUT;
		cond_resched();
	}
	udelay(20);
	return 0;
}

static ssize_t run_write(struct file *file, const char __user *from, size_t len,
			 loff_t *ppos)
{
	unsigned int cpu, count;
	char text[40];
	int err = 0;

	if (len >= sizeof(text) || copy_from_user(text, from, len))
		return -EINVAL;
	text[len] = '\0';
	if (sscanf(text, "%u %u", &cpu, &count) != 2 || cpu >= nr_cpu_ids ||
	    !cpu_online(cpu))
		return -EINVAL;
	WRITE_ONCE(target, cpu);
	for (; count && !err; count--)
		err = send_one(cpu);
	return err ? err : len;
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.write = run_write,
};

static int __init kmt_nmi_init(void)
{
	int err = register_nmi_handler(NMI_LOCAL, handle, 0, "kmt_nmi");

	if (err)
		return err;
	dir = debugfs_create_dir("kmt_nmi", NULL);
	debugfs_create_file("run", 0200, dir, NULL, &run_fops);
	debugfs_create_u32("handled", 0400, dir, &handled);
	return 0;
}

static void __exit kmt_nmi_exit(void)
{
	debugfs_remove(dir);
	unregister_nmi_handler(NMI_LOCAL, "kmt_nmi");
}

#else

static int __init kmt_nmi_init(void)
{
	return -ENODEV;
}

static void __exit kmt_nmi_exit(void)
{
}

#endif

module_init(kmt_nmi_init);
module_exit(kmt_nmi_exit);

MODULE_DESCRIPTION("Fires kmem:kmalloc and kmem:kfree in NMIs");
MODULE_LICENSE("GPL");
