/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All of MemTotal by owner: the kernel itself, each module, processes and files, and what
 * belongs to none of them. Each byte is in one row.
 */
#ifndef OWNERS_H
#define OWNERS_H

#include <stddef.h>
#include <stdint.h>

#include "account/tags.h"
#include "memory/balance.h"
#include "memory/tally.h"

/* the rows that are no modules; their names are in owners.c */
enum owner_id {
	OWNER_FREE,
	OWNER_USER,    /* page cache, and memory of processes with its page tables */
	OWNER_KERNEL,
	OWNER_EARLIER, /* allocated before accounting, by the kernel or any module */
	OWNER_SLABS,   /* parts of slabs without a known object */
	OWNER_PERCPU,
	OWNER_CODE,    /* eBPF code, and parts of modules beyond their size */
	OWNER_UNKNOWN,
	OWNERS_FIXED,
};

/**
 * struct owner - a row
 * @name: name of the owner
 * @slab: bytes of its live slab objects
 * @pages: bytes of its other pages
 * @vmalloc: bytes of its pages of vmalloc(), also of kernel stacks
 * @code: bytes of the code and data of a module
 * @bytes: sum of these; all that is known of rows that are neither the kernel nor a module
 */
struct owner {
	char *name;
	uint64_t slab;
	uint64_t pages;
	uint64_t vmalloc;
	uint64_t code;
	uint64_t bytes;
};

/**
 * struct owners - all rows
 * @row: those of enum owner_id, then the modules, largest first
 * @count: number of rows; 0: not known
 */
struct owners {
	struct owner *row;
	size_t count;
};

/**
 * struct owners_input - data to calculate the rows from
 * @balance: the lines
 * @tally: the counted frames
 * @tags: the allocating sites
 * @modules: text of /proc/modules; NULL: not known
 * @page_size: bytes of a frame
 */
struct owners_input {
	const struct balance *balance;
	const struct tally *tally;
	const struct tags *tags;
	const char *modules;
	uint64_t page_size;
};

/**
 * owners_make() - divide MemTotal among the owners
 * @o: set; the caller calls owners_free() later, also after a failure
 * @in: the data
 */
void owners_make(struct owners *o, const struct owners_input *in);

/**
 * owners_print() - print a table
 * @o: the rows
 */
void owners_print(const struct owners *o);

/**
 * owners_print_changes() - print the bytes of each owner in two states
 * @old: the rows before; none: not known
 * @now: the rows after
 */
void owners_print_changes(const struct owners *old, const struct owners *now);

struct json_t;

/** owners_changes_json() - the same as an array; null if one of the states has no rows */
struct json_t *owners_changes_json(const struct owners *old, const struct owners *now);

/** owners_json() - make an array of the rows */
struct json_t *owners_json(const struct owners *o);

/**
 * owners_load() - undo owners_json()
 * @o: set; the caller calls owners_free() later, also after a failure
 * @json: the array; NULL or another value: no rows
 *
 * Return: NULL; what is wrong with @json.
 */
const char *owners_load(struct owners *o, const struct json_t *json);

/** owners_free() - free the rows */
void owners_free(struct owners *o);

#endif /* OWNERS_H */
