// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profile of a recording. The figures are those of report: by stack and site; with
 * labels also by cache, node and process.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/plural.h"
#include "base/table.h"
#include "export/profile.h"
#include "report/losses.h"
#include "report/report.h"

/* indices in report.keys */
enum { KEY_STACK, KEY_SITE, KEY_CACHE, KEY_NODE, KEY_PROCESS };

#define TEMPORARY                                                              \
	(PROFILE_BIT(PROFILE_TEMPORARY_OBJECTS) |                              \
	 PROFILE_BIT(PROFILE_TEMPORARY_BYTES))
#define PEAK (PROFILE_BIT(PROFILE_PEAK_OBJECTS) | PROFILE_BIT(PROFILE_PEAK_BYTES))
#define ALLOC                                                                  \
	(PROFILE_BIT(PROFILE_ALLOC_OBJECTS) | PROFILE_BIT(PROFILE_ALLOC_BYTES))

/* a recording that is read */
struct reading {
	struct report r;		/* the report, of the whole recording */
	struct profile *p;		/* the profile */
	unsigned int values;		/* mask of the wanted values */
	bool labels;			/* the wanted rows differ by all labels */
	struct temporary temporary;	/* with TEMPORARY in @values */
	/* with PEAK in @values: the report of the records up to the peak */
	struct report peak;
};

/* --- figures that report has in other views --------------------------------- */

/* Called by report_read(). */
static void profile_recording_watch(struct report *r)
{
	struct reading *in = r->watch_arg;

	if (in->values & TEMPORARY)
		temporary_init(&in->temporary, &r->a, 1);
}

/* --- rows ------------------------------------------------------------------- */

/* The module is known even if addresses take the place of names. */
static uint32_t frame_of(struct reading *in, uint64_t address, uint16_t place)
{
	char name[MEMO_TEXT_MAX], symbol[MEMO_TEXT_MAX];
	const char *source = keys_function(&in->r.keys, address, place, name,
					   sizeof(name));

	if (!in->r.keys.raw_ip)
		return profile_frame(in->p, address, name, name, source);
	in->r.keys.raw_ip = false;
	keys_function(&in->r.keys, address, place, symbol, sizeof(symbol));
	in->r.keys.raw_ip = true;
	return profile_frame(in->p, address, name, symbol, NULL);
}

/* An allocation without a stack has its call site alone. */
static size_t frames_of(struct reading *in, const struct group *g,
			uint64_t frames[KMT_STACK_MAX])
{
	struct keys_frames f;
	size_t i;

	keys_frames(&in->r.keys, g, KEY_STACK, &f);
	if (!f.depth) {
		f.callers[0] = keys_site(&in->r.keys, g, KEY_SITE, &f.places[0]);
		f.depth = 1;
	}
	for (i = 0; i < f.depth; i++)
		frames[i] = frame_of(in, f.callers[i], f.places[i]);
	return f.depth;
}

static const char *label_of(struct reading *in, const struct group *g, size_t key)
{
	char text[MEMO_TEXT_MAX];

	keys_text(&in->r.keys, g, key, text, sizeof(text));
	return profile_word(in->p, text);
}

static bool set_labels(struct reading *in, const struct group *g,
		       struct profile_row *row)
{
	uint32_t features;
	bool has_task = !input_features(&in->r.in, &features) ||
			features & KMT_FEATURE_TASK;

	row->label[PROFILE_KIND] = analysis_types[g->type];
	if (!in->labels)
		return true;
	row->label[PROFILE_CACHE] = label_of(in, g, KEY_CACHE);
	row->label[PROFILE_NODE] = label_of(in, g, KEY_NODE);
	if (has_task)
		row->label[PROFILE_PROCESS] = label_of(in, g, KEY_PROCESS);
	return row->label[PROFILE_CACHE] && row->label[PROFILE_NODE] &&
	       (!has_task || row->label[PROFILE_PROCESS]);
}

/*
 * Groups are created in the order of the records, so the groups up to the peak are the
 * first ones of all, in the same order.
 */
static void set_peak(const struct reading *in, size_t group,
		     struct profile_row *row)
{
	const struct group_table *t = &in->peak.a.groups;

	if (group >= t->count)
		return;
	row->value[PROFILE_PEAK_OBJECTS] = group_objects(&t->groups[group]);
	row->value[PROFILE_PEAK_BYTES] = group_live(&t->groups[group]);
}

