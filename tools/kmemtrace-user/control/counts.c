// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/vfs.h>

#include "base/memtext.h"
#include "base/textfile.h"
#include "control/counts.h"
#include "control/system.h"

const char *const counts_names[COUNTS_KINDS] = {
	[COUNTS_MOUNTS] = "mounts",	[COUNTS_FILES] = "files",
	[COUNTS_CONNECTIONS] = "connections", [COUNTS_BACKLOGS] = "backlogs", [COUNTS_KEYS] = "keys",
	[COUNTS_CLOSED] = "closed",	[COUNTS_LOCKS] = "locks",
	[COUNTS_QUEUES] = "queues",	[COUNTS_MESSAGES] = "messages",
	[COUNTS_SEMAPHORES] = "semaphores", [COUNTS_SEGMENTS] = "segments",
	[COUNTS_TASKS] = "tasks",	[COUNTS_CGROUPS] = "removed_cgroups",
	[COUNTS_KSM] = "ksm",		[COUNTS_KSM_MERGED] = "ksm_merged",
};

static void write_count(FILE *out, const char *prefix, enum counts_kind kind, uint64_t count)
{
	fprintf(out, "%s%s=%" PRIu64 "\n", prefix, counts_names[kind], count);
}

/* Other file systems are not asked, because their servers may not answer. */
static bool is_tmpfs(const char *line)
{
	const char *type = strstr(line, " - ");

	return type && (!strncmp(type, " - tmpfs ", 9) || !strncmp(type, " - devtmpfs ", 12) ||
			!strncmp(type, " - rootfs ", 10));
}

/* A line of mountinfo is a mount. */
static void write_mounts(FILE *out, const char *prefix)
{
	char *mounts = textfile_read_proc("self/mountinfo", NULL);
	char escaped[PATH_MAX], path[PATH_MAX];
	const char *line;
	size_t count = 0;
	struct statfs s;
	uint64_t id;

	for (line = mounts; line; line = textfile_next_line(line)) {
		count++;
		if (!is_tmpfs(line) ||
		    textfile_scan(line, "%*s %*s %*s %*s %4095s", escaped) != 1)
			continue;
		strcpy(path, escaped);
		mounts_unescape(path);
		if (statfs(path, &s) || s.f_type != TMPFS_MAGIC)
			continue;
		memcpy(&id, &s.f_fsid, sizeof(id));
		fprintf(out, "%s%s=%" PRIx64 " %" PRIu64 " %s\n", prefix,
			counts_names[COUNTS_FILES], id, (uint64_t)(s.f_files - s.f_ffree),
			escaped);
	}
	if (mounts)
		write_count(out, prefix, COUNTS_MOUNTS, count);
	free(mounts);
}

static void write_connections(FILE *out, const char *prefix)
{
	char *text = textfile_read_proc("sys/net/netfilter/nf_conntrack_count", NULL);
	uint64_t count;

	if (text && textfile_scan(text, "%" SCNu64, &count) == 1)
		write_count(out, prefix, COUNTS_CONNECTIONS, count);
	free(text);
}

/* the state LISTEN in /proc/net/tcp */
#define LISTENS 0x0a

/*
 * Write the socket of a line such as "0: 0100007F:1F90 00000000:0000 0A 00000000:00000005 ...":
 * 127.0.0.1:8080 has 5 connections. The address has one or four words in the order of the CPU.
 * Return: whether it listens.
 */
static bool write_backlog(FILE *out, const char *prefix, const char *line)
{
	char hex[33], address[INET6_ADDRSTRLEN];
	unsigned int port, state, count;
	uint32_t word[4];
	uint64_t inode;
	bool wide;
	int i, n;

	if (sscanf(line, "%*u: %32[0-9A-F]:%x %*s %x %*x:%x %*s %*s %*s %*s %" SCNu64, hex, &port,
		   &state, &count, &inode) != 5 || state != LISTENS)
		return false;
	n = strlen(hex) / 8;
	wide = n == 4;
	if (!count || (n != 1 && !wide))
		return true;
	for (i = n - 1; i >= 0; i--, hex[8 * (i + 1)] = '\0')
		word[i] = strtoul(hex + 8 * i, NULL, 16);
	inet_ntop(wide ? AF_INET6 : AF_INET, word, address, sizeof(address));
	fprintf(out, "%s%s=%" PRIx64 " %u tcp/%s%s%s:%u\n", prefix, counts_names[COUNTS_BACKLOGS],
		inode, count, wide ? "[" : "", address, wide ? "]" : "", port);
	return true;
}

/* The sockets that listen come first. The others are not read: they may be very many. */
static void write_backlogs(FILE *out, const char *prefix, const char *name)
{
	char path[PATH_MAX], line[256];
	FILE *sockets;

	textfile_proc_path(path, sizeof(path), name);
	sockets = fopen(path, "re");
	if (!sockets)
		return;
	if (fgets(line, sizeof(line), sockets)) /* titles */
		while (fgets(line, sizeof(line), sockets) && write_backlog(out, prefix, line))
			;
	fclose(sockets);
}

