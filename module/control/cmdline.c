// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel does not export its command line to modules, but everybody can read
 * it from a file. modprobe reads the module's own parameters from the same file.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "cmdline.h"

#define CMDLINE_MAX (64 * 1024)

/* Return: a text for kvfree(), or an error. */
static char *read_cmdline(void)
{
	struct file *file = filp_open("/proc/cmdline", O_RDONLY, 0);
	size_t done = 0;
	ssize_t n = 0;
	loff_t pos = 0;
	char *text;

	if (IS_ERR(file))
		return ERR_CAST(file);
	text = kvmalloc(CMDLINE_MAX, GFP_KERNEL);
	while (text && done < CMDLINE_MAX - 1) {
		n = kernel_read(file, text + done, CMDLINE_MAX - 1 - done, &pos);
		if (n <= 0)
			break;
		done += n;
	}
	filp_close(file, NULL);
	if (!text)
		return ERR_PTR(-ENOMEM);
	if (n < 0) {
		kvfree(text);
		return ERR_PTR(n);
	}
	text[done] = '\0';
	return text;
}

static bool is_name(const char *word, const char *name)
{
	while (*name && (*word == *name || (*name == '.' && *word == '/'))) {
		word++;
		name++;
	}
	return !*name && !*word;
}

int kmt_cmdline_get(const char *name, char *value, size_t size)
{
	char *text = read_cmdline(), *rest, *word, *found;
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
