// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"
#include "export/outdir.h"

/**
 * struct outdir - a directory that is being written
 * @path: path of the complete directory
 * @part: path of the incomplete one
 */
struct outdir {
	char *path;
	char *part;
};

static void free_dir(struct outdir *d)
{
	free(d->path);
	free(d->part);
	free(d);
}

/* Return: 0 if rename() can replace what has the name. */
static int check_target(const char *path)
{
	struct dirent *entry;
	struct stat st;
	int err = 0;
	DIR *dir;

	if (lstat(path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (!err && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			err = -ENOTEMPTY;
	closedir(dir);
	return err;
}

static int explain(const struct outdir *d, int err)
{
	if (err == -ENOTDIR)
		msg_error(
			"cannot create %s: something that is no directory has that name, or is in its path",
			d->path);
	else if (err == -ENOTEMPTY)
		msg_error(
			"%s is not empty: name a directory that does not exist, or an empty one",
			d->path);
	else if (err == -EEXIST)
		msg_error(
			"cannot create %s.part: it exists; another process writes it, or was killed: then remove it",
			d->path);
	else
		msg_error("cannot create %s: %s", d->path, strerror(-err));
	return err;
}

/* Sets the paths, without slashes at the end. */
static int set_paths(struct outdir *d, const char *path)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	d->path = strndup(path, len);
	return d->path && asprintf(&d->part, "%s.part", d->path) >= 0 ? 0
								      : -ENOMEM;
}

static int make_part(const struct outdir *d)
{
	int err = *d->path ? check_target(d->path) : -ENOENT;

	if (err)
		return err;
	if (mkdir(d->part, 0700))
		return -errno;
	/* the umask may have removed rights of the owner */
	if (!chmod(d->part, 0700))
		return 0;
	err = -errno;
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
	int err = 0;

	errno = 0;
	if (fflush(file) || ferror(file) || fsync(fileno(file)))
		err = errno ? -errno : -EIO;
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
