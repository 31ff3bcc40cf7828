// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/figures.h"
#include "waste/wasteview.h"
#include "why/siteview.h"

/* names of caches that are shown, if several fit */
#define CACHES_SHOWN 6

#define LINES_MAX 1024

/* --- what it is -------------------------------------------------------------------------- */

static const struct site_row *tag_with_address(const struct match *m)
{
	size_t i;

	for (i = 0; i < m->count; i++)
		if (m->tag[i]->address)
			return m->tag[i];
	return NULL;
}

static void print_source(const struct siteview *v, const struct match *m)
{
	const struct sitename *name = &m->tag[0]->name;
	const struct site_row *tag = tag_with_address(m);
	char lines[LINES_MAX];

	if (tag && code_lines(v->code, tag->address, lines, sizeof(lines)))
		sheet_text(v->sheet, "source", "source", "%s", lines);
	else if (name->file)
		sheet_text(v->sheet, "source", "source", "%s:%llu", name->file,
			   (unsigned long long)name->line);
	else
		sheet_unknown(v->sheet, "source", "source",
			      "name debug information (--debuginfo), or load it (codetags load)");
}

static void print_head(const struct siteview *v, const struct match *m)
{
	const struct sitename *name = &m->tag[0]->name;
	struct sheet *s = v->sheet;

	sheet_section(s, v->title, NULL);
	sheet_text(s, "site", "site", "%s", m->location);
	sheet_text(s, "function", "function", "%s", name->function);
	sheet_text(s, "module", "module", "%s",
		   *name->module ? name->module : s->json ? "" : "none: it is in the kernel itself");
	print_source(v, m);
}

/* --- its memory ---------------------------------------------------------------------------- */

static const struct table_column tag_columns[] = {
	FIGURE_KIND, FIGURE_LIVE, FIGURE_OBJECTS, FIGURE_REQUESTED, FIGURE_PEAK,
	FIGURE_ALLOCS, FIGURE_FREES, FIGURE_OLDEST, FIGURE_ADDRESS,
	FIGURE_TAG, /* not in text */
};

static void siteview_tag_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct site_row *t = ((const struct match *)arg)->tag[i];

	row_text(cell, site_kind_names[t->kind]);
	row_number(cell, t->f.bytes);
	row_number(cell, t->f.objects);
	row_number(cell, t->f.requested);
	row_number(cell, t->f.peak);
	row_number(cell, t->f.allocs);
	row_number(cell, t->f.frees);
	row_known(cell, t->f.oldest_ms >= 0, t->f.oldest_ms);
	row_known(cell, t->address, t->address);
	row_known(cell, t->id, t->id);
}

static void print_tags(const struct siteview *v, const struct match *m)
{
	struct listing table = LISTING(tag_columns, m->count, siteview_tag_cell, m);

	table.nr_text = table.nr_columns - 1;
	sheet_section(v->sheet, "Live memory, and calls since accounting began", NULL);
	sheet_table(v->sheet, "tags", &table, NULL);
}

/* --- ages ---------------------------------------------------------------------------------- */

/**
 * struct age_rows - the rows of the table
 * @tick_ns: length of a tick
 * @sum: live memory of each row
 * @bucket: bucket of each row
 * @count: number of rows
 */
struct age_rows {
	uint64_t tick_ns;
	struct kmemtrace_ages_sum sum[KMEMTRACE_AGES_BUCKETS];
	unsigned int bucket[KMEMTRACE_AGES_BUCKETS];
	size_t count;
};

static const struct table_column age_columns[] = {
	FIGURE_AGE_FROM, FIGURE_OBJECTS, FIGURE_LIVE,
};

static void siteview_age_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct age_rows *r = arg;

	row_number(cell, r->bucket[i] ? r->tick_ns << (r->bucket[i] - 1) : 0);
	row_number(cell, r->sum[i].objects);
	row_number(cell, r->sum[i].bytes);
}

static bool has_tag(const struct match *m, uint32_t id)
{
	size_t i;

	for (i = 0; i < m->count; i++)
		if (m->tag[i]->id && m->tag[i]->id == id)
			return true;
	return false;
}

static struct age_rows make_ages(const struct agefile *f, const struct match *m)
{
	struct kmemtrace_ages_sum all[KMEMTRACE_AGES_BUCKETS] = { 0 };
	struct age_rows r = { .tick_ns = f->head.tick_ns };
	unsigned int k;
	size_t i;

