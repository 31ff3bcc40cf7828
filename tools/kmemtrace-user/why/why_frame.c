// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/figures.h"
#include "base/msg.h"
#include "frames/pageflags.h"
#include "pages/mapped.h"
#include "pages/pages.h"
#include "why/frame.h"
#include "why/siteview.h"
#include "why/why.h"

/* --- processes ------------------------------------------------------------------------- */

/**
 * struct mapper - a process that maps the frame
 * @pid: the process
 * @name: its name
 * @maps: number of its mappings of the frame
 */
struct mapper {
	int pid;
	char name[64];
	uint64_t maps;
};

/**
 * struct mappers - all processes that map the frame
 * @pfn: number of the frame
 * @current: the process that is being visited
 * @mapper: the processes
 * @count: number of processes
 */
struct mappers {
	uint64_t pfn;
	struct mapper current;
	struct mapper *mapper;
	size_t count;
};

static void begin_process(void *arg, const struct process *p)
{
	struct mappers *m = arg;

	m->current = (struct mapper){ .pid = p->pid };
	snprintf(m->current.name, sizeof(m->current.name), "%s", p->name);
}

static int visit_page(void *arg, const struct page *page)
{
	struct mappers *m = arg;
	struct mapper *new;

	if (page->pfn != m->pfn)
		return 0;
	if (!m->count || m->mapper[m->count - 1].pid != m->current.pid) {
		new = array_add(m->mapper, m->count);
		*new = m->current;
	}
	m->mapper[m->count - 1].maps++;
	return 0;
}

static const struct table_column columns[] = { FIGURE_PID, FIGURE_MAPS, FIGURE_NAME };

static void why_frame_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct mapper *m = &((const struct mappers *)arg)->mapper[i];

	row_number(cell, m->pid);
	row_number(cell, m->maps);
	row_text(cell, m->name);
}

/* No process can map these. */
static bool is_unmapped(enum frame_kind kind)
{
	return kind == KIND_HOLE || kind == KIND_FREE || kind == KIND_SLAB ||
	       kind == KIND_OFFLINE || kind == KIND_PGTABLE;
}

static int print_processes(struct why *y, struct survey *w, const struct frame *f)
{
	struct mappers m = { .pfn = f->pfn };
	struct listing table = LISTING(columns, 0, why_frame_cell, &m);
	int err = 0;

	progress_end(&w->progress);
	if (!is_unmapped(f->kind))
		err = mapped_walk_all(w, false, NULL, begin_process, visit_page, &m);
	table.nr_rows = m.count;
	if (!err) {
		sheet_section(&y->sheet, "Processes that map it", NULL);
		if (m.count || y->o.json)
			sheet_table(&y->sheet, "processes", &table, NULL);
		else
			sheet_line(&y->sheet, "none");
	}
	free(m.mapper);
	return err ? EXIT_FAILED : EXIT_DONE;
}

/* --- the frame ------------------------------------------------------------------------------ */

static void print_flags(struct sheet *s, uint64_t flags)
{
	const struct pageflag_name *names = pageflags_names(NULL);
	char text[PAGEFLAGS_LONG];

	if (s->json)
		json_object_set_new(s->section, "flags", pageflags_json(names, flags));
	else
		sheet_text(s, "flags", "flags", "%s",
			   flags ? pageflags_long(names, flags, text, sizeof(text)) : "none");
}

static void print_allocation(struct sheet *s, const struct frame *f)
{
	if (f->is_compound)
		sheet_text(s, "compound", "compound", f->head == f->pfn ? "head" : "tail");
	else
		sheet_text(s, "compound", "compound", "%s", s->json ? "" : "no");
	if (f->is_compound || s->json)
		sheet_number(s, "head", "head", TABLE_NUMBER, f->head);
	if (f->is_compound || f->owner.tag || s->json)
		sheet_number(s, "pages", "pages", TABLE_NUMBER, f->pages);
	if (f->owner.tag)
		sheet_number(s, "order", "order", TABLE_NUMBER, f->owner.order);
	else
		sheet_unknown(s, "order", "order", "the page has no tag");
}

