/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text files of the kernel. A file is read completely, and then parsed by line or by
 * name.
 */
#ifndef TEXTFILE_H
#define TEXTFILE_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * textfile_read() - read a complete file; its st_size may be 0, as in /proc
 * @dir: directory that @path is relative to; or AT_FDCWD
 * @path: path of the file
 * @size: set to the number of bytes read, unless NULL
 *
 * Return: the text, terminated by a 0, which the caller frees; NULL with errno set: EFBIG if it is
 * larger than 512 MiB or does not end.
 */
char *textfile_read(int dir, const char *path, size_t *size);

/**
 * textfile_first() - read the first bytes of a file, to see what it is
 * @path: path of the file
 * @to: set to the bytes, terminated by a 0
 * @size: bytes of @to
 *
 * Return: 0; -1 with errno set: ESPIPE if it is no regular file, because the bytes of a
 * pipe could not be read again.
 */
int textfile_first(const char *path, char *to, size_t size);

/**
 * textfile_proc_path() - make the path of a file of /proc
 * @path: set to the path
 * @size: of @path, in bytes
 * @name: name of the file, for example "zoneinfo"
 *
 * If the environment variable KMEMTRACE_PROC is set, it is used instead of /proc (for
 * tests).
 */
void textfile_proc_path(char *path, size_t size, const char *name);

/** textfile_sys_path() - as textfile_proc_path(), for /sys and KMEMTRACE_SYS */
void textfile_sys_path(char *path, size_t size, const char *name);

/**
 * textfile_read_proc() - read a complete file of /proc
 * @name: name of the file, as for textfile_proc_path()
 * @size: set to the number of bytes read, unless NULL
 *
 * Return: the text, terminated by a 0, which the caller frees; NULL with errno set.
 */
char *textfile_read_proc(const char *name, size_t *size);

/**
 * textfile_next_line() - find the next line of a text
 * @line: the start of a line
 *
 * Return: the start of the next line; NULL if there is none.
 */
const char *textfile_next_line(const char *line);

/**
 * textfile_scan() - as sscanf(), but of one line
 * @line: start of the line, which others may follow; only its first 1,023 bytes are read
 * @format: as for sscanf(), which itself searches for the end of the whole text
 *
 * Return: as sscanf().
 */
__attribute__((format(scanf, 2, 3))) int textfile_scan(const char *line,
						       const char *format, ...);

/**
 * textfile_value() - find a value by its name, in lines "name value"
 * @text: the lines; NULL: none
 * @name: the name
 * @len: bytes in @name
 * @separator: the character between name and value, for example ' ', '=' or ':'
 *
 * Return: the text after the separator in the first such line; NULL if there is none.
 */
const char *textfile_value(const char *text, const char *name, size_t len,
			   char separator);

/**
 * textfile_number() - find a number by its name, in lines "name number"
 * @text: the lines, for example of the module's file stats
 * @name: name of the number
 * @value: set to the number
 *
 * Return: true if the name was found.
 */
bool textfile_number(const char *text, const char *name, uint64_t *value);

/**
 * textfile_cpu_number() - parse a line "name.cpu<n> number"
 * @line: the line, which is followed by others
 * @name: the name, for example "lost_events"
 * @separator: as for textfile_value()
 * @cpu: set to the number of the CPU
 * @value: set to the number
 *
 * Return: false if the line has another name or another format.
 */
bool textfile_cpu_number(const char *line, const char *name, char separator,
			 unsigned int *cpu, uint64_t *value);

/**
 * textfile_list() - open a directory to list its files
 * @dir: the directory that @path is relative to; AT_FDCWD for the current one
 * @path: its path
 *
 * Return: the directory, for readdir() and closedir(); NULL, with errno set: it cannot be
 * opened. Lack of memory ends the tool.
 */
DIR *textfile_list(int dir, const char *path);

/** textfile_name() - a path without its directory */
const char *textfile_name(const char *path);

#endif /* TEXTFILE_H */
