// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <linux/magic.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/textfile.h"
#include "control/control.h"
#include "kmt_field.h"

#define DEBUGFS	 "/sys/kernel/debug"
#define LOCKDOWN "/sys/kernel/security/lockdown"

static bool asked;

/* The boot parameters debugfs=off and debugfs=no-mount leave it out. */
static bool kernel_has_debugfs(void)
{
	char *systems = textfile_read_proc("filesystems", NULL);
	bool has = !systems || strstr(systems, "\tdebugfs\n");

	free(systems);
	return has;
}

static const char *why_not(int err)
{
	struct statfs fs;

	if (getenv("KMEMTRACE_DIR"))
		return "KMEMTRACE_DIR is set, but not to a directory that can be read";
	if (err == EACCES || err == EPERM || geteuid() != 0)
		return "this needs root: only root may see the files of the "
		       "module";
	if (!kernel_has_debugfs())
		return "this kernel has no debugfs, which has the module's files: boot it without the parameter debugfs=; without them, cat /proc/allocinfo shows live memory";
	if (statfs(DEBUGFS, &fs) || fs.f_type != DEBUGFS_MAGIC)
		return "debugfs is not mounted: mount -t debugfs debugfs "
		       "/sys/kernel/debug";
	return "the module is not loaded: modprobe kmemtrace (or insmod "
	       "kmemtrace.ko)";
}

int control_open(const char **why)
{
	const char *path = getenv("KMEMTRACE_DIR");
	int dir;

	asked = true;
	dir = open(path ? path : DEBUGFS "/kmemtrace",
		   O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0) {
		int err = errno;

		*why = why_not(err);
		return -err;
	}
	return dir;
}

int control_lock(int dir, bool alone)
{
	if (!flock(dir, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB))
		return 0;
	return errno == EWOULDBLOCK ? -EBUSY : -errno;
}

bool control_is_gone(void)
{
	const char *why;
	int dir = control_open(&why);

	if (dir >= 0)
		close(dir);
	return dir < 0;
}

/* Files of a module that is being unloaded still exist: EIO and ENXIO are debugfs' own. */
static bool is_unloaded(int err)
{
	return err == EIO || err == ENXIO || err == ENODEV || (err == ENOENT && control_is_gone());
}

int control_cannot_read(const char *name, int err)
{
	return is_unloaded(err) ?
		       msg_error("the module was unloaded") :
		       msg_error("cannot read the module's file %s: %s", name, strerror(err));
}

int control_open_file(const char *name)
{
	const char *why;
	int dir = control_open(&why), fd;

	if (dir < 0) {
		msg_error("%s", why);
		return -1;
	}
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		msg_error("cannot open the module's file %s: %s", name, strerror(errno));
	close(dir);
	return fd;
}

void control_explain(void)
{
	/* for example: none [integrity] confidentiality */
	char *states = asked ? textfile_read(AT_FDCWD, LOCKDOWN, NULL) : NULL;

	if (states && !strstr(states, "[none]"))
		msg_note("this kernel is locked down: it loads only modules that it trusts by their signature, and denies writes to the module's files; see SECURE BOOT in kmemtrace-user(8)");
	free(states);
}

char *control_read(int dir, const char *name, size_t *size)
{
	return textfile_read(dir, name, size);
}

uint32_t control_features(int dir)
{
	char *text = control_read(dir, "features", NULL);
	u32 features;

	if (!text || kmt_features_parse(text, &features))
		features = ~0u;
	free(text);
	return features;
}

int control_read_u64(int dir, const char *name, uint64_t *value)
{
	char *text = control_read(dir, name, NULL), *end;
	int err = 0;

	if (!text)
		return -errno;
	errno = 0;
	*value = strtoull(text, &end, 10);
	if (end == text || errno)
		err = -EINVAL;
	free(text);
	return err;
}

int control_write(int dir, const char *name, const char *text)
{
	size_t len = strlen(text);
	int fd = openat(dir, name, O_WRONLY | O_CLOEXEC), err = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, len);
	if (n < 0)
		err = -errno;
	else if ((size_t)n != len)
		err = -EIO;
	close(fd);
	return err;
}
