// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/outfile.h"
#include "export/outdir.h"

/**
 * struct outdir - a directory that is being written
 * @name: name for messages, as the user gave it
 * @path: path of the complete directory
 * @part: path of the incomplete one
 * @part_fd: @part, locked while it is being written; -1: none
 */
struct outdir {
	const char *name;
	char *path;
	char *part;
	int part_fd;
};

static void free_dir(struct outdir *d)
{
	if (d->part_fd >= 0)
		close(d->part_fd);
	free(d->path);
	free(d->part);
	free(d);
}

/* Return: 0; -ENOTEMPTY; another -errno. */
static int check_empty(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int err = 0;

	if (!dir)
		return -errno;
	while (!err && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			err = -ENOTEMPTY;
	closedir(dir);
	return err;
}

/* The shell of the user is in it: it cannot be replaced. */
static bool is_current(const struct stat *st)
{
	struct stat current;

	return !stat(".", &current) && st->st_dev == current.st_dev &&
	       st->st_ino == current.st_ino;
}

/* Return: 0 if rename() can replace what has the name. */
static int check_target(const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	return is_current(&st) ? -EBUSY : check_empty(path);
}

static int explain(const struct outdir *d, int err)
{
	if (err == -ENOTDIR)
		msg_error(
			"cannot create %s: something that is no directory has that name, or is in its path",
			d->name);
	else if (err == -ENOTEMPTY)
		msg_error(
			"%s is not empty: name a directory that does not exist, or an empty one",
			d->name);
	else if (err == -EBUSY)
		msg_error(
			"%s is the current directory: name a directory that does not exist, or an empty one",
			d->name);
	else if (err == -EAGAIN)
		msg_error(
			"%s is being written by another process: wait for it to end, or name another directory",
			d->name);
	else if (err == -EEXIST)
		msg_error(
			"cannot create %s: something else has that name, or %s.old is not empty: remove it",
			d->part, d->part);
	else
		msg_error("cannot create %s: %s", d->name, strerror(-err));
	return err;
}

/* Sets the paths, without slashes at the end; of a directory, with links resolved. */
static int set_paths(struct outdir *d, const char *path)
{
	size_t len = strlen(path);
	struct stat st;

	while (len > 1 && path[len - 1] == '/')
		len--;
	d->name = path;
	d->part_fd = -1;
	d->path = !stat(path, &st) && S_ISDIR(st.st_mode) ? realpath(path, NULL) :
							    strndup(path, len);
	return d->path && asprintf(&d->part, "%s.part", d->path) >= 0 ? 0
								      : -ENOMEM;
}

/* Renames the directory of a process that was killed; removes it if it is empty. */
static int set_aside(const char *part)
{
	int fd = open(part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), err = 0;
	char *aside;

	if (fd < 0)
		return -EEXIST;
	if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		err = -EAGAIN;
	close(fd);
	if (err || !rmdir(part))
		return err;
	if (asprintf(&aside, "%s.old", part) < 0)
		return -ENOMEM;
	if (rename(part, aside))
		err = errno == ENOTEMPTY || errno == ENOTDIR ? -EEXIST : -errno;
	else
		msg_note("%s was left by a process that was killed; it is now %s", part,
			 aside);
	free(aside);
	return err;
}

/*
 * Until it is locked, another process may take the directory for one that was left.
 *
 * Return: 0; -EAGAIN if the directory with that name is not ours any more.
 */
static int lock_part(struct outdir *d)
{
	struct stat ours, now;

	d->part_fd = open(d->part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (d->part_fd < 0)
		return errno == ENOENT ? -EAGAIN : 0; /* written without a lock */
	/* some file systems have no locks */
	if (flock(d->part_fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return -EAGAIN;
	if (fstat(d->part_fd, &ours) || lstat(d->part, &now) ||
	    ours.st_dev != now.st_dev || ours.st_ino != now.st_ino)
		return -EAGAIN;
	return 0;
}

static int make_part(struct outdir *d)
{
	int err = *d->path ? check_target(d->path) : -ENOENT;

	if (!err)
		err = mkdir(d->part, 0700) ? -errno : 0;
	if (err == -EEXIST) {
		err = set_aside(d->part);
		if (!err && mkdir(d->part, 0700))
			err = -errno;
	}
	if (err)
		return err;
	/* the umask may have removed rights of the owner */
	err = chmod(d->part, 0700) ? -errno : lock_part(d);
	if (err && err != -EAGAIN)
		rmdir(d->part);
	return err;
}

int outdir_create(const char *path, struct outdir **ret)
{
	struct outdir *d = calloc(1, sizeof(*d));
	int err = d ? set_paths(d, path) : -ENOMEM;

	if (err) {
		msg_oom();
	} else {
		err = make_part(d);
		if (!err) {
			*ret = d;
			return 0;
		}
		explain(d, err);
	}
	if (d)
		free_dir(d);
	return err;
}

const char *outdir_part(const struct outdir *d)
{
	return d->part;
}

FILE *outdir_open(const char *path, const char *name, char **full)
{
	FILE *file;
	int fd;

	if (asprintf(full, "%s/%s", path, name) < 0) {
		*full = NULL;
		errno = ENOMEM;
		return NULL;
	}
	fd = open(*full, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	file = fd < 0 || fchmod(fd, 0600) ? NULL : fdopen(fd, "w");
	if (!file && fd >= 0)
		close(fd);
	return file;
}

int outdir_close(FILE *file)
{
	int err = outfile_flush(file);

	if (fclose(file) && !err)
		err = -errno;
	return err;
}

static void remove_part(const struct outdir *d)
{
	struct dirent *entry;
	DIR *dir = opendir(d->part);

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(d->part);
}

int outdir_finish(struct outdir *d)
{
	int err = rename(d->part, d->path) ? -errno : 0;

	if (err) {
		explain(d, err == -EEXIST ? -ENOTEMPTY : err);
		remove_part(d);
	}
	free_dir(d);
	return err;
}

void outdir_discard(struct outdir *d)
{
	remove_part(d);
	free_dir(d);
}
