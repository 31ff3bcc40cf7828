// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdlib.h>

#include "account/trust.h"
#include "base/chart.h"
#include "base/die.h"
#include "base/table.h"
#include "watch/details.h"

/* bytes of a number as text */
#define NUMBER 24

static const char *human(char to[NUMBER], int64_t n, enum table_kind kind)
{
	const struct table_column column = { .kind = kind };
	struct table_cell cell;
	char text[TABLE_CELL_TEXT];

	cell.number = n;
	cell.unknown = kind == TABLE_AGE && n < 0;
	cell.blank = false;
	snprintf(to, NUMBER, "%.*s", NUMBER - 1,
		 table_cell_text(&column, &cell, text));
	return to;
}

static const char *rate(char to[NUMBER], const struct watch *w, int64_t n,
			enum table_kind kind)
{
	if (!w->step_ns)
		return "-";
	return human(to, n * 1e9 / w->step_ns, kind);
}

static void write_figures(const struct watch *w, const struct watch_row *r,
			  FILE *out)
{
	char a[NUMBER], b[NUMBER], c[NUMBER];

	fprintf(out, "live         %s in %s objects",
		human(a, r->now.bytes, TABLE_BYTES),
		human(b, r->now.objects, TABLE_COUNT));
	if (r->now.objects > 0)
		fprintf(out, ", %s each on average",
			human(a, r->now.bytes / r->now.objects, TABLE_BYTES));
	fputc('\n', out);
	if (watch_counts(w)) {
		fprintf(out, "requested    %s, so %s is waste\n",
			human(a, r->now.requested, TABLE_BYTES),
			human(b, tag_waste(&r->now), TABLE_BYTES));
		fprintf(out, "allocations  %s, %s/s\n",
			human(a, r->now.allocs, TABLE_COUNT),
			rate(b, w, r->step.allocs, TABLE_COUNT));
		fprintf(out, "frees        %s, %s/s\n",
			human(a, r->now.frees, TABLE_COUNT),
			rate(b, w, r->step.frees, TABLE_COUNT));
		fprintf(out, "oldest       %s\n",
			human(a, r->now.oldest_ms, TABLE_AGE));
	} else {
		fputs("The module counts neither allocations, frees and waste nor ages by cache.\n",
		      out);
	}
	fprintf(out, "change       %s/s, %s in the %s since the %s, %s objects\n",
		rate(a, w, r->step.bytes, TABLE_BYTES_CHANGE),
		human(b, r->change.bytes, TABLE_BYTES_CHANGE),
		human(c, (w->ns - (w->mark_ns ? w->mark_ns : w->start_ns)) / 1000000,
		      TABLE_AGE),
		w->mark_ns ? "mark" : "start",
		human((char[NUMBER]){ 0 }, r->change.objects, TABLE_COUNT_CHANGE));
}

static void write_mark(const struct watch *w, uint32_t row, FILE *out)
{
	struct watch_bounds b;
	char low[NUMBER], high[NUMBER];

	if (!w->mark_ns || !watch_counts(w))
		return;
	b = watch_since_mark(w, row);
	human(low, b.low, TABLE_BYTES);
	human(high, b.high, TABLE_BYTES);
	if (b.low == b.high)
		fprintf(out, "since mark   %s of the live bytes are newer than the mark\n",
			low);
	else
		fprintf(out, "since mark   %s to %s of the live bytes are newer than the mark;\n"
			"             the counters do not show which objects were freed\n",
			low, high);
}

static void write_history(const struct watch *w, uint32_t row, bool utf8, FILE *out)
{
	size_t known = history_known(&w->clock), i;
	char line[HISTORY_SLOTS * CHART_CHARACTER + 1];
	int64_t value[HISTORY_SLOTS], least, most;
	char a[NUMBER], b[NUMBER], c[NUMBER];

	watch_history(w, row, value);
	least = most = value[0];
	for (i = 0; i < known; i++) {
		least = value[i] < least ? value[i] : least;
		most = value[i] > most ? value[i] : most;
	}
	chart_sparkline(line, value, known, known, utf8);
	fprintf(out, "history      %s\n", line);
	fprintf(out, "             the last %s, %s to %s\n",
		human(a, known * (HISTORY_SLOT_NS / 1000000), TABLE_AGE),
		human(b, least, TABLE_BYTES), human(c, most, TABLE_BYTES));
}

static int by_bytes(const void *a, const void *b)
{
	const struct watch_tag *const *x = a, *const *y = b;

	if ((*x)->now.bytes != (*y)->now.bytes)
		return (*x)->now.bytes < (*y)->now.bytes ? 1 : -1;
	return *x < *y ? -1 : *x > *y;
}

static void write_tag(const struct tag *t, FILE *out)
{
	char b[7][NUMBER];

	fprintf(out, "%8s %7s %8s %7s %7s %8s %6s %s\n",
		human(b[0], t->bytes, TABLE_BYTES),
		human(b[1], t->objects, TABLE_COUNT),
		human(b[2], t->requested, TABLE_BYTES),
		human(b[3], t->allocs, TABLE_COUNT),
		human(b[4], t->frees, TABLE_COUNT),
		human(b[5], t->peak, TABLE_BYTES),
		human(b[6], t->oldest_ms, TABLE_AGE), tag_kind_names[t->kind]);
	fprintf(out, "  %s\n", t->location);
	if (t->id || t->address)
		fprintf(out, "  tag %" PRIu32 ", address 0x%" PRIx64 "\n", t->id,
			t->address);
}

static void write_tags(const struct watch *w, uint32_t row, FILE *out)
{
	size_t n = w->row[row].tags, i;
	const struct watch_tag **sorted = xcalloc(n, sizeof(*sorted));

	for (i = 0; i < n; i++)
		sorted[i] = watch_tag(w, row, i);
	qsort(sorted, n, sizeof(*sorted), by_bytes);
	fprintf(out, "\n%8s %7s %8s %7s %7s %8s %6s %s\n", "LIVE", "OBJECTS",
		"REQ", "ALLOCS", "FREES", "PEAK", "OLDEST", "KIND");
	for (i = 0; i < n; i++)
		write_tag(&sorted[i]->now, out);
	free(sorted);
}

void details_write(const struct watch *w, uint32_t row, bool utf8, FILE *out)
{
	const struct watch_row *r = &w->row[row];

	fprintf(out, "%s\n\n", r->name);
	write_figures(w, r, out);
	write_mark(w, row, out);
	write_history(w, row, utf8, out);
	if (watch_counts(w))
		write_tags(w, row, out);
	fputc('\n', out);
	trust_write(&w->stats, out);
	if (*w->stats.stats)
		trust_write_reasons(&w->stats, out);
}