	for (i = 0; i < f->head.tags; i++) {
		const struct kmemtrace_ages_tag *t = agefile_tag(f, i);

		for (k = 0; has_tag(m, t->tag) && k < KMEMTRACE_AGES_BUCKETS; k++) {
			all[k].objects += t->age[k].objects;
			all[k].bytes += t->age[k].bytes;
		}
	}
	for (k = 0; k < KMEMTRACE_AGES_BUCKETS; k++) {
		/* of a page whose first frame is not counted here, there are only bytes */
		if (!all[k].objects && !all[k].bytes)
			continue;
		r.bucket[r.count] = k;
		r.sum[r.count++] = all[k];
	}
	return r;
}

static bool has_kind(const struct match *m, enum site_kind kind)
{
	size_t i;

	for (i = 0; i < m->count; i++)
		if (m->tag[i]->kind == kind)
			return true;
	return false;
}

static void print_ages(const struct siteview *v, const struct match *m)
{
	struct age_rows r = make_ages(v->ages, m);
	const struct listing table = LISTING(age_columns, r.count, siteview_age_cell, &r);

	sheet_section(v->sheet, "Ages: live memory of this age and older, up to the next row", NULL);
	if (r.count || v->sheet->json)
		sheet_table(v->sheet, "ages", &table, NULL);
	else
		sheet_line(v->sheet, "it has no live memory whose age is known");
	if (has_kind(m, SITE_PAGE) && v->ages->head.flags & KMEMTRACE_AGES_NO_PAGES)
		sheet_note(v->sheet, "ages of pages: the module does not store them (mem_profiling=1,compressed)");
}

/* --- waste and caches ------------------------------------------------------------------------ */

/**
 * struct waste_rows - the rows of a site
 * @v: where the figures are from
 * @row: the first row of all sites
 * @index: for each row of the site, its number in @row
 * @count: number of rows
 * @line: a line below a row
 */
struct waste_rows {
	const struct siteview *v;
	const struct waste *row;
	uint32_t *index;
	size_t count;
	char line[4 * WASTE_LINE];
};

static const struct table_column bucket_columns[] = {
	FIGURE_BUCKET, FIGURE_SIZE, FIGURE_OBJECTS, FIGURE_LIVE, FIGURE_REQUESTED,
	FIGURE_WASTE, FIGURE_SAVED,
};

static void siteview_waste_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct waste_rows *r = arg;
	const struct waste *w = &r->row[r->index[i]];

	if (row_wants(cell))
		waste_bucket(w, cell->string, sizeof(cell->string));
	row_known(cell, w->size, w->size);
	row_number(cell, w->objects);
	row_number(cell, w->bytes);
	row_number(cell, w->requested);
	row_number(cell, waste_bytes(w));
	row_number(cell, waste_saved(w));
}

/* Return: number of slab caches that a row may be of. */
static size_t caches_of(const struct siteview *v, const struct waste *row, const char **name,
			size_t max)
{
	const struct slabcache_want want = {
		.size = row->size,
		.kmalloc = row->kind == WASTE_KMALLOC,
	};

	if (row->kind > WASTE_CACHE || !row->size)
		return 0;
	return slabcaches_find(v->caches, &want, name, max);
}

static bool print_caches(char *to, size_t size, const struct siteview *v,
			 const struct waste *row)
{
	const char *name[CACHES_SHOWN];
	size_t i, n = caches_of(v, row, name, CACHES_SHOWN), used;

	if (!n)
		return false;
	used = snprintf(to, size, n > 1 ? "slab cache, one of:" : "slab cache:");
	for (i = 0; i < n && i < CACHES_SHOWN && used < size; i++)
		used += snprintf(to + used, size - used, " %s", name[i]);
	if (n > CACHES_SHOWN && used < size)
		snprintf(to + used, size - used, " and %zu more", n - CACHES_SHOWN);
	return true;
}

/* Lines below a row: its caches, its sizes, its remedies. */
static bool get_below(void *arg, size_t i, size_t n, const char **line)
{
	struct waste_rows *r = arg;
	const struct waste *row = &r->row[r->index[i]];

	*line = r->line;
	if (print_caches(r->line, sizeof(r->line), r->v, row) && !n--)
		return true;
	if (row->nr_sizes && !n--)
		return waste_print_sizes(r->line, row);
	if (n >= (size_t)row->nr_remedies)
		return false;
	waste_print_remedy(r->line, &row->remedy[n]);
	return true;
}

