/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes and what they map: /proc/PID/maps and /proc/PID/pagemap. That one
 * ends or unmaps in the middle is normal, and told apart from an error.
 *
 * KMEMTRACE_PROC in the environment names another directory than /proc (for
 * tests).
 */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* an entry of pagemap (fs/proc/task_mmu.c) */
#define PM_PFN(entry)	     ((entry) & ((1ull << 55) - 1)) /* if present */
#define PM_SWAP_TYPE(entry)  ((entry) & 0x1f)		    /* if swapped */
#define PM_SWAP_OFFSET(entry) (((entry) & ((1ull << 55) - 1)) >> 5)
#define PM_SOFT_DIRTY	     (1ull << 55)
#define PM_EXCLUSIVE	     (1ull << 56)
#define PM_UFFD_WP	     (1ull << 57)
#define PM_GUARD	     (1ull << 58)
#define PM_FILE		     (1ull << 61) /* or shared anonymous */
#define PM_SWAPPED	     (1ull << 62)
#define PM_PRESENT	     (1ull << 63)

/**
 * struct mapping - one row of /proc/PID/maps
 * @start: first address
 * @end: address after the last
 * @offset: of @start in the file
 * @inode: of the file, 0 if there is none
 * @major: of the file's device
 * @minor: of the file's device
 * @perms: "rw-p"
 * @path: of the file, or "[heap]" and such, or ""; control characters are
 *	written as the kernel does, "\012"
 */
struct mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t inode;
	unsigned int major;
	unsigned int minor;
	char perms[5];
	char *path;
};

/**
 * struct process - a process
 * @pid: its number
 * @name: of its main thread (comm), what cannot be printed replaced by '?'
 * @map: its mappings, by address; none for a thread of the kernel
 * @nr_maps: how many
 * @dir: file descriptor of its directory in /proc, or -1
 * @pagemap: file descriptor, or -1
 */
struct process {
	int pid;
	char name[64];
	struct mapping *map;
	size_t nr_maps;
	int dir;
	int pagemap;
};

/**
 * process_open() - read its mappings and open its pagemap
 * @p: set; to be closed with process_close(), also after an error; after -EACCES
 *	it has a name as well
 * @pid: its number
 *
 * Return: 0; -ESRCH if there is no such process (any more), -EACCES if it may
 * not be looked at, or another -errno.
 */
int process_open(struct process *p, int pid);

/**
 * process_pagemap() - read entries of its pagemap
 * @p: the process
 * @page: number of the first page: its address / page size
 * @entry: gets them
 * @n: how many
 *
 * Return: how many there are, fewer at the end of the address space or when it
 * ended meanwhile; -errno.
 */
ssize_t process_pagemap(const struct process *p, uint64_t page, uint64_t *entry,
			size_t n);

/**
 * process_is_kthread() - whether it is a thread of the kernel
 * @p: the process, also one that process_open() returned -EACCES for
 *
 * Those have no memory of their own.
 */
bool process_is_kthread(const struct process *p);

/** process_close() - free it */
void process_close(struct process *p);

/**
 * process_list() - find processes
 * @what: a number, or a name (comm) that several may have, and of which the
 *	kernel may only know the first 15 characters; NULL: all
 * @pids: set to their numbers in ascending order, to be freed
 *
 * Return: how many, 0 if there is none; -1 after a message.
 */
ssize_t process_list(const char *what, int **pids);

/**
 * process_own_entry() - the entry of a page of this process, anonymous, written,
 * and mapped for good
 *
 * Where KMEMTRACE_PROC is set, the first entry of self/pagemap in it.
 *
 * Return: the entry, 0 if there is none.
 */
uint64_t process_own_entry(void);

/**
 * process_sees_frames() - whether pagemap shows frame numbers
 *
 * They read as 0 without CAP_SYS_ADMIN. Looks at process_own_entry().
 */
bool process_sees_frames(void);

/**
 * process_sees_soft_dirty() - whether this kernel keeps PM_SOFT_DIRTY
 *
 * Looks at process_own_entry().
 */
bool process_sees_soft_dirty(void);

#endif /* PROCESS_H */
