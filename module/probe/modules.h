/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Other modules, as they are loaded and unloaded. Their static tags
 * (kmemtrace_tag.h) are listed when they are loaded. When one is unloaded, the
 * memory that it leaves behind is reported, and its addresses lose their meaning.
 */
#ifndef KMT_MODULES_H
#define KMT_MODULES_H

struct seq_file;

/**
 * kmt_modules_init() - watch modules from here on
 *
 * Context: may sleep.
 * Return: 0 or an error of the notifier.
 */
int kmt_modules_init(void);

/**
 * kmt_modules_exit() - watch no longer
 *
 * Context: may sleep.
 */
void kmt_modules_exit(void);

/**
 * kmt_modules_show_leaks() - print what was live when its module was unloaded
 * @m: where to
 *
 * Context: may sleep.
 */
void kmt_modules_show_leaks(struct seq_file *m);

#endif /* KMT_MODULES_H */
