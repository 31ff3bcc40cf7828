/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of each site at one moment: what accounting, a recording or a report of one knows.
 * Two of these lists can be compared (changes.h).
 */
#ifndef SITEROWS_H
#define SITEROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The parts of a location: what a call site is called in the module's file tags and in
 * reports of recordings.
 */

/* Which part of a function contains a call. The compiler moves parts to other places. */
enum site_part { SITE_WHOLE, SITE_PART, SITE_COLD };

/**
 * struct sitename - the parts of a location
 * @module: name of the module; "": the kernel
 * @function: name of the function; "": not known
 * @plain: @function without what differs between builds: suffixes of the compiler such as
 *	".constprop.0", and "_noprof"
 * @file: name of the source file; NULL: not known
 * @tail: text after the function, for example "(unloaded) #1"; "": none
 * @line: number of the line; valid if @file is set
 * @offset: offset in the function; valid if @has_offset
 * @has_offset: the location has an offset
 * @part: part of the function
 * @text: memory of the strings
 */
struct sitename {
	const char *module;
	const char *function;
	const char *plain;
	const char *file;
	const char *tail;
	uint64_t line;
	uint64_t offset;
	bool has_offset;
	enum site_part part;
	char *text;
};

/**
 * sitename_parse() - find the parts of a location
 * @p: set to the parts; the caller calls sitename_free() later, also after a failure
 * @location: "file:line [module] func:function", "function+0xoffset [module]
 *	func:function" or "function+0xoffset [module]". Source lines behind the last one, as
 *	"mm/slub.c:12", are no part. Any other text has no parts.
 */
void sitename_parse(struct sitename *p, const char *location);

/** sitename_free() - undo sitename_parse() */
void sitename_free(struct sitename *p);

/* Kinds of memory. Recordings have the kinds of interfaces instead, from SITE_PERCPU on. */
enum site_kind {
	SITE_SLAB, /* kmalloc and caches */
	SITE_PAGE, /* includes the pages of slabs and of large kmallocs */
	SITE_PERCPU,
	SITE_KINDS,
	SITE_KMALLOC = SITE_KINDS,
	SITE_CACHE,
	SITE_PAGES,
	SITE_ALL_KINDS,
};

extern const char *const site_kind_names[SITE_ALL_KINDS];

/* names of sums: slab, pages, percpu */
extern const char *const site_total_names[SITE_KINDS];

/* below sums of several kinds */
#define SITE_KINDS_NOTE                                                        \
	"Pages include those that slabs are made of: do not add the lines up."

/**
 * site_kind_option() - parse the value of an option
 * @text: the name of a kind; "pages", as recordings call them, is SITE_PAGE
 *
 * Return: the kind, below SITE_KINDS; -1 if there is none of this name.
 */
int site_kind_option(const char *text);

/**
 * struct figures - what is known of the memory of a site, or of several
 * @bytes: live bytes, as allocated
 * @objects: live objects
 * @requested: live bytes, as requested
 * @allocs: allocations since accounting was switched on, or in the recording
 * @frees: frees since then
 * @peak: largest number of live bytes so far; 0: not known
 * @oldest_ms: age of the oldest live object, in ms; -1 if it is not known
 * @low: the least live bytes, in view of lost events; @bytes if none was lost
 * @high: the most live bytes
 * @objects_low: the least live objects
 * @objects_high: the most live objects
 */
struct figures {
	int64_t bytes;
	int64_t objects;
	int64_t requested;
	uint64_t allocs;
	uint64_t frees;
	uint64_t peak;
	int64_t oldest_ms;
	int64_t low;
	int64_t high;
	int64_t objects_low;
	int64_t objects_high;
};

/**
 * struct site_row - the memory of one kind of a site
 * @kind: the kind
 * @location: "file:line [module] func:function"; without debug information
 *	"function+0xoffset [module] func:function"
 * @name: parts of @location; without parts, only equal locations are the same site
 * @address: address of the call site; 0: not known
 * @id: id of the tag in the module's file pages; 0: not known, or it never allocated
 * @f: its figures
 */
struct site_row {
	enum site_kind kind;
	char *location;
	struct sitename name;
	uint64_t address;
	uint32_t id;
	struct figures f;
};

/**
 * struct site_rows - a list
 * @row: the rows
 * @count: number of rows
 */
struct site_rows {
	struct site_row *row;
	size_t count;
};

/**
 * site_rows_add() - add a row
 * @rows: the list
 * @kind: the kind
 * @location: the site; the list frees it
 *
 * Return: the row, with no figures, valid until the next call.
 */
struct site_row *site_rows_add(struct site_rows *rows, enum site_kind kind, char *location);

/** site_row_rename() - give a row another location, or one that was changed; it frees it */
void site_row_rename(struct site_row *row, char *location);

/** site_rows_sum() - add up the rows of a kind below SITE_KINDS, and of its interfaces */
struct figures site_rows_sum(const struct site_rows *rows, enum site_kind kind);

/** site_kind_of() - get the kind of memory, below SITE_KINDS, of a kind of interface */
enum site_kind site_kind_of(enum site_kind kind);

/**
 * site_rows_merge() - make one row of all rows of the same location and kind, and sort
 * @rows: the list
 *
 * These are several calls on one line, or copies of an inlined function.
 */
void site_rows_merge(struct site_rows *rows);

/**
 * site_rows_find() - find a site in a list
 * @rows: the list, after site_rows_merge()
 * @like: a row of another list
 *
 * Return: the row of the same location and kind; NULL if there is none.
 */
const struct site_row *site_rows_find(const struct site_rows *rows,
				      const struct site_row *like);

/** site_row_order() - compare two rows by location and name of the kind, for qsort() */
int site_row_order(const void *a, const void *b);

/** site_row_free() - free the memory of a row */
void site_row_free(struct site_row *row);

/** site_rows_free() - free the list; it is then empty */
void site_rows_free(struct site_rows *rows);

/**
 * figures_add() - add figures to others
 * @to: figures to add to
 * @from: figures to add
 * @sign: 1 to add; -1 to subtract live memory and counts
 *
 * A sum wraps if it exceeds 64 bits, which a damaged file may cause; bounds do not. Peak and
 * age of a sum are the largest ones.
 */
void figures_add(struct figures *to, const struct figures *from, int sign);

/** figures_exact() - set the bounds to the figures */
void figures_exact(struct figures *f);

/** figures_waste() - get the bytes that were allocated, but not requested; may wrap, too */
static inline int64_t figures_waste(const struct figures *f)
{
	return (uint64_t)f->bytes - (uint64_t)f->requested;
}

/** saturated_add() - add two numbers; the largest or smallest number on overflow */
int64_t saturated_add(int64_t a, int64_t b);

#endif /* SITEROWS_H */
