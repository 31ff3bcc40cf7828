// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/die.h"
#include "base/msg.h"
#include "base/outfile.h"

/* --- streams that wait ---------------------------------------------------- */

/* interval between two calls of gives_up(), in ms */
#define ASK_MS 20

bool waitstream_is_needed(int fd)
{
	struct stat st;

	return fstat(fd, &st) || !S_ISREG(st.st_mode);
}

/* Return: false: the stream gives up. An error is left to write(). */
static bool wait_for_room(struct waitstream *s)
{
	struct pollfd pfd = { .fd = s->fd, .events = POLLOUT };
	unsigned int ms = 0;

	while (!s->has_given_up && !poll(&pfd, 1, ASK_MS)) {
		ms += ASK_MS;
		s->has_given_up = s->gives_up && s->gives_up(s->arg, ms);
	}
	return !s->has_given_up;
}

/* After poll(), a pipe has room for PIPE_BUF bytes, but perhaps not for more. */
static ssize_t waitstream_put(void *cookie, const char *data, size_t size)
{
	struct waitstream *s = cookie;
	size_t done = 0;
	ssize_t n;

	while (done < size) {
		size_t part = size - done < PIPE_BUF ? size - done : PIPE_BUF;

		if (!wait_for_room(s)) {
			errno = ECANCELED;
			break;
		}
		n = write(s->fd, data + done, part);
		if (n >= 0)
			done += n;
		else if (errno != EINTR && errno != EAGAIN)
			break;
	}
	return done;
}

FILE *waitstream_open(struct waitstream *s)
{
	return fopencookie(s, "w", (cookie_io_functions_t){ .write = waitstream_put });
}

/* --- outfile -------------------------------------------------------------- */

/**
 * struct outfile - a file that is being written
 * @stream: stream to write to
 * @name: name for messages, as the user gave it
 * @path: path of the complete file; NULL: a device, a pipe or standard output
 * @part: path of the incomplete file; NULL if @path is NULL
 * @old: path of the previous file; NULL if @path is NULL
 * @begins: the first bytes of each file of this kind; NULL: they differ
 * @fd: descriptor of @stream
 * @keeps_part: see outfile_keep_part()
 * @undo: removes the incomplete file
 */
struct outfile {
	FILE *stream;
	const char *begins;
	char *name;
	char *path;
	char *part;
	char *old;
	int fd;
	bool keeps_part;
	struct undo undo;
};

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool outfile_is(const char *path, const char *other)
{
	static const char *const ends[] = { "", ".old", ".part", ".part.old" };
	char name[PATH_MAX];
	struct stat a, b;
	size_t i;

	if (!strcmp(path, "-") || stat(other, &b) || !S_ISREG(b.st_mode))
		return false;
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", path, ends[i]);
		if (!stat(name, &a) && is_same(&a, &b))
			return true;
	}
	return false;
}

/* --- descriptors of the tool ----------------------------------------------- */

/* as the kernel */
#define LINKS_MAX 40

/*
 * The directory of a path, with links resolved: "/proc/1234/fd" of "/dev/fd/1". Return:
 * the name after it; NULL if there is no such directory.
 */
static const char *split_path(const char *path, char *dir)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *text = xstrndup(path, name - path);
	bool found = realpath(slash ? text : ".", dir);

	free(text);
	return found ? name : NULL;
}

/* Return: the descriptor of the tool that a path in /proc is; -1: it is none. */
static int descriptor_at(const char *dir, const char *name)
{
	char own[PATH_MAX], thread[PATH_MAX], *end;
	long number;

	if (!realpath("/proc/self/fd", own) ||
	    (strcmp(dir, own) &&
	     (!realpath("/proc/thread-self/fd", thread) || strcmp(dir, thread))))
		return -1;
	number = strtol(name, &end, 10);
	return *name >= '0' && *name <= '9' && !*end && number <= INT_MAX ? number : -1;
}

/*
 * The links are followed one by one, because the last one of /dev/stdout leads to what
 * standard output is: a file there would be replaced, instead of the redirection used.
 */
static int find_descriptor(const char *path)
{
	char dir[PATH_MAX], at[PATH_MAX], to[PATH_MAX];
	int links = LINKS_MAX, fd = -1;
	const char *name;
	struct stat st;
	ssize_t n;

	if (!strcmp(path, "-"))
		return STDOUT_FILENO;
	/* EACCES: as in resolve_link(), a link of another user */
	if ((stat(path, &st) && errno == EACCES) ||
	    snprintf(at, sizeof(at), "%s", path) >= (int)sizeof(at))
		return -1;
	while (links-- && (name = split_path(at, dir))) {
		fd = descriptor_at(dir, name);
		n = fd < 0 ? readlink(at, to, sizeof(to)) : -1;
		if (n < 0 || n == sizeof(to))
			break;
		to[n] = '\0';
		n = snprintf(at, sizeof(at), "%s%s%s", *to == '/' ? "" : dir,
			     *to == '/' ? "" : "/", to);
		if (n >= (ssize_t)sizeof(at))
			break;
	}
	return fd;
}

