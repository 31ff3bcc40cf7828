// SPDX-License-Identifier: GPL-2.0-only
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/die.h"
#include "base/msg.h"
#include "base/outfile.h"
#include "base/textfile.h"
#include "export/outdir.h"

/* a directory that is being written */
struct outdir {
	const char *name;		/* name for messages, as the user gave it */
	char *path;			/* path of the complete directory */
	char *part;			/* path of the incomplete one */
	int part_fd;			/* @part, locked while it is being written; -1: none */
	char *file[OUTDIR_FILES];	/* paths of the files in @part */
	unsigned int count;		/* number of these files */
	struct undo undo;		/* removes @part */
};

static void free_dir(struct outdir *d)
{
	if (d->part_fd >= 0)
		close(d->part_fd);
	while (d->count)
		free(d->file[--d->count]);
	free(d->path);
	free(d->part);
	free(d);
}

/* Return: 0; -ENOTEMPTY; another -errno. */
static int check_empty(const char *path)
{
	DIR *dir = textfile_list(AT_FDCWD, path);
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

static int outdir_explain(const struct outdir *d, int err)
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
static void set_paths(struct outdir *d, const char *path)
{
	size_t len = strlen(path);
	struct stat st;

	while (len > 1 && path[len - 1] == '/')
		len--;
	d->name = path;
	d->part_fd = -1;
	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		d->path = realpath(path, NULL);
	if (!d->path)
		d->path = xstrndup(path, len);
	d->part = xasprintf("%s.part", d->path);
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
	aside = xasprintf("%s.old", part);
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

/* The files first, then their directory. */
static void remove_part(void *arg)
{
	const struct outdir *d = arg;
	unsigned int i = d->count;

	while (i--)
		unlink(d->file[i]);
	rmdir(d->part);
}

int outdir_create(const char *path, struct outdir **ret)
{
	struct outdir *d = xcalloc(1, sizeof(*d));
	int err;

	set_paths(d, path);
	undo_hold();
	err = make_part(d);
	if (!err)
		undo_push(&d->undo, remove_part, d);
	undo_release();
	if (!err) {
		*ret = d;
		return 0;
	}
	outdir_explain(d, err);
	free_dir(d);
	return err;
}

FILE *outdir_open(struct outdir *d, const char *name)
{
	char *path = xasprintf("%s/%s", d->part, name);
	FILE *file;
	int fd;

	assert(d->count < OUTDIR_FILES);
	d->file[d->count++] = path;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
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

int outdir_finish(struct outdir *d)
{
	int err = rename(d->part, d->path) ? -errno : 0;

	if (err) {
		outdir_explain(d, err == -EEXIST ? -ENOTEMPTY : err);
		undo_now(&d->undo);
	}
	undo_drop(&d->undo);
	free_dir(d);
	return err;
}

void outdir_discard(struct outdir *d)
{
	undo_now(&d->undo);
	free_dir(d);
}
