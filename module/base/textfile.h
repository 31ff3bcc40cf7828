/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text files in debugfs: one that prints itself, and takes what is written to
 * it as one text.
 */
#ifndef KMT_TEXTFILE_H
#define KMT_TEXTFILE_H

#include <linux/types.h>

struct dentry;
struct seq_file;

/**
 * struct kmt_textfile - one file
 * @name: of the file
 * @show: prints it; NULL: write only
 * @write: takes what was written, up to a 0; NULL: read only
 * @words: writes consist of words, and a 0 separates them as a blank does
 * @clear: called when it is opened with O_TRUNC, or NULL; opening fails if it
 *	does
 * @size: about how many bytes it prints, or NULL; a text that takes long to make
 *	is made once if it fits, and again for each doubling of a page if not
 * @arg: passed to @show, @write and @clear
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
 * kmt_textfile_number() - read a number as event tracing's files read it
 * @where: the file, for the error log
 * @text: what was written: decimal digits; at most one newline may follow
 * @max: the largest number that is allowed
 * @value: set to the number
 *
 * Context: may sleep.
 * Return: 0; -EINVAL or -ERANGE, and the error log says why.
 */
int kmt_textfile_number(const char *where, const char *text,
			unsigned long max, unsigned long *value);

/**
 * kmt_textfile_create() - make a file
 * @file: describes it; must stay as long as the file
 * @dir: where it goes
 *
 * Context: may sleep.
 * Return: 0, or what debugfs answered.
 */
int kmt_textfile_create(const struct kmt_textfile *file, struct dentry *dir);

#endif /* KMT_TEXTFILE_H */
