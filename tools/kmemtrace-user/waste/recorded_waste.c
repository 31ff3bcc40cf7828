// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/msg.h"
#include "report/losses.h"
#include "report/report.h"
#include "trace/names.h"
#include "waste/wasteview.h"
#include "waste/wastes.h"
#include "waste/slabfit.h"

/* the rows */
struct collected {
	struct report r;		/* the recording */
	struct wastes w;		/* the rows */
	struct slab_rules rules;	/* of the machine */
	char **site;			/* names of the sites, by number of the group */
};

static enum waste_kind kind_of(uint8_t type, uint64_t requested)
{
	if (type == KMEMTRACE_TYPE_PERCPU)
		return WASTE_PERCPU;
	if (type == KMEMTRACE_TYPE_CACHE)
		return WASTE_CACHE;
	return requested > NAMES_KMALLOC_MAX ? WASTE_LARGE : WASTE_KMALLOC;
}

/* Pages are left out: what is requested of them is what they have. */
static void recorded_waste_add_live(struct collected *c, enum site_kind class)
{
	const struct live_table *t = &c->r.a.live[class];
	size_t i;

	for (i = 0; i <= t->map.mask; i++) {
		const struct map_slot *slot = &t->map.slots[i];
		const struct size *size;
		uint32_t group;

		if (!slot->key)
			continue;
		size = live_size(t, slot);
		group = live_unpack(slot).group;
		wastes_add(&c->w, group,
			   kind_of(c->r.a.groups.groups[group].type, size->req),
			   size->alloc, size->req, 1);
	}
}

static void name_sites(struct collected *c)
{
	struct table_cell cell;
	size_t i;

	c->site = xcalloc(c->r.a.groups.count + 1, sizeof(*c->site));
	for (i = 0; i < c->r.a.groups.count; i++) {
		size_t group = c->r.rows[i] - c->r.a.groups.groups;

		report_name(&c->r, c->r.rows[i], cell.string, sizeof(cell.string));
		c->site[group] = xstrdup(cell.string);
	}
}

static void read_rules(struct collected *c)
{
	uint64_t cpus = 0, padded = 0;

	input_number(c->r.in.meta, "cpus_present", &cpus);
	input_number(c->r.in.meta, "slabs_padded", &padded);
	c->rules = (struct slab_rules){ .cpus = cpus ? cpus : 1,
					.page_size = c->r.in.page_size,
					.padded = padded };
}

static int recorded_waste_collect(struct collected *c, const char *path)
{
	const char *no_live = liveness_lost(&c->r.in);
	int ret;

	if (no_live)
		return msg_error("what is live in %s is not known: %s", path,
				 no_live);
	ret = report_read(&c->r, "waste");
	if (ret)
		return ret;
	report_sort(&c->r);
	read_rules(c);
	wastes_init(&c->w);
	name_sites(c);
	recorded_waste_add_live(c, SITE_SLAB);
	recorded_waste_add_live(c, SITE_PERCPU);
	wastes_finish(&c->w);
	remedies_find(&c->w, &c->rules);
	return EXIT_DONE;
}

static void free_sites(struct collected *c)
{
	size_t i;

	for (i = 0; c->site && i < c->r.a.groups.count; i++)
		free(c->site[i]);
	free(c->site);
}

int recorded_waste(struct wasteview *v, const char *path, bool raw_ip,
		   const char *debuginfo)
{
	struct collected c = { .r = { .sort = COL_LIVE,
				      .needs_live = true,
				      .keys.raw_ip = raw_ip,
				      .debuginfo = debuginfo } };
	char *paths[] = { (char *)path };
	int ret = input_open(&c.r.in, paths, 1);

	if (ret)
		return ret;
	keys_parse(&c.r.keys, key_names[BY_SITE]);
	ret = recorded_waste_collect(&c, path);
	if (!ret) {
		v->w = &c.w;
		v->rules = &c.rules;
		v->site = (const char *const *)c.site;
		v->report = &c.r;
		ret = wasteview_print(v);
	}
	free_sites(&c);
	wastes_exit(&c.w);
	return report_end(&c.r, ret);
}
