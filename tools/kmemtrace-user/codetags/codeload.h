/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gives the module the calls of allocators, as rows of its file codetags.
 */
#ifndef CODELOAD_H
#define CODELOAD_H

#include "codetags/codelive.h"

/* how the text of codeload_text() begins: with an address */
#define CODELOAD_BEGINS "0x"

/**
 * codeload_text() - write rows as the file codetags has them
 * @sites: the calls; those without an address are left out
 *
 * Return: the text, which the caller frees.
 */
char *codeload_text(const struct codesites *sites);

/**
 * codeload() - find calls, and give them to the module
 * @source: what to search; @wrappers, @live and @put are not used
 * @add: add to the rows that the module has; else the first rows that are found replace them
 * @found: set to what was found, without its calls
 *
 * Prints a message on failure.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int codeload(const struct codelive_source *source, bool add, struct codelive_found *found);

/**
 * codeload_nothing() - print that no calls were found
 * @source: what was searched
 * @why: the reason; or NULL
 *
 * Return: EXIT_FAILED.
 */
int codeload_nothing(const struct codelive_source *source, const char *why);

/** codeload_tell() - print how many calls were found, and where */
void codeload_tell(const struct codelive_found *found);

/**
 * codeload_follow() - load, and do it for each module that is loaded later
 * @source: as for codeload()
 *
 * Waits for the module kmemtrace if it is not loaded, also after it was unloaded. Does not
 * return without an error.
 *
 * Return: EXIT_FAILED, with a message.
 */
int codeload_follow(const struct codelive_source *source);

#endif /* CODELOAD_H */
