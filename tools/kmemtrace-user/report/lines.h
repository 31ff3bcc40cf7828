/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source lines of the symbols of a recording, from debug information: --debuginfo. The
 * files may be on another machine than the recorded one, so the build ids are compared.
 */
#ifndef LINES_H
#define LINES_H

/* help text of --debuginfo */
#define LINES_HELP                                                             \
	"also show source lines: a file with debug information of the kernel or a module, or a directory with such files; auto: search by build id, also with debuginfod"

struct lines;
struct names;

/**
 * lines_open() - have names_location() show source lines
 * @ret: set to the lines; NULL if @path is NULL
 * @names: names of a recording, or of this machine
 * @meta: lines "key=value" with the build_id of the kernel; may be NULL
 * @path: a file with debug information of the kernel or a module, or a directory to search
 *	for such files; "auto": search with debugfile_find(); may be NULL
 *
 * A file of a directory is used if it has the build id of the recorded kernel or of one of
 * its modules. With "auto", a file is searched when a line in it is needed.
 *
 * Return: EXIT_DONE; EXIT_FAILED after a message.
 */
int lines_open(struct lines **ret, struct names *names, const char *meta,
	       const char *path);

/**
 * lines_check() - see whether a path is a directory or an ELF file, before what takes long
 * @path: as for lines_open()
 *
 * Return: EXIT_DONE; EXIT_FAILED after a message.
 */
int lines_check(const char *path);

/** lines_close() - undo lines_open(); NULL is allowed. Before the names are destroyed */
void lines_close(struct lines *l);

#endif /* LINES_H */
