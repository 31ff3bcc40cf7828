/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes and their mappings: /proc/PID/maps and /proc/PID/pagemap. A process may end
 * or unmap memory while it is read. This is normal, and is distinguished from an error.
 *
 * For tests, the environment variable KMEMTRACE_PROC replaces the directory /proc.
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
 * @offset: offset of @start in the file
 * @inode: inode number of the file; 0 without a file
 * @major: major number of the file's device
 * @minor: minor number of the file's device
 * @perms: permissions, for example "rw-p"
 * @path: path of the file, a name such as "[heap]", or ""; control characters are escaped
 *	in the form that the kernel uses, for example "\012"
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
 * @pid: number of the process
 * @name: name of its main thread (comm), as table_escape()
 * @map: its mappings, by address; a kernel thread has none
 * @nr_maps: number of mappings
 * @dir: file descriptor of its directory in /proc, or -1
 * @pagemap: file descriptor of its pagemap, or -1
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
 * process_open() - read the mappings of a process, and open its pagemap
 * @p: set; must be closed with process_close(), also after an error. @p->name is also set
 *	after -EACCES
 * @pid: number of the process
 *
 * Return: 0; -ESRCH if the process does not exist, or ended meanwhile; -EACCES if it may
 * not be read; another -errno.
 */
int process_open(struct process *p, int pid);

/**
 * process_pagemap() - read entries of the pagemap of a process
 * @p: the process
 * @page: number of the first page: its address / page size
 * @entry: gets the entries
 * @n: number of entries
 *
 * Return: number of entries read; less than @n at the end of the address space, or if the
 * process ended meanwhile; -errno.
 */
ssize_t process_pagemap(const struct process *p, uint64_t page, uint64_t *entry,
			size_t n);

/**
 * process_is_kthread() - whether a process is a kernel thread, without its own memory
 * @p: the process; process_open() may have returned -EACCES for it
 */
bool process_is_kthread(const struct process *p);

/**
 * process_leader() - the process that a thread belongs to
 * @p: the process, or a thread; process_open() accepts both
 *
 * Return: the number of the process; that of @p itself if the kernel does not show it.
 */
int process_leader(const struct process *p);

/**
 * process_is_gone() - whether a process does not exist any more
 * @p: the process, still open
 *
 * Its number may be that of another process then.
 */
bool process_is_gone(const struct process *p);

/** process_close() - undo process_open() */
void process_close(struct process *p);

/**
 * process_list() - find processes
 * @what: a number, or a name (comm); NULL: all processes. Several processes may have the
 *	same name. The kernel may know only the first 15 characters of a name
 * @pids: set to the numbers in ascending order; must be freed
 *
 * Return: number of processes found, or 0; -1 after a message.
 */
ssize_t process_list(const char *what, int **pids);

/**
 * process_find() - find one process
 * @what: its number or its name, as for process_list()
 *
 * Return: its number; 0 after a message, also if several processes have the name.
 */
int process_find(const char *what);

/**
 * process_own_entry() - the pagemap entry of a page of this process
 *
 * The page is anonymous, has been written, and stays mapped. If KMEMTRACE_PROC is set,
 * the entry is the first one of self/pagemap in that directory.
 *
 * Return: the entry; 0 if it cannot be read.
 */
uint64_t process_own_entry(void);

/**
 * process_sees_frames() - whether pagemap shows frame numbers
 *
 * Without CAP_SYS_ADMIN, frame numbers read as 0. Checks process_own_entry().
 */
bool process_sees_frames(void);

#endif /* PROCESS_H */
