/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Modules of a recording: how far each extends, and when it was loaded and
 * unloaded. Two modules may have used the same addresses, one after the other.
 */
#ifndef MODULES_H
#define MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/symtab.h"

/* places, see modules_place() */
#define PLACE_BASE    0
#define PLACE_UNKNOWN UINT16_MAX

/**
 * struct module_range - where a module lies
 * @start: its first byte
 * @size: its bytes
 * @later: it was not in the first list
 * @name: its name
 */
struct module_range {
	uint64_t start;
	uint64_t size;
	bool later;
	char name[64];
};

/**
 * struct module_mark - a sequence number, if it is known
 * @known: whether it is
 * @seq: the number
 */
struct module_mark {
	bool known;
	uint32_t seq;
};

/**
 * struct module_visit - a module that was loaded or unloaded while recording
 * @name: its name
 * @from: no record of it has a smaller number; not known: it was there before
 * @live: no record of @init has this number or a larger one
 * @to: no record of it has this number or a larger one; not known: it stayed
 * @text: where its code lies
 * @init: code that was freed once the module was initialised
 * @symbols: its functions
 */
struct module_visit {
	char name[64];
	struct module_mark from;
	struct module_mark live;
	struct module_mark to;
	struct module_range text;
	struct module_range init;
	struct symtab symbols;
};

/**
 * struct modules - what is known of modules
 * @ranges: modules of the lists that were taken in
 * @nr_ranges: how many
 * @lists: how many lists
 * @visits: modules that came or went
 * @nr_visits: how many
 */
struct modules {
	struct module_range *ranges;
	size_t nr_ranges;
	unsigned int lists;
	struct module_visit *visits;
	size_t nr_visits;
};

/** modules_exit() - free what is in it */
void modules_exit(struct modules *m);

/** modules_add() - take in rows "name size address"; false: no memory */
bool modules_add(struct modules *m, const char *text);

/** modules_add_log() - take in a text as debugfs/kmemtrace/modules */
bool modules_add_log(struct modules *m, const char *text);

/**
 * modules_place() - which module had an address when a record was made
 * @m: the modules
 * @addr: the address
 * @seq: the number of the record
 *
 * Return: PLACE_BASE: whatever the symbols of the start of the recording say;
 * PLACE_UNKNOWN: none of the modules that had it was loaded at that time; else
 * a number for modules_visit().
 */
uint16_t modules_place(const struct modules *m, uint64_t addr, uint32_t seq);

/** modules_visit() - the module that modules_place() found */
const struct module_visit *modules_visit(const struct modules *m,
					 uint16_t place);

/**
 * modules_find() - the module of the lists that an address is in
 * @m: the modules
 * @addr: the address
 * @later: of those that were not in the first list; modules that the log has
 *	are left out
 *
 * Return: the module; NULL: there is none.
 */
const struct module_range *modules_find(const struct modules *m, uint64_t addr,
					bool later);

/**
 * modules_room() - how far a symbol of a module may be used
 * @m: the modules
 * @s: the symbol
 *
 * Return: the bytes from the symbol to the end of its module; UINT64_MAX if the end
 * is not known.
 */
uint64_t modules_room(const struct modules *m, const struct symbol *s);

#endif /* MODULES_H */
