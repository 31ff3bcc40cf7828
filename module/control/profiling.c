// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel with CONFIG_MEM_ALLOC_PROFILING has a vm.mem_profiling of its own. There,
 * the module's sysctl is called kmemtrace.mem_profiling.
 *
 * The kernel applies sysctls on its command line before it loads modules, when the
 * module's sysctl does not exist. So the module looks for it on the command line itself.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/sysctl.h>
#include <linux/workqueue.h>

#include "account/tables.h"
#include "base/compat.h"
#include "base/procfile.h"
#include "control/profiling.h"
#include "steer/event.h"

/* the directory of the module's sysctl */
#define SYSCTL_DIR (IS_ENABLED(CONFIG_MEM_ALLOC_PROFILING) ? "kmemtrace" : "vm")

static char *mem_profiling;
module_param(mem_profiling, charp, 0444);
MODULE_PARM_DESC(mem_profiling, "account live memory: 1 (default): from the start; 0: later, by the sysctl; never. With \",compressed\" appended: 2 instead of 8 bytes for each page, but no age. Without this parameter, sysctl.vm.mem_profiling= on the kernel's command line is used");

static bool on, never, compressed;
static struct ctl_table_header *header;

/* "0", "1" or "never", optionally followed by ",compressed" */
static bool __init parse(const char *text)
{
	size_t len = strcspn(text, ",");

	compressed = !strcmp(text + len, ",compressed");
	never = len == 5 && !strncmp(text, "never", len);
	on = len == 1 && *text == '1';
	return (!text[len] || compressed) &&
	       (never || on || (len == 1 && *text == '0'));
}

/* --- the kernel's command line --------------------------------------------- */

/*
 * The kernel does not export its command line to modules, so the module reads
 * /proc/cmdline. modprobe reads the module's parameters from the same file.
 */

#define CMDLINE_MAX (64 * 1024)

/* As in the kernel, a "/" in @word matches a "." in @name. */
static bool __init is_name(const char *word, const char *name)
{
	while (*name && (*word == *name || (*name == '.' && *word == '/'))) {
		word++;
		name++;
	}
	return !*name && !*word;
}

/*
 * Set @value to the last value of a parameter. Parameters after "--" are for init, not
 * for the kernel, and are ignored.
 *
 * Return: 0; -ENOENT if the parameter is absent, or the command line cannot be read;
 * -ENOMEM.
 */
static int __init cmdline_get(const char *name, char *value, size_t size)
{
	char *text = kmt_procfile_read("/proc/cmdline", CMDLINE_MAX);
	char *rest, *word, *found;
	int err = -ENOENT;

	if (IS_ERR(text))
		return text == ERR_PTR(-ENOMEM) ? -ENOMEM : -ENOENT;
	rest = skip_spaces(text);
	while (*rest) {
		rest = next_arg(rest, &word, &found);
		if (!found && !strcmp(word, "--"))
			break;
		if (!found || !is_name(word, name))
			continue;
		strscpy(value, found, size);
		err = 0;
	}
	kvfree(text);
	return err;
}

/* As in mainline, a wrong value on the command line is ignored. */
static int __init parse_cmdline(void)
{
	static char value[32];
	char name[64];
	int err;

	snprintf(name, sizeof(name), "sysctl.%s.mem_profiling", SYSCTL_DIR);
	err = cmdline_get(name, value, sizeof(value));
	if (!err && !parse(value))
		pr_warn("%s=%s on the kernel's command line is ignored: use 0, 1 or never, each with or without \",compressed\"\n",
			name, value);
	else if (!err)
		mem_profiling = value;
	return err == -ENOENT ? 0 : err;
}

int __init kmt_profiling_parse(void)
{
	int err = 0;

	if (!mem_profiling) {
		mem_profiling = "1";
		err = parse_cmdline();
	}
	if (err || parse(mem_profiling))
		return err;
	pr_err("mem_profiling=%s is wrong: use 0, 1 or never, each with or without \",compressed\"\n",
	       mem_profiling);
	return -EINVAL;
}

/* --- the switch ------------------------------------------------------------ */

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

	/* as in mainline: root in a container must not switch it */
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
	return on && kmt_tables_ready() ? kmt_event_account(true) : 0;
}

static void disable(struct work_struct *work)
{
	kmt_event_account(false);
}

static DECLARE_WORK(disabling, disable);

void kmt_profiling_disable_later(void)
{
	schedule_work(&disabling);
}

void kmt_profiling_cancel(void)
{
	cancel_work_sync(&disabling);
}

int __init kmt_profiling_init(void)
{
	if (!kmt_tables_ready())
		sysctls[0].mode = 0444;
	header = register_sysctl(SYSCTL_DIR, sysctls);
	return header ? 0 : -ENOMEM;
}

void kmt_profiling_exit(void)
{
	if (header)
		unregister_sysctl_table(header);
}