static void set_values(const struct reading *in, const struct group *g,
		       struct profile_row *row)
{
	size_t group = g - in->r.a.groups.groups;
	struct temporary_sums temporary = temporary_of(&in->temporary, group);

	row->value[PROFILE_ALLOC_OBJECTS] = g->allocs;
	row->value[PROFILE_ALLOC_BYTES] = g->alloc;
	if (in->r.no_live)
		return;
	row->value[PROFILE_LIVE_OBJECTS] = group_objects(g);
	row->value[PROFILE_LIVE_BYTES] = group_live(g);
	row->value[PROFILE_TEMPORARY_OBJECTS] = temporary.count;
	row->value[PROFILE_TEMPORARY_BYTES] = temporary.bytes;
	set_peak(in, group, row);
}

static bool add_group(struct reading *in, const struct group *g)
{
	struct profile_row row = { .class = analysis_kind_of(g->type),
				   .group = g - in->r.a.groups.groups };
	uint64_t frames[KMT_STACK_MAX];
	uint16_t place;
	size_t depth, i;

	set_values(in, g, &row);
	if (profile_is_empty(&row))
		return true;
	row.site = keys_site(&in->r.keys, g, KEY_SITE, &place);
	depth = frames_of(in, g, frames);
	for (i = 0; i < depth; i++)
		if (frames[i] == UINT32_MAX)
			return false;
	if (!set_labels(in, g, &row))
		return false;
	profile_add(in->p, &row, frames, depth);
	return true;
}

static bool add_groups(struct reading *in, unsigned int classes)
{
	const struct group_table *t = &in->r.a.groups;
	size_t i;

	for (i = 0; i < t->count; i++) {
		enum site_kind class = analysis_kind_of(t->groups[i].type);

		if (!export_has_class(classes, class))
			continue;
		if (!add_group(in, &t->groups[i]))
			return false;
	}
	return true;
}

/* --- notes ------------------------------------------------------------------ */

static void note_lost(struct profile *p, const struct report *r)
{
	struct memtext text;
	FILE *out = memtext_open(&text);

	losses_write(&r->in, out);
	profile_note_lines(p, memtext_close(&text, NULL));
}

static void note_losses(struct profile *p, const struct report *r)
{
	const struct merge_stats *s = merge_stats(r->in.merge);
	char *caveats = losses_text(&r->in);
	size_t before;

	profile_note(p, "%" PRIu64 " event%s in %.3f s%s", s->events, plural(s->events),
		     report_seconds(r),
		     losses_none(&r->in) ? ", no event lost" : "");
	before = p->nr_notes;
	note_lost(p, r);
	if (p->nr_notes > before)
		p->loss = p->notes[before];
	if (*caveats)
		profile_note(p, "%s", caveats);
	/* snapshots have removed events */
	if (!p->loss && p->nr_notes)
		p->loss = p->notes[p->nr_notes - 1];
	free(caveats);
}

static void note_live(struct profile *p, const struct export *e,
		      const struct report *r)
{
	int i;

	if (r->no_live) {
		profile_note(p, "there are no live figures: %s", r->no_live);
		return;
	}
	for (i = 0; i < SITE_KINDS; i++) {
		const struct analysis_class_sums *s = &r->a.sums[i];

		if (!(s->objects || s->implicit || s->unmatched) ||
		    !export_has_class(e->classes, i))
			continue;
		profile_note(p, "live %s: %" PRIu64 " byte%s in %" PRIu64
			     " allocation%s, uncertain %" PRIu64 " byte%s",
			     site_total_names[i], s->live, plural(s->live), s->objects,
			     plural(s->objects), report_uncertain(r, i),
			     plural(report_uncertain(r, i)));
		if (s->unmatched)
			profile_note(p, "%s: %" PRIu64 " free%s of memory allocated before the recording, or by a path without an event",
				     site_total_names[i], s->unmatched, plural(s->unmatched));
	}
}

static void note_peak(struct profile *p, const struct report *r,
		      unsigned int wanted)
{
	if (p->have & PEAK)
		profile_note(p, "peak: %" PRIu64 " byte%s%s%s", r->peaks.highest,
			     plural(r->peaks.highest),
			     r->peaks.lost ? ", after events were lost" : "",
			     peaks_mix(&r->peaks) ?
				     " (slab pages and the objects on them both count)" :
				     "");
	else if (wanted & PEAK && input_is_stream(&r->in) && !r->no_live)
		profile_note(p, "there is no peak: it needs two passes, and a pipe can be read only once");
}

