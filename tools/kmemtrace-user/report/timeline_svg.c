// SPDX-License-Identifier: GPL-2.0-only
/*
 * A timeline as SVG: a chart of the sum and the kinds of memory, and one of the rows. A
 * line has the highest value of each bucket.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/plural.h"
#include "base/svg.h"
#include "report/timeline_view.h"

#define WIDTH 1000
/* a chart: its height, and what is beside it and below it */
#define CHART_HEIGHT 220
#define LEFT	     78
#define BELOW	     44
#define TITLE_HEIGHT 46
/* the title is larger than other text */
#define TITLE_SIZE 1.3
/* the most steps of the axes, and the width of a text of the time axis */
#define STEPS	   5
#define TIME_WIDTH 90
/* a narrower picture has shorter texts */
#define NARROW	   600

static const char style[] =
	".line{stroke-width:1.8}.sum{stroke:#16191d;fill:none;stroke-width:2.2}\n"
	".sums{fill:#16191d}.dots{stroke-dasharray:5 3}\n"
	".error{fill:#a3160b;fill-opacity:.12}\n"
	"@media(prefers-color-scheme:dark){\n"
	".sum{stroke:#f4f6f8}.sums{fill:#f4f6f8}\n"
	".error{fill:#ff9d8f;fill-opacity:.2}\n"
	"}\n";

/* a chart that is being drawn */
struct chart {
	const struct timeline_view *v;	/* the timeline */
	FILE *out;			/* stream to write to */
	size_t width;			/* width of the picture */
	double top;			/* upper end of the axis of bytes, in pixels */
	uint64_t highest;		/* bytes there */
	double y;			/* base line of the next text below */
};

/* --- axes --------------------------------------------------------------------- */

static double x_of(const struct chart *c, uint64_t time)
{
	const struct timeline *t = &c->v->t;
	double all = (double)(t->a->time_last - t->start);
	double width = (double)c->width - LEFT - SVG_MARGIN;

	if (time < t->start)
		return LEFT;
	return LEFT + (all > 0 ? width * (double)(time - t->start) / all : 0);
}

static double y_of(const struct chart *c, uint64_t bytes)
{
	double part = c->highest ? (double)bytes / (double)c->highest : 0;

	return c->top + CHART_HEIGHT * (1 - (part > 1 ? 1 : part));
}

static void draw_line(const struct chart *c, const char *class, double x1,
		      double y1, double x2, double y2)
{
	fprintf(c->out, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", class,
		x1, y1, x2, y2);
}

/* All values of the axis have the unit of its step. */
static void draw_bytes(const struct chart *c)
{
	static const char *const units[] = { "", "KiB", "MiB", "GiB", "TiB", "PiB",
					   "EiB" };
	double right = (double)c->width - SVG_MARGIN;
	uint64_t step = 1, n;
	unsigned int unit = 0;
	char text[48];

	while (c->highest / step > STEPS)
		step *= 2;
	while (step >> 10 * unit >= 1024)
		unit++;
	for (n = 0; n <= c->highest && n + step > n; n += step) {
		draw_line(c, n ? "grid" : "axis", LEFT, y_of(c, n), right, y_of(c, n));
		snprintf(text, sizeof(text), "%" PRIu64 "%s", n >> 10 * unit,
			 n ? units[unit] : "");
		svg_text(c->out, "note end", LEFT - 6, y_of(c, n) + 4, text, SIZE_MAX);
	}
}

/* Return: the least 1, 2 or 5 times a power of ten, of which @most cover a time. */
static uint64_t time_step(uint64_t ns, uint64_t most)
{
	static const unsigned int factors[] = { 1, 2, 5 };
	uint64_t power;
	size_t i;

	for (power = 1; power < UINT64_MAX / 10; power *= 10)
		for (i = 0; i < 3; i++)
			if (ns / most <= power * factors[i])
				return power * factors[i];
	return power;
}

/* Number of digits behind the point that a step in ns needs, in seconds. */
static int digits_of(uint64_t step)
{
	int digits = 9;

	for (; digits > 0 && step % 10 == 0; step /= 10)
		digits--;
	return digits;
}

/* The times are those of other commands, for --since and --until. */
static void draw_times(const struct chart *c)
{
	const struct timeline *t = &c->v->t;
	uint64_t step, at, end = t->a->time_last;
	size_t most = (c->width - LEFT) / TIME_WIDTH;
	double y = c->top + CHART_HEIGHT + 34;
	char text[48];

	step = time_step(end - t->start, most ? most : 1);
	at = t->start / step * step;
	for (at += at < t->start ? step : 0; at <= end; at += step) {
		double x = x_of(c, at), right = (double)c->width - SVG_MARGIN;
		const char *class = right - x < TIME_WIDTH / 2.0 ? "note end" :
								   "note middle";

		draw_line(c, "axis", x, c->top + CHART_HEIGHT, x,
			  c->top + CHART_HEIGHT + 5);
		snprintf(text, sizeof(text), "%.*f s", digits_of(step), (double)at / 1e9);
		svg_text(c->out, class, *(class + 5) == 'e' ? right : x, y, text,
			 SIZE_MAX);
		if (at > UINT64_MAX - step)
			break;
	}
}

