/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The item that the command why explains: a site, an address, or a page frame.
 */
#ifndef TARGET_H
#define TARGET_H

#include <stdint.h>

enum target_kind { TARGET_SITE, TARGET_ADDRESS, TARGET_FRAME };

/* names, for example "site" */
extern const char *const target_kind_names[];

/**
 * struct target - the item
 * @kind: its kind
 * @number: the address, or the number of the frame
 * @text: the words of the user
 */
struct target {
	enum target_kind kind;
	uint64_t number;
	const char *text;
};

/**
 * target_parse() - find out what the user names
 * @t: set to the item
 * @text: "0x..." and sixteen hexadecimal digits are an address, "pfn:N" and "pfn:0x..." a
 *	frame. Other numbers are refused, because they may be either. Other texts are sites
 *
 * Return: NULL; or the reason why it names nothing, as the rest of a sentence that begins
 * with @text.
 */
const char *target_parse(struct target *t, const char *text);

#endif /* TARGET_H */
