/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tool writes says what the kernel does, and where: nobody but its owner
 * is to read it.
 */
#ifndef PRIVATEFILE_H
#define PRIVATEFILE_H

#include <stdio.h>

/**
 * privatefile_create() - make a file that only its owner can open
 * @path: where; a file or symbolic link that is there is replaced and never
 *	written to, so that who has it open sees nothing; a device or pipe is
 *	opened as it is
 *
 * Its mode is 0600 whatever the umask.
 *
 * Return: the file, to be written to; NULL with errno set.
 */
FILE *privatefile_create(const char *path);

#endif /* PRIVATEFILE_H */
