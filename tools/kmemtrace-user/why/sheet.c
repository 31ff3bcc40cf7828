// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/msg.h"
#include "why/sheet.h"

/* width of labels */
#define LABEL 16

/* bytes of a text; a longer one is cut */
#define TEXT_MAX 2048

void sheet_begin(struct sheet *s, bool json)
{
	*s = (struct sheet){ .json = json, .root = json_object(), .notes = json_array() };
	s->item = s->section = s->root;
}

void sheet_item(struct sheet *s, const char *key)
{
	json_t *list = json_object_get(s->root, key), *item = json_object();

	if (!list) {
		list = json_array();
		json_object_set_new(s->root, key, list);
	}
	json_array_append_new(list, item);
	s->item = s->section = item;
}

void sheet_section(struct sheet *s, const char *title, const char *key)
{
	s->section = s->item;
	if (key) {
		s->section = json_object();
		json_object_set_new(s->item, key, s->section);
	}
	if (!s->json)
		printf("%s%s\n", s->begun ? "\n" : "", title);
	s->begun = true;
}

static void print_fact(const char *label, const char *text)
{
	char indented[LABEL * 2];

	snprintf(indented, sizeof(indented), "  %s", label);
	table_print_fact(LABEL, indented, "%s", text);
}

void sheet_number(struct sheet *s, const char *label, const char *key,
		  enum table_kind kind, uint64_t number)
{
	const struct table_column column = { .kind = kind };
	const struct table_cell cell = { .number = number };
	char text[TABLE_CELL_TEXT];

	if (s->json)
		json_object_set_new(s->section, key, json_integer(number));
	else
		print_fact(label, table_cell_text(&column, &cell, text));
}

void sheet_text(struct sheet *s, const char *label, const char *key,
		const char *format, ...)
{
	char text[TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	table_clean(text);
	if (s->json)
		json_object_set_new(s->section, key, *text ? json_string(text) : json_null());
	else
		print_fact(label, text);
}

void sheet_word(struct sheet *s, const char *label, const char *key, const char *word,
		const char *text)
{
	if (s->json)
		json_object_set_new(s->section, key, json_string(word));
	else
		print_fact(label, text);
}

void sheet_unknown(struct sheet *s, const char *label, const char *key,
		   const char *format, ...)
{
	char text[TEXT_MAX] = "not known: ";
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, sizeof(text) - used, format, args);
	va_end(args);
	if (s->json)
		json_object_set_new(s->section, key, json_null());
	else
		print_fact(label, text);
}

void sheet_names(struct sheet *s, const char *label, const char *key,
		 const char *const *name, size_t count, size_t more)
{
	char text[TEXT_MAX] = "";
	json_t *list = json_array();
	size_t i, used = 0;

	for (i = 0; i < count; i++) {
		json_array_append_new(list, json_string(name[i]));
		if (used < sizeof(text))
			used += snprintf(text + used, sizeof(text) - used, "%s%s",
					 i ? ", " : "", name[i]);
	}
	if (more && used < sizeof(text))
		snprintf(text + used, sizeof(text) - used, " and %zu more", more);
	if (!s->json)
		print_fact(label, text);
	json_object_set_new(s->section, key, list);
}

json_t *sheet_table(struct sheet *s, const char *key, const struct listing *l, table_below below)
{
	json_t *rows;

	if (!s->json) {
		table_print_tree(l->columns, listing_text_columns(l), l->nr_rows, l->get, below,
				 l->arg);
		return NULL;
	}
	rows = table_json(l->columns, l->nr_columns, l->nr_rows, l->get, l->arg);
	json_object_set_new(s->section, key, rows);
	return rows;
}

void sheet_line(const struct sheet *s, const char *format, ...)
{
	va_list args;

	if (s->json)
		return;
	fputs("  ", stdout);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

void sheet_note(struct sheet *s, const char *format, ...)
{
	char text[TEXT_MAX];
	const json_t *note;
	va_list args;
	size_t i;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	table_clean(text);
	json_array_foreach(s->notes, i, note)
		if (!strcmp(json_string_value(note), text))
			return;
	json_array_append_new(s->notes, json_string(text));
}

int sheet_end(struct sheet *s)
{
	json_t *root = s->root;
	const json_t *note;
	size_t i;

	if (!s->json) {
		json_array_foreach(s->notes, i, note)
			printf("not known: %s\n", json_string_value(note));
		sheet_drop(s);
		return EXIT_DONE;
	}
	json_object_set_new(root, "notes", s->notes);
	s->root = s->notes = NULL;
	return json_print(root);
}

void sheet_drop(struct sheet *s)
{
	json_decref(s->root);
	json_decref(s->notes);
	s->root = s->notes = NULL;
}
