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
#include "report/calltree.h"
#include "report/report.h"

/*
 * A flame graph as SVG: a call tree whose functions are numbered in the order of their names.
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

/* a flame graph */
struct flame {
	const struct profile *p;		/* the stacks */
	const struct export *e;			/* the command line */
	enum profile_value value;		/* the value that is drawn */
	/* stream to write to; NULL: only determine @depth and @left_out */
	FILE *out;
	/* the tree; the address of a node is the place of its text among all texts */
	struct calltree t;
	/* for each of these places, the first function of the profile that has the text */
	const struct profile_frame **function;
	uint64_t total;				/* sum of the value */
	enum site_kind class;			/* the class that is drawn */
	uint64_t class_sum;			/* its sum */
	uint64_t class_offset;			/* sum of the classes left of it */
	double class_left;			/* its left side, in pixels */
	double class_width;			/* its width, in pixels */
	size_t depth;				/* largest number of frames above each other */
	size_t bottom;				/* bottom of the lowest frame, in pixels */
	uint64_t left_out;			/* functions that are too small even together */
};

/* --- the tree ----------------------------------------------------------------- */

static int by_text(const void *x, const void *y, void *arg)
{
	const struct profile_frame *frames = arg;
	const struct profile_frame *a = &frames[*(const uint32_t *)x];
	const struct profile_frame *b = &frames[*(const uint32_t *)y];
	int order = strcmp(a->name, b->name);

	return order ? order :
		       strcmp(a->source ? a->source : "", b->source ? b->source : "");
}

/*
 * Functions at several addresses may have the same text: they have the same place. Return: the
 * place of each function, which the caller frees.
 */
static uint32_t *flame_rank(struct flame *f)
{
	size_t n = f->p->nr_frames, i;
	uint32_t *order = xcalloc(n + 1, sizeof(*order)), *rank = xcalloc(n + 1, sizeof(*rank));
	uint32_t last = 0;

	f->function = xcalloc(n + 1, sizeof(*f->function));
	for (i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), by_text, f->p->frames);
	for (i = 0; i < n; i++) {
		if (i && by_text(&order[i - 1], &order[i], f->p->frames))
			last++;
		rank[order[i]] = last;
		f->function[last] = &f->p->frames[order[i]];
	}
	free(order);
	return rank;
}

static void flame_build(struct flame *f)
{
	uint32_t *rank = flame_rank(f);
	uint64_t places[KMT_STACK_MAX];
	size_t i, k, depth;

	calltree_init(&f->t);
	for (i = 0; i < f->p->count; i++) {
		const struct profile_row *row = &f->p->rows[i];
		const uint64_t figures[CALLTREE_FIGURES] = { row->value[f->value] };
		const uint64_t *frames = stacks_at(&f->p->stacks, row->stack, &depth);

		if (!figures[0])
			continue;
		for (k = 0; k < depth; k++)
			places[k] = rank[frames[k]];
		f->total += figures[0];
		calltree_add(&f->t, row->class, figures, places, NULL, depth, false);
	}
	calltree_sort(&f->t, CALLTREE_ADDRESS);
	free(rank);
}

static uint64_t sum_of_class(const struct flame *f, enum site_kind class)
{
	return f->t.nodes[class].figure[0];
}

/* --- frames ------------------------------------------------------------------- */

/* Return: whether a function has no frame of its own: a part of its class of memory. */
static bool is_small(const struct flame *f, size_t depth, uint64_t sum)
{
	return depth && (unsigned __int128)sum * 1000 <
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
		if (!is_narrow(f, sum_of_class(f, i)))
			continue;
		wide -= (double)sum_of_class(f, i);
		room -= CLASS_MIN;
	}
	return (double)(f->e->width - 2 * SVG_MARGIN) *
	       (is_narrow(f, class_sum) ? CLASS_MIN : (double)class_sum / wide * room);
}