bool outfile_is_stdout(const char *path)
{
	return find_descriptor(path) == STDOUT_FILENO;
}

bool outfile_is_direct(const char *path)
{
	struct stat st;

	return find_descriptor(path) >= 0 ||
	       (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

static int open_descriptor(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

/* --- path of the file ------------------------------------------------------ */

/*
 * A directory such as /tmp may contain a malicious link of another user. The kernel does
 * not follow such a link (fs.protected_symlinks), but readlink() can read it. The link
 * is therefore followed with open().
 */
static char *resolve_link(const char *path, const struct stat *target)
{
	char link[32], to[PATH_MAX];
	struct stat st;
	ssize_t n;
	int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, to, sizeof(to) - 1);
	close(fd);
	if (n < 0)
		return NULL;
	to[n] = '\0';
	/* a link in /proc may lead to a deleted file */
	if (lstat(to, &st) || !is_same(&st, target))
		return NULL;
	return xstrdup(to);
}

/* Create the target of a dangling link. */
static int make_target(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* Set o->path, unless the tool writes directly to @path. */
static int find_path(struct outfile *o, const char *path)
{
	struct stat st, link;

	if (!*path)
		return -ENOENT;
	if (lstat(path, &link) && errno != ENOENT)
		return -errno;
	if (lstat(path, &link)) {
		o->path = xstrdup(path);
		return 0;
	}
	if (stat(path, &st) &&
	    (errno != ENOENT || make_target(path) || stat(path, &st)))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return 0;
	o->path = S_ISLNK(link.st_mode) ? resolve_link(path, &st) : xstrdup(path);
	return 0;
}

/* --- files that exist ------------------------------------------------------ */

/* The file may be shorter, because a process was killed that wrote it, or the disk was full. */
static bool begins_with(int fd, const char *begins)
{
	size_t len = begins ? strlen(begins) : 0;
	char first[128];
	ssize_t n = pread(fd, first, len < sizeof(first) ? len : sizeof(first), 0);

	return begins && n >= 0 && !memcmp(first, begins, n);
}

/*
 * Checks that no file of the user is lost if another one gets its name. Return: 0 if there
 * is no file, or an empty one, or one of this kind; else -EEXIST, after a message.
 */
static int check_replaceable(const char *name, const char *begins)
{
	int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool gone = fd < 0 && errno == ENOENT, is_file, ok;
	struct stat st;

	is_file = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode);
	ok = gone || (is_file && (!st.st_size || begins_with(fd, begins)));
	if (fd >= 0)
		close(fd);
	if (ok)
		return 0;
	if (is_file)
		msg_error("%s exists, and has other data than this command writes: rename it, or write to another file",
			  name);
	else
		msg_error("cannot create %s: something else has that name: rename it, or write to another file",
			  name);
	return -EEXIST;
}

/* The file from before is kept under another name, unless it is empty, as after mktemp. */
static int check_old(const struct outfile *o)
{
	struct stat st;
	int err = check_replaceable(o->path, o->begins);

	return err || lstat(o->path, &st) || !st.st_size ?
		       err :
		       check_replaceable(o->old, o->begins);
}

/* --- the incomplete file --------------------------------------------------- */

/* attempts to lock a directory, one every 10 ms */
#define LOCK_TRIES 100
/* attempts to create a file that another process is writing, one every 10 ms */
#define BUSY_TRIES 100

/*
 * The lock is held while FILE.part is checked, created and locked. Locking may fail:
 * some file systems have no locks, and any user may hold this lock. O_EXCL then protects
 * the file.
 */
static int lock_directory(const char *path)
{
	char *dir = xstrdup(path), *slash = strrchr(dir, '/');
	int fd, tries = LOCK_TRIES;

	if (slash)
		slash[1] = '\0';
	fd = open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) &&
	       (errno == EWOULDBLOCK || errno == EINTR) && tries--)
		usleep(10000);
	return fd;
}