/* As in the text: ^ the peak, ! lost events. */
static void draw_marks(const struct chart *c)
{
	const struct timeline *t = &c->v->t;
	double y = c->top + CHART_HEIGHT;
	size_t i;

	for (i = 0; i <= t->bucket; i++) {
		if (!t->losses[i].lost)
			continue;
		fprintf(c->out, "<g class=\"lost\" data-lost=\"%" PRIu64
			"\"><title>%" PRIu64 " event%s lost</title>",
			t->losses[i].lost, t->losses[i].lost,
			plural(t->losses[i].lost));
		svg_text(c->out, "warn middle", x_of(c, timeline_end(t, i)), y + 17,
			 "!", SIZE_MAX);
		fputs("</g>\n", c->out);
	}
	if (t->all.peak)
		svg_text(c->out, "middle", x_of(c, t->all.peak_time), y + 19, "^",
			 SIZE_MAX);
}

/* --- lines -------------------------------------------------------------------- */

static void draw_series(const struct chart *c, const struct timeline_series *s,
			const char *class, const char *name)
{
	const struct timeline *t = &c->v->t;
	double last = -1;
	size_t i;

	fprintf(c->out, "<path class=\"%s\" data-peak=\"%" PRIu64
		"\" data-live=\"%" PRIu64 "\" d=\"M%d %.1f",
		class, s->peak, s->live, LEFT, y_of(c, s->points[0].highest));
	for (i = 0; i <= t->bucket; i++) {
		double y = y_of(c, s->points[i].highest);

		if (y != last)
			fprintf(c->out, "V%.1f", y);
		fprintf(c->out, "H%.1f", x_of(c, timeline_end(t, i)));
		last = y;
	}
	fputs("\"><title>", c->out);
	svg_escape(c->out, name, SIZE_MAX);
	fputs("</title></path>\n", c->out);
}

/* Without an axis, a number needs a unit. */
static const char *bytes_text(char *to, size_t size, uint64_t bytes)
{
	if (bytes >= 10000)
		return table_human(to, size, bytes, 1);
	snprintf(to, size, "%" PRIu64 " byte%s", bytes, plural(bytes));
	return to;
}

/* A line of the legend. @dot: class of the colour. */
static void draw_legend(struct chart *c, const struct timeline_series *s,
			const char *dot, const char *name)
{
	char peak[16], live[16], text[8400];
	int used;

	used = snprintf(text, sizeof(text), "%s: peak %s", name,
			bytes_text(peak, sizeof(peak), s->peak));
	if (s->peak && c->width >= NARROW && used < (int)sizeof(text))
		used += snprintf(text + used, sizeof(text) - used, " at %.9f s",
				 (double)s->peak_time / 1e9);
	if (used < (int)sizeof(text))
		snprintf(text + used, sizeof(text) - used, ", at the end %s",
			 bytes_text(live, sizeof(live), s->live));
	fprintf(c->out, "<rect class=\"%s\" x=\"%d\" y=\"%.1f\" width=\"14\" height=\"4\"/>\n",
		dot, SVG_MARGIN, c->y - 6);
	svg_text(c->out, "legend", SVG_MARGIN + 22, c->y, text,
		 svg_characters((double)c->width - 2 * SVG_MARGIN - 22));
	c->y += SVG_LINE;
}

/* The bounds at the end of each bucket. */
static void draw_bounds(const struct chart *c)
{
	const struct timeline *t = &c->v->t;
	size_t i;

	fprintf(c->out, "<path class=\"error\" d=\"M%d %.1f", LEFT,
		y_of(c, t->losses[0].high));
	for (i = 0; i <= t->bucket; i++)
		fprintf(c->out, "L%.1f %.1f", x_of(c, timeline_end(t, i)),
			y_of(c, t->losses[i].high));
	for (i = t->bucket + 1; i-- > 0;)
		fprintf(c->out, "L%.1f %.1f", x_of(c, timeline_end(t, i)),
			y_of(c, t->losses[i].low));
	fprintf(c->out, "L%d %.1fZ\"/>\n", LEFT, y_of(c, t->losses[0].low));
}

/* --- charts ------------------------------------------------------------------- */

static void begin_chart(struct chart *c, const char *title, uint64_t highest)
{
	svg_text(c->out, "heading", SVG_MARGIN, c->y, title,
		 svg_characters((double)c->width - 2 * SVG_MARGIN));
	c->top = c->y + SVG_MARGIN;
	c->highest = highest ? highest : 1;
	draw_bytes(c);
	draw_times(c);
	draw_marks(c);
	c->y = c->top + CHART_HEIGHT + BELOW + SVG_MARGIN;
}

