/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows of the tables sites, meta and notes of a database, from what the tool prints.
 */
#ifndef SITEROWS_H
#define SITEROWS_H

#include "base/listing.h"
#include "export/database.h"

struct json_t;

/**
 * siterows_write() - write the table sites
 * @d: the database
 * @l: the table, sorted; its columns have the names of columns of sites
 * @skip: names of further columns, as " NAME NAME "; they are not written
 * @id: gets the number in sites of a row of @l; 0: the row is not written
 * @arg: argument of @id
 */
void siterows_write(struct database *d, const struct listing *l,
		    const char *skip, uint64_t (*id)(void *arg, size_t row),
		    void *arg);

/**
 * siterows_meta() - write the members of a document to the table meta
 * @d: the database
 * @document: an object
 * @skip: names of members, as " NAME NAME "; they are not written
 *
 * Arrays and objects are written as JSON.
 */
void siterows_meta(struct database *d, const struct json_t *document,
		   const char *skip);

/** siterows_note() - write a row of notes for each line of a text, and free the text */
void siterows_notes(struct database *d, char *text);

#endif /* SITEROWS_H */
