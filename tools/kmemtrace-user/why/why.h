/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command why: everything known about a site, an address or a page frame. Each has
 * its own file why_*.c.
 */
#ifndef WHY_H
#define WHY_H

#include <stdbool.h>
#include <stddef.h>

#include "pages/survey.h"
#include "why/code.h"
#include "why/target.h"
#include "why/sheet.h"

/**
 * struct why_options - the options of the command line
 * @json: --json
 * @verbose: --verbose
 * @top: number of sites that are shown in full; 0: all
 * @seconds: --for; 0: do not observe callers
 * @input: --input, or NULL
 * @debuginfo: --debuginfo, or NULL
 */
struct why_options {
	bool json;
	bool verbose;
	size_t top;
	double seconds;
	const char *input;
	const char *debuginfo;
};

/**
 * struct why - an answer
 * @o: the options
 * @target: the item
 * @sheet: the output
 * @code: the code of this machine
 */
struct why {
	struct why_options o;
	struct target target;
	struct sheet sheet;
	struct code code;
};

/** why_site() - explain the sites that @y->target.text names; returns EXIT_* */
int why_site(struct why *y);

/**
 * why_sites_in() - explain the sites of a call or, if it is none, in a function
 * @y: the answer
 * @address: the address that the call returns to
 * @function: "function" or "function [module]"
 *
 * Return: EXIT_*
 */
int why_sites_in(struct why *y, uint64_t address, const char *function);

/** why_address() - explain the address @y->target.number; returns EXIT_* */
int why_address(struct why *y);

/** why_frame() - explain the page frame @y->target.number; returns EXIT_* */
int why_frame(struct why *y);

/**
 * why_print_frame() - print the sections of a page frame
 * @y: the answer
 * @w: from survey_open()
 * @pfn: number of the frame
 * @address: an address in it, physical, whose object is to be shown; 0: none
 *
 * Also prints the site of the object or, without an object, of the frame.
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int why_print_frame(struct why *y, struct survey *w, uint64_t pfn, uint64_t address);

/**
 * why_end() - print the accuracy of the figures, and end the output
 * @y: the answer
 * @tags: the tags, with the module's counters
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int why_end(struct why *y, const struct tags *tags);

#endif /* WHY_H */
