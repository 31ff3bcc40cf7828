/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes that page-types makes to frames: take them out of use as if their memory had a
 * hardware error, undo this, or mark them as idle.
 */
#ifndef PAGEMARK_H
#define PAGEMARK_H

#include <stdint.h>

/* the changes */
#define PAGEMARK_POISON	  1
#define PAGEMARK_UNPOISON 2
#define PAGEMARK_IDLE	  4
#define PAGEMARK_FILES	  3

/**
 * struct pagemark - the kernel's files for the changes
 * @fd: descriptor for each change; -1: not requested
 * @word: number of the current word in the idle bitmap
 * @idle: the bits to set in the current word; 0: nothing to write
 * @failed: number of failed writes; a write changes one frame, or marks up to 64 as idle
 */
struct pagemark {
	int fd[PAGEMARK_FILES];
	uint64_t word;
	uint64_t idle;
	uint64_t failed;
};

/**
 * pagemark_open() - open the files
 * @m: set; must be closed with pagemark_close(), also after an error
 * @what: mask of PAGEMARK_*
 *
 * Return: 0; -1 after a message.
 */
int pagemark_open(struct pagemark *m, unsigned int what);

/**
 * pagemark_frames() - change contiguous frames
 * @m: from pagemark_open()
 * @pfn: number of the first frame
 * @n: number of frames
 *
 * Prints a message for the first frame that cannot be changed.
 */
void pagemark_frames(struct pagemark *m, uint64_t pfn, uint64_t n);

/**
 * pagemark_close() - write pending changes, and close the files
 * @m: from pagemark_open()
 *
 * Return: 0; -1 after a message if some frames could not be changed.
 */
int pagemark_close(struct pagemark *m);

#endif /* PAGEMARK_H */
