/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The waste of all live memory of this machine, by accounting.
 */
#ifndef LIVE_WASTE_H
#define LIVE_WASTE_H

#include <stdbool.h>

#include "pages/slabwalk.h"
#include "waste/wastes.h"
#include "waste/wasteview.h"

/* the rows of this machine */
struct live_wastes {
	struct slabwalk walk;		/* the slabs; has the sites from live_wastes_open() on */
	struct wastes w;		/* the rows, by number of the site in @walk */
	/* what the sizes of slabs depend on; from live_wastes_open() on */
	struct slab_rules rules;
	/* called for each slab object; NULL: not needed */
	void (*object)(void *arg, const struct slabwalk *walk,
		       const struct kmemtrace_object *object);
	void *arg;			/* argument of @object */
};

/**
 * live_wastes_open() - open the files, and read the sites
 * @c: set up; the caller calls live_wastes_close() later, also after a failure
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int live_wastes_open(struct live_wastes *c);

/**
 * live_wastes_run() - visit all slabs, and find remedies
 * @c: the rows
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int live_wastes_run(struct live_wastes *c);

/** live_wastes_close() - undo live_wastes_open() */
void live_wastes_close(struct live_wastes *c);

/**
 * live_waste() - read the live memory, and print its waste
 * @v: settings of the output; its other members are set
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int live_waste(struct wasteview *v);

#endif /* LIVE_WASTE_H */
