// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "account/changes.h"
#include "account/trust.h"
#include "base/cmdline.h"
#include "base/figures.h"
#include "base/json.h"
#include "base/listing.h"
#include "base/msg.h"
#include "base/options.h"
#include "base/plural.h"
#include "command.h"
#include "compare/state.h"

/* the command line, and what is compared */
struct wanted {
	/* key of the column to sort by, or "site": the order of the changes */
	const char *sort;
	size_t top;			/* number of rows; 0: all */
	enum table_format format;	/* the output format */
	bool verbose;			/* also print each kind of error */
	bool force;			/* --force was given */
	bool is_same_file;		/* both are the same file */
	struct state old;		/* the earlier state */
	struct state now;		/* the later state */
	struct changes changes;		/* the changes */
};

/* text has the first DIFF_TEXT of them */
static const struct table_column columns[] = {
	FIGURE_LIVE_CHANGE, FIGURE_OBJECTS_CHANGE, FIGURE_LIVE_BEFORE, FIGURE_LIVE,
	FIGURE_STATE, FIGURE_KIND, FIGURE_SITE,
	FIGURE_OBJECTS_BEFORE, FIGURE_OBJECTS, FIGURE_REQUESTED_CHANGE, FIGURE_ALLOCS_CHANGE,
	FIGURE_FREES_CHANGE, FIGURE_CHANGE_LOW, FIGURE_CHANGE_HIGH, FIGURE_OBJECTS_CHANGE_LOW,
	FIGURE_OBJECTS_CHANGE_HIGH, FIGURE_MATCH, FIGURE_OLD_SITE,
};

#define DIFF_TEXT 7
#define DIFF_LOW  12
#define DIFF_HIGH 13

/* the columns of text if events were lost */
static const struct table_column bounded_columns[] = {
	FIGURE_LIVE_CHANGE, FIGURE_CHANGE_LOW, FIGURE_CHANGE_HIGH, FIGURE_OBJECTS_CHANGE,
	FIGURE_STATE, FIGURE_KIND, FIGURE_SITE,
};

/* --- figures of a row ------------------------------------------------------------- */

/*
 * All events of a site without a row may have been lost. It is assumed that none of them
 * allocated more than the largest allocation in either recording.
 */
static int64_t most_unseen(const struct wanted *w, const struct state *s,
			   enum site_kind kind)
{
	enum site_kind total = site_kind_of(kind);
	uint64_t largest = w->old.largest[total], most;

	if (w->now.largest[total] > largest)
		largest = w->now.largest[total];
	if (__builtin_mul_overflow(s->lost, largest, &most) || most > INT64_MAX)
		return INT64_MAX;
	return most;
}

static int64_t most_objects(const struct state *s, const struct site_row *row)
{
	if (row)
		return row->f.objects_high;
	return s->lost > INT64_MAX ? INT64_MAX : (int64_t)s->lost;
}

static int64_t saturated_minus(int64_t a, int64_t b)
{
	return saturated_add(a, b == INT64_MIN ? INT64_MAX : -b);
}

static int64_t lowest(const struct wanted *w, const struct change *c)
{
	return saturated_minus(change_figures(c->now)->low,
			       c->old ? c->old->f.high : most_unseen(w, &w->old, c->now->kind));
}

static int64_t highest(const struct wanted *w, const struct change *c)
{
	return saturated_minus(c->now ? c->now->f.high : most_unseen(w, &w->now, c->old->kind),
			       change_figures(c->old)->low);
}

static void diff_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct wanted *w = arg;
	const struct change *c = &w->changes.row[i];
	const struct figures *old = change_figures(c->old), *now = change_figures(c->now);
	const struct site_row *any = c->now ? c->now : c->old;
	bool moved = c->old && c->now && strcmp(c->old->location, any->location);

	row_number(cell, c->by.bytes);
	row_number(cell, c->by.objects);
	row_number(cell, old->bytes);
	row_number(cell, now->bytes);
	row_text(cell, change_state_names[c->state]);
	row_text(cell, site_kind_names[any->kind]);
	row_text(cell, any->location);
	row_number(cell, old->objects);
	row_number(cell, now->objects);
	row_number(cell, c->by.requested);
	row_number(cell, c->by.allocs);
	row_number(cell, c->by.frees);
	row_number(cell, lowest(w, c));
	row_number(cell, highest(w, c));
	row_number(cell, saturated_minus(now->objects_low, most_objects(&w->old, c->old)));
	row_number(cell, saturated_minus(most_objects(&w->now, c->now), old->objects_low));
	row_text(cell, change_match_names[c->match]);
	row_text(cell, moved ? c->old->location : NULL);
}

static void diff_bounded_cell(void *arg, size_t i, struct table_cell *cell)
{
	static const size_t of_columns[] = { 0, DIFF_LOW, DIFF_HIGH, 1, 4, 5, 6 };

	cell->before = of_columns[cell->before];
	diff_cell(arg, i, cell);
}

