// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/options.h"
#include "base/msg.h"
#include "base/svg.h"
#include "base/table.h"
#include "base/utf8.h"

static const char style[] =
	"text{font:12px ui-monospace,\"DejaVu Sans Mono\",Menlo,Consolas,monospace;"
	"fill:#16191d;white-space:pre}\n"
	".title{font-size:15px;font-weight:bold}\n"
	".note{fill:#4c5560}\n"
	".end{text-anchor:end}\n"
	".middle{text-anchor:middle}\n"
	"svg{background:#ffffff}.back{fill:#ffffff}\n"
	".grid{stroke:#d3d9e0;fill:none}\n"
	".axis{stroke:#6b7682;fill:none}\n"
	".warn{fill:#a3160b}\n";
static const char dark_style[] = "text{fill:#e8ebef}\n"
				 ".note{fill:#aab4c0}\n"
				 "svg{background:#14171b}.back{fill:#14171b}\n"
				 ".grid{stroke:#343c46}\n"
				 ".axis{stroke:#8b96a3}\n"
				 ".warn{fill:#ff9d8f}\n";

static const char *const light[SVG_COLOURS] = {
	"#0b62c4", "#c4460b", "#16803c", "#a3128a",
	"#7a5c00", "#0b7f8a", "#5b3fd6", "#b3213a",
};
static const char *const dark[SVG_COLOURS] = {
	"#7fb5ff", "#ff9d66", "#6fd894", "#f08be0",
	"#e0c25a", "#63d3de", "#b3a3ff", "#ff8a98",
};

static void write_colours(FILE *out, const char *const *colours)
{
	int i;

	for (i = 0; i < SVG_COLOURS; i++)
		fprintf(out, ".s%d{stroke:%s;fill:none}.f%d{fill:%s}\n", i,
			colours[i], i, colours[i]);
}

void svg_begin(FILE *out, const struct svg_picture *p)
{
	fprintf(out,
		SVG_BEGINS "width=\"%zu\" height=\"%zu\" "
		"viewBox=\"0 0 %zu %zu\">\n<title>",
		p->width, p->height, p->width, p->height);
	svg_escape(out, p->title, strlen(p->title));
	fprintf(out, "</title>\n<style>\n%s", style);
	write_colours(out, light);
	fprintf(out, "@media(prefers-color-scheme:dark){\n%s", dark_style);
	write_colours(out, dark);
	fprintf(out, "}\n%s</style>\n", p->style ? p->style : "");
	fputs("<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n", out);
}

void svg_end(FILE *out)
{
	fputs("</svg>\n", out);
}

static void write_character(FILE *out, char c)
{
	switch (c) {
	case '<':
		fputs("&lt;", out);
		break;
	case '>':
		fputs("&gt;", out);
		break;
	case '&':
		fputs("&amp;", out);
		break;
	case '"':
		fputs("&quot;", out);
		break;
	case '\'':
		fputs("&#39;", out);
		break;
	default:
		fputc(c, out);
	}
}

static void svg_write_text(FILE *out, const char *text, size_t bytes)
{
	size_t i, len;

	for (i = 0; i < bytes; i += len ? len : 1) {
		len = utf8_printable(text + i);
		if (len > 1)
			fwrite(text + i, 1, len, out);
		else
			write_character(out, len ? text[i] : '?');
	}
}

void svg_escape(FILE *out, const char *text, size_t max)
{
	size_t used = max, dots = max < 2 ? max : 2;

	if (text[table_cut(text, &used)])
		used = max - dots;
	else
		dots = 0;
	svg_write_text(out, text, table_cut(text, &used));
	fprintf(out, "%.*s", (int)dots, "..");
}

void svg_text(FILE *out, const char *class, double x, double y, const char *text,
	      size_t max)
{
	fprintf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
	svg_escape(out, text, max);
	fputs("</text>\n", out);
}

size_t svg_characters(double width)
{
	return width < SVG_CHARACTER ? 0 : width / SVG_CHARACTER;
}

/* Return: number of characters of the next line, without the blank behind it. */
static size_t line_length(const char *text, size_t most)
{
	size_t len = strlen(text), i;

	if (len <= most)
		return len;
	for (i = most; i > 0; i--)
		if (text[i] == ' ')
			return i;
	return most;
}

size_t svg_paragraph(FILE *out, const char *class, double y, size_t width,
		     const char *text)
{
	size_t most = svg_characters((double)width - 2 * SVG_MARGIN), lines = 0;

	while (*text) {
		size_t len = line_length(text, most);

		if (out)
			fprintf(out, "<text class=\"%s\" x=\"%d\" y=\"%.1f\">",
				class, SVG_MARGIN, y + SVG_LINE * (double)lines);
		if (out) {
			svg_write_text(out, text, len);
			fputs("</text>\n", out);
		}
		text += len;
		while (*text == ' ')
			text++;
		lines++;
	}
	return lines;
}

int svg_take_width(const struct option_use *use)
{
	size_t *width = use->to;

	if (!option_count(use->text, width) || *width < SVG_WIDTH_MIN ||
	    *width > SVG_WIDTH_MAX)
		return option_wrong(use, "a number of pixels from 240 to 20000");
	return EXIT_DONE;
}
