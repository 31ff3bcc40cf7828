// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "msg.h"
#include "pagefiles.h"

static void fails(struct pagefiles *f, const char *path, int err)
{
	msg_error("cannot look at %s: %s", path, strerror(err));
	f->failed = true;
}

/* Its range, as far as it has pages. -1 if the walk has failed. */
static int walk_range(struct pagefiles *f, const char *path, int fd,
		      const struct pagespec_range *range, uint64_t pages)
{
	struct pagewalk *w = f->walk;
	uint64_t page = range->start, n;
	uint64_t end = range->end < pages ? range->end : pages;
	int err;

	if (pagewalk_flush(w))
		return -1;
	f->begin(f->arg, path);
	for (; page < end; page += n) {
		n = end - page < FRAMES_BATCH ? end - page : FRAMES_BATCH;
		err = filecache_entries(&f->cache, fd, page, w->entry, n);
		if (err) {
			fails(f, path, -err);
			return 0;
		}
		if (pagewalk_entries(w, page, w->entry, n))
			return -1;
	}
	return 0;
}

static int walk_ranges(struct pagefiles *f, const char *path, int fd)
{
	static const struct pagespec_range whole = { 0, UINT64_MAX };
	uint64_t page_size = f->cache.page_size, pages;
	struct stat st;
	int ret = 0;
	size_t i;

	if (fstat(fd, &st)) {
		fails(f, path, errno);
		return 0;
	}
	pages = (st.st_size + page_size - 1) / page_size;
	if (!f->nr_ranges)
		return walk_range(f, path, fd, &whole, pages);
	for (i = 0; i < f->nr_ranges && !ret; i++)
		ret = walk_range(f, path, fd, &f->range[i], pages);
	return ret;
}

static int walk_file(struct pagefiles *f, const char *path, int flags)
{
	int fd = open(path, O_RDONLY | O_NOATIME | O_NONBLOCK | O_CLOEXEC |
				    flags);
	int ret;

	if (fd < 0) {
		/* one that vanished since the directory was read */
		if (errno != ENOENT || !flags)
			fails(f, path, errno);
		return 0;
	}
	ret = walk_ranges(f, path, fd);
	close(fd);
	return ret;
}

static int walk_entry(struct pagefiles *f, const FTSENT *entry)
{
	switch (entry->fts_info) {
	case FTS_F:
		if (S_ISREG(entry->fts_statp->st_mode))
			return walk_file(f, entry->fts_path, O_NOFOLLOW);
		break;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		if (entry->fts_errno != ENOENT)
			fails(f, entry->fts_path, entry->fts_errno);
		break;
	default:
		break;
	}
	return 0;
}

static int walk_directory(struct pagefiles *f, const char *path)
{
	char *paths[] = { (char *)path, NULL };
	FTS *tree = fts_open(paths, FTS_COMFOLLOW | FTS_PHYSICAL | FTS_XDEV |
					    FTS_NOCHDIR, NULL);
	FTSENT *entry;
	int ret = 0;

	if (!tree) {
		fails(f, path, errno);
		return 0;
	}
	while (!ret && (entry = fts_read(tree)))
		ret = walk_entry(f, entry);
	fts_close(tree);
	return ret;
}

int pagefiles_walk(struct pagefiles *f, const char *path)
{
	struct stat st;
	int ret = -1;

	f->failed = false;
	if (stat(path, &st))
		return -msg_error("cannot look at %s: %s", path,
				  strerror(errno));
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return -msg_error("%s is neither a file nor a directory", path);
	progress_start(&f->walk->progress, "pages of files", 0);
	if (!filecache_open(&f->cache)) {
		if (S_ISDIR(st.st_mode))
			ret = walk_directory(f, path);
		else
			ret = walk_file(f, path, 0);
		if (!ret)
			ret = pagewalk_flush(f->walk);
	}
	filecache_close(&f->cache);
	progress_end(&f->walk->progress);
	return ret || f->failed ? -1 : 0;
}
