// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chart.h"
#include "base/die.h"
#include "base/term.h"
#include "report/losses.h"
#include "report/timeline_view.h"

/* rows of the chart of all memory */
#define ROWS 8
/* columns in front of a chart: a label of 8, a blank and a bar */
#define MARGIN 10
#define BARS_MIN 10
#define BARS_MAX 1024

/* a chart */
struct drawing {
	const struct timeline_view *v;				/* the timeline */
	size_t bars;						/* number of bars */
	bool utf8;						/* use block characters */
	uint64_t value[BARS_MAX];				/* the values of the bars */
	char row[MARGIN + CHART_CHARACTER * BARS_MAX + 1];	/* a row of a chart */
};

static void set_values(struct drawing *d, const struct timeline_series *s)
{
	size_t i;

	for (i = 0; i < d->bars; i++)
		d->value[i] = timeline_highest(&d->v->t, s, i, d->bars);
}

static void print_rows(struct drawing *d)
{
	const struct timeline_series *all = &d->v->t.all;
	char label[16];
	unsigned int row;

	set_values(d, all);
	for (row = ROWS; row-- > 0;) {
		chart_row(d->row, d->value, d->bars, all->peak, row, ROWS,
			  d->utf8);
		label[0] = '\0';
		if (row == ROWS - 1 || row == ROWS / 2 - 1)
			table_human(label, sizeof(label),
				    row == ROWS - 1 ? all->peak : all->peak / 2,
				    1);
		printf("%8s |%s\n", label, d->row);
	}
}

/* Prints the axis, with marks: ^ the peak, ! lost events. */
static void print_axis(struct drawing *d)
{
	const struct timeline *t = &d->v->t;
	size_t i, end = 0;

	printf("%8d +", 0);
	for (i = 0; i < d->bars; i++)
		putchar('-');
	memset(d->row, ' ', d->bars);
	for (i = 0; i < d->bars; i++)
		if (timeline_lost(t, i, d->bars))
			d->row[i] = '!';
	if (t->all.peak)
		d->row[timeline_part(t, t->all.peak_time, d->bars)] = '^';
	for (i = 0; i < d->bars; i++)
		if (d->row[i] != ' ')
			end = i + 1;
	d->row[end] = '\0';
	printf("\n%*s%s\n", MARGIN, "", d->row);
}

/* The line below a row of the table has the same time axis as the chart above. */
static bool timeline_bars_line(void *arg, size_t row, size_t i, const char **line)
{
	struct drawing *d = arg;
	const struct timeline_series *s = timeline_view_series(d->v, row);

	if (i)
		return false;
	/* table_print_tree() prints four blanks in front */
	memcpy(d->row, "     |", 6);
	set_values(d, s);
	chart_row(d->row + 6, d->value, d->bars, s->peak, 0, 1, d->utf8);
	*line = d->row;
	return true;
}

static void timeline_text_cell(void *arg, size_t row, struct table_cell *cell)
{
	const struct drawing *d = arg;

	timeline_view_cell(d->v, row, cell->before, cell);
}

void timeline_summary(const struct timeline_view *v, FILE *out)
{
	const struct timeline *t = &v->t;
	char bytes[16], live[16];

	fprintf(out, "live memory from %.9f to %.9f: highest %s",
	       t->start / 1e9, t->a->time_last / 1e9,
	       table_human(bytes, sizeof(bytes), t->all.peak, 1));
	if (t->all.peak)
		fprintf(out, " at %.9f (^)", t->all.peak_time / 1e9);
	fprintf(out, ", at the end %s\n",
	       table_human(live, sizeof(live), t->all.live, 1));
}

void timeline_errors(const struct timeline_view *v, FILE *out)
{
	const struct timeline_loss *end = &v->t.losses[v->t.bucket];
	char low[16], high[16];

	if (timeline_view_mixes(v))
		fputs("Slab pages and the objects on them both count; --kind counts one of them.\n", out);
	losses_write(&v->r.in, out);
	if (v->t.lost)
		fputs("A loss has the mark !. ", out);
	else if (v->r.a.frees_unseen || v->t.doubtful)
		fputs("Frees are missing. ", out);
	if (v->t.lost || v->r.a.frees_unseen || v->t.doubtful)
		fprintf(out, "Live memory at the end is between %s and %s; --csv has these limits for each moment.\n",
		       table_human(low, sizeof(low), end->low, 1),
		       table_human(high, sizeof(high), end->high, 1));
	losses_write_faults(&v->r.in, "NOTE: ", out);
}

void timeline_print_text(const struct timeline_view *v)
{
	struct drawing *d = xcalloc(1, sizeof(*d));
	size_t width = term_width();

	d->v = v;
	d->utf8 = term_is_utf8();
	d->bars = width > MARGIN + BARS_MIN ? width - MARGIN : BARS_MIN;
	if (d->bars > BARS_MAX)
		d->bars = BARS_MAX;
	timeline_summary(v, stdout);
	print_rows(d);
	print_axis(d);
	table_print_tree(timeline_columns, TIMELINE_COLS, v->list.shown, timeline_text_cell,
			 timeline_bars_line, d);
	table_print_left_out(v->count - v->list.shown);
	timeline_errors(v, stdout);
	free(d);
}
