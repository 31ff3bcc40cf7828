// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/textfile.h"
#include "control/mounts.h"

void mounts_unescape(char *path)
{
	char *to = path;

	for (; *path; to++)
		if (*path == '\\' && strspn(path + 1, "01234567") >= 3) {
			*to = (path[1] - '0') << 6 | (path[2] - '0') << 3 | (path[3] - '0');
			path += 4;
		} else {
			*to = *path++;
		}
	*to = '\0';
}

/* Only version 2 of cgroups has this file in its root. */
static bool is_cgroup2(const char *root)
{
	char file[PATH_MAX];

	return (size_t)snprintf(file, sizeof(file), "%s/cgroup.controllers", root) < sizeof(file) &&
	       !access(file, F_OK);
}

bool mounts_cgroup2(char root[PATH_MAX])
{
	static const char *const usual[] = { "fs/cgroup", "fs/cgroup/unified" };
	const char *line, *type;
	bool found = false;
	char *mounts;
	size_t i;

	for (i = 0; i < sizeof(usual) / sizeof(*usual); i++) {
		textfile_sys_path(root, PATH_MAX, usual[i]);
		if (is_cgroup2(root))
			return true;
	}
	mounts = textfile_read_proc("self/mountinfo", NULL);
	for (line = mounts; line && !found; line = textfile_next_line(line)) {
		type = strstr(line, " - ");
		if (!type || strncmp(type, " - cgroup2 ", 11) ||
		    textfile_scan(line, "%*s %*s %*s %*s %4095s", root) != 1)
			continue;
		mounts_unescape(root);
		found = is_cgroup2(root);
	}
	free(mounts);
	return found;
}
