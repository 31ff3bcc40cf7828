// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/asset.h"
#include "base/cmdline.h"
#include "base/die.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/plural.h"
#include "base/svg.h"
#include "base/table.h"
#include "command.h"
#include "export/formats.h"
#include "export/profile.h"
#include "report/report.h"

/*
 * A flame graph as SVG. The stacks are sorted by the names of their functions, the
 * outermost first. So the stacks of a frame are neighbours, and a frame is a range of them.
 *
 * The elements of callees are in the element of their caller. The script needs this order
 * to zoom, and readers get the paths from it.
 */

ASSET(flame_script, "export/flame.js");

#define FRAME_HEIGHT 19
/* pixels beside the text of a frame, and below its base line */
#define TEXT_SIDE  4
#define TEXT_BELOW 6
/* narrower frames have no border, which would hide their colour */
#define THIN 3
/* the title; and the field of the script, below the sums */
#define TITLE_HEIGHT 46
#define FIELD_HEIGHT 40
/* the title is larger than other text */
#define TITLE_SIZE 1.3
/* the least part of the width that a kind of memory has */
#define CLASS_MIN 0.15

/* the kernel's functions are red to yellow, those of modules blue */
#define SHADES 4
static const char style[] =
	".frame rect{stroke:#ffffff;stroke-width:.5}\n"
	".frame .thin{stroke:none}\n"
	".frame text{font-size:12px}\n"
	".k0{fill:#ffd2a6}.k1{fill:#ffc48f}.k2{fill:#ffe19c}.k3{fill:#ffb9a0}\n"
	".m0{fill:#b5d8ff}.m1{fill:#a3cdf5}.m2{fill:#b4e3ea}.m3{fill:#c3cffc}\n"
	".class{fill:#cfd6de}.small{fill:#e6e9ed}\n"
	".hit>rect{fill:#d24bd8}\n"
	"@media(prefers-color-scheme:dark){\n"
	".frame rect{stroke:#14171b}\n"
	".k0{fill:#7d4a1b}.k1{fill:#8a4f22}.k2{fill:#6e5417}.k3{fill:#8c4230}\n"
	".m0{fill:#1f5288}.m1{fill:#2a5c92}.m2{fill:#1c5e6d}.m3{fill:#3b4d9c}\n"
	".class{fill:#48525e}.small{fill:#2c333b}\n"
	".hit>rect{fill:#a01fa8}\n"
	"}\n";

/**
 * struct flame - a flame graph
 * @p: the stacks
 * @e: the command line
 * @value: the value that is drawn
 * @out: stream to write to; NULL: only determine @depth and @left_out
 * @rows: numbers of the rows that have the value, sorted by their functions
 * @count: number of @rows
 * @rank: for each function of the profile, the place of its text among all texts
 * @total: sum of the value
 * @class_sums: the same of each class
 * @class_sum: that of the class that is drawn
 * @class_offset: sum of the classes left of it
 * @class_left: its left side, in pixels
 * @class_width: its width, in pixels
 * @depth: largest number of frames above each other
 * @bottom: bottom of the lowest frame, in pixels
 * @left_out: functions that are too small even together
 */
struct flame {
	const struct profile *p;
	const struct export *e;
	enum profile_value value;
	FILE *out;
	uint32_t *rows;
	size_t count;
	uint32_t *rank;
	uint64_t total;
	uint64_t class_sums[SITE_KINDS];
	uint64_t class_sum;
	uint64_t class_offset;
	double class_left;
	double class_width;
	size_t depth;
	size_t bottom;
	uint64_t left_out;
};

/**
 * struct range - the rows of a frame
 * @from: first row
 * @to: behind the last row
 * @depth: number of frames below it; 0: a class of memory
 * @offset: sum of all that is left of it
 * @sum: sum of the rows
 */
struct range {
	size_t from;
	size_t to;
	size_t depth;
	uint64_t offset;
	uint64_t sum;
};

/* --- order -------------------------------------------------------------------- */

