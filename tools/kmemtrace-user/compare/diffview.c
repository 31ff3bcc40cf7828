// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "account/trust.h"
#include "base/figures.h"
#include "base/json.h"
#include "base/msg.h"
#include "base/plural.h"
#include "compare/diffview.h"

const struct table_column diff_columns[DIFF_COLUMNS] = {
	[DIFF_BYTES] = FIGURE_LIVE_CHANGE,
	[DIFF_OBJECTS] = FIGURE_OBJECTS_CHANGE,
	[DIFF_OLD_BYTES] = FIGURE_LIVE_BEFORE,
	[DIFF_NEW_BYTES] = FIGURE_LIVE,
	[DIFF_STATE] = FIGURE_STATE,
	[DIFF_KIND] = FIGURE_KIND,
	[DIFF_LOCATION] = FIGURE_SITE,
	[DIFF_OLD_OBJECTS] = FIGURE_OBJECTS_BEFORE,
	[DIFF_NEW_OBJECTS] = FIGURE_OBJECTS,
	[DIFF_REQUESTED] = FIGURE_REQUESTED_CHANGE,
	[DIFF_ALLOCS] = FIGURE_ALLOCS_CHANGE,
	[DIFF_FREES] = FIGURE_FREES_CHANGE,
	[DIFF_LOW] = FIGURE_CHANGE_LOW,
	[DIFF_HIGH] = FIGURE_CHANGE_HIGH,
	[DIFF_OBJECTS_LOW] = FIGURE_OBJECTS_CHANGE_LOW,
	[DIFF_OBJECTS_HIGH] = FIGURE_OBJECTS_CHANGE_HIGH,
	[DIFF_MATCH] = FIGURE_MATCH,
	[DIFF_OLD_LOCATION] = FIGURE_OLD_SITE,
};

/* columns of the text if events were lost */
static const enum diff_column bounded_columns[] = {
	DIFF_BYTES, DIFF_LOW,  DIFF_HIGH,     DIFF_OBJECTS,
	DIFF_STATE, DIFF_KIND, DIFF_LOCATION,
};

#define BOUNDED (sizeof(bounded_columns) / sizeof(*bounded_columns))

/* --- figures of a row ------------------------------------------------------------- */

static const struct holding none;

static const struct holding *or_none(const struct holding *row)
{
	return row ? row : &none;
}

/*
 * All events of a site without a row may have been lost. It is assumed that none of them
 * allocated more than the largest allocation in either recording.
 */
static int64_t most_unseen(const struct diffview *v, const struct state *s,
			   const char *kind)
{
	unsigned int total = state_total_of(kind);
	uint64_t largest = v->old->largest[total], most;

	if (v->now->largest[total] > largest)
		largest = v->now->largest[total];
	if (__builtin_mul_overflow(s->lost, largest, &most) || most > INT64_MAX)
		return INT64_MAX;
	return most;
}

static int64_t most(const struct diffview *v, const struct state *s,
		    const struct holding *row, const char *kind)
{
	return row ? row->high : most_unseen(v, s, kind);
}

static int64_t most_objects(const struct state *s, const struct holding *row)
{
	if (row)
		return row->objects_high;
	return s->lost > INT64_MAX ? INT64_MAX : (int64_t)s->lost;
}

static int64_t minus(int64_t a, int64_t b)
{
	return saturated_add(a, b == INT64_MIN ? INT64_MAX : -b);
}

static uint64_t bound(const struct diffview *v, const struct change *c,
		      enum diff_column column)
{
	const struct holding *old = or_none(c->old), *now = or_none(c->now);
	const char *kind = (c->now ? c->now : c->old)->kind;

	switch (column) {
	case DIFF_LOW:
		return minus(now->low, most(v, v->old, c->old, kind));
	case DIFF_HIGH:
		return minus(most(v, v->now, c->now, kind), old->low);
	case DIFF_OBJECTS_LOW:
		return minus(now->objects_low, most_objects(v->old, c->old));
	default:
		return minus(most_objects(v->now, c->now), old->objects_low);
	}
}

static uint64_t diffview_number(const struct diffview *v, const struct change *c,
				enum diff_column column)
{
	const struct holding *old = or_none(c->old), *now = or_none(c->now);

