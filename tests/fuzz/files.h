/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that a target writes for every input, in a directory of its own: in
 * memory, where that is to be had, and gone at the end.
 */
#ifndef FUZZ_FILES_H
#define FUZZ_FILES_H

#include <stddef.h>

/** files_dir() - the directory; made with the first call */
const char *files_dir(void);

/** files_path() - where "name" or "directory/name" is; until the next call */
const char *files_path(const char *name);

/**
 * files_create() - make a file that is empty
 * @name: "name" or "directory/name"; the directories are made as well
 *
 * Return: its descriptor, to be kept.
 */
int files_create(const char *name);

/**
 * files_link() - give a file one more name
 * @name: as of files_create()
 * @path: of the file
 */
void files_link(const char *name, const char *path);

/**
 * files_write() - replace what a file holds
 * @fd: of files_create()
 * @data: what it is to hold
 * @size: bytes of it
 */
void files_write(int fd, const void *data, size_t size);

#endif /* FUZZ_FILES_H */