static int by_text(const void *x, const void *y, void *arg)
{
	const struct profile_frame *frames = arg;
	const struct profile_frame *a = &frames[*(const uint32_t *)x];
	const struct profile_frame *b = &frames[*(const uint32_t *)y];
	int order = strcmp(a->name, b->name);

	return order ? order :
		       strcmp(a->source ? a->source : "", b->source ? b->source : "");
}

/* Functions at several addresses may have the same text: they have the same rank. */
static void make_ranks(struct flame *f)
{
	size_t n = f->p->nr_frames, i;
	uint32_t *order = xcalloc(n + 1, sizeof(*order)), rank = 0;

	f->rank = xcalloc(n + 1, sizeof(*f->rank));
	for (i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), by_text, f->p->frames);
	for (i = 0; i < n; i++) {
		if (i && by_text(&order[i - 1], &order[i], f->p->frames))
			rank++;
		f->rank[order[i]] = rank;
	}
	free(order);
}

static const struct profile_row *row_at(const struct flame *f, size_t i)
{
	return &f->p->rows[f->rows[i]];
}

/* Return: number of frames of a row: its class, and its functions. */
static size_t depth_of(const struct flame *f, const struct profile_row *row)
{
	size_t depth;

	stacks_at(&f->p->stacks, row->stack, &depth);
	return depth + 1;
}

/* Return: the function of a row at a depth above 0. */
static uint32_t function_at(const struct flame *f, const struct profile_row *row,
			    size_t depth)
{
	size_t count;
	const uint64_t *frames = stacks_at(&f->p->stacks, row->stack, &count);

	return frames[count - depth];
}

static int compare_at(const struct flame *f, const struct profile_row *a,
		      const struct profile_row *b, size_t depth)
{
	uint32_t x, y;

	if (!depth)
		return (int)a->class - (int)b->class;
	x = f->rank[function_at(f, a, depth)];
	y = f->rank[function_at(f, b, depth)];
	return x == y ? 0 : x < y ? -1 : 1;
}

static int by_stack(const void *x, const void *y, void *arg)
{
	const struct flame *f = arg;
	const struct profile_row *a = &f->p->rows[*(const uint32_t *)x];
	const struct profile_row *b = &f->p->rows[*(const uint32_t *)y];
	size_t depth_a = depth_of(f, a), depth_b = depth_of(f, b), i;
	int order = 0;

	for (i = 0; !order && i < depth_a && i < depth_b; i++)
		order = compare_at(f, a, b, i);
	if (order || depth_a == depth_b)
		return order;
	return depth_a < depth_b ? -1 : 1;
}

static void flame_sort(struct flame *f)
{
	size_t i;

	f->rows = xcalloc(f->p->count + 1, sizeof(*f->rows));
	make_ranks(f);
	for (i = 0; i < f->p->count; i++) {
		uint64_t n = f->p->rows[i].value[f->value];

		if (!n)
			continue;
		f->rows[f->count++] = i;
		f->total += n;
		f->class_sums[f->p->rows[i].class] += n;
	}
	qsort_r(f->rows, f->count, sizeof(*f->rows), by_stack, f);
}

/* --- frames ------------------------------------------------------------------- */

/* Return: whether a function has no frame of its own: a part of its class of memory. */
static bool is_small(const struct flame *f, const struct range *r)
{
	return r->depth && (unsigned __int128)r->sum * 1000 <
				   (unsigned __int128)f->class_sum * f->e->min_tenths;
}

static bool is_narrow(const struct flame *f, uint64_t class_sum)
{
	return class_sum && (double)class_sum < (double)f->total * CLASS_MIN;
}

/* A class that has little memory is wider than its share, so that its names can be read. */
static double class_width(const struct flame *f, uint64_t class_sum)
{
	double wide = (double)f->total, room = 1;
	size_t i;

	for (i = 0; i < SITE_KINDS; i++) {
		if (!is_narrow(f, f->class_sums[i]))
			continue;
		wide -= (double)f->class_sums[i];
		room -= CLASS_MIN;
	}
	return (double)(f->e->width - 2 * SVG_MARGIN) *
	       (is_narrow(f, class_sum) ? CLASS_MIN : (double)class_sum / wide * room);
}

