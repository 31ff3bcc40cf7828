// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "account/tags.h"
#include "base/die.h"
#include "base/msg.h"
#include "base/pseudonym.h"
#include "base/words.h"
#include "html/discreet.h"

/* Equal addresses get equal names. */
static void name_addresses(char *text, struct words *addresses)
{
	char *at, *end, last;
	uint32_t number;

	while ((at = tags_find_address(text, &end))) {
		last = *end;
		*end = '\0';
		number = words_get(addresses, at);
		*end = last;
		tags_name_address(at, end, number + 1);
	}
}

static void change_string(json_t *string, struct words *addresses)
{
	char *text = xstrdup(json_string_value(string)), *end;

	if (tags_find_address(text, &end)) {
		name_addresses(text, addresses);
		json_string_set(string, text);
	}
	free(text);
}

/* Changes all texts of a value. */
static void change_texts(json_t *value, struct words *addresses)
{
	const char *key;
	json_t *element;
	size_t i;

	if (json_is_string(value)) {
		change_string(value, addresses);
		return;
	}
	json_object_foreach(value, key, element)
		change_texts(element, addresses);
	json_array_foreach(value, i, element)
		change_texts(element, addresses);
}

static void drop_addresses(json_t *document)
{
	struct words addresses = { 0 };

	words_init(&addresses);
	change_texts(document, &addresses);
	words_exit(&addresses);
}

/* Return: the index of a column of a table; -1: there is none. */
static int find_column(const json_t *table, const char *name)
{
	json_t *column;
	size_t i;

	json_array_foreach(json_object_get(table, "columns"), i, column) {
		const char *key = json_string_value(json_array_get(column, 0));

		if (key && !strcmp(key, name))
			return i;
	}
	return -1;
}

static int hash_names(json_t *processes, const char *key)
{
	struct pseudonyms *hashes;
	int column = find_column(processes, "name");
	json_t *row;
	size_t i;

	if (pseudonyms_create(key, &hashes))
		return EXIT_FAILED;
	if (column >= 0)
		json_array_foreach(json_object_get(processes, "rows"), i, row) {
			json_t *name = json_array_get(row, column);

			if (json_is_string(name))
				json_string_set(name,
						pseudonym(hashes, json_string_value(name)));
		}
	pseudonyms_destroy(hashes);
	return EXIT_DONE;
}

int discreet_document(json_t *document, const struct anonymize *how)
{
	if (how->addresses)
		drop_addresses(document);
	return how->names ?
		       hash_names(json_object_get(document, "processes"), how->key) :
		       EXIT_DONE;
}
