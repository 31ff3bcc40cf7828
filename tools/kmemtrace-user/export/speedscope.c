// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file format of speedscope: a list of functions, and for each value a profile with all
 * stacks, the outermost function first.
 */
#include <jansson.h>
#include <stdlib.h>

#include "base/msg.h"
#include "export/profile.h"
#include "report/report.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

/* The bytes that are live come first. */
static const enum profile_value profiles[PROFILE_NAMED] = {
	PROFILE_LIVE_BYTES,   PROFILE_PEAK_BYTES,   PROFILE_ALLOC_BYTES,
	PROFILE_TEMPORARY_BYTES, PROFILE_LIVE_OBJECTS, PROFILE_PEAK_OBJECTS,
	PROFILE_ALLOC_OBJECTS, PROFILE_TEMPORARY_OBJECTS,
};

/* The first frames are the classes; those of the profile follow. */
static json_t *json_frames(const struct profile *p)
{
	json_t *all = json_array(), *frame;
	size_t i;

	for (i = 0; i < CLASSES; i++)
		json_array_append_new(all, json_pack("{s:s}", "name",
						     report_classes[i]));
	for (i = 0; i < p->nr_frames; i++) {
		const struct profile_frame *f = &p->frames[i];

		frame = json_pack("{s:s}", "name", f->name);
		if (f->file) {
			json_object_set_new(frame, "file", json_string(f->file));
			json_object_set_new(frame, "line", json_integer(f->line));
		}
		json_array_append_new(all, frame);
	}
	return all;
}

static json_t *json_stack(const struct profile *p, const struct profile_row *row)
{
	json_t *stack = json_array();
	size_t depth;
	const uint64_t *frames = stacks_at(&p->stacks, row->stack, &depth);

	json_array_append_new(stack, json_integer(row->class));
	while (depth--)
		json_array_append_new(stack,
				      json_integer(CLASSES + frames[depth]));
	return stack;
}

/* @stacks: an array with the stack of each row, which all profiles share */
static json_t *json_profile(const struct profile *p, enum profile_value value,
			    json_t *stacks)
{
	json_t *samples = json_array(), *weights = json_array();
	uint64_t total = 0;
	size_t i;

	for (i = 0; i < p->count; i++) {
		uint64_t n = p->rows[i].value[value];

		if (!n)
			continue;
		total += n;
		json_array_append(samples, json_array_get(stacks, i));
		json_array_append_new(weights, json_integer(n));
	}
	return json_pack("{s:s,s:s,s:s,s:i,s:I,s:o,s:o}", "type", "sampled",
			 "name", profile_titles[value], "unit",
			 profile_is_bytes(value) ? "bytes" : "none", "startValue", 0, "endValue",
			 (json_int_t)total, "samples", samples, "weights",
			 weights);
}

static json_t *json_profiles(const struct profile *p)
{
	json_t *all = json_array(), *stacks = json_array();
	size_t i;

	for (i = 0; i < p->count; i++)
		json_array_append_new(stacks, json_stack(p, &p->rows[i]));
	for (i = 0; i < PROFILE_NAMED; i++)
		if (p->have & PROFILE_BIT(profiles[i]))
			json_array_append_new(all, json_profile(p, profiles[i],
								stacks));
	json_decref(stacks);
	return all;
}

/* The format has no comments, but a name. */
static json_t *json_name(const struct profile *p)
{
	char *text = profile_text(p);
	json_t *name = text ? json_string(text) : NULL;

	free(text);
	return name;
}

int speedscope_write(const struct export *e)
{
	struct profile p;
	int ret = profile_read(&p, e, PROFILE_BIT(PROFILE_NAMED) - 1, false);
	json_t *all;

	if (!ret) {
		all = json_pack("{s:s,s:s,s:o,s:i,s:{s:o},s:o}", "$schema", SCHEMA,
				"exporter", "kmemtrace-user", "name",
				json_name(&p), "activeProfileIndex", 0, "shared",
				"frames", json_frames(&p), "profiles",
				json_profiles(&p));
		ret = profile_dump(&p, e, all);
	}
	profile_free(&p);
	return ret;
}