static void begin_class(struct flame *f, const struct range *r)
{
	f->class_left = r->offset ? f->class_left + f->class_width : SVG_MARGIN;
	f->class_offset = r->offset;
	f->class_sum = r->sum;
	f->class_width = class_width(f, r->sum);
}

static double width_of(const struct flame *f, uint64_t sum)
{
	return (double)sum / (double)f->class_sum * f->class_width;
}

static const char *unit_of(const struct flame *f)
{
	return profile_is_bytes(f->value)		? "byte" :
	       f->value == PROFILE_ALLOC_OBJECTS	? "allocation" :
	       f->value == PROFILE_TEMPORARY_OBJECTS ? "allocation" :
						       "object";
}

/* "5000 bytes (4.9KiB)" */
static void print_sum(const struct flame *f, FILE *out, uint64_t sum)
{
	char human[TABLE_CELL_TEXT];
	bool bytes = profile_is_bytes(f->value);

	fprintf(out, "%" PRIu64 " %s%s", sum, unit_of(f), plural(sum));
	if (bytes && sum >= 10000)
		fprintf(out, " (%s)", table_human(human, sizeof(human), sum, 1));
}

/* A colour of a function, which does not depend on its offset. */
static unsigned int shade_of(const char *name)
{
	unsigned int hash = 0;

	while (*name && *name != '+')
		hash = hash * 31 + (unsigned char)*name++;
	return hash % SHADES;
}

static void write_style(const struct flame *f, const struct range *r)
{
	const struct profile_frame *function;

	if (!r->depth) {
		fputs("class", f->out);
		return;
	}
	function = &f->p->frames[function_at(f, row_at(f, r->from), r->depth)];
	/* the first module is the kernel */
	fprintf(f->out, "%c%u",
		function->module && function->module != PROFILE_NO_MODULE ? 'm' : 'k',
		shade_of(function->name));
}

/* The text of a frame is cut off where the frame ends; its title has all of it. */
static void write_frame(struct flame *f, const struct range *r, const char *name)
{
	double x = f->class_left + width_of(f, r->offset - f->class_offset), width = width_of(f, r->sum);
	double y = (double)f->bottom - (double)(r->depth + 1) * FRAME_HEIGHT;
	size_t fits = svg_characters(width - 2 * TEXT_SIDE);

	fprintf(f->out, "<g class=\"frame\" data-value=\"%" PRIu64 "\"><title>",
		r->sum);
	svg_escape(f->out, name, SIZE_MAX);
	fputs("\n", f->out);
	print_sum(f, f->out, r->sum);
	if (r->depth)
		fprintf(f->out, ", %.1f%% of %s",
			100.0 * (double)r->sum / (double)f->class_sum,
			site_total_names[row_at(f, r->from)->class]);
	fputs("</title><rect class=\"", f->out);
	if (r->from == r->to)
		fputs("small", f->out);
	else
		write_style(f, r);
	fprintf(f->out, "%s\" x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\"/>",
		width < THIN ? " thin" : "", x, y, width, FRAME_HEIGHT);
	if (fits > 2) {
		fprintf(f->out, "<text x=\"%.2f\" y=\"%.0f\">", x + TEXT_SIDE,
			y + FRAME_HEIGHT - TEXT_BELOW);
		svg_escape(f->out, name, fits);
		fputs("</text>", f->out);
	}
}

static char *name_of(const struct flame *f, const struct range *r)
{
	const struct profile_row *row = row_at(f, r->from);
	const struct profile_frame *function;

	if (!r->depth)
		return xstrdup(site_total_names[row->class]);
	function = &f->p->frames[function_at(f, row, r->depth)];
	if (!function->source)
		return xstrdup(function->name);
	return xasprintf("%s %s", function->name, function->source);
}

static void draw_above(struct flame *f, const struct range *below);

static void flame_draw(struct flame *f, const struct range *r)
{
	char *name;

	if (r->depth + 1 > f->depth)
		f->depth = r->depth + 1;
	if (!r->depth)
		begin_class(f, r);
	if (!f->out) {
		draw_above(f, r);
		return;
	}
	name = name_of(f, r);
	write_frame(f, r, name);
	free(name);
	draw_above(f, r);
	fputs("</g>\n", f->out);
}

