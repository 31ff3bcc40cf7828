// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/textfile.h"
#include "pages/pages.h"
#include "pages/slabwalk.h"
#include "waste/live_waste.h"
#include "waste/remedies.h"

/**
 * struct collected - the rows
 * @walk: the slabs
 * @w: the rows
 * @failed: memory ran out
 */
struct collected {
	struct slabwalk walk;
	struct wastes w;
	bool failed;
};

static void add_object(void *arg, const struct slabwalk *walk,
		       const struct kmemtrace_object *object)
{
	struct collected *c = arg;

	if (!wastes_add(&c->w, sites_of(&walk->w.sites, object->tag),
			walk->slab.kmalloc ? WASTE_KMALLOC : WASTE_CACHE,
			object->bytes, object->requested, 1))
		c->failed = true;
}

/* Only a large kmalloc() requests less than whole pages. */
static bool add_tag(struct collected *c, const struct tag *tag)
{
	bool large = tag->kind == TAG_PAGE && tag->requested < tag->bytes;

	if (!tag->id || tag->objects <= 0 || (!large && tag->kind != TAG_PERCPU))
		return true;
	return wastes_add_sum(&c->w, sites_of(&c->walk.w.sites, tag->id),
			      large ? WASTE_LARGE : WASTE_PERCPU, tag->bytes,
			      tag->requested, tag->objects);
}

static bool add_tags(struct collected *c)
{
	const struct tags *tags = &c->walk.w.sites.tags;
	size_t i;

	for (i = 0; i < tags->count; i++)
		if (!add_tag(c, &tags->tag[i]))
			return false;
	return true;
}

/* If no slab is one of kmalloc(), the module is older than the flag. */
static void forget_kinds(struct wastes *w)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		if (w->row[i].kind == WASTE_CACHE)
			w->row[i].kind = WASTE_SLAB;
}

/* The kernel chooses slabs by the CPUs that are present; nearly always, all are online. */
static unsigned int count_cpus(void)
{
	char *stat = textfile_read_proc("stat", NULL);
	const char *line = stat;
	unsigned int cpus = 0;

	for (; line; line = textfile_next_line(line))
		cpus += !strncmp(line, "cpu", 3) && line[3] >= '0' &&
			line[3] <= '9';
	free(stat);
	return cpus ? cpus : sysconf(_SC_NPROCESSORS_CONF);
}

static int collect(struct collected *c, unsigned int cpus)
{
	struct page_filter all = PAGE_FILTER_NONE;
	int ret;

	if (slabwalk_open(&c->walk, &all))
		return EXIT_FAILED;
	if (!wastes_init(&c->w))
		return msg_oom();
	c->walk.object = add_object;
	c->walk.arg = c;
	ret = slabwalk_run(&c->walk);
	progress_end(&c->walk.w.progress);
	if (ret)
		return ret;
	if (!c->walk.has_kmalloc)
		forget_kinds(&c->w);
	if (c->failed || !add_tags(c) || !wastes_finish(&c->w))
		return msg_oom();
	remedies_find(&c->w, cpus, pages_bytes(1));
	return EXIT_DONE;
}

int live_waste(struct wasteview *v)
{
	struct collected c = { .walk.o.fd = -1 };
	int ret;

	v->cpus = count_cpus();
	ret = collect(&c, v->cpus);
	if (!ret) {
		v->w = &c.w;
		v->site = c.walk.w.sites.location;
		v->slabs = &c.walk;
		ret = wasteview_print(v);
	}
	wastes_exit(&c.w);
	slabwalk_close(&c.walk);
	return ret;
}