static void diff_make_rows(const struct wanted *w, struct listing *l)
{
	*l = LISTING(columns, w->changes.count, diff_cell, w);
	l->nr_text = DIFF_TEXT;
	if (!strcmp(w->sort, "site"))
		listing_keep(l, w->top);
	else
		listing_sort_by(l, w->sort, w->top);
}

/* --- text ------------------------------------------------------------------------- */

static bool is_uncertain(const struct wanted *w)
{
	return !w->is_same_file && (w->old.is_uncertain || w->now.is_uncertain);
}

static void diff_print_totals(const struct wanted *w)
{
	struct figures old, now, change;
	char b[4][24];
	unsigned int i;

	for (i = 0; i < SITE_KINDS; i++) {
		old = w->old.total[i];
		change = now = w->now.total[i];
		figures_add(&change, &old, -1);
		if (!old.objects && !now.objects && !old.bytes && !now.bytes)
			continue;
		printf("change %-6s %8s in %s object%s, from %s to %s\n",
		       site_total_names[i],
		       table_signed(b[0], 24, change.bytes, true, true),
		       table_signed(b[1], 24, change.objects, false, true),
		       plural(llabs(change.objects)),
		       table_human(b[2], sizeof(b[2]), old.bytes, true),
		       table_human(b[3], sizeof(b[3]), now.bytes, true));
	}
	puts(SITE_KINDS_NOTE);
}

static size_t count_match(const struct changes *c, enum change_match match)
{
	size_t i, n = 0;

	for (i = 0; i < c->count; i++)
		n += c->row[i].match == match;
	return n;
}

/* A match by order is a guess. So its number is printed. */
static void print_matches(const struct wanted *w)
{
	size_t order = count_match(&w->changes, MATCH_ORDER);
	size_t function = count_match(&w->changes, MATCH_FUNCTION);

	if (order)
		printf("%zu site%s matched by the order of calls: the code of the function differs\n",
		       order, plural(order));
	if (function)
		printf("%zu %s shown as the sum of all calls: one side has no lines\n",
		       function, function == 1 ? "function is" : "functions are");
}

