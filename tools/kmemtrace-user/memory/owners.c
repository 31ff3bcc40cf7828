// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "base/figures.h"
#include "base/json.h"
#include "base/listing.h"
#include "base/table.h"
#include "base/textfile.h"
#include "control/system.h"
#include "memory/owners.h"

static const char *const names[OWNERS_FIXED] = {
	[OWNER_FREE] = "(free)",
	[OWNER_USER] = "(processes, files)",
	[OWNER_KERNEL] = "(kernel)",
	[OWNER_EARLIER] = "(before accounting)",
	[OWNER_SLABS] = "(slabs without known objects)",
	[OWNER_PERCPU] = "(per-CPU memory)",
	[OWNER_CODE] = "(eBPF code, rest of modules)",
	[OWNER_UNKNOWN] = "(not known)",
};

#define NAME_MAX_BYTES 128

static struct owner *add_owner(struct owners *o, const char *name)
{
	struct owner *row = array_add(o->row, o->count);

	*row = (struct owner){ .name = xstrdup(name) };
	table_clean(row->name);
	return row;
}

static struct owner *find_owner(struct owners *o, const char *module)
{
	size_t i;

	if (!*module)
		return &o->row[OWNER_KERNEL];
	for (i = OWNERS_FIXED; i < o->count; i++)
		if (!strcmp(o->row[i].name, module))
			return &o->row[i];
	return add_owner(o, module);
}

static uint64_t line(const struct owners_input *in, enum balance_id id)
{
	return in->balance->line[id].bytes;
}

/* --- sites ------------------------------------------------------------------------ */

static uint64_t frames_of(const struct owners_input *in, uint32_t tag, enum frame_kind kind)
{
	return tag && tag < in->tally->nr_sites ?
		       in->tally->site[tag].kind[kind] * in->page_size :
		       0;
}

static bool begins_with(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/*
 * The survey knows which function called vmalloc() before accounting. Only the kernel itself
 * allocates page tables and struct pages. Any module may have allocated the rest.
 */
static bool is_by_anyone(const char *location)
{
	if (begins_with(location, "earlier/vmalloc:0 "))
		return begins_with(location, "earlier/vmalloc:0 func:vmalloc");
	return begins_with(location, "earlier/") &&
	       strcmp(location, "earlier/page:0 func:page_table") != 0 &&
	       strcmp(location, "earlier/page:0 func:memory_map") != 0;
}

/*
 * The pages of unknown use that the survey found. Some of these are in lines by count, which are
 * the kernel's.
 */
static uint64_t earlier_bytes(const struct owners_input *in)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < in->tags->rows.count; i++)
		if (begins_with(in->tags->rows.row[i].location, "earlier/"))
			bytes += frames_of(in, in->tags->rows.row[i].id, KIND_UNKNOWN);
	return bytes < line(in, LINE_UNEXPLAINED) ? bytes : line(in, LINE_UNEXPLAINED);
}

static void add_site(struct owners *o, const struct owners_input *in, const struct site_row *tag)
{
	struct owner *row = !*tag->name.module && is_by_anyone(tag->location) ?
				    &o->row[OWNER_EARLIER] :
				    find_owner(o, tag->name.module);
	uint64_t large = frames_of(in, tag->id, KIND_LARGE);

	/* the row of a site of slab objects also has its large kmallocs, which are frames */
	if (tag->kind == SITE_SLAB && tag->f.bytes > (int64_t)large)
		row->slab += tag->f.bytes - large;
	row->pages += large + frames_of(in, tag->id, KIND_MOVABLE) +
		      frames_of(in, tag->id, KIND_KERNEL);
	row->vmalloc += frames_of(in, tag->id, KIND_VMALLOC) + frames_of(in, tag->id, KIND_STACK);
}

static void add_code(struct owners *o, const struct owners_input *in)
{
	const char *modules = in->modules;
	struct system_module module;

	for (; modules && *modules; modules = textfile_next_line(modules)) {
		if (!system_parse_module(modules, &module) || module.size > JSON_BYTES_MAX)
			continue;
		find_owner(o, module.name)->code = (module.size + in->page_size - 1) /
						   in->page_size * in->page_size;
	}
}

/* --- the other rows ------------------------------------------------------------------ */

/*
 * Return: what is left of @all without a part of each row, which is a member of struct owner. Objects and modules are read after
 * the frames. If they are more by now, the largest rows are reduced, so that the sum is @all.
 */