static void end_chart(struct chart *c)
{
	c->y += SVG_LINE;
}

static bool is_exact(const struct timeline_view *v)
{
	return !v->t.lost && !v->r.a.frees_unseen && !v->t.doubtful;
}

static void draw_kinds(struct chart *c)
{
	const struct timeline *t = &c->v->t;
	char class[32];
	int i;

	begin_chart(c, "Live memory by kind", t->all.peak);
	if (!is_exact(c->v))
		draw_bounds(c);
	draw_series(c, &t->all, "sum", "sum");
	draw_legend(c, &t->all, "sums", is_exact(c->v) ? "sum" : "sum, and its error");
	for (i = 0; i < ANALYSIS_TYPES; i++) {
		if (!t->kinds[i].peak)
			continue;
		snprintf(class, sizeof(class), "line s%d", i);
		draw_series(c, &t->kinds[i], class, analysis_types[i]);
		snprintf(class, sizeof(class), "f%d", i);
		draw_legend(c, &t->kinds[i], class, analysis_types[i]);
	}
	end_chart(c);
}

static void draw_rows(struct chart *c)
{
	const struct timeline_view *v = c->v;
	char name[2 * sizeof(((struct table_cell *)0)->string) + 4], class[32];
	struct table_cell key, kind;
	size_t i;

	if (!v->list.shown)
		return;
	begin_chart(c, "The rows with the highest peaks",
		    timeline_view_series(v, 0)->peak);
	for (i = 0; i < v->list.shown; i++) {
		const struct timeline_series *s = timeline_view_series(v, i);
		unsigned int colour = i % SVG_COLOURS;

		timeline_view_cell(v, i, TIMELINE_NAME, &key);
		timeline_view_cell(v, i, TIMELINE_KIND, &kind);
		snprintf(name, sizeof(name), "%s (%s)", key.string, kind.string);
		snprintf(class, sizeof(class), "line s%u%s", colour,
			 i / SVG_COLOURS % 2 ? " dots" : "");
		draw_series(c, s, class, name);
		snprintf(class, sizeof(class), "f%u", colour);
		draw_legend(c, s, class, name);
	}
	end_chart(c);
}

/* --- the picture -------------------------------------------------------------- */

static size_t chart_height(size_t lines)
{
	return SVG_MARGIN + CHART_HEIGHT + BELOW + SVG_MARGIN +
	       (lines + 1) * SVG_LINE;
}

static size_t charts_height(const struct timeline_view *v)
{
	size_t lines = 1, i;

	for (i = 0; i < ANALYSIS_TYPES; i++)
		lines += v->t.kinds[i].peak > 0;
	return chart_height(lines) +
	       (v->list.shown ? chart_height(v->list.shown) : 0);
}

/* Each line of a text is a paragraph. Return: number of lines in the picture. */
static size_t write_lines(FILE *out, double y, size_t width, const char *text)
{
	size_t lines = 0;

	while (*text) {
		size_t len = strcspn(text, "\n");
		char *line = xstrndup(text, len);

		lines += svg_paragraph(out, "note", y + (double)lines * SVG_LINE,
				       width, line);
		free(line);
		text += len + (text[len] != '\0');
	}
	return lines;
}

static char *notes_of(const struct timeline_view *v)
{
	struct memtext text;
	FILE *out = memtext_open(&text);
	size_t left = v->count - v->list.shown;

	timeline_summary(v, out);
	if (left)
		fprintf(out, "%zu more row%s not shown (--top 0).\n", left,
			plural_is(left));
	timeline_errors(v, out);
	return memtext_close(&text, NULL);
}

static void write_picture(const struct timeline_view *v, FILE *out,
			  const char *title, const char *notes)
{
	struct chart c = { .v = v, .out = out, .width = v->width ? v->width : WIDTH };
	size_t lines = write_lines(NULL, 0, c.width, notes);
	double inner = (double)(c.width - 2 * SVG_MARGIN);
	struct svg_picture picture = {
		.width = c.width,
		.height = TITLE_HEIGHT + (lines + 1) * SVG_LINE + charts_height(v),
		.title = title,
		.style = style,
	};

	svg_begin(out, &picture);
	svg_text(out, "title", SVG_MARGIN, 26, title,
		 svg_characters(inner / TITLE_SIZE));
	write_lines(out, TITLE_HEIGHT, c.width, notes);
	c.y = TITLE_HEIGHT + (double)(lines + 1) * SVG_LINE;
	draw_kinds(&c);
	draw_rows(&c);
	svg_end(out);
}

void timeline_write_svg(const struct timeline_view *v, FILE *out)
{
	char title[REPORT_TITLE_MAX];
	char *notes = notes_of(v);

	report_title(&v->r, v->name, title);
	write_picture(v, out, title, notes);
	free(notes);
}