static bool is_locked(const char *part)
{
	int fd = open(part, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return locked;
}

/* Rename the file that a process could not complete; remove it if it is empty. */
static int set_aside(const char *part, const char *begins)
{
	int err = is_locked(part) ? -EBUSY : check_replaceable(part, begins);
	struct stat st;
	char *aside;

	if (err)
		return err;
	if (!lstat(part, &st) && !st.st_size)
		return unlink(part) ? -errno : 0;
	aside = xasprintf("%s.old", part);
	err = check_replaceable(aside, begins);
	if (!err && rename(part, aside))
		err = -errno;
	else if (!err)
		msg_note("%s is incomplete, because its process was killed or the disk was full; it is now %s",
			 part, aside);
	free(aside);
	return err;
}

static int open_part(const char *part)
{
	int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	flock(fd, LOCK_EX | LOCK_NB);
	/* the umask may have removed rights of the owner */
	if (!fchmod(fd, 0600))
		return fd;
	close(fd);
	unlink(part);
	return -EPERM;
}

static int try_part(const char *part, const char *begins)
{
	int dir = lock_directory(part), fd = open_part(part), err;

	if (fd == -EEXIST) {
		err = set_aside(part, begins);
		fd = err ? err : open_part(part);
	}
	if (dir >= 0)
		close(dir);
	return fd;
}

/* Another process may be just about to complete its file, which its reader has already. */
static int create_part(const char *part, const char *begins)
{
	int fd, tries = BUSY_TRIES;

	while ((fd = try_part(part, begins)) == -EBUSY && tries--)
		usleep(10000);
	return fd;
}

/* On a file system without locks, another process may have replaced the file. */
static bool is_ours(const struct outfile *o)
{
	struct stat ours, st;

	return !fstat(o->fd, &ours) && !lstat(o->part, &st) && is_same(&ours, &st);
}

static bool is_empty(const struct outfile *o)
{
	struct stat st;

	return !fstat(o->fd, &st) && S_ISREG(st.st_mode) && !st.st_size;
}

/* As msg_note(), but for a signal handler. */
static void tell_of_part(const struct outfile *o)
{
	static const char before[] = "kmemtrace-user: ";
	static const char after[] = " has what was written until now\n";
	const struct iovec parts[] = {
		{ (char *)before, sizeof(before) - 1 },
		{ o->part, strlen(o->part) },
		{ (char *)after, sizeof(after) - 1 },
	};

	if (writev(STDERR_FILENO, parts, 3) < 0)
		return;
}

static void remove_part(void *arg)
{
	const struct outfile *o = arg;

	if (!is_ours(o))
		return;
	if (o->keeps_part && !is_empty(o))
		tell_of_part(o);
	else
		unlink(o->part);
}

/* Return: a descriptor, or -errno. */
static int open_file(struct outfile *o, const char *path)
{
	int fd = find_descriptor(path), err;

	if (fd >= 0)
		return open_descriptor(fd);
	err = find_path(o, path);
	if (err)
		return err == -ELOOP ? -EMLINK : err;
	if (!o->path) {
		fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	o->part = xasprintf("%s.part", o->path);
	o->old = xasprintf("%s.old", o->path);
	err = check_old(o);
	if (err)
		return err;
	undo_hold();
	o->fd = create_part(o->part, o->begins);
	if (o->fd >= 0)
		undo_push(&o->undo, remove_part, o);
	undo_release();
	return o->fd;
}

static void free_file(struct outfile *o)
{
	free(o->name);
	free(o->path);
	free(o->part);
	free(o->old);
	free(o);
}

static void outfile_explain(const char *path, int err)
{
	if (err == -EBADF && outfile_is_stdout(path))
		msg_error("standard output is closed: name a file, or redirect it");
	else if (err == -EBADF)
		msg_error("cannot write to %s: it is closed, or opened only to read",
			  path);
	else if (err == -EISDIR)
		msg_error("%s is a directory: name a file in it", path);
	else if (err == -EBUSY)
		msg_error("%s is being written by another process: wait for it to end, or write to another file",
			  path);
	else if (err == -EMLINK)
		msg_error("cannot create %s: it is a loop of symbolic links",
			  path);
	else if (err != -EEXIST) /* check_replaceable() has explained it */
		msg_error("cannot create %s: %s", path, strerror(-err));
}

int outfile_create(const char *path, const char *begins, struct outfile **ret)
{
	struct outfile *o = xcalloc(1, sizeof(*o));

	o->name = xstrdup(strcmp(path, "-") ? path : "standard output");
	o->begins = begins;
	o->fd = open_file(o, path);
	if (o->fd < 0) {
		int err = o->fd;

		outfile_explain(path, err);
		free_file(o);
		return err;
	}
	o->stream = fdopen(o->fd, "w");
	if (!o->stream)
		die();
	*ret = o;
	return 0;
}

void outfile_keep_part(struct outfile *o)
{
	o->keeps_part = true;
}

FILE *outfile_stream(const struct outfile *o)
{
	return o->stream;
}

const char *outfile_path(const struct outfile *o)
{
	return o->path;
}

const char *outfile_part(const struct outfile *o)
{
	return o->part;
}

/* --- the complete file ----------------------------------------------------- */

/* larger than a block, which may have room on a full disk */
#define ATTEMPT (64 << 10)

/*
 * Other processes may add to a file opened with O_APPEND: ftruncate() would remove what they
 * wrote. The disk is asked for blocks after the end instead, which they can use.
 */
static int attempt_to_append(int fd, off_t size)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_FSIZE, &limit) && (rlim_t)size >= limit.rlim_cur)
		return -EFBIG;
	if (fallocate(fd, FALLOC_FL_KEEP_SIZE, size, ATTEMPT) &&
	    (errno == ENOSPC || errno == EDQUOT))
		return -errno;
	return -EIO;
}

