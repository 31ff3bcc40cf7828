// SPDX-License-Identifier: GPL-2.0-only
/*
 * The format of pprof, profile.proto: a gzipped message. The names of its fields are below.
 */
#include <stdlib.h>

#include "export/gzip.h"
#include "export/profile.h"
#include "export/protobuf.h"
#include "report/report.h"

/* numbers of the fields that are written, by message */
enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE, PROFILE_MAPPING,
       PROFILE_LOCATION, PROFILE_FUNCTION, PROFILE_STRING_TABLE,
       PROFILE_DURATION_NANOS = 10, PROFILE_COMMENT = 13,
       PROFILE_DEFAULT_SAMPLE_TYPE };
enum { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT };
enum { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_STR };
enum { MAPPING_ID = 1, MAPPING_MEMORY_START, MAPPING_MEMORY_LIMIT,
       MAPPING_FILENAME = 5, MAPPING_BUILD_ID, MAPPING_HAS_FUNCTIONS,
       MAPPING_HAS_FILENAMES, MAPPING_HAS_LINE_NUMBERS,
       MAPPING_HAS_INLINE_FRAMES };
enum { LOCATION_ID = 1, LOCATION_MAPPING_ID, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION_ID = 1, LINE_LINE };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILENAME };

/* the names and units that readers of heap profiles know, and others in the same form */
static const struct {
	const char *type;
	const char *unit;
} types[PROFILE_VALUES] = {
	[PROFILE_ALLOC_OBJECTS] = { "alloc_objects", "count" },
	[PROFILE_ALLOC_BYTES] = { "alloc_space", "bytes" },
	[PROFILE_TEMPORARY_OBJECTS] = { "temporary_objects", "count" },
	[PROFILE_TEMPORARY_BYTES] = { "temporary_space", "bytes" },
	[PROFILE_PEAK_OBJECTS] = { "peak_objects", "count" },
	[PROFILE_PEAK_BYTES] = { "peak_space", "bytes" },
	[PROFILE_LIVE_OBJECTS] = { "inuse_objects", "count" },
	[PROFILE_LIVE_BYTES] = { "inuse_space", "bytes" },
};

/* a profile that is written */
struct pprof {
	const struct profile *p;	/* the profile */
	struct protobuf all;		/* the message */
	struct protobuf part;		/* a message in @all */
	struct protobuf inner;		/* a message in @part */
	struct words texts;		/* the table of strings */
};

static uint64_t pprof_text(struct pprof *w, const char *text)
{
	return words_get(&w->texts, text);
}

/* Adds the message @part, and begins the next one. */
static void end_part(struct pprof *w, unsigned int field)
{
	protobuf_message(&w->all, field, &w->part);
	protobuf_clear(&w->part);
}

static void end_inner(struct pprof *w, unsigned int field)
{
	protobuf_message(&w->part, field, &w->inner);
	protobuf_clear(&w->inner);
}

static bool pprof_has(const struct pprof *w, int value)
{
	return w->p->have & PROFILE_BIT(value);
}

static void write_types(struct pprof *w)
{
	bool live = pprof_has(w, PROFILE_LIVE_BYTES);
	int i;

	for (i = 0; i < PROFILE_VALUES; i++) {
		if (!pprof_has(w, i))
			continue;
		protobuf_number(&w->part, VALUE_TYPE_TYPE, pprof_text(w, types[i].type));
		protobuf_number(&w->part, VALUE_TYPE_UNIT, pprof_text(w, types[i].unit));
		end_part(w, PROFILE_SAMPLE_TYPE);
	}
	protobuf_number(&w->all, PROFILE_DEFAULT_SAMPLE_TYPE,
			pprof_text(w, types[live ? PROFILE_LIVE_BYTES :
					     PROFILE_ALLOC_BYTES].type));
}

static void write_label(struct pprof *w, const char *key, const char *value)
{
	protobuf_number(&w->inner, LABEL_KEY, pprof_text(w, key));
	protobuf_number(&w->inner, LABEL_STR, pprof_text(w, value));
	end_inner(w, SAMPLE_LABEL);
}

/* The class has the names of --kind. Only a recording has the kind, the interface. */
static void write_labels(struct pprof *w, const struct profile_row *row)
{
	int i;

	write_label(w, "class", site_total_names[row->class]);
	for (i = 0; i < PROFILE_LABELS; i++)
		if (row->label[i])
			write_label(w, profile_labels[i], row->label[i]);
}