static void print_age(struct sheet *s, uint32_t age)
{
	if (age == KMEMTRACE_AGE_UNKNOWN)
		sheet_unknown(s, "age", "age_ms", "the module has no time of its allocation");
	else
		sheet_number(s, "age", "age_ms", TABLE_AGE, age * 10ull);
}

static void print_place(struct sheet *s, const struct survey *w, const struct kmemtrace_page *o)
{
	sheet_text(s, "zone", "zone", "%s",
		   o->zone < ZONES_MAX ? w->zones.zone[o->zone] : "");
	sheet_number(s, "node", "node", TABLE_NUMBER, o->node);
	sheet_text(s, "pageblock", "migratetype", "%s",
		   o->migratetype < MIGRATETYPES_MAX ? w->zones.migratetype[o->migratetype] : "");
}

static int print_cgroup(struct sheet *s, uint64_t pfn)
{
	uint64_t inode = 0;
	char path[1024];
	int known = frame_cgroup(pfn, path, sizeof(path), &inode);

	if (known < 0)
		return EXIT_FAILED;
	if (!known)
		sheet_unknown(s, "memory cgroup", "cgroup",
			      "this kernel has no /proc/kpagecgroup (CONFIG_MEMCG)");
	else if (!inode)
		sheet_text(s, "memory cgroup", "cgroup", "%s", s->json ? "" : "none");
	else if (*path)
		sheet_text(s, "memory cgroup", "cgroup", "%s", path);
	else
		sheet_text(s, "memory cgroup", "cgroup", "inode %" PRIu64, inode);
	return EXIT_DONE;
}

static void print_site_of(struct why *y, const struct survey *w, const struct frame *f)
{
	if (f->owner.tag)
		sheet_text(&y->sheet, "allocated by", "site", "%s",
			   w->sites.location[sites_of(&w->sites, f->owner.tag)]);
	else if (f->kind == KIND_FREE)
		sheet_text(&y->sheet, "allocated by", "site", "%s",
			   y->o.json ? "" : "nothing: it is free");
	else
		sheet_unknown(&y->sheet, "allocated by", "site",
			      "it was allocated before accounting began, or it is in the free list of a CPU");
}

static int print_frame(struct why *y, const struct survey *w, const struct frame *f)
{
	const struct vmalloc_area *area = vmallocs_find(&w->vmallocs, f->pfn);
	struct sheet *s = &y->sheet;

	sheet_section(s, "Page frame", "frame");
	sheet_number(s, "number", "pfn", TABLE_NUMBER, f->pfn);
	sheet_text(s, "physical", "physical", "0x%" PRIx64, f->pfn * pages_bytes(1));
	sheet_text(s, "kind", "kind", "%s", kind_names[f->kind]);
	print_flags(s, f->flags);
	if (f->kind == KIND_HOLE) {
		sheet_line(s, "there is no memory, or it is offline");
		return EXIT_DONE;
	}
	print_site_of(y, w, f);
	print_allocation(s, f);
	print_age(s, f->owner.tag ? f->owner.age : KMEMTRACE_AGE_UNKNOWN);
	sheet_number(s, "references", "refs", TABLE_NUMBER, f->owner.refs);
	sheet_number(s, "mappings", "maps", TABLE_NUMBER, f->count);
	print_place(s, w, &f->owner);
	if (area)
		sheet_text(s, "vmalloc() by", "vmalloc_caller", "%s", area->caller);
	else if (s->json)
		sheet_text(s, "", "vmalloc_caller", "%s", "");
	if (w->vmallocs.why)
		sheet_note(s, "areas of vmalloc(): %s", w->vmallocs.why);
	return print_cgroup(s, f->pfn);
}

/* --- its slab ------------------------------------------------------------------------------- */