/*
 * A stream knows that a write failed, but not why. A device or a pipe that takes another byte
 * has lost some before. Return: the -errno of another write.
 */
static int attempt(int fd)
{
	static const char zeros[ATTEMPT];
	struct stat st;
	ssize_t n;
	int err;

	if (fstat(fd, &st))
		return -EIO;
	if (S_ISREG(st.st_mode) && fcntl(fd, F_GETFL) & O_APPEND)
		return attempt_to_append(fd, st.st_size);
	if (!S_ISREG(st.st_mode))
		return write(fd, "\n", 1) < 0 ? -errno : -EIO;
	n = pwrite(fd, zeros, sizeof(zeros), st.st_size);
	if (n > 0 && n < ATTEMPT)
		n = pwrite(fd, zeros, sizeof(zeros), st.st_size + n);
	err = n < 0 ? -errno : -EIO;
	return ftruncate(fd, st.st_size) ? -EIO : err;
}

int outfile_write_error(FILE *file)
{
	bool failed = ferror(file);

	errno = 0;
	if (fflush(file) && errno)
		return -errno;
	return failed || ferror(file) ? attempt(fileno(file)) : 0;
}

int outfile_flush(FILE *file)
{
	int err = outfile_write_error(file);

	/* EINVAL, EROFS: a device or a pipe, for which there is no fsync() */
	if (!err && fsync(fileno(file)) && errno != EINVAL && errno != EROFS)
		err = -errno;
	return err;
}

static int rename_part(const struct outfile *o)
{
	struct stat st;
	bool kept;
	int err;

	if (!is_ours(o))
		return -ESTALE;
	/* another process may have created it meanwhile */
	err = check_old(o);
	kept = !err && !lstat(o->path, &st) && st.st_size;
	if (kept && rename(o->path, o->old))
		return -errno;
	if (err || !rename(o->part, o->path)) {
		if (kept)
			msg_note("the %s from before is now %s", o->path, o->old);
		return err;
	}
	err = -errno;
	if (kept)
		rename(o->old, o->path);
	return err;
}

static void explain_loss(const struct outfile *o, int err, bool partial)
{
	/* the reader has all that it wanted, or the caller does not wait for it */
	if (err == -EPIPE || err == -ECANCELED)
		return;
	if (o->part && partial && is_ours(o) && !is_empty(o))
		msg_error("cannot write %s: %s; %s has what was written until then",
			  o->name, strerror(-err), o->part);
	else
		msg_error("cannot write %s: %s", o->name, strerror(-err));
}

int outfile_finish(struct outfile *o, int err, bool partial)
{
	int flushed = outfile_flush(o->stream);

	if (!err)
		err = flushed;
	if (!err && o->path)
		err = rename_part(o);
	if (err)
		explain_loss(o, err, partial);
	if (err && (!partial || is_empty(o))) {
		outfile_discard(o);
		return err;
	}
	undo_drop(&o->undo);
	/* outfile_flush() has found all errors */
	fclose(o->stream);
	free_file(o);
	return err;
}

void outfile_discard(struct outfile *o)
{
	o->keeps_part = false;
	undo_now(&o->undo);
	fclose(o->stream);
	free_file(o);
}

bool outfile_is_written(const char *part)
{
	int fd = open(part, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool written;

	if (fd < 0)
		return false;
	written = flock(fd, LOCK_SH | LOCK_NB);
	close(fd);
	return written;
}

bool outfile_explain_part(const char *path)
{
	char *part = xasprintf("%s.part", path);
	bool is_there = access(path, F_OK) && !access(part, F_OK);

	if (is_there && outfile_is_written(part))
		msg_error("there is no %s yet: wait for the process that writes it, or read %s, which has what was written until now",
			  path, part);
	else if (is_there)
		msg_error("there is no %s: read %s, which is incomplete, because its process was killed or the disk was full",
			  path, part);
	free(part);
	return is_there;
}

int outfile_unreadable(const char *path)
{
	return errno == ENOENT && outfile_explain_part(path) ?
		       EXIT_FAILED :
		       msg_error("cannot read %s: %s", path, strerror(errno));
}
