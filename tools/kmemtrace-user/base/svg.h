/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pictures as SVG: one file that loads nothing. Text has a font of fixed width, so that
 * its length is known. The colours follow the reader's choice of light or dark.
 */
#ifndef SVG_H
#define SVG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* the width of a character of text, and the distance of lines, in pixels */
#define SVG_CHARACTER 7.25
#define SVG_LINE      17

/* distance of everything from the border */
#define SVG_MARGIN 12

/* the least and the largest width of a picture */
#define SVG_WIDTH_MIN 240
#define SVG_WIDTH_MAX 20000

/* how each picture begins */
#define SVG_BEGINS                                                             \
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"                          \
	"<svg xmlns=\"http://www.w3.org/2000/svg\" "

/* Colours of lines: classes s0, s1... for lines, and f0, f1... for areas. */
#define SVG_COLOURS 8

/**
 * struct svg_picture - a picture
 * @width: in pixels
 * @height: in pixels
 * @title: what viewers and screen readers call it
 * @style: further CSS; NULL: none
 */
struct svg_picture {
	size_t width;
	size_t height;
	const char *title;
	const char *style;
};

/** svg_begin() - begin a picture: the header, the style and the background */
void svg_begin(FILE *out, const struct svg_picture *p);

/** svg_end() - end a picture */
void svg_end(FILE *out);

/**
 * svg_escape() - write text
 * @out: stream to write to
 * @text: the text; bytes that are not printable ASCII become '?'
 * @max: maximum number of characters; a longer text ends in ".."
 */
void svg_escape(FILE *out, const char *text, size_t max);

/**
 * svg_text() - write a line of text
 * @out: stream to write to
 * @class: CSS classes of the text, for example "note", or "note end" to end at @x, or
 *	"note middle"
 * @x: where it begins
 * @y: its base line
 * @text: the text
 * @max: as of svg_escape()
 */
void svg_text(FILE *out, const char *class, double x, double y, const char *text,
	      size_t max);

/**
 * svg_paragraph() - write text in lines, broken at blanks
 * @out: stream to write to; NULL: only count
 * @class: CSS classes of the text
 * @y: base line of the first line
 * @width: width of the picture
 * @text: the text
 *
 * Return: number of lines.
 */
size_t svg_paragraph(FILE *out, const char *class, double y, size_t width,
		     const char *text);

/** svg_characters() - number of characters that fit into a width */
size_t svg_characters(double width);

struct option_use;

/** svg_take_width() - parse --width, a size_t; as option_row.take */
int svg_take_width(const struct option_use *use);

#endif /* SVG_H */
