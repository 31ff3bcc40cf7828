/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text files in debugfs. A read returns the text that a function prints. A write passes
 * the written text to a function as a whole.
 */
#ifndef KMT_TEXTFILE_H
#define KMT_TEXTFILE_H

#include <linux/types.h>

struct dentry;
struct seq_file;

/**
 * struct kmt_textfile - one file
 * @name: name of the file
 * @show: prints the file; NULL: the file is write-only
 * @write: called with the text of each write, which ends at the first 0; NULL: the
 *	file is read-only
 * @words: a write is a list of words, and a 0 in it separates words as a blank does
 * @clear: called when the file is opened for writing with O_TRUNC; if it fails, the
 *	open fails; may be NULL
 * @size: estimates the bytes that @show prints; may be NULL. If the text does not fit
 *	in the estimate, rounded up to pages, @show runs again for each doubling of the
 *	buffer. So set it if @show takes long
 * @arg: passed to @show, @write and @clear
 *
 * All callbacks may sleep. Those that can fail return 0 or -errno.
 */
struct kmt_textfile {
	const char *name;
	int (*show)(struct seq_file *m, void *arg);
	int (*write)(char *text, void *arg);
	int (*clear)(void *arg);
	bool words;
	size_t (*size)(void);
	void *arg;
};

/**
 * kmt_textfile_number() - parse a number as event tracing parses it
 * @where: the file, for the error log
 * @text: the text that was written: decimal digits, and at most one newline
 * @max: the largest number that is allowed
 * @value: set to the number
 *
 * Context: may sleep.
 * Return: 0; -EINVAL or -ERANGE, with the reason in the error log.
 */
int kmt_textfile_number(const char *where, const char *text,
			unsigned long max, unsigned long *value);

/**
 * kmt_textfile_create() - create a file
 * @file: describes the file; must stay valid as long as the file exists
 * @dir: directory of the file
 *
 * Context: may sleep.
 * Return: 0, or the error from debugfs, with a message in the kernel log.
 */
int kmt_textfile_create(const struct kmt_textfile *file, struct dentry *dir);

#endif /* KMT_TEXTFILE_H */