/* One frame for those that are small: the sum of a frame above remains visible. */
static void draw_small(struct flame *f, struct range *r, uint64_t count)
{
	char name[64];

	if (!count)
		return;
	if (is_small(f, r)) {
		f->left_out += count;
		return;
	}
	if (r->depth + 1 > f->depth)
		f->depth = r->depth + 1;
	if (!f->out)
		return;
	snprintf(name, sizeof(name), "(%" PRIu64 " small)", count);
	write_frame(f, r, name);
	fputs("</g>\n", f->out);
}

/* Sets the first range from @r->from on. */
static void take_range(const struct flame *f, struct range *r, size_t end)
{
	const struct profile_row *first = row_at(f, r->from);

	r->sum = 0;
	for (r->to = r->from; r->to < end; r->to++) {
		const struct profile_row *row = row_at(f, r->to);

		if (compare_at(f, first, row, r->depth))
			break;
		r->sum += row->value[f->value];
	}
}

/* Draws what is above a frame; or all, if its depth is SIZE_MAX. */
static void draw_above(struct flame *f, const struct range *below)
{
	struct range r = { .from = below->from, .depth = below->depth + 1,
			   .offset = below->offset };
	struct range small = { .depth = r.depth };
	uint64_t nr_small = 0;

	/* stacks that end here are in front */
	while (r.from < below->to && depth_of(f, row_at(f, r.from)) <= r.depth)
		r.from++;
	for (; r.from < below->to; r.from = r.to) {
		take_range(f, &r, below->to);
		if (is_small(f, &r)) {
			nr_small++;
			small.sum += r.sum;
			continue;
		}
		flame_draw(f, &r);
		r.offset += r.sum;
	}
	small.from = small.to = below->from;
	small.offset = r.offset;
	draw_small(f, &small, nr_small);
}

static void draw_all(struct flame *f)
{
	const struct range all = { .to = f->count, .depth = SIZE_MAX };

	f->left_out = 0;
	draw_above(f, &all);
}

/* --- the picture -------------------------------------------------------------- */

static char *title_of(const struct flame *f)
{
	return xasprintf("%s: %s", f->p->title, profile_titles[f->value]);
}

/* A line with all sums: they must not be added up. */
static char *sums_of(const struct flame *f)
{
	const char *before = "";
	struct memtext text;
	FILE *out = memtext_open(&text);
	size_t i;

	for (i = 0; i < SITE_KINDS; i++) {
		if (!f->class_sums[i])
			continue;
		fprintf(out, "%s%s ", before, site_total_names[i]);
		print_sum(f, out, f->class_sums[i]);
		before = ", ";
	}
	if (!f->count)
		fputs("nothing", out);
	return memtext_close(&text, NULL);
}

/* Return: number of lines. */
static size_t write_notes(const struct flame *f, FILE *out, double y)
{
	size_t lines = 0, i;
	char text[400];
	int used;

	for (i = 0; i < f->p->nr_notes; i++)
		lines += svg_paragraph(out, "note", y + (double)lines * SVG_LINE,
				       f->e->width, f->p->notes[i]);
	used = snprintf(text, sizeof(text), "Functions of modules are blue.");
	for (i = 0; i < SITE_KINDS; i++)
		if (is_narrow(f, f->class_sums[i]))
			used += snprintf(text + used, sizeof(text) - used,
					 " %s is wider than its share.", site_total_names[i]);
	if (f->e->min_tenths)
		used += snprintf(text + used, sizeof(text) - used,
				 " Functions of a caller that have less than %u.%u%% of their kind of memory are one frame, (small).",
				 f->e->min_tenths / 10, f->e->min_tenths % 10);
	if (f->left_out)
		snprintf(text + used, sizeof(text) - used,
			 " %" PRIu64 " have no frame.", f->left_out);
	return lines + svg_paragraph(out, "note", y + (double)lines * SVG_LINE,
				     f->e->width, text);
}

