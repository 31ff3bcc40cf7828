// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/die.h"
#include "base/msg.h"
#include "html/html.h"
#include "leaks/agefile.h"
#include "report/losses.h"

/* 1 s has 2^9 of these, so that buckets from 1 s on are of whole seconds */
#define AGES_TICK_NS 1953125u

/* --- rows ------------------------------------------------------------------------- */

/*
 * A row of the table: its number, and what is live by bucket: numbers of buckets, objects
 * and bytes. The bucket -1 has @rest: parts of blocks of pages of which others were freed.
 */
static void ages_add_row(json_t *rows, size_t row, const struct kmemtrace_ages_sum *age,
			 const struct kmemtrace_ages_sum *rest)
{
	json_t *at = json_array(), *objects = json_array(), *bytes = json_array();
	int i;

	for (i = -1; i < KMEMTRACE_AGES_BUCKETS; i++) {
		const struct kmemtrace_ages_sum *sum = i < 0 ? rest : &age[i];

		if (!sum->objects && !sum->bytes)
			continue;
		json_array_append_new(at, json_integer(i));
		json_array_append_new(objects, json_integer(sum->objects));
		json_array_append_new(bytes, json_integer(sum->bytes));
	}
	json_array_append_new(rows, json_pack("[I,o,o,o]", (json_int_t)row, at, objects,
					      bytes));
}

static json_t *ages_make(json_t *rows, uint64_t tick_ns)
{
	return json_pack("{s:I,s:o}", "tick_ns", (json_int_t)tick_ns, "rows", rows);
}

/* --- a recording -------------------------------------------------------------------- */

/* a lifetimes_take; the age is not that up to a loss, but that at the end */
static void ages_take(void *arg, const struct lifetime *life)
{
	struct ages *ages = arg;

	if (life->ended)
		return;
	array_reach(ages->group, ages->nr_groups, life->group);
	agefile_add(ages->group[life->group].age,
		    (ages->a->time_last - life->birth) / AGES_TICK_NS, life->bytes);
}

void ages_begin(struct ages *ages, struct report *r)
{
	if (liveness_lost(&r->in))
		return;
	ages->a = &r->a;
	lifetimes_init_for(&ages->life, &r->a, ages_take, ages);
}

void ages_finish(struct ages *ages)
{
	if (ages->a)
		lifetimes_finish(&ages->life);
}

void ages_exit(struct ages *ages)
{
	lifetimes_exit(&ages->life);
	free(ages->group);
}

static void add_group(json_t *rows, const struct ages *ages, const struct report *r,
		      size_t row)
{
	static const struct ages_group none;
	size_t number = flows_group(r, row);
	const struct group *g = &ages->a->groups.groups[number];
	const struct ages_group *group = number < ages->nr_groups ? &ages->group[number] : &none;
	struct kmemtrace_ages_sum rest = { group_objects(g), group_live(g) };
	int i;

	for (i = 0; i < KMEMTRACE_AGES_BUCKETS; i++) {
		rest.objects -= group->age[i].objects;
		rest.bytes -= group->age[i].bytes;
	}
	ages_add_row(rows, row, group->age, &rest);
}

json_t *ages_of_recording(const struct ages *ages, const struct report *r)
{
	json_t *rows;
	size_t i;

	if (!ages->a)
		return json_pack("{s:s}", "why", r->no_live);
	if (!ages->a->has_time)
		return json_pack("{s:s}", "why",
				 "the records have no times: record with the feature time");
	rows = json_array();
	for (i = 0; i < r->list.shown; i++)
		if (group_live(&ages->a->groups.groups[flows_group(r, i)]))
			add_group(rows, ages, r, i);
	return ages_make(rows, AGES_TICK_NS);
}

/* --- the module ------------------------------------------------------------------- */

/* Return: for each id of a tag, the number of its row and 1; 0: it has none. */
static size_t *rows_by_id(const struct tags *tags, const struct listing *l, size_t *count)
{
	size_t *rows = NULL, i;

	*count = 0;
	for (i = 0; i < l->shown; i++) {
		uint32_t id = tags->rows.row[l->row[i]].id;

		if (!id)
			continue;
		array_reach(rows, *count, id);
		rows[id] = i + 1;
	}
	return rows ? rows : xcalloc(1, sizeof(*rows));
}

static json_t *make_module(const struct agefile *f, const struct tags *tags,
			   const struct listing *l)
{
	static const struct kmemtrace_ages_sum none;
	json_t *rows = json_array(), *all;
	size_t count, i, *by_id = rows_by_id(tags, l, &count);

	for (i = 0; i < f->head.tags; i++) {
		const struct kmemtrace_ages_tag *t = agefile_tag(f, i);

		if (t->tag < count && by_id[t->tag])
			ages_add_row(rows, by_id[t->tag] - 1, t->age, &none);
	}
	free(by_id);
	all = ages_make(rows, f->head.tick_ns);
	if (f->head.flags & KMEMTRACE_AGES_NO_PAGES)
		json_object_set_new(all, "no_pages", json_true());
	return all;
}

json_t *ages_of_module(const struct tags *tags, const struct listing *l)
{
	struct agefile f;
	json_t *all;

	if (agefile_open(&f) || agefile_read(&f))
		all = json_pack("{s:s}", "why",
				"the module's file ages could not be read; leaks prints the reason");
	else
		all = make_module(&f, tags, l);
	agefile_close(&f);
	return all;
}
