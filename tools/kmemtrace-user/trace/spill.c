// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "trace/spill.h"

static uint64_t free_bytes(int fd)
{
	struct statvfs fs;

	return fstatvfs(fd, &fs) ? 0 : (uint64_t)fs.f_bavail * fs.f_frsize;
}

void spill_init(struct spill *spill, int dir)
{
	*spill = (struct spill){
		.dir = dir,
		.fd = -1,
		.reserve = dir < 0 ? 0 : free_bytes(dir) / 2,
	};
}

void spill_exit(struct spill *spill)
{
	if (spill->fd >= 0)
		close(spill->fd);
}

static int put_all(int fd, const uint8_t *data, size_t size, uint64_t at)
{
	while (size) {
		ssize_t n = pwrite(fd, data, size, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		data += n;
		size -= n;
		at += n;
	}
	return 0;
}

int spill_put(struct spill *spill, const void *data, size_t size, uint64_t *at)
{
	int err = 0;

	if (free_bytes(spill->dir) < spill->reserve + size)
		return -ENOSPC;
	if (spill->fd < 0)
		spill->fd = openat(spill->dir, ".",
				   O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (spill->fd < 0)
		err = -errno;
	else
		err = put_all(spill->fd, data, size, spill->end);
	if (err) {
		spill->dir = -1;
		return err;
	}
	*at = spill->end;
	__atomic_store_n(&spill->end, spill->end + size, __ATOMIC_RELAXED);
	return 0;
}

int spill_fetch(struct spill *spill, void *data, size_t size, uint64_t at)
{
	uint8_t *to = data;
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(spill->fd, to + done, size - done, at + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		done += n;
	}
	__atomic_fetch_add(&spill->fetched, size, __ATOMIC_RELEASE);
	/* a file system may not support this: it then frees the space at the end */
	fallocate(spill->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at,
		  size);
	return 0;
}