static void begin_class(struct flame *f, enum site_kind class, uint64_t offset)
{
	f->class_left = offset ? f->class_left + f->class_width : SVG_MARGIN;
	f->class_offset = offset;
	f->class = class;
	f->class_sum = sum_of_class(f, class);
	f->class_width = class_width(f, f->class_sum);
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

/*
 * The text of a frame is cut off where the frame ends; its title has all of it. @function: NULL:
 * the frame is of a class, or of those that are small
 */
static void write_frame(struct flame *f, size_t depth, uint64_t offset, uint64_t sum,
			const char *name, const struct profile_frame *function, const char *class)
{
	double x = f->class_left + width_of(f, offset - f->class_offset), width = width_of(f, sum);
	double y = (double)f->bottom - (double)(depth + 1) * FRAME_HEIGHT;
	size_t fits = svg_characters(width - 2 * TEXT_SIDE);

	fprintf(f->out, "<g class=\"frame\" data-value=\"%" PRIu64 "\"><title>", sum);
	svg_escape(f->out, name, SIZE_MAX);
	fputs("\n", f->out);
	print_sum(f, f->out, sum);
	if (depth)
		fprintf(f->out, ", %.1f%% of %s", 100.0 * (double)sum / (double)f->class_sum,
			site_total_names[f->class]);
	fputs("</title><rect class=\"", f->out);
	/* the first module is the kernel */
	if (function)
		fprintf(f->out, "%c%u", function->module && function->module != PROFILE_NO_MODULE ?
					'm' : 'k', shade_of(function->name));
	else
		fputs(class, f->out);
	fprintf(f->out, "%s\" x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\"/>",
		width < THIN ? " thin" : "", x, y, width, FRAME_HEIGHT);
	if (fits > 2) {
		fprintf(f->out, "<text x=\"%.2f\" y=\"%.0f\">", x + TEXT_SIDE,
			y + FRAME_HEIGHT - TEXT_BELOW);
		svg_escape(f->out, name, fits);
		fputs("</text>", f->out);
	}
}

static void draw_above(struct flame *f, const struct calltree_node *below, size_t depth,
		       uint64_t offset);

static void draw_node(struct flame *f, const struct calltree_node *n, size_t depth, uint64_t offset)
{
	const struct profile_frame *function = depth ? f->function[n->address] : NULL;
	char *name;

	if (depth + 1 > f->depth)
		f->depth = depth + 1;
	if (f->out) {
		name = !function	 ? xstrdup(site_total_names[f->class]) :
		       !function->source ? xstrdup(function->name) :
					   xasprintf("%s %s", function->name, function->source);
		write_frame(f, depth, offset, n->figure[0], name, function, "class");
		free(name);
	}
	draw_above(f, n, depth + 1, offset);
	if (f->out)
		fputs("</g>\n", f->out);
}

/* Stacks that end in the frame are on the left, below nothing; those that are small are last. */
static void draw_above(struct flame *f, const struct calltree_node *below, size_t depth,
		       uint64_t offset)
{
	const struct calltree_node *n;
	uint64_t small = 0, count = 0;
	char name[64];

	for (n = calltree_at(&f->t, below->child); n; n = calltree_at(&f->t, n->next)) {
		if (is_small(f, depth, n->figure[0])) {
			count++;
			small += n->figure[0];
			continue;
		}
		draw_node(f, n, depth, offset);
		offset += n->figure[0];
	}
	if (!count)
		return;
	/* one frame for them: the sum of a frame above remains visible */
	if (is_small(f, depth, small)) {
		f->left_out += count;
		return;
	}
	if (depth + 1 > f->depth)
		f->depth = depth + 1;
	if (!f->out)
		return;
	snprintf(name, sizeof(name), "(%" PRIu64 " small)", count);
	write_frame(f, depth, offset, small, name, NULL, "small");
	fputs("</g>\n", f->out);
}

static void draw_all(struct flame *f)
{
	uint64_t offset = 0;
	int class;

	f->left_out = 0;
	for (class = 0; class < SITE_KINDS; class++) {
		if (!sum_of_class(f, class))
			continue;
		begin_class(f, class, offset);
		draw_node(f, &f->t.nodes[class], 0, offset);
		offset += f->class_sum;
	}
}

/* --- the picture -------------------------------------------------------------- */

/* A line with all sums: they must not be added up. */
static char *sums_of(const struct flame *f)
{
	const char *before = "";
	struct memtext text;
	FILE *out = memtext_open(&text);
	size_t i;

	for (i = 0; i < SITE_KINDS; i++) {
		if (!sum_of_class(f, i))
			continue;
		fprintf(out, "%s%s ", before, site_total_names[i]);
		print_sum(f, out, sum_of_class(f, i));
		before = ", ";
	}
	if (!f->total)
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
		if (is_narrow(f, sum_of_class(f, i)))
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
	char *title = xasprintf("%s: %s", f->p->title, profile_titles[f->value]), *sums;

	flame_build(f);
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
	calltree_free(&f.t);
	free(f.function);
	profile_free(&p);
	return ret;
}

/* the command line */
struct wanted {
	struct export e;	/* what is drawn */
	const char *path;	/* value of --output */
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
