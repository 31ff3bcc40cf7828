/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sections of facts about an item. Text and JSON are made from the same calls: a section
 * is a title with lines below it, or an object.
 */
#ifndef SHEET_H
#define SHEET_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/listing.h"

/**
 * struct sheet - the output
 * @json: print a document instead of text
 * @root: the document
 * @item: object that gets the sections
 * @section: object that gets the facts
 * @notes: what is not known, and why; text prints these last
 * @begun: text has a section
 */
struct sheet {
	bool json;
	json_t *root;
	json_t *item;
	json_t *section;
	json_t *notes;
	bool begun;
};

/** sheet_begin() - start; the caller calls sheet_end() or sheet_drop() later */
void sheet_begin(struct sheet *s, bool json);

/** sheet_item() - start an item of the list @key; the next sections are about it */
void sheet_item(struct sheet *s, const char *key);

/** sheet_section() - start a section; @key: NULL: its facts are the item's own */
void sheet_section(struct sheet *s, const char *title, const char *key);

/** sheet_number() - print a number of a kind */
void sheet_number(struct sheet *s, const char *label, const char *key,
		  enum table_kind kind, uint64_t number);

/** sheet_text() - print a text; in JSON, "" is null */
void sheet_text(struct sheet *s, const char *label, const char *key,
		const char *format, ...) __attribute__((format(printf, 4, 5)));

/** sheet_word() - print one of several words; text explains it as @text */
void sheet_word(struct sheet *s, const char *label, const char *key, const char *word,
		const char *text);

/** sheet_unknown() - print that a fact is not known, and why; in JSON, it is null */
void sheet_unknown(struct sheet *s, const char *label, const char *key,
		   const char *format, ...) __attribute__((format(printf, 4, 5)));

/**
 * sheet_names() - print a list of names
 * @s: the output
 * @label: label of the line
 * @key: member of the section
 * @name: the names
 * @count: number of @name
 * @more: number of names that were left out
 */
void sheet_names(struct sheet *s, const char *label, const char *key,
		 const char *const *name, size_t count, size_t more);

/**
 * sheet_table() - print a table
 * @s: the output
 * @key: member of the section
 * @l: the table, of which all rows are printed in their order
 * @below: gets a line below a row, in text; NULL: none
 *
 * Return: in JSON the array of rows; NULL in text.
 */
json_t *sheet_table(struct sheet *s, const char *key, const struct listing *l, table_below below);

/** sheet_line() - print a line in text, and nothing in JSON */
void sheet_line(const struct sheet *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** sheet_note() - add what is not known, and why; once if it is added again */
void sheet_note(struct sheet *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * sheet_end() - print the notes or the document
 * @s: the output
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int sheet_end(struct sheet *s);

/** sheet_drop() - free the document without printing it; after sheet_end() nothing */
void sheet_drop(struct sheet *s);

#endif /* SHEET_H */
