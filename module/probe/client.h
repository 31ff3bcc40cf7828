/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Other modules, as they come and go: their static tags (kmemtrace_tag.h) are
 * listed when they are loaded, and when they leave, what they leave behind is
 * told, and addresses inside them mean nothing any more.
 */
#ifndef KMT_CLIENT_H
#define KMT_CLIENT_H

struct seq_file;

/**
 * kmt_client_init() - watch modules from here on
 *
 * Context: may sleep.
 * Return: 0 or an error of the notifier.
 */
int kmt_client_init(void);

/**
 * kmt_client_exit() - watch no longer
 *
 * Context: may sleep.
 */
void kmt_client_exit(void);

/**
 * kmt_client_show_leaks() - print what was live when its module was unloaded
 * @m: where to
 *
 * Context: may sleep.
 */
void kmt_client_show_leaks(struct seq_file *m);

#endif /* KMT_CLIENT_H */
