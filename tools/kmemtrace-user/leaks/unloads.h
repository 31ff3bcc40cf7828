/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that modules had not freed when they were unloaded. The module kmemtrace finds it
 * some seconds after each unloading, and lists it in its file stats.
 */
#ifndef UNLOADS_H
#define UNLOADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_t;

/**
 * struct unload - what a site has left
 * @location: the site
 * @bytes: bytes of all unloadings
 * @objects: objects
 * @times: number of unloadings
 */
struct unload {
	char *location;
	uint64_t bytes;
	uint64_t objects;
	uint64_t times;
};

/**
 * struct unloads - what all sites have left
 * @row: the sites
 * @count: number of sites
 * @unlisted: number of further leaks that the module has counted, but does not list
 */
struct unloads {
	struct unload *row;
	size_t count;
	uint64_t unlisted;
};

/**
 * unloads_wait() - wait until the module has counted what modules left that are unloaded
 * @count: set to the number of leaks that it has found so far; may be NULL
 *
 * If modules are unloaded all the time, waits for no longer than the module needs for one.
 *
 * Return: 0; -1, with a message.
 */
int unloads_wait(uint64_t *count);

/**
 * unloads_read() - add up, by site, the leaks that were found since a moment
 * @u: set up; the caller calls unloads_free() later, also after a failure
 * @stats: text of the module's file stats
 * @before: from unloads_wait(), at that moment
 */
void unloads_read(struct unloads *u, const char *stats, uint64_t before);

/** unloads_print() - print a line for each site, if there are any */
void unloads_print(const struct unloads *u);

/** unloads_json() - set the members "unload_leaks" and "unload_leaks_unlisted" */
void unloads_json(struct json_t *to, const struct unloads *u);

/** unloads_free() - undo unloads_read() */
void unloads_free(struct unloads *u);

#endif /* UNLOADS_H */