/* A line is for example "TCP: inuse 5 orphan 0 tw 12 alloc 7 mem 1": 12 are in TIME_WAIT. */
static void write_closed(FILE *out, const char *prefix)
{
	char *text = textfile_read_proc("net/sockstat", NULL);
	const char *tcp = text ? textfile_value(text, "TCP", strlen("TCP"), ':') : NULL;
	uint64_t count;

	if (tcp && textfile_scan(tcp, " inuse %*u orphan %*u tw %" SCNu64, &count) == 1)
		write_count(out, prefix, COUNTS_CLOSED, count);
	free(text);
}

/* A line is a lock, or one that waits for it. */
static void write_locks(FILE *out, const char *prefix)
{
	char *text = textfile_read_proc("locks", NULL);
	const char *line;
	uint64_t count = 0;

	for (line = text && *text ? text : NULL; line; line = textfile_next_line(line))
		count++;
	if (text)
		write_count(out, prefix, COUNTS_LOCKS, count);
	free(text);
}

/* A line is for example "    0:   122 121/121 108/1000000 1345/25000000": user 0 has 121 keys. */
static void write_keys(FILE *out, const char *prefix)
{
	char *users = textfile_read_proc("key-users", NULL);
	uint64_t count, sum = 0;
	const char *line;

	for (line = users; line; line = textfile_next_line(line))
		if (textfile_scan(line, "%*s %*s %" SCNu64, &count) == 1)
			sum += count;
	if (users)
		write_count(out, prefix, COUNTS_KEYS, sum);
	free(users);
}

/* System V IPC */
static void write_ipc(FILE *out, const char *prefix)
{
	struct msginfo msg = { 0 };
	struct seminfo sem = { 0 };
	struct shm_info shm = { 0 };

	if (msgctl(0, MSG_INFO, (struct msqid_ds *)&msg) >= 0) {
		write_count(out, prefix, COUNTS_QUEUES, msg.msgpool);
		write_count(out, prefix, COUNTS_MESSAGES, msg.msgmap);
	}
	if (semctl(0, 0, SEM_INFO, &sem) >= 0)
		write_count(out, prefix, COUNTS_SEMAPHORES, sem.semusz);
	if (shmctl(0, SHM_INFO, (struct shmid_ds *)&shm) >= 0)
		write_count(out, prefix, COUNTS_SEGMENTS, shm.used_ids);
}

/* The file loadavg has for example "0.20 0.18 0.12 1/80 11206": 80 tasks exist. */
uint64_t counts_tasks(void)
{
	char *load = textfile_read_proc("loadavg", NULL);
	uint64_t count = 0;

	if (load)
		textfile_scan(load, "%*s %*s %*s %*[0-9]/%" SCNu64, &count);
	free(load);
	return count;
}

static void write_tasks(FILE *out, const char *prefix)
{
	uint64_t count = counts_tasks();

	if (count)
		write_count(out, prefix, COUNTS_TASKS, count);
}

/* Only version 2 of cgroups counts them. */
static void write_cgroups(FILE *out, const char *prefix)
{
	char root[PATH_MAX], path[PATH_MAX], *stat;
	uint64_t count;

	if (!mounts_cgroup2(root) ||
	    (size_t)snprintf(path, sizeof(path), "%s/cgroup.stat", root) >= sizeof(path))
		return;
	stat = textfile_read(AT_FDCWD, path, NULL);
	if (textfile_number(stat, "nr_dying_descendants", &count))
		write_count(out, prefix, COUNTS_CGROUPS, count);
	free(stat);
}

/* Return: the sum of numbers in the directory of KSM; one that does not exist is 0. */
static uint64_t sum_of_ksm(const char *const *files, size_t n)
{
	char name[64], path[PATH_MAX], *text;
	uint64_t count, sum = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "kernel/mm/ksm/%s", files[i]);
		textfile_sys_path(path, sizeof(path), name);
		text = textfile_read(AT_FDCWD, path, NULL);
		if (text && textfile_scan(text, "%" SCNu64, &count) == 1)
			sum += count;
		free(text);
	}
	return sum;
}

/*
 * The kernel has an item for each page, and divides their number among four files. It has a node
 * for each merged page, and another for each list of merged pages that are equal, because the
 * number of users of one is limited.
 */
static void write_ksm(FILE *out, const char *prefix)
{
	static const char *const scanned[] = { "pages_shared", "pages_sharing", "pages_unshared",
					       "pages_volatile" };
	static const char *const merged[] = { "pages_shared", "stable_node_chains" };
	uint64_t items = sum_of_ksm(scanned, sizeof(scanned) / sizeof(*scanned));

	if (!items)
		return;
	write_count(out, prefix, COUNTS_KSM, items);
	write_count(out, prefix, COUNTS_KSM_MERGED,
		    sum_of_ksm(merged, sizeof(merged) / sizeof(*merged)));
}

char *counts_text(const char *prefix)
{
	struct memtext text;
	FILE *out = memtext_open(&text);

	write_connections(out, prefix);
	write_backlogs(out, prefix, "net/tcp");
	write_backlogs(out, prefix, "net/tcp6");
	write_closed(out, prefix);
	write_locks(out, prefix);
	write_keys(out, prefix);
	write_ipc(out, prefix);
	write_tasks(out, prefix);
	write_cgroups(out, prefix);
	write_ksm(out, prefix);
	write_mounts(out, prefix);
	return memtext_close(&text, NULL);
}
