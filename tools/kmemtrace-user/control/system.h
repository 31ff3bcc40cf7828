/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a recording says of the machine that it was made on.
 */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * system_write_meta() - describe kernel and machine
 * @out: gets lines "key=value", see TRACE_META
 */
void system_write_meta(FILE *out);

/**
 * system_modules() - list the kernel's modules
 *
 * Return: lines "name size address build_id", build_id "-" where it is not
 * known; to be freed. NULL if memory ran out.
 */
char *system_modules(void);

/**
 * struct system_module - a module that is loaded
 * @name: of it
 * @size: bytes of it
 * @address: where it begins; 0 if that is a secret
 */
struct system_module {
	char name[128];
	uint64_t size;
	uint64_t address;
};

/**
 * system_module() - understand a line of /proc/modules
 * @line: the line
 * @module: set to what it says
 *
 * Return: whether it is one.
 */
bool system_module(const char *line, struct system_module *module);

/**
 * system_find_module() - find a module in the text of /proc/modules
 * @modules: the text
 * @name: of the module
 * @len: bytes in @name
 * @module: set to what its line says
 *
 * Return: whether it is there.
 */
bool system_find_module(const char *modules, const char *name, size_t len,
			struct system_module *module);

/**
 * system_drop_gone() - drop the names of code that is gone
 * @kallsyms: text of /proc/kallsyms; becomes shorter
 * @modules: text of /proc/modules
 *
 * Older kernels still list what a module had to load itself with, where another
 * module may be by now. Such code is not within its module.
 */
void system_drop_gone(char *kallsyms, const char *modules);

/**
 * system_build_id() - find the build id in a file of ELF notes
 * @path: of the file, /sys/kernel/notes
 * @hex: gets it, in hexadecimal
 * @room: bytes at @hex
 *
 * Return: whether there is one.
 */
int system_build_id(const char *path, char *hex, size_t room);

/** system_boot_id() - which boot of a machine this is; to be freed; or NULL */
char *system_boot_id(void);

/**
 * system_realtime_ns() - nanoseconds since 1970
 */
unsigned long long system_realtime_ns(void);

#endif /* SYSTEM_H */
