/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of a tag's location.
 */
#ifndef LOCATION_H
#define LOCATION_H

#include <stdbool.h>

/**
 * struct location - a call site
 * @module: module; "" for the kernel
 * @function: function
 * @file: file name, if @has_line
 * @suffix: rest after the function: "(unloaded) #N", or ""
 * @line: line number, if @has_line
 * @offset: offset in the function, if @has_offset
 * @has_line: the location has file and line, from debug information
 * @has_offset: the location has the offset instead
 */
struct location {
	char module[64];
	char function[256];
	char file[256];
	char suffix[64];
	unsigned int line;
	unsigned int offset;
	bool has_line;
	bool has_offset;
};

/**
 * location_parse() - split a location into its parts
 * @l: set to the parts
 * @text: "file:line [module] func:function" or
 *	"function+0xoffset [module] func:function"; see tag.location
 */
void location_parse(struct location *l, const char *text);

#endif /* LOCATION_H */
