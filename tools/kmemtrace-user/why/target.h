/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The item that the command why explains: a site, an address, or a page frame. A text names
 * sites by a part of their locations; tags with the same location are one site.
 */
#ifndef TARGET_H
#define TARGET_H

#include "account/tags.h"

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

/**
 * struct pattern - what the locations must have
 * @name: the parts; "" or NULL: any. @name.text has their memory
 */
struct pattern {
	struct sitename name;
};

/**
 * pattern_parse() - find the parts of a text
 * @p: set to the parts; the caller calls pattern_free() later, also after a failure
 * @text: "function", "function+0x12", "function+0x12/0x34", "file.c:12", each also with
 *	" [module]", or a location as the module's file tags has it
 */
void pattern_parse(struct pattern *p, const char *text);

/** pattern_is_empty() - whether the text names neither a function nor a file */
bool pattern_is_empty(const struct pattern *p);

/**
 * pattern_matches() - check a location
 * @p: the pattern
 * @location: a location, as in sitename_parse()
 *
 * A function matches with and without the compiler's suffix, but an offset belongs to one
 * symbol. A file matches if the location's path ends with it.
 *
 * Return: whether the location has all parts of the pattern.
 */
bool pattern_matches(const struct pattern *p, const char *location);

/** pattern_free() - undo pattern_parse() */
void pattern_free(struct pattern *p);

/**
 * struct match - a site
 * @location: its location
 * @tag: its tags
 * @count: number of tags
 * @bytes: live bytes of all tags
 */
struct match {
	const char *location;
	const struct site_row **tag;
	size_t count;
	int64_t bytes;
};

/**
 * struct matches - all sites
 * @match: the sites, those with the most live bytes first
 * @count: number of sites
 * @tags: memory of the lists of tags
 */
struct matches {
	struct match *match;
	size_t count;
	const struct site_row **tags;
};

/**
 * matches_find() - find sites
 * @m: set; must be freed with matches_free()
 * @tags: the tags; they must live as long as @m
 * @is: whether a tag is one that is searched
 * @arg: argument of @is
 */
void matches_find(struct matches *m, const struct tags *tags,
		 bool (*is)(void *arg, const struct site_row *tag), void *arg);

/** matches_free() - undo matches_find() */
void matches_free(struct matches *m);

#endif /* TARGET_H */
