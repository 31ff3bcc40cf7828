// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "base/procfile.h"

#define SIZE_AT_FIRST (64 * 1024)

/* Return: a copy with twice the space, and @text is freed; NULL if there is no memory. */
static char *grow(char *text, size_t done, size_t size)
{
	char *larger = kvmalloc(size, GFP_KERNEL);

	if (larger && text)
		memcpy(larger, text, done);
	kvfree(text);
	return larger;
}

/* Return: all of @file, as kmt_procfile_read(). */
static char *read_all(struct file *file, size_t max)
{
	size_t done = 0, size = 0;
	char *text = NULL;
	loff_t pos = 0;
	ssize_t n;

	do {
		if (done + 1 >= size) {
			size = size ? 2 * size : SIZE_AT_FIRST;
			text = grow(text, done, size);
			if (!text)
				return ERR_PTR(-ENOMEM);
		}
		n = kernel_read(file, text + done,
				min(size - 1, max) - done, &pos);
		done += max_t(ssize_t, n, 0);
	} while (n > 0 && done < max);
	if (n < 0) {
		kvfree(text);
		return ERR_PTR(n);
	}
	text[done] = '\0';
	return text;
}

char *kmt_procfile_read(const char *path, size_t max)
{
	struct file *file = filp_open(path, O_RDONLY, 0);
	char *text;

	if (IS_ERR(file))
		return ERR_CAST(file);
	text = read_all(file, max);
	filp_close(file, NULL);
	return text;
}
