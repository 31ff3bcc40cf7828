// SPDX-License-Identifier: GPL-2.0-only
/* Events of inotify of this process, which it does not read. */
#include <errno.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "control/unread.h"
#include "tempdir.h"
#include "unit.h"

/* The kernel may forbid it, or lack it. */
static bool is_possible(int fd)
{
	int pidfd = syscall(SYS_pidfd_open, getpid(), 0);
	int copy = syscall(SYS_pidfd_getfd, pidfd, fd, 0);

	close(pidfd);
	close(copy);
	return pidfd >= 0 && copy >= 0;
}

/* Each creation is an event of 16 bytes, with 16 for a short name. */
START_TEST(unread_events_are_found)
{
	uint64_t before, bytes;
	char text[64], *name;
	int fd, copy, other, i;

	tempdir_begin();
	unsetenv("KMEMTRACE_PROC");
	free(unread_find(UNREAD_INOTIFY, &before));
	fd = inotify_init1(IN_CLOEXEC);
	ck_assert_int_ge(inotify_add_watch(fd, tempdir_path(""), IN_CREATE), 0);
	/* without events */
	other = inotify_init1(IN_CLOEXEC);
	/* counts once */
	copy = dup(fd);
	ck_assert(copy >= 0 && other >= 0);
	for (i = 0; i < 100 && is_possible(fd); i++) {
		snprintf(text, sizeof(text), "f%d", i);
		tempdir_put_text(text, "");
	}
	name = unread_find(UNREAD_INOTIFY, &bytes);
	snprintf(text, sizeof(text), "PID %d (test_unread), descriptor %d", getpid(), fd);
	if (i && bytes) { /* else the kernel has no kcmp() */
		ck_assert_uint_eq(bytes, before + 3200);
		ck_assert(before > 3200 || !strcmp(name, text));
	}
	free(name);
	ck_assert_ptr_null(unread_find("anon_inode:[other]", &bytes));
	ck_assert_uint_eq(bytes, 0);
	close(fd);
	close(copy);
	close(other);
	tempdir_end();
}
END_TEST

UNIT_MAIN("unread", unread_events_are_found)
