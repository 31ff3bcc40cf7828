/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where file systems are mounted in the namespace of this process.
 */
#ifndef MOUNTS_H
#define MOUNTS_H

#include <limits.h>
#include <stdbool.h>

/** mounts_unescape() - restore a path of mountinfo: there, a space for example is \040 */
void mounts_unescape(char *path);

/**
 * mounts_cgroup2() - find the root of version 2 of cgroups
 * @root: set to its path
 *
 * The usual places are /sys/fs/cgroup, and beside version 1, unified/ below it.
 *
 * Return: whether it is mounted.
 */
bool mounts_cgroup2(char root[PATH_MAX]);

#endif /* MOUNTS_H */
