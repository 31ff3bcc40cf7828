/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory held by each site at one moment, as known from accounting, a recording or a
 * report of it. Two of these lists can be compared (changes.h).
 */
#ifndef HOLDINGS_H
#define HOLDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/sitename.h"

/**
 * struct holding - what a site holds of one kind of memory
 * @kind: name of the kind; not freed
 * @location: the site
 * @name: parts of @location; without parts, only equal locations are the same site
 * @address: address of the call; 0: not known
 * @id: number of the tag; 0: not known
 * @bytes: live bytes, as allocated
 * @objects: live objects
 * @requested: live bytes, as requested
 * @allocs: allocations
 * @frees: frees
 * @oldest_ms: age of the oldest live object, in ms; -1 if it is not known
 * @low: the least live bytes, in view of lost events; @bytes if none was lost
 * @high: the most live bytes
 * @objects_low: the least live objects
 * @objects_high: the most live objects
 */
struct holding {
	const char *kind;
	char *location;
	struct sitename name;
	uint64_t address;
	uint32_t id;
	int64_t bytes;
	int64_t objects;
	int64_t requested;
	uint64_t allocs;
	uint64_t frees;
	int64_t oldest_ms;
	int64_t low;
	int64_t high;
	int64_t objects_low;
	int64_t objects_high;
};

/**
 * struct holdings - live memory by site
 * @row: the rows
 * @count: number of rows
 */
struct holdings {
	struct holding *row;
	size_t count;
};

/**
 * holdings_add() - add a row
 * @h: the list
 * @kind: name of the kind, which outlives the list
 * @location: the site; copied
 * @is_site: find the parts of the location
 *
 * Return: the row, with no figures, valid until the next call.
 */
struct holding *holdings_add(struct holdings *h, const char *kind,
			     const char *location, bool is_site);

/** holding_exact() - set the bounds of a row to its figures */
void holding_exact(struct holding *row);

/**
 * holding_rename() - give a row another location
 * @row: the row
 * @location: the location; copied
 */
void holding_rename(struct holding *row, const char *location);

/**
 * holding_merge() - add the figures of a row to another one
 * @to: row to add to
 * @from: row to add
 *
 * Figures wrap if they exceed 64 bits, which a damaged file may cause; bounds do not.
 */
void holding_merge(struct holding *to, const struct holding *from);

/** holding_free() - free the memory of a row */
void holding_free(struct holding *row);

/** holdings_free() - free the list; it is then empty */
void holdings_free(struct holdings *h);

/** saturated_add() - add two numbers; the largest or smallest number on overflow */
int64_t saturated_add(int64_t a, int64_t b);

#endif /* HOLDINGS_H */
