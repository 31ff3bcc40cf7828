/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Live memory by code tag, from the module's files tags and stats, or from a file to
 * which both were saved.
 */
#ifndef TAGS_H
#define TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/siterows.h"
#include "base/listing.h"

/* counters that tell whether tags can be compared: the last start of accounting, in ns
 * since boot; and lines that tags_read() adds to the counters of the module */
#define TAGS_SINCE    "accounting_since_ns"
#define TAGS_BOOT     "boot_id"
#define TAGS_KERNEL   "kernel"
#define TAGS_BUILD_ID "build_id"

/**
 * struct tags - all rows, and the module's counters
 * @rows: the rows
 * @text: text that was parsed
 * @stats: text of the file stats; "" if a saved file contains none
 * @clock_ns: time before the rows were counted, in ns of the module's clock; 0: not known
 * @no_ages: the rows are from the file tags_quick: all ages are missing
 */
struct tags {
	struct site_rows rows;
	char *text;
	char *stats;
	uint64_t clock_ns;
	bool no_ages;
};

/**
 * tags_parse() - parse the text of the file tags
 * @tags: set to the rows; the caller calls tags_free() later, also after a failure
 * @text: the text, in the format of the module or of tags_save()
 * @why: set to the error, with the number of the line, on failure
 * @size: bytes of @why
 *
 * Return: 0 or -EINVAL.
 */
int tags_parse(struct tags *tags, const char *text, char *why, size_t size);

/**
 * tags_read() - read the tags from a file or from the module
 * @tags: set to the rows; the caller calls tags_free() later, also after a failure
 * @path: path of the file; NULL: the module
 *
 * Return: 0; another value, with a message.
 */
int tags_read(struct tags *tags, const char *path);

/**
 * tags_read_quick() - tags_read() without ages, which are expensive
 * @tags: as for tags_read(). The ages in a file are set, but not those of the module
 * @path: as for tags_read()
 *
 * Return: 0; another value, with a message.
 */
int tags_read_quick(struct tags *tags, const char *path);

/* bytes of a file's beginning, with a 0, that tags_is_saved() needs */
#define TAGS_FIRST 64

/** tags_is_saved() - whether a text begins as tags_save() writes it */
bool tags_is_saved(const char *first);

/** tags_is_saved_file() - whether a file can be read and is from tags_save() */
bool tags_is_saved_file(const char *path);

/**
 * tags_read_module() - read the tags from the module, without printing a message
 * @tags: set to the rows; the caller calls tags_free() later, also after a failure
 * @quick: without ages, which are expensive
 * @why: set to the message on failure
 * @size: bytes of @why
 *
 * Return: 0; -errno, with @why set; see tags_read_file().
 */
int tags_read_module(struct tags *tags, bool quick, char *why, size_t size);

/* parses the text of a file; see tags_parse() */
typedef int (*tags_parser)(struct tags *tags, const char *text, char *why,
			   size_t size);

/**
 * tags_read_file() - read a file of the module, and its counters at the same time
 * @tags: as for tags_read_module()
 * @file: name of the file
 * @parse: parses the file
 * @why: set to the message on failure
 * @size: bytes of @why
 *
 * If accounting is restarted meanwhile, the files are read again.
 *
 * Return: 0; -errno, with @why set: -EINVAL if the file has another format, or the errno
 * of the call that failed.
 */
int tags_read_file(struct tags *tags, const char *file, tags_parser parse,
		   char *why, size_t size);

/**
 * tags_save() - write the tags to a file; see outfile.h
 * @tags: the tags
 * @path: path of the file
 *
 * Return: 0; another value, with a message.
 */
int tags_save(const struct tags *tags, const char *path);

/**
 * tags_incomparable() - check whether a difference of tags makes no sense
 * @now: tags
 * @old: other tags
 *
 * A restart of accounting forgets all live objects. Tags from before and after it can
 * therefore not be compared.
 *
 * Return: the reason, as part of a sentence; NULL if no reason is known.
 */
const char *tags_incomparable(const struct tags *now, const struct tags *old);

/**
 * tags_other_base() - tags_incomparable(), but for tags of different kernels
 * @now: the newer tags
 * @old: the older ones
 *
 * Different kernels are compared on purpose. If the kernels are not known, they count as
 * the same.
 *
 * Return: NULL, or the reason why the changes mean little.
 */
const char *tags_other_base(const struct tags *now, const struct tags *old);

/**
 * tags_location() - get a location as struct site_row has it, from a text of the module
 * @text: "file:line [module] func:function"; without debug information, the function is
 *	instead of the file: "function+0xoffset:0", which becomes "function+0xoffset".
 *
 * Return: the location, which the caller frees.
 */
char *tags_location(const char *text);

/* what the module appends to the location of code that is gone; a number follows */
#define TAGS_UNLOADED " (unloaded)"

/**
 * tags_join_loads() - give a site of an unloaded module the same location after each load
 * @tags: the rows; the number of the unloading is removed from their locations
 */
void tags_join_loads(struct tags *tags);

/** tags_same_kernel() - check whether tags are from the same kernel; false: not known */
bool tags_same_kernel(const struct tags *now, const struct tags *old);

/**
 * tags_subtract() - replace tags by their changes
 * @tags: the current tags; set to the changes, without rows that did not change
 * @old: the previous tags; rows of the same location and kind become one
 *
 * changes.h says which rows are the same site.
 */
void tags_subtract(struct tags *tags, struct tags *old);

/**
 * tags_word() - copy a value of the module's counters, for example TAGS_KERNEL
 * @tags: the tags
 * @name: name of the value
 * @to: set to the value, as printable ASCII; "" if there is none
 * @size: bytes of @to
 *
 * Return: false if there is none.
 */
bool tags_word(const struct tags *tags, const char *name, char *to, size_t size);

/**
 * tags_find_address() - find an address in a location, which has one if its function is not
 *	known
 * @text: the location
 * @end: set to the end of the address
 *
 * Return: the start of the address; NULL if there is none.
 */
char *tags_find_address(char *text, char **end);

/**
 * tags_name_address() - replace an address by a name, "site7"
 * @at: from tags_find_address(); the text becomes shorter
 * @end: the end of the address
 * @number: number of the name
 */
void tags_name_address(char *at, char *end, size_t number);

/**
 * tags_drop_addresses() - remove addresses of code, for an output that others get
 * @tags: the rows
 *
 * A row without a known function gets a location without its address. The id of the boot is
 * removed, too, because it identifies a machine.
 */
void tags_drop_addresses(struct tags *tags);

/** tags_free() - undo tags_parse() or tags_read() */
void tags_free(struct tags *tags);

/*
 * Tags as a table whose columns have the keys of report, for a page or a database that
 * holds either.
 */

/* column of the live bytes */
#define TAGROWS_LIVE 0

/* number of the first columns: those that a sum of tags of one kind has */
#define TAGROWS_SUMS 7

/**
 * tagrows_list() - get the table of tags
 * @tags: the tags, which must outlive the table
 *
 * Return: the table, for listing_sort().
 */
struct listing tagrows_list(const struct tags *tags);

/** tagrows_module() - set a cell to the module of a tag, or to "kernel" */
void tagrows_module(const struct site_row *t, struct table_cell *cell);

#endif /* TAGS_H */