/* Locations have the numbers of frames, from 1 on. */
static void write_sample(struct pprof *w, const struct profile_row *row)
{
	uint64_t ids[KMT_STACK_MAX], values[PROFILE_VALUES];
	size_t depth, count = 0, i;
	const uint64_t *frames = stacks_at(&w->p->stacks, row->stack, &depth);

	for (i = 0; i < depth; i++)
		ids[i] = frames[i] + 1;
	for (i = 0; i < PROFILE_VALUES; i++)
		if (pprof_has(w, i))
			values[count++] = row->value[i];
	protobuf_numbers(&w->part, SAMPLE_LOCATION_ID, ids, depth);
	protobuf_numbers(&w->part, SAMPLE_VALUE, values, count);
	write_labels(w, row);
	end_part(w, PROFILE_SAMPLE);
}

/* The recording does not have the range of a module: the mapping spans its frames. */
static void write_range(struct pprof *w, const struct profile_module *m)
{
	if (m->start == UINT64_MAX)
		return;
	protobuf_number(&w->part, MAPPING_MEMORY_START, m->start);
	protobuf_number(&w->part, MAPPING_MEMORY_LIMIT, m->last + 1);
}

/*
 * The names of the kernel and of modules are those of perf. All frames have names: readers
 * must not search for files with symbols.
 */
static void write_mapping(struct pprof *w, size_t module)
{
	const struct profile_module *m = &w->p->modules[module];
	char name[256];

	snprintf(name, sizeof(name), "[%s]", *m->name ? m->name : "kernel.kallsyms");
	protobuf_number(&w->part, MAPPING_ID, module + 1);
	write_range(w, m);
	protobuf_number(&w->part, MAPPING_FILENAME, pprof_text(w, name));
	if (*m->build_id)
		protobuf_number(&w->part, MAPPING_BUILD_ID, pprof_text(w, m->build_id));
	protobuf_number(&w->part, MAPPING_HAS_FUNCTIONS, 1);
	protobuf_number(&w->part, MAPPING_HAS_FILENAMES, 1);
	protobuf_number(&w->part, MAPPING_HAS_LINE_NUMBERS, 1);
	protobuf_number(&w->part, MAPPING_HAS_INLINE_FRAMES, 1);
	end_part(w, PROFILE_MAPPING);
}

static void write_frame(struct pprof *w, size_t frame)
{
	const struct profile_frame *f = &w->p->frames[frame];

	protobuf_number(&w->part, LOCATION_ID, frame + 1);
	if (f->module != PROFILE_NO_MODULE)
		protobuf_number(&w->part, LOCATION_MAPPING_ID, f->module + 1);
	protobuf_number(&w->part, LOCATION_ADDRESS, f->address);
	protobuf_number(&w->inner, LINE_FUNCTION_ID, frame + 1);
	protobuf_number(&w->inner, LINE_LINE, f->line);
	end_inner(w, LOCATION_LINE);
	end_part(w, PROFILE_LOCATION);

	protobuf_number(&w->part, FUNCTION_ID, frame + 1);
	protobuf_number(&w->part, FUNCTION_NAME, pprof_text(w, f->name));
	protobuf_number(&w->part, FUNCTION_SYSTEM_NAME, pprof_text(w, f->name));
	if (f->file)
		protobuf_number(&w->part, FUNCTION_FILENAME, pprof_text(w, f->file));
	end_part(w, PROFILE_FUNCTION);
}

static void write_comments(struct pprof *w)
{
	size_t i;

	protobuf_number(&w->all, PROFILE_COMMENT, pprof_text(w, w->p->title));
	for (i = 0; i < w->p->nr_notes; i++)
		protobuf_number(&w->all, PROFILE_COMMENT, pprof_text(w, w->p->notes[i]));
}

/* The table of strings comes last, because it is complete only then. */
static void write_message(struct pprof *w)
{
	size_t i;

	pprof_text(w, "");
	write_types(w);
	for (i = 0; i < w->p->count; i++)
		write_sample(w, &w->p->rows[i]);
	for (i = 0; i < w->p->nr_modules; i++)
		write_mapping(w, i);
	for (i = 0; i < w->p->nr_frames; i++)
		write_frame(w, i);
	write_comments(w);
	if (w->p->end_ns)
		protobuf_number(&w->all, PROFILE_DURATION_NANOS, w->p->end_ns);
	for (i = 0; i < w->texts.count; i++)
		protobuf_text(&w->all, PROFILE_STRING_TABLE, w->texts.word[i]);
}

static int write_profile(const struct profile *p, FILE *out)
{
	struct pprof w = { .p = p };

	words_init(&w.texts);
	write_message(&w);
	gzip_write(out, w.all.data, w.all.size);
	protobuf_exit(&w.all);
	protobuf_exit(&w.part);
	protobuf_exit(&w.inner);
	words_exit(&w.texts);
	return profile_exit(p);
}

int pprof_write(const struct export *e)
{
	struct profile p;
	int ret = profile_read(&p, e, PROFILE_ALL, true);

	if (!ret)
		ret = write_profile(&p, e->out);
	profile_free(&p);
	return ret;
}