	switch (column) {
	case DIFF_BYTES:
		return change_bytes(c);
	case DIFF_OBJECTS:
		return change_objects(c);
	case DIFF_OLD_BYTES:
		return old->bytes;
	case DIFF_NEW_BYTES:
		return now->bytes;
	case DIFF_OLD_OBJECTS:
		return old->objects;
	case DIFF_NEW_OBJECTS:
		return now->objects;
	case DIFF_REQUESTED:
		return (uint64_t)now->requested - (uint64_t)old->requested;
	case DIFF_ALLOCS:
		return now->allocs - old->allocs;
	case DIFF_FREES:
		return now->frees - old->frees;
	default:
		return bound(v, c, column);
	}
}

static const char *string(const struct change *c, enum diff_column column)
{
	const struct holding *any = c->now ? c->now : c->old;

	switch (column) {
	case DIFF_STATE:
		return change_state_names[c->state];
	case DIFF_KIND:
		return any->kind;
	case DIFF_MATCH:
		return change_match_names[c->match];
	default:
		return any->location;
	}
}

static void diffview_cell(void *arg, size_t row, size_t column,
			  struct table_cell *cell)
{
	const struct diffview *v = arg;
	const struct change *c = &v->changes->row[row];

	if (diff_columns[column].kind != TABLE_STRING) {
		cell->number = diffview_number(v, c, column);
		return;
	}
	cell->blank = column == DIFF_OLD_LOCATION &&
		      (!c->old || !c->now ||
		       !strcmp(c->old->location, c->now->location));
	snprintf(cell->string, sizeof(cell->string), "%s",
		 column == DIFF_OLD_LOCATION && c->old ? c->old->location :
							 string(c, column));
}

static void get_bounded(void *arg, size_t row, size_t column,
			struct table_cell *cell)
{
	diffview_cell(arg, row, bounded_columns[column], cell);
}

static void diffview_make_rows(const struct diffview *v, struct listing *l)
{
	*l = (struct listing){
		.columns = diff_columns,
		.nr_columns = DIFF_COLUMNS,
		.nr_text = DIFF_TEXT,
		.nr_rows = v->changes->count,
		.get = diffview_cell,
		.arg = (void *)v,
	};
	if (v->sort == DIFF_SORT_LOCATION)
		listing_keep(l, v->top);
	else
		listing_sort(l, v->sort, v->top);
}

/* --- text ------------------------------------------------------------------------- */

static bool is_uncertain(const struct diffview *v)
{
	return !v->is_same_file && (v->old->is_uncertain || v->now->is_uncertain);
}

static void diffview_print_totals(const struct diffview *v)
{
	struct state_total old, now;
	char b[4][24];
	unsigned int i;

	for (i = 0; i < STATE_TOTALS; i++) {
		old = v->old->total[i];
		now = v->now->total[i];
		if (!old.objects && !now.objects && !old.bytes && !now.bytes)
			continue;
		printf("change %-6s %8s in %s object%s, from %s to %s\n",
		       state_total_names[i],
		       table_signed(b[0], 24, now.bytes - old.bytes, true,
				    true),
		       table_signed(b[1], 24, now.objects - old.objects,
				    false, true),
		       plural(llabs((long long)(now.objects - old.objects))),
		       table_human(b[2], sizeof(b[2]), old.bytes, true),
		       table_human(b[3], sizeof(b[3]), now.bytes, true));
	}
	puts(TAG_KINDS_NOTE);
}

static size_t count_match(const struct changes *c, enum change_match match)
{
	size_t i, n = 0;

	for (i = 0; i < c->count; i++)
		n += c->row[i].match == match;
	return n;
}

/* A match by order is a guess. So its number is printed. */
static void print_matches(const struct diffview *v)
{
	size_t order = count_match(v->changes, MATCH_ORDER);
	size_t function = count_match(v->changes, MATCH_FUNCTION);

	if (order)
		printf("%zu site%s matched by the order of calls: the code of the function differs\n",
		       order, plural(order));
	if (function)
		printf("%zu %s shown as the sum of all calls: one side has no lines\n",
		       function, function == 1 ? "function is" : "functions are");
}

static void print_side(const char *side, const struct state *s)
{
	printf("%s %s: kernel %s", side, s->path, *s->kernel ? s->kernel : "not known");
	if (s->source == STATE_RECORDING) {
		if (s->seconds > 0)
			printf(", %.3f s", s->seconds);
		if (s->lost)
			printf(", LOST %" PRIu64 " event%s", s->lost, plural(s->lost));
		else if (!*s->note)
			printf(", no event lost");
		if (s->is_lossy && !s->lost)
			printf(", but a snapshot took events away");
	}
	putchar('\n');
	if (s->recorded_if)
		printf("%s recorded if %s\n", side, s->recorded_if);
	if (s->filter)
		printf("%s filter %s\n", side, s->filter);
	if (*s->note)
		printf("%s NOTE: %s\n", side, s->note);
}