static void print_side(const char *side, const struct state *s)
{
	char kernel[256];

	tags_word(&s->tags, TAGS_KERNEL, kernel, sizeof(kernel));
	printf("%s %s: kernel %s", side, s->path, *kernel ? kernel : "not known");
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

static void diff_print_table(const struct wanted *w, const struct listing *l)
{
	struct listing bounded = *l;

	if (!w->changes.count) {
		puts(w->is_same_file ? "no difference: both are the same file" :
				       "no difference");
		return;
	}
	if (!is_uncertain(w)) {
		listing_print(l, TABLE_TEXT);
		return;
	}
	bounded.columns = bounded_columns;
	bounded.nr_columns = bounded.nr_text = TABLE_COLUMNS(bounded_columns);
	bounded.get = diff_bounded_cell;
	listing_print(&bounded, TABLE_TEXT);
}

static void diff_print_text(const struct wanted *w, const struct listing *l)
{
	diff_print_table(w, l);
	putchar('\n');
	if (w->changes.count)
		diff_print_totals(w);
	print_matches(w);
	print_side("old", &w->old);
	print_side("new", &w->now);
	if (w->is_same_file)
		return;
	if (w->old.source == STATE_ACCOUNTING)
		trust_print_changes(&w->old.tags, &w->now.tags, w->verbose);
	else if (is_uncertain(w))
		puts("Events are missing: a true change lies between LOW and HIGH.");
}

/* --- JSON ------------------------------------------------------------------------- */

static json_t *json_side(const struct state *s)
{
	char path[4096], kernel[256];
	json_t *side;

	tags_word(&s->tags, TAGS_KERNEL, kernel, sizeof(kernel));
	snprintf(path, sizeof(path), "%s", s->path);
	table_clean(path);
	side = json_pack("{s:s,s:s,s:s?,s:s?}", "file", path, "source",
			 s->source == STATE_ACCOUNTING ? "accounting" :
							 "recording",
			 "kernel", *kernel ? kernel : NULL, "note",
			 *s->note ? s->note : NULL);
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

static json_t *json_totals(const struct wanted *w)
{
	json_t *totals = json_object();
	unsigned int i;

	for (i = 0; i < SITE_KINDS; i++) {
		struct figures old = w->old.total[i], now = w->now.total[i], change = now;

		figures_add(&change, &old, -1);
		json_object_set_new(totals, site_total_names[i], json_pack(
			"{s:I,s:I,s:I,s:I,s:I,s:I}", "live_change",
			(json_int_t)change.bytes, "objects_change",
			(json_int_t)change.objects, "live_before",
			(json_int_t)old.bytes, "live",
			(json_int_t)now.bytes, "objects_before",
			(json_int_t)old.objects, "objects",
			(json_int_t)now.objects));
	}
	return totals;
}

static json_t *json_error(const struct wanted *w)
{
	struct trust_changes t = trust_changes(&w->old.tags, &w->now.tags);

	if (w->is_same_file)
		return json_pack("{s:i,s:b}", "bytes", 0, "is_bound", true);
	if (!t.is_known)
		return json_null();
	return json_pack("{s:I,s:b}", "bytes", (json_int_t)t.bytes, "is_bound",
			 t.is_bound);
}

static int diff_print_json(const struct wanted *w, const struct listing *l)
{
	json_t *root = json_pack("{s:s,s:o,s:o,s:o,s:o}", "by", w->now.by, "old",
				 json_side(&w->old), "new", json_side(&w->now),
				 "rows", listing_json(l), "totals",
				 json_totals(w));

	if (w->old.source == STATE_ACCOUNTING)
		json_object_set_new(root, "error", json_error(w));
	return json_print(root);
}

static int diff_print(const struct wanted *w)
{
	int ret = EXIT_DONE;
	struct listing l;

	diff_make_rows(w, &l);
	switch (w->format) {
	case TABLE_JSON:
		ret = diff_print_json(w, &l);
		break;
	case TABLE_CSV:
		listing_print(&l, TABLE_CSV);
		break;
	case TABLE_TEXT:
		diff_print_text(w, &l);
	}
	listing_free(&l);
	return ret;
}

/* --- the command ------------------------------------------------------------------ */

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

static int diff_check(const struct wanted *w)
{
	char why[2600];
	const char *base;

	if (state_incomparable(&w->old, &w->now, why, sizeof(why)))
		return msg_error("%s and %s cannot be compared: %s", w->old.path,
				 w->now.path, why);
	base = tags_other_base(&w->now.tags, &w->old.tags);
	if (!base)
		return EXIT_DONE;
	if (!w->force)
		return msg_error("%s and %s cannot be compared: %s; save both again, or use --force",
				 w->old.path, w->now.path, base);
	msg_note("%s and %s: %s; the changes mean little", w->old.path,
		 w->now.path, base);
	return EXIT_DONE;
}

static int diff_compare(struct wanted *w, char **paths)
{
	int ret = state_read(&w->old, paths[0]);

	if (!ret)
		ret = state_read(&w->now, paths[1]);
	if (!ret)
		ret = diff_check(w);
	if (ret)
		return ret;
	changes_make(&w->changes, &w->old.tags.rows, &w->now.tags.rows,
		     !tags_incomparable(&w->now.tags, &w->old.tags),
		     tags_same_kernel(&w->now.tags, &w->old.tags));
	w->is_same_file = is_same_file(paths[0], paths[1]);
	ret = diff_print(w);
	if (ret || w->is_same_file)
		return ret;
	return w->old.is_lossy || w->now.is_lossy ? EXIT_LOST : EXIT_DONE;
}

static int take_sort(const struct option_use *use)
{
	struct wanted *w = use->to;

	w->sort = use->text;
	if (strcmp(w->sort, "site") &&
	    listing_column(columns, TABLE_COLUMNS(columns), w->sort) < 0)
		return listing_no_column(use->command, columns, TABLE_COLUMNS(columns),
					 w->sort, "site");
	return EXIT_DONE;
}

static const struct option_row rows[] = {
	{ 's', "sort", "KEY",
	  "largest first, by absolute value: live (default), objects, requested, allocs, frees, live_before; or by site",
	  .take = take_sort },
	{ 'n', "top", "N", "show N rows; 0 is all; default 25, with --json and --csv all",
	  OPTION_COUNT(struct wanted, top) },
	{ 0, "force", NULL,
	  "compare states of accounting even if it was restarted in between",
	  OPTION_TRUE(struct wanted, force) },
	{ 'v', "verbose", NULL, "also print each kind of error",
	  OPTION_TRUE(struct wanted, verbose) },
	{ 0, "json", NULL, "everything, as JSON",
	  OPTION_NUMBER(struct wanted, format, TABLE_JSON) },
	{ 0, "csv", NULL, "the table, as CSV",
	  OPTION_NUMBER(struct wanted, format, TABLE_CSV) },
	{ 0 },
};

const struct options cmd_diff_options = {
	.command = "diff",
	.synopsis = (const char *const[]){ "[OPTION]... OLD NEW", NULL },
	.about = "Shows which sites hold more or less in NEW than in OLD, also from different kernels. Both are recordings (or output of report --json --top 0), or both are states of accounting (allocinfo --save or --json).",
	.rows = rows,
	.notes = "The exit status is 3 if events were lost.",
	.operands = "files",
};

int cmd_diff(int argc, char **argv)
{
	struct wanted w = { .sort = "live_change" };
	struct cmdline line = cmdline_parse(&cmd_diff_options, argc, argv, &w);
	int ret;

	if (line.is_over)
		return line.ret;
	if (line.count != 2)
		return msg_usage("diff", "name two files");
	if (!cmdline_has(&line, &cmd_diff_options, "top") &&
	    w.format == TABLE_TEXT)
		w.top = 25;
	ret = diff_compare(&w, line.words);
	changes_free(&w.changes);
	state_free(&w.now);
	state_free(&w.old);
	return ret;
}
