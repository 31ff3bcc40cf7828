/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints the call paths of a site, and where its objects are freed, as text and JSON.
 */
#ifndef PATHVIEW_H
#define PATHVIEW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json_t;
struct path_task;
struct witness;

/* the call paths of one site */
struct pathview {
	const struct witness *w;				/* the recording */
	/* whether an address of the recording is one of the site's */
	bool (*is_at)(const void *arg, uint64_t address);
	const void *arg;					/* argument of @is_at */
};

/**
 * pathview_of_system_calls() - check whether system calls allocated all objects
 * @v: the paths
 * @task: set to their process; NULL if there are several
 *
 * Return: false if other code has allocated some, or if there is no path.
 */
bool pathview_of_system_calls(const struct pathview *v, const struct path_task **task);

/** pathview_print() - print the first paths and the first places that free */
void pathview_print(FILE *out, const struct pathview *v);

/** pathview_json() - set the members "paths" and "freed_at" of an object */
void pathview_json(struct json_t *to, const struct pathview *v);

#endif /* PATHVIEW_H */