static uint64_t rest_of(struct owners *o, uint64_t all, size_t part)
{
#define PART(row) (*(uint64_t *)((char *)(row) + part))
	struct owner *largest;
	uint64_t sum = 0, less;
	size_t i;

	for (i = 0; i < o->count; i++)
		sum += PART(&o->row[i]);
	while (sum > all) {
		largest = o->row;
		for (i = 1; i < o->count; i++)
			if (PART(&o->row[i]) > PART(largest))
				largest = &o->row[i];
		less = sum - all < PART(largest) ? sum - all : PART(largest);
		PART(largest) -= less;
		sum -= less;
	}
	return all - sum;
}

static void add_fixed(struct owners *o, const struct owners_input *in)
{
	struct owner *row = o->row;

	row[OWNER_FREE].pages = line(in, LINE_FREE) + line(in, LINE_CPU_LISTS) +
				line(in, LINE_UNACCEPTED) +
				line(in, LINE_OFFLINE);
	row[OWNER_USER].pages = line(in, LINE_FILE) + line(in, LINE_SHMEM) +
				line(in, LINE_ANON) + line(in, LINE_HUGETLB) +
				line(in, LINE_ZERO) + line(in, LINE_PGTABLE);
	row[OWNER_KERNEL].pages += line(in, LINE_FTRACE) + line(in, LINE_DMA_POOLS) +
				   line(in, LINE_INTEGRITY_POOL) + line(in, LINE_HASHES);
	row[OWNER_EARLIER].pages += earlier_bytes(in);
	row[OWNER_PERCPU].pages = line(in, LINE_PERCPU);
	row[OWNER_SLABS].pages = rest_of(o, line(in, LINE_SLAB), offsetof(struct owner, slab));
	row[OWNER_CODE].pages = rest_of(o, line(in, LINE_MODULE), offsetof(struct owner, code));
}

static int by_size(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* What is in no other row is not known. */
static void add_up(struct owners *o, uint64_t total)
{
	uint64_t known = 0;
	size_t i, n = OWNERS_FIXED;

	for (i = 0; i < o->count; i++) {
		struct owner *row = &o->row[i];

		row->bytes = row->slab + row->pages + row->vmalloc + row->code;
		known += row->bytes;
		if (i < OWNERS_FIXED)
			continue;
		if (row->bytes)
			o->row[n++] = *row;
		else
			free(row->name);
	}
	o->count = n;
	qsort(o->row + OWNERS_FIXED, n - OWNERS_FIXED, sizeof(*o->row), by_size);
	o->row[OWNER_UNKNOWN].bytes = total > known ? total - known : 0;
}

void owners_make(struct owners *o, const struct owners_input *in)
{
	size_t i;

	*o = (struct owners){ 0 };
	for (i = 0; i < OWNERS_FIXED; i++)
		add_owner(o, names[i]);
	for (i = 0; i < in->tags->rows.count; i++)
		add_site(o, in, &in->tags->rows.row[i]);
	if (line(in, LINE_MODULE))
		add_code(o, in);
	add_fixed(o, in);
	add_up(o, line(in, LINE_TOTAL));
}

/* --- output ------------------------------------------------------------------------------ */

static const struct table_column columns[] = {
	FIGURE_LINE, FIGURE_OWNER_SLAB, FIGURE_OWNER_PAGE, FIGURE_OWNER_VMALLOC,
	FIGURE_OWNER_CODE, FIGURE_OWNER,
};

static void owners_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct owner *owner = &((const struct owners *)arg)->row[i];
	bool has_parts = i >= OWNERS_FIXED || i == OWNER_KERNEL || i == OWNER_EARLIER;

	row_number(cell, owner->bytes);
	row_existing(cell, has_parts, owner->slab);
	row_existing(cell, has_parts, owner->pages);
	row_existing(cell, has_parts, owner->vmalloc);
	row_existing(cell, has_parts, owner->code);
	row_text(cell, owner->name);
}

void owners_print(const struct owners *o)
{
	if (!o->count) {
		puts("\nthe owners are unknown: the module was not loaded");
		return;
	}
	puts("\nby owner; the rows add up to the total, but for rounding:");
	table_print_text(columns, TABLE_COLUMNS(columns), o->count, owners_cell, (void *)o);
}

