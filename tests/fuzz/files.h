/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that a target writes for every input, in a temporary directory. It is in memory
 * if possible, and is removed when the target exits.
 */
#ifndef FUZZ_FILES_H
#define FUZZ_FILES_H

#include <stddef.h>

/** files_dir() - Return: the directory; the first call creates it */
const char *files_dir(void);

/** files_path() - Return: path of "name" or "dir/name"; valid until the next call */
const char *files_path(const char *name);

/**
 * files_create() - create an empty file
 * @name: "name" or "directory/name"; missing directories are created
 *
 * Return: its descriptor, which stays open.
 */
int files_create(const char *name);

/**
 * files_link() - link a file to another name
 * @name: the new name, as in files_create()
 * @path: path of the file
 */
void files_link(const char *name, const char *path);

/**
 * files_write() - replace the content of a file
 * @fd: descriptor from files_create()
 * @data: the new content
 * @size: size of @data in bytes
 */
void files_write(int fd, const void *data, size_t size);

#endif /* FUZZ_FILES_H */
