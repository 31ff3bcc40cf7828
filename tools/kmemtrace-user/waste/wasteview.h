/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The output of the command waste: a table of sites with their sizes and remedies, a table
 * of the caches, and what qualifies the figures.
 */
#ifndef WASTEVIEW_H
#define WASTEVIEW_H

#include "base/listing.h"
#include "waste/wastes.h"

struct json_t;
struct report;
struct slab_rules;
struct slabwalk;

/* columns of the table, and those of them that text has: the first ones */
enum { WASTE_COLUMNS = 12, WASTE_TEXT = 7 };

extern const struct table_column waste_columns[WASTE_COLUMNS];

/* bytes of a line below a row; it is never longer */
#define WASTE_LINE 160

/* what is shown */
struct wasteview {
	const struct wastes *w;		/* the rows */
	const char *const *site;	/* names of the sites, by number */
	/* show only sites whose name contains this text; NULL: all */
	const char *only;
	const char *sort;		/* key of the column to sort by */
	size_t top;			/* number of rows; 0: all */
	enum table_format format;	/* the output format */
	bool verbose;			/* also print each kind of error */
	const struct slab_rules *rules;	/* what the sizes of slabs depend on */
	/* the slabs of the machine; NULL: the rows are from a recording */
	const struct slabwalk *slabs;
	struct report *report;		/* the recording; NULL: the rows are from accounting */
	/* with TABLE_JSON: set to the document, which is then not printed; NULL: print it */
	struct json_t **document;
};

/**
 * waste_print_sizes() - print the requested sizes of a row: "20000 x 1040, 12 x 1500"
 * @to: set to the text
 * @row: the row
 *
 * Return: false if the sizes are not known; @to is then unchanged.
 */
bool waste_print_sizes(char to[WASTE_LINE], const struct waste *row);

/** waste_print_remedy() - print what to do, and what it saves */
void waste_print_remedy(char to[WASTE_LINE], const struct remedy *r);

/** waste_json_sizes() - make an array of the requested sizes of a row */
struct json_t *waste_json_sizes(const struct waste *row);

/** waste_json_remedies() - make an array of the remedies of a row */
struct json_t *waste_json_remedies(const struct waste *row);

/**
 * wasteview_print() - print the rows
 * @v: what is shown
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int wasteview_print(const struct wasteview *v);

/*
 * The waste of the memory that was allocated in a recording and is live at its end.
 */

/**
 * recorded_waste() - read a recording, and print its waste
 * @v: settings of the output; its other members are set
 * @path: path of the recording
 * @raw_ip: print addresses of sites instead of symbols
 * @debuginfo: also print source lines of sites, as lines_open() does; may be NULL
 *
 * Return: EXIT_DONE, EXIT_LOST, or another value after a message.
 */
int recorded_waste(struct wasteview *v, const char *path, bool raw_ip,
		   const char *debuginfo);

#endif /* WASTEVIEW_H */
