/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's files, debugfs/kmemtrace; KMEMTRACE_DIR in the environment
 * names another directory (for tests).
 */
#ifndef CONTROL_H
#define CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * control_open() - find the module's directory
 * @why: set to a sentence if there is none: no module, no debugfs, no right
 *
 * Return: a file descriptor of the directory; -errno, with @why set.
 */
int control_open(const char **why);

/**
 * control_explain() - say what else may be behind a failure
 *
 * That is, if the module was asked for: that the kernel is locked down.
 */
void control_explain(void);

/**
 * control_read() - read a text file whole
 * @dir: from control_open()
 * @name: of the file
 * @size: set to the bytes read, unless NULL
 *
 * Return: the text, ended by a 0, to be freed; NULL with errno set.
 */
char *control_read(int dir, const char *name, size_t *size);

/**
 * control_read_u64() - read a file that holds a number
 * @dir: from control_open()
 * @name: of the file
 * @value: set to it
 *
 * Return: 0 or -errno.
 */
int control_read_u64(int dir, const char *name, uint64_t *value);

/**
 * control_write() - write a text to a file
 * @dir: from control_open()
 * @name: of the file
 * @text: what to write
 *
 * Return: 0 or -errno.
 */
int control_write(int dir, const char *name, const char *text);

#endif /* CONTROL_H */
