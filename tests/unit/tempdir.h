/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A temporary directory that replaces /proc, /sys and the directory of the module.
 */
#ifndef TEMPDIR_H
#define TEMPDIR_H

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static char tempdir[] = "/tmp/kmt_unit_XXXXXX";

/** tempdir_begin() - create the directory and set the environment variables */
static inline void tempdir_begin(void)
{
	ck_assert_ptr_nonnull(mkdtemp(tempdir));
	setenv("KMEMTRACE_PROC", tempdir, 1);
	setenv("KMEMTRACE_SYS", tempdir, 1);
	setenv("KMEMTRACE_DIR", tempdir, 1);
}

/** tempdir_path() - Return: the path of a file in it; valid until the next call */
static inline const char *tempdir_path(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", tempdir, name);
	return path;
}

/** tempdir_put() - write a file, "name" or "directory/name" */
static inline void tempdir_put(const char *name, const void *data, size_t size)
{
	const char *slash = name;
	char part[64];
	FILE *file;

	while ((slash = strchr(slash, '/'))) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - name), name);
		mkdir(tempdir_path(part), 0700);
		slash++;
	}
	file = fopen(tempdir_path(name), "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(data, 1, size, file), size);
	fclose(file);
}

/** tempdir_put_text() - write a file of text */
static inline void tempdir_put_text(const char *name, const char *text)
{
	tempdir_put(name, text, strlen(text));
}

/** tempdir_link() - make a file that is the same as another, which may be written later */
static inline void tempdir_link(const char *name, const char *other)
{
	if (symlink(other, tempdir_path(name)))
		ck_assert_int_eq(errno, EEXIST);
}

/** tempdir_get() - Return: entry @index of a file of 64-bit entries; 0 if none */
static inline uint64_t tempdir_get(const char *name, uint64_t index)
{
	uint64_t entry = 0;
	FILE *file = fopen(tempdir_path(name), "r");

	ck_assert_ptr_nonnull(file);
	if (fseek(file, index * sizeof(entry), SEEK_SET) ||
	    fread(&entry, sizeof(entry), 1, file) != 1)
		entry = 0;
	fclose(file);
	return entry;
}

/** tempdir_end() - remove the directory */
static inline void tempdir_end(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", tempdir);
	ck_assert_int_eq(system(command), 0);
}

#endif /* TEMPDIR_H */
