// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters over time in the JSON format of Chrome, for Perfetto. A track is a series of the
 * command timeline: its live bytes at the end of each bucket, and its peak. So the size
 * depends on the number of tracks, and not on the length of the recording.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/die.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/plural.h"
#include "export/formats.h"
#include "report/losses.h"
#include "report/timeline_view.h"

/* sites with a track; the other ones are one track */
#define SITES_MAX 20

/* The processes, which are the groups of tracks. */
enum { GROUP_KINDS = 1, GROUP_SITES, GROUP_FLOWS, GROUPS };

static const char *const groups[GROUPS] = {
	[GROUP_KINDS] = "live bytes by kind",
	[GROUP_SITES] = "live bytes by site",
	[GROUP_FLOWS] = "bytes per second",
};

/* the thread that has the peak and the losses */
#define MARKS 1

/* a trace that is being written */
struct trace {
	const struct timeline_view *v;	/* the timeline */
	FILE *out;			/* stream to write to */
	bool follows;			/* another event is in front of the next one */
};

/* --- events ------------------------------------------------------------------- */

static void perfetto_write_text(const struct trace *t, const char *text)
{
	json_t *string = json_string(text);

	json_dumpf(string, t->out, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
	json_decref(string);
}

/* Begins an event; the caller writes its last members. */
static void begin_event(struct trace *t, const char *phase, int group,
			const char *name)
{
	fprintf(t->out, "%s\n{\"ph\":\"%s\",\"pid\":%d,\"name\":",
		t->follows ? "," : "", phase, group);
	perfetto_write_text(t, name);
	t->follows = true;
}

/* In microseconds, with all digits. */
static void write_time(const struct trace *t, uint64_t ns)
{
	fprintf(t->out, ",\"ts\":%" PRIu64 ".%03u", ns / 1000,
		(unsigned int)(ns % 1000));
}

static void write_counter(struct trace *t, int group, const char *name,
			  uint64_t ns, uint64_t value)
{
	begin_event(t, "C", group, name);
	write_time(t, ns);
	fprintf(t->out, ",\"args\":{\"%s\":%" PRIu64 "}}",
		group == GROUP_FLOWS ? "bytes/s" : "bytes", value);
}

/* @what: a format: @number, and the end of its noun */
static void write_mark(struct trace *t, uint64_t ns, const char *what,
		       uint64_t number)
{
	char name[64];

	snprintf(name, sizeof(name), what, number, plural(number));
	begin_event(t, "i", GROUP_KINDS, name);
	write_time(t, ns);
	fprintf(t->out, ",\"tid\":%d,\"s\":\"t\"}", MARKS);
}

static void write_name(struct trace *t, int group, const char *what,
		       const char *name)
{
	begin_event(t, "M", group, what);
	fprintf(t->out, ",\"tid\":%d,\"args\":{\"name\":", MARKS);
	perfetto_write_text(t, name);
	fputs("}}", t->out);
}

/* --- live bytes --------------------------------------------------------------- */

/* The first records may have no times. */
static uint64_t peak_time(const struct timeline *t, const struct timeline_series *s)
{
	return s->peak_time > t->start ? s->peak_time : t->start;
}

/*
 * A counter keeps its value until the next event. Buckets that end with the same value
 * need none.
 */
static void write_series(struct trace *t, int group, const char *name,
			 const struct timeline_series *s)
{
	const struct timeline *all = &t->v->t;
	uint64_t last = 0;
	bool has_peak = s->peak > 0;
	size_t i;

	write_counter(t, group, name, all->start, 0);
	for (i = 0; i <= all->bucket; i++) {
		uint64_t end = timeline_end(all, i);

		if (has_peak && s->peak_time <= end) {
			write_counter(t, group, name, peak_time(all, s), s->peak);
			last = s->peak;
			has_peak = false;
		}
		if (s->points[i].live == last && i < all->bucket)
			continue;
		last = s->points[i].live;
		write_counter(t, group, name, end, last);
	}
}

static void write_kinds(struct trace *t)
{
	int i;

	write_series(t, GROUP_KINDS, "sum", &t->v->t.all);
	for (i = 0; i < ANALYSIS_TYPES; i++)
		if (t->v->t.kinds[i].peak)
			write_series(t, GROUP_KINDS, analysis_types[i],
				     &t->v->t.kinds[i]);
}

static void write_site(struct trace *t, size_t row)
{
	struct table_cell key, kind;
	char *name;

	timeline_view_cell(t->v, row, TIMELINE_NAME, &key);
	timeline_view_cell(t->v, row, TIMELINE_KIND, &kind);
	name = xasprintf("%s (%s)", key.string, kind.string);
	write_series(t, GROUP_SITES, name, timeline_view_series(t->v, row));
	free(name);
}

/* With this track, the tracks of sites add up to the sum. It has no peak of its own. */
static void write_other_sites(struct trace *t)
{
	const struct timeline_view *v = t->v;
	size_t i, row;

	if (v->list.shown == v->count)
		return;
	for (i = 0; i <= v->t.bucket; i++) {
		uint64_t live = v->t.all.points[i].live;

		for (row = 0; row < v->list.shown; row++)
			live -= timeline_view_series(v, row)->points[i].live;
		write_counter(t, GROUP_SITES, "(other sites)",
			      timeline_end(&v->t, i), live);
	}
}

/* --- rates -------------------------------------------------------------------- */

static struct timeline_flow flow_of(const struct timeline *t, size_t step)
{
	struct timeline_flow sum = { 0 };
	size_t i;

	for (i = 0; i < t->nr_groups; i++) {
		if (step >= t->groups[i].nr_flows)
			continue;
		sum.alloc += t->groups[i].flows[step].alloc;
		sum.freed += t->groups[i].flows[step].freed;
	}
	return sum;
}

static uint64_t perfetto_rate(uint64_t bytes, uint64_t ns)
{
	return ns ? (unsigned __int128)bytes * 1000000000 / ns : 0;
}

static void write_rate(struct trace *t, const char *name, uint64_t ns, uint64_t value,
		       uint64_t *last)
{
	if (value != *last)
		write_counter(t, GROUP_FLOWS, name, ns, value);
	*last = value;
}

/* The value at the beginning of a step is the rate in the step. */
static void write_flows(struct trace *t)
{
	const struct timeline *all = &t->v->t;
	uint64_t from = all->start, alloc = UINT64_MAX, freed = UINT64_MAX;
	size_t step;

	for (step = 0; step <= all->bucket / TIMELINE_FLOW; step++) {
		struct timeline_flow f = flow_of(all, step);
		size_t last = (step + 1) * TIMELINE_FLOW - 1;
		uint64_t end = timeline_end(all, last < all->bucket ? last :
								      all->bucket);

		write_rate(t, "allocated", from, perfetto_rate(f.alloc, end - from), &alloc);
		write_rate(t, "freed", from, perfetto_rate(f.freed, end - from), &freed);
		from = end;
	}
	write_counter(t, GROUP_FLOWS, "allocated", from, 0);
	write_counter(t, GROUP_FLOWS, "freed", from, 0);
}

/* --- marks, names and notes --------------------------------------------------- */

static void write_marks(struct trace *t)
{
	const struct timeline *all = &t->v->t;
	size_t i;

	if (all->all.peak)
		write_mark(t, peak_time(all, &all->all), "peak: %" PRIu64 " byte%s",
			   all->all.peak);
	for (i = 0; i <= all->bucket; i++)
		if (all->losses[i].lost)
			write_mark(t, timeline_end(all, i), "%" PRIu64 " event%s lost",
				   all->losses[i].lost);
}

static void write_names(struct trace *t)
{
	int i;

	for (i = GROUP_KINDS; i < GROUPS; i++)
		write_name(t, i, "process_name", groups[i]);
	write_name(t, GROUP_KINDS, "thread_name", "peak and losses");
}

static void write_notes(struct trace *t)
{
	char title[REPORT_TITLE_MAX], *notes;
	struct memtext text;
	FILE *out = memtext_open(&text);

	timeline_summary(t->v, out);
	timeline_errors(t->v, out);
	notes = memtext_close(&text, NULL);
	report_title(&t->v->r, t->v->name, title);
	fputs("\"otherData\":{\"title\":", t->out);
	perfetto_write_text(t, title);
	fprintf(t->out, ",\"lost_events\":%" PRIu64 ",\"notes\":",
		input_lost(&t->v->r.in));
	perfetto_write_text(t, notes);
	fputs("}", t->out);
	free(notes);
}

static void write_trace(const struct timeline_view *v, FILE *out)
{
	struct trace t = { .v = v, .out = out };
	size_t row;

	fputs("{\"traceEvents\":[", out);
	write_names(&t);
	write_kinds(&t);
	for (row = 0; row < v->list.shown; row++)
		write_site(&t, row);
	write_other_sites(&t);
	write_flows(&t);
	write_marks(&t);
	fputs("\n],\"displayTimeUnit\":\"ns\",", out);
	write_notes(&t);
	fputs("}\n", out);
}

int perfetto_write(const struct export *e)
{
	struct timeline_view *v = xcalloc(1, sizeof(*v));
	int ret;

	timeline_view_init(v);
	v->top = SITES_MAX;
	v->r.expression = e->expression;
	v->r.since = e->since;
	v->r.until = e->until;
	v->r.debuginfo = e->debuginfo;
	v->r.keys.raw_ip = e->raw_ip;
	v->t.classes = e->classes;
	v->t.has_kinds = true;
	v->t.has_flows = true;
	ret = timeline_view_read(v, e->paths, e->count, "export");
	if (!ret) {
		write_trace(v, e->out);
		losses_note(&v->r.in);
	}
	ret = timeline_view_end(v, ret);
	free(v);
	return ret;
}