static void print_object(struct why *y, const struct slabobject *slab, const struct frame *f,
			 uint64_t address)
{
	struct sheet *s = &y->sheet;

	sheet_section(s, "Object", "object");
	if (slab->found)
		sheet_word(s, "state", "state", "live", "live");
	else if (f->first.tag)
		sheet_word(s, "state", "state", "free",
			   "no live object: it is free, or beside the objects");
	else
		sheet_word(s, "state", "state", "unknown",
			   "not known: the slab is from before accounting");
	if (!slab->found)
		return;
	sheet_text(s, "physical", "physical", "0x%" PRIx64, (uint64_t)slab->object.address);
	sheet_number(s, "offset", "offset", TABLE_NUMBER, address - slab->object.address);
	sheet_number(s, "allocated", "bytes", TABLE_BYTES, slab->object.bytes);
	sheet_number(s, "requested", "requested", TABLE_BYTES, slab->object.requested);
	print_age(s, slab->object.age);
}

static void print_slab(struct why *y, const struct slabobject *slab, const struct frame *f)
{
	const struct slabcache_want want = {
		.size = slab->size,
		.pages = f->pages,
		.kmalloc = f->first.flags & KMEMTRACE_PAGE_KMALLOC,
	};
	struct slabcaches caches;
	struct sheet *s = &y->sheet;

	slabcaches_read(&caches);
	sheet_section(s, "Slab", "slab");
	siteview_caches(s, &caches, &want);
	sheet_text(s, "physical", "physical", "0x%" PRIx64, slab->start);
	sheet_number(s, "pages", "pages", TABLE_NUMBER, f->pages);
	sheet_number(s, "live objects", "objects", TABLE_COUNT, slab->objects);
	sheet_number(s, "live", "live", TABLE_BYTES, slab->live);
	if (slab->size)
		sheet_number(s, "object takes", "size", TABLE_BYTES, slab->size);
	else
		sheet_unknown(s, "object takes", "size", "no live object of it is known");
	slabcaches_free(&caches);
}

/* --- its site ------------------------------------------------------------------------------- */

static bool is_at(void *arg, const struct site_row *tag)
{
	return !strcmp(tag->location, arg);
}

/* Print the site of a tag, with all tags of the site. */
static void print_site(struct why *y, const struct survey *w, uint32_t id)
{
	const struct siteview v = { .sheet = &y->sheet, .title = "Site", .code = &y->code };
	const struct site_row *tag = sites_tag(&w->sites, id);
	struct matches site;

	if (!tag) {
		if (id)
			sheet_note(&y->sheet, "the site: its tag is newer than the list that was read; try again");
		return;
	}
	matches_find(&site, &w->sites.tags, is_at, tag->location);
	sheet_item(&y->sheet, "sites");
	siteview_print(&v, &site.match[0], 0, 0);
	sheet_line(&y->sheet, "More: kmemtrace-user why '%s'", tag->location);
	matches_free(&site);
}

int why_print_frame(struct why *y, struct survey *w, uint64_t pfn, uint64_t address)
{
	struct slabobject slab = { 0 };
	struct frame f;
	int ret = frame_read(&f, w, pfn) ? EXIT_FAILED : EXIT_DONE;

	if (ret)
		return ret;
	if (f.kind == KIND_SLAB)
		ret = slabobject_read(&slab, &f, address) ? EXIT_FAILED : EXIT_DONE;
	if (!ret && f.kind == KIND_SLAB && address)
		print_object(y, &slab, &f, address);
	if (!ret && f.kind == KIND_SLAB)
		print_slab(y, &slab, &f);
	if (!ret)
		ret = print_frame(y, w, &f);
	if (!ret)
		ret = print_processes(y, w, &f);
	if (!ret)
		print_site(y, w, slab.found ? slab.object.tag : f.owner.tag);
	return ret;
}

int why_frame(struct why *y)
{
	struct page_filter all = PAGE_FILTER_NONE;
	struct survey w;
	int ret = survey_open(&w, &all) ? EXIT_FAILED : EXIT_DONE;

	if (!ret)
		ret = why_print_frame(y, &w, y->target.number, 0);
	if (!ret)
		ret = why_end(y, &w.sites.tags);
	survey_close(&w);
	return ret;
}
