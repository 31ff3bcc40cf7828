// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "account/tags.h"
#include "base/msg.h"
#include "base/pseudonym.h"
#include "base/words.h"
#include "html/discreet.h"

/* Equal addresses get equal names. Return: false if memory ran out. */
static bool name_addresses(char *text, struct words *addresses)
{
	char *at, *end, last;
	uint32_t number;

	while ((at = tags_find_address(text, &end))) {
		last = *end;
		*end = '\0';
		number = words_get(addresses, at);
		*end = last;
		if (number == WORDS_NONE)
			return false;
		tags_name_address(at, end, number + 1);
	}
	return true;
}

static bool change_string(json_t *string, struct words *addresses)
{
	char *text = strdup(json_string_value(string)), *end;
	bool ok = text;

	if (ok && tags_find_address(text, &end))
		ok = name_addresses(text, addresses) &&
		     !json_string_set(string, text);
	free(text);
	return ok;
}

/* Changes all texts of a value. Return: false if memory ran out. */
static bool change_texts(json_t *value, struct words *addresses)
{
	const char *key;
	json_t *element;
	size_t i;

	if (json_is_string(value))
		return change_string(value, addresses);
	json_object_foreach(value, key, element)
		if (!change_texts(element, addresses))
			return false;
	json_array_foreach(value, i, element)
		if (!change_texts(element, addresses))
			return false;
	return true;
}

static int drop_addresses(json_t *document)
{
	struct words addresses = { 0 };
	bool ok = words_init(&addresses) && change_texts(document, &addresses);

	words_exit(&addresses);
	return ok ? EXIT_DONE : msg_oom();
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
	bool ok = true;
	json_t *row;
	size_t i;

	if (pseudonyms_create(key, &hashes))
		return EXIT_FAILED;
	if (column >= 0)
		json_array_foreach(json_object_get(processes, "rows"), i, row) {
			json_t *name = json_array_get(row, column);
			const char *hash = ok && json_is_string(name) ?
						   pseudonym(hashes, json_string_value(name)) :
						   NULL;

			ok = ok && (!json_is_string(name) ||
				    (hash && !json_string_set(name, hash)));
		}
	pseudonyms_destroy(hashes);
	return ok ? EXIT_DONE : msg_oom();
}

int discreet_document(json_t *document, const struct anonymize *how)
{
	int ret = how->addresses ? drop_addresses(document) : EXIT_DONE;

	return !ret && how->names ?
		       hash_names(json_object_get(document, "processes"), how->key) :
		       ret;
}
