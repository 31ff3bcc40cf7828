/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Modules of a recording: the address range of each module, and when it was loaded and
 * unloaded. Two modules may have used the same addresses at different times.
 */
#ifndef MODULES_H
#define MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/symtab.h"

/* special places, see modules_place() */
#define PLACE_BASE    0
#define PLACE_UNKNOWN UINT16_MAX

/**
 * struct module_range - address range of a module
 * @start: address of its first byte
 * @size: bytes of the range
 * @later: the module was not in the first list
 * @name: name of the module
 * @build_id: in hex; "-": not known; "": not in the list
 */
struct module_range {
	uint64_t start;
	uint64_t size;
	bool later;
	char name[64];
	char build_id[68];
};

/**
 * struct module_mark - a sequence number, if it is known
 * @known: the number is known
 * @seq: the number
 */
struct module_mark {
	bool known;
	uint64_t seq;
};

/**
 * struct module_visit - a module that was loaded or unloaded during the recording
 * @name: name of the module
 * @from: no record of the module has a smaller number; not known: the module was loaded
 *	before the recording
 * @live: no record of @init has this number or a larger one
 * @to: no record of the module has this number or a larger one; not known: the module was
 *	still loaded at the end
 * @text: address range of its code
 * @init: address range of its init code, which is freed after initialisation
 * @symbols: functions of the module
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
 * struct modules - modules of a recording
 * @ranges: modules of the lists
 * @nr_ranges: number of @ranges
 * @lists: number of lists
 * @visits: modules that were loaded or unloaded during the recording
 * @nr_visits: number of @visits
 */
struct modules {
	struct module_range *ranges;
	size_t nr_ranges;
	unsigned int lists;
	struct module_visit *visits;
	size_t nr_visits;
};

/** module_range_has() - whether a range contains an address */
static inline bool module_range_has(const struct module_range *r, uint64_t addr)
{
	return addr - r->start < r->size;
}

/** modules_exit() - free the contents */
void modules_exit(struct modules *m);

/** modules_add() - add a list: "name size address [build_id]" */
void modules_add(struct modules *m, const char *text);

/** modules_add_log() - add debugfs/kmemtrace/modules */
void modules_add_log(struct modules *m, const char *text);

/**
 * modules_place() - find the module that had an address at the time of a record
 * @m: the modules
 * @addr: the address
 * @seq: kmt_event_number() of the record
 *
 * Return: PLACE_BASE if the log has no module with this address, so that the symbols of
 * the start of the recording apply; PLACE_UNKNOWN if the log has such modules, but none
 * was loaded at that time; otherwise a number for modules_visit().
 */
uint16_t modules_place(const struct modules *m, uint64_t addr, uint64_t seq);

/** modules_visit() - get the module that modules_place() found */
const struct module_visit *modules_visit(const struct modules *m,
					 uint16_t place);

/**
 * modules_find() - find the module of the lists that contains an address
 * @m: the modules
 * @addr: the address
 * @later: search the modules that were not in the first list and are not in the log;
 *	otherwise search the first list
 *
 * The size in a list is the sum of all parts of a module, which may lie apart. So the
 * ranges of the list may overlap.
 *
 * Return: the module, of several the one that begins last; NULL if there is none.
 */
const struct module_range *modules_find(const struct modules *m, uint64_t addr,
					bool later);

/**
 * modules_build_id() - get the build id of a module
 * @m: the modules
 * @name: name of the module
 *
 * Return: the build id in hex; "" if it is not known; "-" if the lists have two builds of
 * the module; NULL if they do not have the module.
 */
const char *modules_build_id(const struct modules *m, const char *name);

/**
 * modules_room() - get the maximum size of a function of a module
 * @m: the modules
 * @s: the symbol
 *
 * Return: the bytes from the symbol to the end of its module; UINT64_MAX if the end
 * is not known.
 */
uint64_t modules_room(const struct modules *m, const struct symbol *s);

#endif /* MODULES_H */
