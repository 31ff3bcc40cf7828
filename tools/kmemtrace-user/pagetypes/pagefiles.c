// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"
#include "pagetypes/pagefiles.h"

static void fails(struct pagefiles *f, const char *path, int err)
{
	msg_error("cannot look at %s: %s", path, strerror(err));
	f->failed = true;
}

static int take_range(struct pagefiles *f, int fd, uint64_t page, uint64_t end,
		      int *err)
{
	struct pageruns *w = f->walk;
	uint64_t n;

	for (; page < end; page += n) {
		n = end - page < FRAMES_BATCH ? end - page : FRAMES_BATCH;
		*err = -filecache_entries(&f->cache, fd, page, w->entry, n);
		if (*err)
			break;
		if (pageruns_entries(w, page, w->entry, n))
			return -1;
	}
	return pageruns_flush(w);
}

/* Return: 0; -1 if the walk failed. Sets *err to the errno of the file, or to 0. */
static int walk_ranges(struct pagefiles *f, const char *path, int fd, int *err)
{
	struct pagespec_range whole = { 0 };
	const struct pagespec_range *range = f->nr_ranges ? f->range : &whole;
	size_t n = f->nr_ranges ? f->nr_ranges : 1;
	uint64_t page_size = f->cache.page_size, pages;
	struct stat st;
	int ret = 0;

	*err = fstat(fd, &st) ? errno : 0;
	if (*err)
		return 0;
	/* like the kernel's page-types, leave out an incomplete last page */
	whole.end = st.st_size / page_size;
	pages = (st.st_size + page_size - 1) / page_size;
	for (; n && !ret && !*err; n--, range++) {
		f->enter(f->arg, path);
		ret = take_range(f, fd, range->start,
				 range->end < pages ? range->end : pages, err);
		f->enter(f->arg, NULL);
	}
	return ret;
}

static int walk_file(struct pagefiles *f, const char *path, bool below)
{
	/* follow a symbolic link only if it is the requested path itself */
	int fd = open(path, O_RDONLY | O_NOATIME | O_NONBLOCK | O_CLOEXEC |
				    (below ? O_NOFOLLOW : 0));
	int ret = 0, err = errno;

	if (fd >= 0) {
		ret = walk_ranges(f, path, fd, &err);
		close(fd);
	}
	/* below a directory, files may vanish, or have no pages, for example in /sys */
	if (err && !(below && (err == ENOENT || err == ENODEV)))
		fails(f, path, err);
	return ret;
}

static int walk_entry(struct pagefiles *f, const FTSENT *entry)
{
	switch (entry->fts_info) {
	case FTS_F:
		return walk_file(f, entry->fts_path, entry->fts_level > 0);
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

int pagefiles_walk(struct pagefiles *f, const char *path)
{
	char *paths[] = { (char *)path, NULL };
	int ret = filecache_open(&f->cache);
	FTSENT *entry;
	FTS *tree;

	f->failed = false;
	pageruns_begin(f->walk, "pages of files", 0);
	tree = fts_open(paths, FTS_COMFOLLOW | FTS_PHYSICAL | FTS_XDEV |
				       FTS_NOCHDIR, NULL);
	if (!tree)
		fails(f, path, errno);
	while (!ret && tree && (entry = fts_read(tree)))
		ret = walk_entry(f, entry);
	if (tree)
		fts_close(tree);
	if (!ret)
		ret = pageruns_flush(f->walk);
	filecache_close(&f->cache);
	progress_end(&f->walk->progress);
	return ret;
}
