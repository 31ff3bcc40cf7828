/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is live by code tag: the module's files tags and stats, or a file that
 * both were saved in.
 */
#ifndef TAGS_H
#define TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tag_kind { TAG_SLAB, TAG_PAGE, TAG_PERCPU, TAG_KINDS };

extern const char *const tag_kind_names[TAG_KINDS];

/**
 * struct tag - one row
 * @kind: of memory
 * @bytes: live, as allocated
 * @objects: live
 * @requested: bytes live, as requested
 * @allocs: since accounting was switched on
 * @frees: since then
 * @peak: most bytes live
 * @oldest_ms: age of the oldest live object; -1 if it is not known
 * @address: of the call, 0 if it has none
 * @id: of the row, as the module's file pages refers to it; 0 for one that was
 *	never hit, or is from a file of version 1
 * @location: "file:line [module] func:function"; without debug information
 *	"function+0xoffset [module] func:function"
 */
struct tag {
	enum tag_kind kind;
	int64_t bytes;
	int64_t objects;
	int64_t requested;
	uint64_t allocs;
	uint64_t frees;
	uint64_t peak;
	int64_t oldest_ms;
	uint64_t address;
	uint32_t id;
	char *location;
};

/**
 * struct tags - all rows, and the module's counters
 * @tag: the rows
 * @count: how many
 * @text: what they were read from
 * @stats: text of the file stats; "" if there is none
 */
struct tags {
	struct tag *tag;
	size_t count;
	char *text;
	char *stats;
};

/**
 * tags_parse() - understand the text of the file tags
 * @tags: set; to be freed with tags_free(), also after an error
 * @text: the text, as the module or tags_save() wrote it
 * @why: gets what is wrong, with the number of the line
 * @size: of @why
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int tags_parse(struct tags *tags, const char *text, char *why, size_t size);

/**
 * tags_read() - read them from a file, or from the module
 * @tags: set; to be freed with tags_free(), also after an error
 * @path: the file; NULL: the module
 *
 * Return: 0; -1 after a message.
 */
int tags_read(struct tags *tags, const char *path);

/**
 * tags_save() - write them to a file, see outfile.h
 * @tags: the tags
 * @path: the file
 *
 * Return: 0; not 0 after a message.
 */
int tags_save(const struct tags *tags, const char *path);

/**
 * tags_incomparable() - why a difference would make no sense
 * @now: tags
 * @old: other tags
 *
 * What was live when accounting was restarted is in neither.
 *
 * Return: the reason, as half a sentence; NULL: there is none, or it is not known.
 */
const char *tags_incomparable(const struct tags *now, const struct tags *old);

/**
 * tags_subtract() - leave by how much they changed since
 * @tags: now; what did not change is dropped
 * @old: then; gets the locations that rows have now
 *
 * Rows are the same if kind and id are, or kind and address, or kind and location:
 * codetags load may have given them another location.
 */
void tags_subtract(struct tags *tags, struct tags *old);

/**
 * tag_add() - add up what two rows count, but for peak and age
 * @to: the one that gets the sum
 * @from: the other one
 * @sign: 1, or -1 for the difference
 *
 * What a file says may be too much for 64 bits: then it wraps.
 */
void tag_add(struct tag *to, const struct tag *from, int sign);

/** tag_waste() - bytes allocated, but not requested; it may wrap as well */
static inline int64_t tag_waste(const struct tag *tag)
{
	return (uint64_t)tag->bytes - (uint64_t)tag->requested;
}

/** tags_free() - free them */
void tags_free(struct tags *tags);

#endif /* TAGS_H */
