// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file format of DHAT, version 2, which dh_view.html of valgrind shows.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/msg.h"
#include "export/profile.h"
#include "report/report.h"

#define VERSION 2
/* an average lifetime of so many ns is marked as short */
#define SHORT_NS 500

/* the keys of a row; all but the first two need live figures */
static const struct {
	const char *key;
	enum profile_value value;
} keys[] = {
	{ "tb", PROFILE_ALLOC_BYTES }, { "tbk", PROFILE_ALLOC_OBJECTS },
	{ "tl", PROFILE_LIFETIME },    { "mb", PROFILE_MAX_BYTES },
	{ "mbk", PROFILE_MAX_OBJECTS }, { "gb", PROFILE_PEAK_BYTES },
	{ "gbk", PROFILE_PEAK_OBJECTS }, { "eb", PROFILE_LIVE_BYTES },
	{ "ebk", PROFILE_LIVE_OBJECTS },
};

#define KEYS	    (sizeof(keys) / sizeof(keys[0]))
#define KEYS_ALWAYS 2

/* entries of the table of frames in front of those of the profile */
#define FRAMES_FIRST (1 + CLASSES)

/* A frame has the form of those of valgrind, which readers parse. */
static json_t *json_frame(const struct profile *p, const struct profile_frame *f)
{
	const char *module = f->module == PROFILE_NO_MODULE ?
				     "???" :
				     p->modules[f->module].name;

	if (f->source)
		return json_sprintf("0x%" PRIx64 ": %s (%s)", f->address, f->name,
				    f->source);
	return json_sprintf("0x%" PRIx64 ": %s (in %s)", f->address, f->name,
			    *module ? module : "kernel");
}

static json_t *json_frames(const struct profile *p)
{
	json_t *all = json_array();
	size_t i;

	json_array_append_new(all, json_string("[root]"));
	for (i = 0; i < CLASSES; i++)
		json_array_append_new(all, json_string(report_classes[i]));
	for (i = 0; i < p->nr_frames; i++)
		json_array_append_new(all, json_frame(p, &p->frames[i]));
	return all;
}

/*
 * The innermost function comes first, because the viewer shows a tree of callers. The class
 * of memory is in front, so that each class is a tree of its own.
 */
static json_t *json_stack(const struct profile *p, const struct profile_row *row)
{
	json_t *stack = json_array();
	size_t depth, i;
	const uint64_t *frames = stacks_at(&p->stacks, row->stack, &depth);

	json_array_append_new(stack, json_integer(1 + row->class));
	for (i = 0; i < depth; i++)
		json_array_append_new(stack,
				      json_integer(FRAMES_FIRST + frames[i]));
	return stack;
}

static json_t *json_rows(const struct profile *p)
{
	size_t nr_keys = p->no_live ? KEYS_ALWAYS : KEYS, i, key;
	json_t *all = json_array(), *object;

	for (i = 0; i < p->count; i++) {
		object = json_object();
		for (key = 0; key < nr_keys; key++)
			json_object_set_new(
				object, keys[key].key,
				json_integer(p->rows[i].value[keys[key].value]));
		json_object_set_new(object, "fs", json_stack(p, &p->rows[i]));
		json_array_append_new(all, object);
	}
	return all;
}

/* The format has no comments: the notes follow the name of the input. */
static json_t *json_all(const struct profile *p)
{
	char *command = profile_text(p);
	json_t *all;

	all = json_pack("{s:i,s:s,s:s,s:b,s:b,s:s,s:s,s:i,s:s,s:i,s:I,s:I,s:o,s:o}",
			"dhatFileVersion", VERSION, "mode", "kmemtrace", "verb",
			"Allocated", "bklt", !p->no_live, "bkacc", false, "tu",
			"ns", "Mtu", "ms", "tuth", SHORT_NS, "cmd",
			command ? command : "", "pid", 0, "te",
			(json_int_t)p->end_ns, "tg", (json_int_t)p->peak_ns,
			"pps", json_rows(p), "ftbl", json_frames(p));
	free(command);
	return all;
}

int dhat_write(const struct export *e)
{
	struct profile p;
	int ret = profile_read(&p, e, PROFILE_ALL, false);

	if (!ret && !p.no_live && !(p.have & PROFILE_BIT(PROFILE_PEAK_BYTES)))
		ret = msg_error("--to dhat reads the recording twice, and a pipe can be read only once: save the recording to a file");
	if (!ret && !p.no_live && !(p.have & PROFILE_BIT(PROFILE_LIFETIME)))
		profile_note(&p, "lifetimes are not known, and are 0 here: the records have no times, or frees may be missing");
	if (!ret)
		ret = profile_dump(&p, e, json_all(&p));
	profile_free(&p);
	return ret;
}