static void diffview_print_table(const struct diffview *v, const struct listing *l)
{
	struct table_column columns[BOUNDED];
	struct listing bounded = *l;
	size_t i;

	if (!v->changes->count) {
		puts(v->is_same_file ? "no difference: both are the same file" :
				       "no difference");
		return;
	}
	if (!is_uncertain(v)) {
		listing_print(l, TABLE_TEXT);
		return;
	}
	for (i = 0; i < BOUNDED; i++)
		columns[i] = diff_columns[bounded_columns[i]];
	bounded.columns = columns;
	bounded.nr_columns = bounded.nr_text = BOUNDED;
	bounded.get = get_bounded;
	listing_print(&bounded, TABLE_TEXT);
}

static void diffview_print_text(const struct diffview *v, const struct listing *l)
{
	diffview_print_table(v, l);
	putchar('\n');
	if (v->changes->count)
		diffview_print_totals(v);
	print_matches(v);
	print_side("old", v->old);
	print_side("new", v->now);
	if (v->is_same_file)
		return;
	if (v->old->source == STATE_ACCOUNTING)
		trust_print_changes(&v->old->tags, &v->now->tags, v->verbose);
	else if (is_uncertain(v))
		puts("Events are missing: a true change lies between LOW and HIGH.");
}

/* --- JSON ------------------------------------------------------------------------- */

static json_t *string_or_null(const char *text)
{
	return *text ? json_string(text) : json_null();
}

static json_t *json_side(const struct state *s)
{
	char path[4096];
	json_t *side;

	snprintf(path, sizeof(path), "%s", s->path);
	table_clean(path);
	side = json_pack("{s:s,s:s,s:o,s:o}", "file", path, "source",
			 s->source == STATE_ACCOUNTING ? "accounting" :
							 "recording",
			 "kernel", string_or_null(s->kernel), "note",
			 string_or_null(s->note));
	if (s->source == STATE_ACCOUNTING) {
		json_object_set_new(side, "error", trust_json(&s->tags));
		return side;
	}
	json_object_set_new(side, "seconds", json_real(s->seconds));
	json_object_set_new(side, "lost_events", json_integer(s->lost));
	if (s->filter)
		json_object_set_new(side, "filter", json_string(s->filter));
	return side;
}

static json_t *json_totals(const struct diffview *v)
{
	json_t *totals = json_object();
	unsigned int i;

	for (i = 0; i < STATE_TOTALS; i++) {
		struct state_total old = v->old->total[i], now = v->now->total[i];
		json_t *sum = json_pack(
			"{s:I,s:I,s:I,s:I,s:I,s:I}", "live_change",
			(json_int_t)(now.bytes - old.bytes), "objects_change",
			(json_int_t)(now.objects - old.objects), "live_before",
			(json_int_t)old.bytes, "live",
			(json_int_t)now.bytes, "objects_before",
			(json_int_t)old.objects, "objects",
			(json_int_t)now.objects);

		json_object_set_new(totals, state_total_names[i], sum);
	}
	return totals;
}

static json_t *json_error(const struct diffview *v)
{
	struct trust_changes t = trust_changes(&v->old->tags, &v->now->tags);

	if (v->is_same_file)
		return json_pack("{s:i,s:b}", "bytes", 0, "is_bound", true);
	if (!t.is_known)
		return json_null();
	return json_pack("{s:I,s:b}", "bytes", (json_int_t)t.bytes, "is_bound",
			 t.is_bound);
}

static int diffview_print_json(const struct diffview *v, const struct listing *l)
{
	json_t *root = json_pack("{s:s,s:o,s:o,s:o,s:o}", "by", v->now->by, "old",
				 json_side(v->old), "new", json_side(v->now),
				 "rows", listing_json(l), "totals",
				 json_totals(v));

	if (root && v->old->source == STATE_ACCOUNTING)
		json_object_set_new(root, "error", json_error(v));
	return json_print(root);
}

int diffview_print(const struct diffview *v)
{
	int ret = EXIT_DONE;
	struct listing l;

	diffview_make_rows(v, &l);
	switch (v->format) {
	case TABLE_JSON:
		ret = diffview_print_json(v, &l);
		break;
	case TABLE_CSV:
		listing_print(&l, TABLE_CSV);
		break;
	case TABLE_TEXT:
		diffview_print_text(v, &l);
	}
	listing_free(&l);
	return ret;
}
