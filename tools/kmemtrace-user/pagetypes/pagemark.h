/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What page-types can do to frames: take them out of use as if their memory were
 * broken, take that back, mark them idle.
 */
#ifndef PAGEMARK_H
#define PAGEMARK_H

#include <stdint.h>

/* what is done */
#define PAGEMARK_POISON	  1
#define PAGEMARK_UNPOISON 2
#define PAGEMARK_IDLE	  4
#define PAGEMARK_FILES	  3

/**
 * struct pagemark - the kernel's files for it
 * @fd: of each, -1 for what is not done
 * @word: number of the word of the idle bitmap that is being made up
 * @idle: the word; 0: there is none
 * @failed: frames that it could not be done to
 */
struct pagemark {
	int fd[PAGEMARK_FILES];
	uint64_t word;
	uint64_t idle;
	uint64_t failed;
};

/**
 * pagemark_open() - open the files
 * @m: set; to be closed with pagemark_close(), also after an error
 * @what: mask of PAGEMARK_*
 *
 * Return: 0; -1 after a message.
 */
int pagemark_open(struct pagemark *m, unsigned int what);

/**
 * pagemark_frames() - do it to frames
 * @m: opened
 * @pfn: number of the first one
 * @n: how many
 *
 * Of those that fail, the first one gets a message.
 */
void pagemark_frames(struct pagemark *m, uint64_t pfn, uint64_t n);

/**
 * pagemark_close() - finish, and close the files
 * @m: opened
 *
 * Return: 0; -1 after a message if it could not be done to all.
 */
int pagemark_close(struct pagemark *m);

#endif /* PAGEMARK_H */