static void add_notes(struct profile *p, const struct export *e,
		      const struct report *r, unsigned int wanted)
{
	note_losses(p, r);
	note_live(p, e, r);
	note_peak(p, r, wanted);
	if (e->expression)
		profile_note(p, "only allocations that match the filter %s",
			     e->expression);
	if (e->since)
		profile_note(p, "only from the time %s on", e->since);
	if (e->until)
		profile_note(p, "only up to the time %s", e->until);
	if (!e->classes ||
	    (e->classes >> SITE_PAGE & 1 && e->classes >> SITE_SLAB & 1))
		profile_note(p, "%s", REPORT_KINDS_NOTE);
}

static void set_title(struct profile *p, const struct export *e,
		      const struct report *r)
{
	char release[256] = "";

	input_value(r->in.meta, "release", release, sizeof(release));
	profile_set_title(p, e, release);
}

/* --- the recording ---------------------------------------------------------- */

static bool set_build_ids(struct profile *p, const struct report *r)
{
	char kernel[256] = "";
	size_t i;

	input_value(r->in.meta, "build_id", kernel, sizeof(kernel));
	for (i = 0; i < p->nr_modules; i++) {
		struct profile_module *m = &p->modules[i];
		const char *id = *m->name ?
					 names_build_id(r->in.names, m->name) :
					 kernel;

		m->build_id = profile_word(p, id && strcmp(id, "-") ? id : "");
		if (!m->build_id)
			return false;
	}
	return true;
}

static unsigned int known_values(const struct reading *in)
{
	unsigned int have = in->values;

	if (in->r.no_live)
		have &= ALLOC;
	if (input_is_stream(&in->r.in))
		have &= ~PEAK;
	return have;
}

static void profile_recording_take(struct reading *in, const struct export *e)
{
	struct profile *p = in->p;
	const struct report *r = &in->r;

	p->have = known_values(in);
	p->no_live = r->no_live;
	p->is_lossy = losses_exit(&r->in) == EXIT_LOST;
	add_notes(p, e, r, in->values);
	if (r->a.has_time)
		p->end_ns = r->a.time_last - r->a.time_first;
	set_title(p, e, r);
	add_groups(in, e->classes);
	set_build_ids(p, r);
}

static struct report profile_recording_prepare(const struct export *e, bool labels)
{
	struct report r = {
		.expression = e->expression,
		.since = e->since,
		.until = e->until,
		.debuginfo = e->debuginfo,
		.keys.raw_ip = e->raw_ip,
		.peaks.classes = e->classes,
		.timeline = e->timeline,
	};

	keys_parse(&r.keys, labels ? "stack,site,cache,node,process" :
				     "stack,site");
	return r;
}

/* Reads the records up to the peak. */
static int read_peak(struct reading *in, const struct export *e)
{
	int ret;

	if (!(known_values(in) & PEAK) || !in->r.peaks.at)
		return EXIT_DONE;
	in->peak = profile_recording_prepare(e, in->labels);
	in->peak.debuginfo = NULL;
	in->peak.timeline = NULL;
	ret = input_open(&in->peak.in, e->paths, e->count);
	if (ret)
		return ret;
	in->peak.in.limit = in->r.peaks.at;
	ret = report_read(&in->peak, "export");
	input_close(&in->peak.in);
	return ret;
}

static int profile_recording_read_all(struct reading *in, const struct export *e)
{
	bool wants_peak = in->values & PEAK;
	int ret;

	in->r.wants_peaks = wants_peak;
	in->r.numbers_records = wants_peak && !input_is_stream(&in->r.in);
	in->r.watch = profile_recording_watch;
	in->r.watch_arg = in;
	ret = report_read(&in->r, "export");
	if (!ret)
		ret = read_peak(in, e);
	if (!ret)
		profile_recording_take(in, e);
	return ret;
}

int profile_read_recording(struct profile *p, const struct export *e,
			   unsigned int values, bool labels)
{
	struct reading *in = xcalloc(1, sizeof(*in));
	int ret;

	in->p = p;
	in->values = values;
	in->labels = labels;
	in->r = profile_recording_prepare(e, labels);
	ret = input_open(&in->r.in, e->paths, e->count);
	if (!ret) {
		ret = report_end(&in->r, profile_recording_read_all(in, e));
		report_free(&in->peak);
		temporary_exit(&in->temporary);
	}
	free(in);
	return ret == EXIT_LOST ? EXIT_DONE : ret;
}
