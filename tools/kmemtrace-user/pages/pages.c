// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/kmemtrace_pages.h>

#include "account/trust.h"
#include "base/die.h"
#include "base/json.h"
#include "base/msg.h"
#include "pages/pages.h"

uint64_t pages_bytes(uint64_t pages)
{
	return pages * sysconf(_SC_PAGESIZE);
}

int pages_sort_column(const struct pages_options *o,
		      const struct table_column *columns, size_t nr_columns,
		      const char *otherwise)
{
	int column = listing_column(columns, nr_columns,
				    o->sort ? o->sort : otherwise);

	if (column < 0)
		listing_no_column("pages", columns, nr_columns, o->sort, NULL);
	return column;
}

int pages_print_json(struct json_t *rows, struct json_t *totals,
		     const struct survey *w)
{
	json_t *root = json_object();

	json_object_set_new(root, "rows", rows);
	if (totals)
		json_object_set_new(root, "totals", totals);
	if (w)
		json_object_set_new(root, "error", trust_json(&w->sites.tags));
	if (w && w->vmallocs.why)
		json_object_set_new(root, "note",
				    json_string(w->vmallocs.why));
	return json_print(root);
}

int pages_show(const struct pages_options *o, struct listing *l, size_t column,
	       void (*text)(void *arg), struct json_t *(*totals)(void *arg),
	       const struct survey *w)
{
	int ret = EXIT_DONE;

	listing_sort(l, column, o->top);
	if (o->format == TABLE_JSON)
		ret = pages_print_json(listing_json(l), totals(l->arg), w);
	else
		listing_print(l, o->format);
	if (o->format == TABLE_TEXT) {
		putchar('\n');
		text(l->arg);
		if (w->vmallocs.why)
			printf("stack, percpu, module and vmalloc are not distinguished: %s\n",
			       w->vmallocs.why);
		trust_print(&w->sites.tags, o->verbose);
	}
	listing_free(l);
	return ret;
}

void pages_list_shares(const struct pages_options *o, const struct sites *sites,
		      const struct shares *s, uint32_t **row, size_t *count)
{
	const char *text = o->filter.site;
	size_t i;

	*row = xcalloc(s->count + 1, sizeof(**row));
	*count = 0;
	for (i = 0; i < s->count; i++)
		if (s->share[i].items &&
		    (!text || strstr(sites->location[i], text)))
			(*row)[(*count)++] = i;
}
