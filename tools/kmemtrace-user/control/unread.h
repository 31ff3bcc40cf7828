/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of inotify and fanotify that no process has read yet. The kernel keeps them in a queue
 * for each descriptor, up to a maximum.
 */
#ifndef UNREAD_H
#define UNREAD_H

#include <stdint.h>

/* what the links in /proc/PID/fd lead to */
#define UNREAD_INOTIFY	"anon_inode:inotify"
#define UNREAD_FANOTIFY "anon_inode:[fanotify]"

/**
 * unread_find() - find the queues with unread events
 * @link: UNREAD_INOTIFY or UNREAD_FANOTIFY
 * @bytes: set to the bytes that read() of all queues would return
 *
 * Queues that this process may not look at are left out (PTRACE_MODE_ATTACH_REALCREDS), and so
 * are all of them if the kernel cannot compare descriptors (kcmp()).
 *
 * Return: the descriptor of the queue with most bytes, "PID 7 (name), descriptor 3", which the
 * caller frees; NULL if @bytes is 0.
 */
char *unread_find(const char *link, uint64_t *bytes);

#endif /* UNREAD_H */
