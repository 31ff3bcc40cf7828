/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of a location: what a call site is called in the module's file tags and in
 * reports of recordings.
 */
#ifndef SITENAME_H
#define SITENAME_H

#include <stdbool.h>
#include <stdint.h>

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

#endif /* SITENAME_H */
