/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data about the kernel and the machine, for recordings.
 */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Where file systems are mounted in the namespace of this process.
 */

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

/**
 * system_write_meta() - write a description of the kernel and the machine
 * @out: stream for lines "key=value"; see TRACE_META
 */
void system_write_meta(FILE *out);

/**
 * system_write_nodes() - write which CPUs each node has
 * @out: stream for lines "cpus_of_node<n>=LIST"
 *
 * The kernel lists only CPUs that are online.
 */
void system_write_nodes(FILE *out);

/**
 * system_modules() - list the kernel's modules
 *
 * Return: lines "name size address build_id", which the caller frees; build_id is "-" if
 * it is not known.
 */
char *system_modules(void);

/**
 * struct system_module - a module that is loaded
 * @name: name of the module
 * @size: size of the module, in bytes
 * @address: start address; 0 if the kernel hides addresses
 */
struct system_module {
	char name[128];
	uint64_t size;
	uint64_t address;
};

/**
 * system_parse_module() - parse a line of /proc/modules
 * @line: the line
 * @module: set to the module
 *
 * Return: false if the line has another format.
 */
bool system_parse_module(const char *line, struct system_module *module);

/**
 * system_kallsyms() - read the symbols of the kernel
 * @hidden: set to whether no symbol has an address, unless NULL. The kernel shows addresses
 *	to those who may see them; kernel.kptr_restrict says who may.
 *
 * Return: the text of /proc/kallsyms without the symbols of freed code, which the caller
 * frees; NULL with errno set.
 */
char *system_kallsyms(bool *hidden);

/**
 * system_drop_gone() - remove the symbols of freed code
 * @kallsyms: text of /proc/kallsyms; becomes shorter
 * @modules: text of /proc/modules
 *
 * The kernel still lists the init functions of a module after their code was freed.
 * Another module may use these addresses. Such functions are outside of the address
 * range of their module.
 */
void system_drop_gone(char *kallsyms, const char *modules);

/**
 * system_build_id() - find the build id in a file of ELF notes
 * @path: path of the file, for example /sys/kernel/notes
 * @hex: set to the build id, in hexadecimal
 * @room: bytes of @hex
 *
 * Return: true if a build id was found that fits into @hex.
 */
bool system_build_id(const char *path, char *hex, size_t room);

/** system_module_build_id() - the same of a module that is loaded, by its name */
bool system_module_build_id(const char *module, char *hex, size_t room);

/** system_boot_id() - get the id of this boot, which the caller frees; NULL on failure */
char *system_boot_id(void);

/** system_cpus_present() - number of CPUs that are present; not all need to be online */
unsigned int system_cpus_present(void);

/**
 * system_slabs_padded() - whether the kernel adds debugging data to objects on slabs
 *
 * KASAN and slub_debug do, the latter maybe for some caches only. Objects then take more
 * than the size of their cache.
 */
bool system_slabs_padded(void);

/**
 * system_unpurged_areas() - count the areas of vmalloc() that wait to be freed
 * @count: set to the number
 *
 * The kernel frees them together when they are large enough (lazy_max_pages() in its
 * mm/vmalloc.c). Until then, objects that describe them stay allocated.
 *
 * Return: false if /proc/vmallocinfo cannot be read.
 */
bool system_unpurged_areas(uint64_t *count);

/**
 * system_realtime_ns() - get the time, in ns since 1970
 */
unsigned long long system_realtime_ns(void);

#endif /* SYSTEM_H */
