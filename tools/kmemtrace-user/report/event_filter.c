// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "control/eventfiles.h"
#include "base/msg.h"
#include "base/plural.h"
#include "report/event_filter.h"

/* groups that a record may lack, and the feature that records them */
static const struct {
	u32 group;
	const char *feature;
} lackable[] = {
	{ KMT_FEATURE_TIME, "time" },
	{ KMT_FEATURE_CACHE, "cache" },
	{ KMT_FEATURE_PAGE, "page" },
	{ KMT_FEATURE_TASK, "task" },
	{ KMT_FEATURE_CGROUP, "cgroup" },
	{ KMT_FEATURE_STACK, "stack" },
	{ KMT_GROUP_CACHE_NAME, NULL },
};

#define LACKABLE (sizeof(lackable) / sizeof(lackable[0]))

/* a filter, and counts of the fields that records lacked */
struct event_filter {
	struct kmt_filter *program;	/* the compiled filter */
	/* records that did not match and lacked a group; by index in lackable[] */
	uint64_t lacking[LACKABLE];
};

/* --- compiling ------------------------------------------------------------ */

static bool find_function(void *names, const char *name, size_t len,
			  u64 address, u64 *start, u64 *size)
{
	return names_function(names, name, len, address, start, size);
}

static u32 nr_cpus(const struct input *in)
{
	uint64_t n;

	if (input_number(in->meta, "cpus", &n) && n && n < FILTER_CPUS_MAX)
		return n;
	return FILTER_CPUS_MAX;
}

/* Return: whether the field that was not found exists only in the module's filters. */
static bool only_module_knows(struct kmt_filter *room, const char *text,
			      struct kmt_filter_env env,
			      const struct kmt_filter_error *error)
{
	struct kmt_filter_error other;

	if (error->code != KMT_FILTER_FIELD_NOT_FOUND)
		return false;
	env.groups = ~0u;
	return kmt_filter_compile(room, text, &env, &other) ||
	       other.code != error->code || other.column != error->column;
}

static int compile(struct kmt_filter *program, const char *text,
		   const struct input *in)
{
	const struct kmt_filter_env env = {
		.groups = EXTRA_GROUPS,
		.nr_cpus = nr_cpus(in),
		.function = find_function,
		.arg = in->names,
	};
	struct kmt_filter_error error;

	if (kmt_filter_compile(program, text, &env, &error))
		return EXIT_DONE;
	filter_error_draw("--filter", text, &error, env.groups);
	if (only_module_knows(program, text, env, &error))
		fputs("  No recording has that field: only record --filter can use it.\n",
		      stderr);
	return EXIT_USAGE;
}

int event_filter_create(struct event_filter **filter, const char *text,
			const struct input *in)
{
	struct event_filter *f = xcalloc(1, sizeof(*f));
	int ret;

	*filter = NULL;
	f->program = xmalloc(kmt_filter_room(strlen(text)));
	ret = compile(f->program, text, in);
	if (ret)
		event_filter_destroy(f);
	else
		*filter = f;
	return ret;
}

void event_filter_destroy(struct event_filter *f)
{
	if (f)
		free(f->program);
	free(f);
}

/* --- matching ------------------------------------------------------------- */

/*
 * Counts only the groups that records of this kind can have. For example, a free never
 * has a size, and a record of kmalloc never has a cache.
 */
static void count_lacking(struct event_filter *f, const struct kmt_event *ev,
			  u32 lacks)
{
	size_t i;

	lacks &= kmt_kind_groups(kmt_event_kind(ev));
	if (lacks & KMT_GROUP_CACHE_NAME &&
	    !(ev->features & KMT_FEATURE_CACHE))
		lacks = (lacks & ~KMT_GROUP_CACHE_NAME) | KMT_FEATURE_CACHE;
	for (i = 0; i < LACKABLE; i++)
		f->lacking[i] += !!(lacks & lackable[i].group);
}

bool event_filter_match(struct event_filter *f, struct kmt_event *ev,
			struct extra *e)
{
	if (kmt_filter_match(f->program, ev, &e->x, extra_fetch))
		return true;
	if (e->lacks)
		count_lacking(f, ev, e->lacks);
	return false;
}

/* Return: name of the first field of a group in the filter. */
static const char *field_looked_at(const struct event_filter *f, u32 group)
{
	const struct kmt_field *field;
	u32 i;

	for (i = 0; i < f->program->nr_terms; i++) {
		const struct kmt_filter_term *t = &f->program->term[i];

		for (field = kmt_fields; field->name; field++)
			if (field->group & group &&
			    field->group == (t->need & ~KMT_GROUP_NONE) &&
			    field->base == t->base &&
			    field->offset == t->offset)
				return field->name;
	}
	return "cache";
}

void event_filter_note(const struct event_filter *f)
{
	size_t i;

	for (i = 0; i < LACKABLE; i++) {
		const char *name = field_looked_at(f, lackable[i].group);

		if (f->lacking[i] && lackable[i].feature)
			msg_note("%" PRIu64 " record%s had no field %s: record with --features %s",
				 f->lacking[i], plural(f->lacking[i]), name, lackable[i].feature);
		else if (f->lacking[i])
			msg_note("%" PRIu64 " record%s had no field %s: the cache has no name",
				 f->lacking[i], plural(f->lacking[i]), name);
	}
}