json_t *owners_json(const struct owners *o)
{
	json_t *all = json_array();
	size_t i;

	for (i = 0; i < o->count; i++) {
		const struct owner *row = &o->row[i];

		json_array_append_new(
			all, json_pack("{s:s,s:I,s:I,s:I,s:I,s:I}", "owner", row->name,
				       "bytes", (json_int_t)row->bytes, "slab",
				       (json_int_t)row->slab, "page",
				       (json_int_t)row->pages, "vmalloc",
				       (json_int_t)row->vmalloc, "code",
				       (json_int_t)row->code));
	}
	return all;
}

/* --- changes ----------------------------------------------------------------------------- */

/**
 * struct pair - an owner in two states
 * @name: name of the owner
 * @before: its bytes in the old state; 0 if it has no row there
 * @now: the same of the new state
 */
struct pair {
	const char *name;
	uint64_t before;
	uint64_t now;
};

static const struct table_column pair_columns[] = {
	FIGURE_LINE_BEFORE, FIGURE_LINE_NOW, FIGURE_LINE_CHANGE, FIGURE_OWNER,
};

static void pair_cell(void *arg, size_t row, struct table_cell *cell)
{
	const struct pair *pair = (const struct pair *)arg + row;

	row_number(cell, pair->before);
	row_number(cell, pair->now);
	row_number(cell, pair->now - pair->before);
	row_text(cell, pair->name);
}

static const struct owner *named(const struct owners *o, const char *name)
{
	size_t i;

	for (i = 0; i < o->count; i++)
		if (!strcmp(o->row[i].name, name))
			return &o->row[i];
	return NULL;
}

/* Return: the rows of both states, largest change first; the caller frees it. */
static struct listing list_changes(const struct owners *old, const struct owners *now)
{
	struct pair *pair = xcalloc(old->count + now->count, sizeof(*pair));
	struct listing l = LISTING(pair_columns, 0, pair_cell, pair);
	const struct owner *other;
	size_t i;

	for (i = 0; i < now->count; i++) {
		other = named(old, now->row[i].name);
		pair[l.nr_rows++] = (struct pair){ now->row[i].name, other ? other->bytes : 0,
						   now->row[i].bytes };
	}
	for (i = 0; i < old->count; i++)
		if (!named(now, old->row[i].name))
			pair[l.nr_rows++] = (struct pair){ old->row[i].name,
							   old->row[i].bytes, 0 };
	listing_sort_by(&l, "change", 0);
	return l;
}

void owners_print_changes(const struct owners *old, const struct owners *now)
{
	struct listing l;

	if (!old->count || !now->count) {
		puts("\nthe changes of owners are unknown: in one of the states, the module was not loaded");
		return;
	}
	l = list_changes(old, now);
	puts("\nchanges by owner; they add up to the change of the total, but for rounding:");
	listing_print(&l, TABLE_TEXT);
	free(l.arg);
	listing_free(&l);
}

json_t *owners_changes_json(const struct owners *old, const struct owners *now)
{
	struct listing l;
	json_t *all;

	if (!old->count || !now->count)
		return json_null();
	l = list_changes(old, now);
	all = listing_json(&l);
	free(l.arg);
	listing_free(&l);
	return all;
}

/* --- input ---------------------------------------------------------------------------------- */

static const char *load_owner(struct owners *o, const json_t *json)
{
	char name[NAME_MAX_BYTES];
	bool named = json_text(json, "owner", name, sizeof(name));
	struct owner *row = add_owner(o, name);

	if (!named || !json_take_bytes(json, "bytes", &row->bytes) ||
	    !json_take_bytes(json, "slab", &row->slab) ||
	    !json_take_bytes(json, "page", &row->pages) ||
	    !json_take_bytes(json, "vmalloc", &row->vmalloc) ||
	    !json_take_bytes(json, "code", &row->code))
		return "an owner lacks its name or its bytes";
	return NULL;
}

const char *owners_load(struct owners *o, const json_t *json)
{
	const char *wrong = NULL;
	json_t *element;
	size_t i;

	*o = (struct owners){ 0 };
	json_array_foreach((json_t *)json, i, element) {
		wrong = load_owner(o, element);
		if (wrong)
			return wrong;
	}
	if (o->count && o->count < OWNERS_FIXED)
		return "some of its owners are missing";
	return NULL;
}

void owners_free(struct owners *o)
{
	size_t i;

	for (i = 0; i < o->count; i++)
		free(o->row[i].name);
	free(o->row);
	*o = (struct owners){ 0 };
}
