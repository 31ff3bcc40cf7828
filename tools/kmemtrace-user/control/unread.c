// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/kcmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/die.h"
#include "base/table.h"
#include "base/textfile.h"
#include "control/unread.h"

/* a limit of the queues with unread events; each keeps a descriptor open */
#define QUEUES_MAX 256

/**
 * struct queues - the queues with unread events that were found
 * @fd: descriptors of this process for them
 * @count: number of @fd
 * @bytes: bytes in all of them
 * @most: bytes in the largest one
 * @pid: its process
 * @number: its descriptor there
 */
struct queues {
	int *fd;
	size_t count;
	uint64_t bytes;
	int most;
	int pid;
	int number;
};

/* Processes may share a queue, which counts once. */
static bool is_known(const struct queues *q, int fd)
{
	pid_t self = getpid();
	long order;
	size_t i;

	for (i = 0; i < q->count; i++) {
		order = syscall(SYS_kcmp, self, self, KCMP_FILE, fd, q->fd[i]);
		if (order != 1 && order != 2)
			return true;
	}
	return false;
}

/* @pidfd: of the process; @number: its descriptor */
static void look_at(struct queues *q, int pidfd, int pid, int number)
{
	int fd = syscall(SYS_pidfd_getfd, pidfd, number, 0), bytes = 0;

	if (fd < 0)
		return;
	if (ioctl(fd, FIONREAD, &bytes) || bytes <= 0 || q->count == QUEUES_MAX || is_known(q, fd)) {
		close(fd);
		return;
	}
	*array_add(q->fd, q->count) = fd;
	q->bytes += bytes;
	if (bytes > q->most) {
		q->most = bytes;
		q->pid = pid;
		q->number = number;
	}
}

static void look_at_process(struct queues *q, int proc, const char *name, const char *link)
{
	char path[64], to[64];
	int pid = atoi(name), pidfd = -1;
	struct dirent *entry;
	ssize_t n;
	DIR *fds;

	snprintf(path, sizeof(path), "%d/fd", pid);
	fds = textfile_list(proc, path);
	while (fds && (entry = readdir(fds))) {
		n = readlinkat(dirfd(fds), entry->d_name, to, sizeof(to));
		if (n != (ssize_t)strlen(link) || memcmp(to, link, n))
			continue;
		if (pidfd < 0)
			pidfd = syscall(SYS_pidfd_open, pid, 0);
		if (pidfd >= 0)
			look_at(q, pidfd, pid, atoi(entry->d_name));
	}
	if (pidfd >= 0)
		close(pidfd);
	if (fds)
		closedir(fds);
}

static char *name_queue(const struct queues *q)
{
	char path[64], *comm, *name;

	snprintf(path, sizeof(path), "%d/comm", q->pid);
	comm = textfile_read_proc(path, NULL);
	if (comm) {
		comm[strcspn(comm, "\n")] = '\0';
		table_clean(comm);
	}
	name = xasprintf("PID %d (%s), descriptor %d", q->pid, comm ? comm : "", q->number);
	free(comm);
	return name;
}

char *unread_find(const char *link, uint64_t *bytes)
{
	struct queues q = { 0 };
	char path[PATH_MAX], *name = NULL;
	struct dirent *entry;
	DIR *proc;

	textfile_proc_path(path, sizeof(path), "");
	proc = textfile_list(AT_FDCWD, path);
	while (proc && (entry = readdir(proc)))
		if (*entry->d_name >= '1' && *entry->d_name <= '9')
			look_at_process(&q, dirfd(proc), entry->d_name, link);
	if (proc)
		closedir(proc);
	if (q.count)
		name = name_queue(&q);
	while (q.count)
		close(q.fd[--q.count]);
	free(q.fd);
	*bytes = q.bytes;
	return name;
}
