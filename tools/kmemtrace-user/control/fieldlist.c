// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/array.h"
#include "base/json.h"
#include "base/msg.h"
#include "base/table.h"
#include "control/fieldlist.h"

/* NULL: the text has no line of titles */
static const struct table_column columns[] = {
	{ NULL, "name", TABLE_STRING, 14, NULL },
	{ NULL, "type", TABLE_STRING, 15, NULL },
	{ NULL, "help", TABLE_STRING, 0, NULL },
};

struct fieldlist {
	const struct kmt_field **field;
	size_t count;
};

static void fieldlist_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct kmt_field *f = ((const struct fieldlist *)arg)->field[i];

	row_text(cell, f->name);
	row_text(cell, f->type);
	row_text(cell, f->help);
}

static void fieldlist_add(struct fieldlist *l, const struct kmt_field *f)
{
	const struct kmt_field **to = array_add(l->field, l->count);

	*to = f;
}

static int print(struct fieldlist *l, bool json)
{
	json_t *root;

	if (!json) {
		table_print_text(columns, TABLE_COLUMNS(columns), l->count, fieldlist_cell, l);
		return EXIT_DONE;
	}
	root = json_object();
	json_object_set_new(root, "fields",
			    table_json(columns, TABLE_COLUMNS(columns), l->count, fieldlist_cell, l));
	return json_print(root);
}

int fieldlist_print(const struct kmt_field *first, fieldlist_wanted wanted,
		    void *arg, bool json)
{
	struct fieldlist l = { 0 };
	const struct kmt_field *f;
	int ret;

	if (first)
		fieldlist_add(&l, first);
	for (f = kmt_fields; f->name; f++)
		if (wanted(f, arg))
			fieldlist_add(&l, f);
	ret = print(&l, json);
	free(l.field);
	return ret;
}
