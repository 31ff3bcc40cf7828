/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's counts of what its users hold: files of each tmpfs, connections that netfilter
 * tracks, TCP connections that each listening socket has not accepted, keys, objects of System V
 * IPC, mounts and closed TCP connections in the namespaces of this process, locks of files, tasks,
 * removed cgroups, and pages that KSM scans and has merged.
 */
#ifndef COUNTS_H
#define COUNTS_H

#include <stdint.h>

/* what the lines begin with: those of the start of a recording; others */
#define COUNTS_START "start_held_"
#define COUNTS_NOW   "held_"

/* what is counted */
enum counts_kind {
	COUNTS_MOUNTS,
	COUNTS_FILES, /* of a tmpfs; one for each */
	COUNTS_CONNECTIONS,
	COUNTS_BACKLOGS, /* connections that wait for accept(); one for each listening socket */
	COUNTS_CLOSED, /* TCP connections in the state TIME_WAIT */
	COUNTS_LOCKS,  /* of files, and leases */
	COUNTS_KEYS,
	COUNTS_QUEUES,
	COUNTS_MESSAGES,
	COUNTS_SEMAPHORES,
	COUNTS_SEGMENTS,
	COUNTS_TASKS,
	COUNTS_CGROUPS, /* removed ones that still exist */
	COUNTS_KSM,	/* pages of processes that KSM scans or has merged */
	COUNTS_KSM_MERGED, /* pages that are the result of that, and lists of equal ones */
	COUNTS_KINDS
};

/* the names of the kinds in the lines */
extern const char *const counts_names[COUNTS_KINDS];

/**
 * counts_text() - read all counts, as END of a recording has them
 * @prefix: COUNTS_START or COUNTS_NOW
 *
 * Return: lines "NAME=COUNT", for example "keys=121"; for each tmpfs that is mounted where
 * this process is, "files=ID COUNT PATH", with PATH as in mountinfo; for each listening socket
 * with connections that wait, "backlogs=INODE COUNT tcp/ADDRESS:PORT"; each after @prefix. The
 * caller frees it.
 */
char *counts_text(const char *prefix);

/** counts_tasks() - count the threads and processes; 0: unknown */
uint64_t counts_tasks(void);

#endif /* COUNTS_H */