static void write_picture(struct flame *f, const char *title, const char *sums)
{
	struct svg_picture picture = { .width = f->e->width, .title = title,
				       .style = style };
	size_t head = TITLE_HEIGHT, most;

	most = svg_characters((double)(f->e->width - 2 * SVG_MARGIN) / TITLE_SIZE);
	head += (svg_paragraph(NULL, "", 0, f->e->width, sums) - 1) * SVG_LINE +
		FIELD_HEIGHT;
	f->bottom = head + f->depth * FRAME_HEIGHT;
	picture.height = f->bottom + SVG_MARGIN +
			 write_notes(f, NULL, 0) * SVG_LINE + SVG_MARGIN;
	f->out = f->e->out;
	svg_begin(f->out, &picture);
	svg_text(f->out, "title", SVG_MARGIN, 26, title, most);
	svg_paragraph(f->out, "note", TITLE_HEIGHT, f->e->width, sums);
	fprintf(f->out, "<g id=\"field\" data-y=\"%zu\"/>\n", head - FIELD_HEIGHT);
	draw_all(f);
	write_notes(f, f->out, (double)f->bottom + 2 * SVG_MARGIN);
	fprintf(f->out, "<script><![CDATA[\n%s]]></script>\n", flame_script);
	svg_end(f->out);
}

static void write_graph(struct flame *f)
{
	char *title = title_of(f), *sums;

	flame_sort(f);
	draw_all(f);
	sums = sums_of(f);
	write_picture(f, title, sums);
	free(sums);
	free(title);
}

static int flame_write(const struct export *e)
{
	struct flame f = { .e = e };
	struct profile p;
	int ret = profile_read_value(&p, e, &f.value);

	f.p = &p;
	if (!ret) {
		write_graph(&f);
		ret = profile_exit(&p);
	}
	free(f.rows);
	free(f.rank);
	profile_free(&p);
	return ret;
}

/**
 * struct wanted - the command line
 * @e: what is drawn
 * @path: value of --output
 */
struct wanted {
	struct export e;
	const char *path;
};

static const struct option_row rows[] = {
	{ 'o', "output", "FILE", "output file; default: flame.svg",
	  OPTION_TEXT(struct wanted, path), .offers = "files" },
	{ 0, "value", "VALUE", PROFILE_VALUES_HELP, .take = profile_take_value,
	  .to = OPTION_MEMBER(struct wanted, e.value, const char *),
	  .offers = "@exportvalues" },
	{ 0, "min", "PERCENT", "one frame for those functions of a caller that have less than this of their kind of memory; default 0.1",
	  .take = option_take_tenths,
	  .to = OPTION_MEMBER(struct wanted, e.min_tenths, unsigned int) },
	{ 0, "width", "PIXELS", "width of the picture; default 1200",
	  .take = svg_take_width,
	  .to = OPTION_MEMBER(struct wanted, e.width, size_t) },
	EXPORT_OPTIONS_KIND(struct wanted, e),
	{ 0 },
};

const struct options cmd_flame_options = {
	.command = "flame",
	.synopsis = (const char *const[]){ "[OPTION]... [FILE]",
					   "[OPTION]... cpu0.out cpu1.out...",
					   "--live [OPTION]...", NULL },
	.about = "Draws the stacks of a recording, or of a state of accounting (allocinfo --save), as a flame graph: an SVG picture for a browser. A click zooms in. Without FILE: kmemtrace.kmt.",
	.rows = rows,
	.notes = "The exit status is 3 if events were lost.",
	.operands = "files",
};

static const struct export_format format = {
	.name = "flame",
	.inputs = EXPORT_RECORDING | EXPORT_STATE,
	.has_values = true,
	.begins = SVG_BEGINS,
	.write = flame_write,
};

int cmd_flame(int argc, char **argv)
{
	struct wanted w = { .e = { .format = &format, .min_tenths = 1, .width = 1200 },
			    .path = "flame.svg" };
	struct cmdline line = cmdline_parse(&cmd_flame_options, argc, argv, &w);
	int ret;

	if (line.is_over)
		return line.ret;
	w.e.paths = line.words;
	w.e.count = line.count;
	ret = formats_take_inputs("flame", &w.e, w.path);
	return ret ? ret : formats_write(&w.e, w.path);
}
