// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/msg.h"
#include "control/system.h"
#include "pages/pages.h"
#include "waste/live_waste.h"

static void add_object(void *arg, const struct slabwalk *walk,
		       const struct kmemtrace_object *object)
{
	struct live_wastes *c = arg;

	if (c->object)
		c->object(c->arg, walk, object);
	wastes_add(&c->w, sites_of(&walk->w.sites, object->tag),
		   walk->slab.kmalloc ? WASTE_KMALLOC : WASTE_CACHE,
		   object->bytes, object->requested, 1);
}

/* Only a large kmalloc() requests less than whole pages. */
static void add_tag(struct live_wastes *c, const struct site_row *tag)
{
	bool large = tag->kind == SITE_PAGE && tag->f.requested < tag->f.bytes;

	if (!tag->id || tag->f.objects <= 0 || (!large && tag->kind != SITE_PERCPU))
		return;
	wastes_add_sum(&c->w, sites_of(&c->walk.w.sites, tag->id),
		       large ? WASTE_LARGE : WASTE_PERCPU, tag->f.bytes,
		       tag->f.requested, tag->f.objects);
}

static void add_tags(struct live_wastes *c)
{
	const struct tags *tags = &c->walk.w.sites.tags;
	size_t i;

	for (i = 0; i < tags->rows.count; i++)
		add_tag(c, &tags->rows.row[i]);
}

int live_wastes_open(struct live_wastes *c)
{
	struct page_filter all = PAGE_FILTER_NONE;

	*c = (struct live_wastes){
		.walk.o.fd = -1,
		.rules = { .cpus = system_cpus_present(),
			   .page_size = pages_bytes(1),
			   .padded = system_slabs_padded() },
	};
	if (slabwalk_open(&c->walk, &all))
		return EXIT_FAILED;
	wastes_init(&c->w);
	return EXIT_DONE;
}

int live_wastes_run(struct live_wastes *c)
{
	int ret;

	c->walk.object = add_object;
	c->walk.arg = c;
	ret = slabwalk_run(&c->walk);
	progress_end(&c->walk.w.progress);
	if (ret)
		return ret;
	add_tags(c);
	wastes_finish(&c->w);
	remedies_find(&c->w, &c->rules);
	return EXIT_DONE;
}

void live_wastes_close(struct live_wastes *c)
{
	wastes_exit(&c->w);
	slabwalk_close(&c->walk);
}

int live_waste(struct wasteview *v)
{
	struct live_wastes c;
	int ret = live_wastes_open(&c);

	if (!ret)
		ret = live_wastes_run(&c);
	if (!ret) {
		v->rules = &c.rules;
		v->w = &c.w;
		v->site = c.walk.w.sites.location;
		v->slabs = &c.walk;
		ret = wasteview_print(v);
	}
	live_wastes_close(&c);
	return ret;
}