static void set_lists(json_t *rows, const struct waste_rows *r)
{
	const char *name[CACHES_SHOWN];
	json_t *json, *caches;
	size_t i, k, n;

	json_array_foreach(rows, i, json) {
		const struct waste *row = &r->row[r->index[i]];

		caches = json_array();
		n = caches_of(r->v, row, name, CACHES_SHOWN);
		for (k = 0; k < n && k < CACHES_SHOWN; k++)
			json_array_append_new(caches, json_string(name[k]));
		json_object_set_new(json, "caches", caches);
		json_object_set_new(json, "sizes", waste_json_sizes(row));
		json_object_set_new(json, "remedies", waste_json_remedies(row));
	}
}

/* Return: number of rows of a site. */
static size_t find_rows(struct waste_rows *r, uint32_t number)
{
	const struct wastes *w = r->v->wastes;
	size_t i;

	for (i = 0; i < w->count; i++) {
		if (w->row[i].site != number || !w->row[i].objects)
			continue;
		*array_add(r->index, r->count) = i;
	}
	return r->count;
}

static void print_waste(const struct siteview *v, uint32_t number, uint64_t slabs)
{
	struct waste_rows r = { .v = v, .row = v->wastes->row };
	struct listing table = LISTING(bucket_columns, 0, siteview_waste_cell, &r);

	table.nr_rows = find_rows(&r, number);
	sheet_section(v->sheet, "Slab caches and waste: what was allocated and not requested", NULL);
	if (r.count || v->sheet->json)
		set_lists(sheet_table(v->sheet, "waste", &table, get_below), &r);
	else
		sheet_line(v->sheet, "no slab, per-CPU or large object is live; pages waste nothing");
	if (slabs || v->sheet->json)
		sheet_number(v->sheet, "slabs", "slabs", TABLE_COUNT, slabs);
	free(r.index);
}

void siteview_caches(struct sheet *s, const struct slabcaches *caches,
		     const struct slabcache_want *want)
{
	const char *name[CACHES_SHOWN];
	size_t n = want->size ? slabcaches_find(caches, want, name, CACHES_SHOWN) : 0;
	size_t shown = n < CACHES_SHOWN ? n : CACHES_SHOWN;

	if (n)
		sheet_names(s, n > 1 ? "cache, one of" : "cache", "caches", name, shown, n - shown);
	else
		sheet_unknown(s, "cache", "caches",
			      want->size ? "no cache in /proc/slabinfo has this size" :
					   "no live object of the slab tells its size");
}

/* --- callers -------------------------------------------------------------------------------- */

static void print_recorded_caches(const struct siteview *v, const struct pathview *paths)
{
	const struct witness *w = paths->w;
	const char *last = NULL;
	size_t i;

	for (i = 0; i < w->paths.count; i++) {
		const char *cache = w->cache ? w->cache[i] : NULL;

		if (!cache || !paths->is_at(paths->arg, w->paths.path[i].site) ||
		    (last && !strcmp(last, cache)))
			continue;
		sheet_line(v->sheet, "It allocates from the slab cache %s.", cache);
		last = cache;
	}
}

#define NOT_OBSERVED "not observed; --for 10s observes now, -i FILE reads a recording (record -F +stack)"

static void print_callers(const struct siteview *v, const struct match *m)
{
	const struct callers_site site = { v->callers, m, v->code };
	const struct pathview paths = { &v->callers->witness, callers_is_at, &site };
	struct sheet *s = v->sheet;

	sheet_section(s, "Callers, and where its objects are freed", "callers");
	if (!v->callers->is_known) {
		if (s->json) {
			json_object_set_new(s->item, "callers", json_null());
			sheet_note(s, "callers and freeing sites: " NOT_OBSERVED);
		}
		sheet_line(s, NOT_OBSERVED);
		return;
	}
	if (!s->json) {
		print_recorded_caches(v, &paths);
		pathview_print(stdout, &paths);
		return;
	}
	json_object_set_new(s->section, "seconds", json_real(paths.w->seconds));
	json_object_set_new(s->section, "lost_events", json_integer(paths.w->lost));
	pathview_json(s->section, &paths);
}

void siteview_print(const struct siteview *v, const struct match *m, uint32_t number,
		    uint64_t slabs)
{
	print_head(v, m);
	print_tags(v, m);
	if (!v->ages)
		return;
	print_ages(v, m);
	print_waste(v, number, slabs);
	print_callers(v, m);
}
