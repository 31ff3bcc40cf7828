/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watches how other modules are loaded and unloaded. When a module is loaded, its
 * static tags (kmemtrace_tag.h) are listed. When a module is unloaded, its tags and
 * code tags are retired, because other code may get their addresses, and the memory
 * that it has not freed is reported.
 */
#ifndef KMT_MODULES_H
#define KMT_MODULES_H

struct seq_file;

/**
 * kmt_modules_init() - start to watch modules
 *
 * Context: may sleep.
 * Return: 0 or an error of register_module_notifier().
 */
int kmt_modules_init(void);

/**
 * kmt_modules_exit() - stop to watch modules, and report the leaks not reported yet
 *
 * Context: may sleep.
 */
void kmt_modules_exit(void);

/**
 * kmt_modules_show_leaks() - print the memory that unloaded modules had not freed
 * @m: the file to print to
 *
 * Context: may sleep.
 */
void kmt_modules_show_leaks(struct seq_file *m);

#endif /* KMT_MODULES_H */
