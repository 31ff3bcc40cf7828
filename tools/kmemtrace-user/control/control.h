/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's files, in debugfs/kmemtrace. The environment variable KMEMTRACE_DIR names
 * another directory (for tests).
 */
#ifndef CONTROL_H
#define CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * control_open() - open the module's directory
 * @why: set to a sentence on failure: no module, no debugfs, or no permission
 *
 * Return: a file descriptor of the directory; -errno, with @why set.
 */
int control_open(const char **why);

/**
 * control_lock() - lock the module's directory, until it is closed
 * @dir: descriptor from control_open()
 * @alone: as a recorder does, not as other users do, which may be several
 *
 * Return: 0; -EBUSY if another process has it; another -errno.
 */
int control_lock(int dir, bool alone);

/**
 * control_open_file() - open a file of the module for reading
 * @name: name of the file
 *
 * Return: a file descriptor; -1, with a message.
 */
int control_open_file(const char *name);

/**
 * control_explain() - note another possible cause of a failure: the kernel is locked down
 *
 * Prints nothing if control_open() was not called, or the kernel is not locked down.
 */
void control_explain(void);

/**
 * control_read() - read a complete text file
 * @dir: descriptor from control_open()
 * @name: name of the file
 * @size: set to the number of bytes read, unless NULL
 *
 * Return: the text, terminated by a 0, which the caller frees; NULL with errno set.
 */
char *control_read(int dir, const char *name, size_t *size);

/** control_is_gone() - whether the module's directory does not exist, or cannot be opened */
bool control_is_gone(void);

/**
 * control_cannot_read() - print why a file of the module cannot be read
 * @name: name of the file
 * @err: a number of errno
 *
 * Return: EXIT_FAILED.
 */
int control_cannot_read(const char *name, int err);

/**
 * control_features() - get the features that records can have
 * @dir: descriptor from control_open()
 *
 * Return: their mask; all bits if the file cannot be read, or has a feature that the tool
 * does not know.
 */
uint32_t control_features(int dir);

/**
 * control_read_u64() - read a file that contains a number
 * @dir: descriptor from control_open()
 * @name: name of the file
 * @value: set to the number
 *
 * Return: 0 or -errno.
 */
int control_read_u64(int dir, const char *name, uint64_t *value);

/**
 * control_write() - write a text to a file
 * @dir: descriptor from control_open()
 * @name: name of the file
 * @text: the text
 *
 * Return: 0 or -errno.
 */
int control_write(int dir, const char *name, const char *text);

#endif /* CONTROL_H */
