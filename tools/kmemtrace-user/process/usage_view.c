// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/msg.h"
#include "process/usage_rows.h"
#include "process/usage_view.h"

/* clang-format off */
#define ALL_SUMS \
	USAGE_SIZE, USAGE_RSS, USAGE_USS, USAGE_PSS, USAGE_SHARED, USAGE_SWAP, \
	USAGE_ANON, USAGE_FILES, USAGE_SOFT_DIRTY, USAGE_EXCLUSIVE, USAGE_THP, \
	USAGE_HUGETLB, USAGE_LOCKED, USAGE_KSM
#define NARROW_SUMS \
	USAGE_SIZE, USAGE_RSS, USAGE_USS, USAGE_PSS, USAGE_SHARED, USAGE_SWAP
#define PLACE \
	USAGE_START, USAGE_END, USAGE_PERMS, USAGE_OFFSET, USAGE_DEVICE, \
	USAGE_INODE, USAGE_KIND

static const enum usage_column narrow_summary[] = {
	USAGE_PID, NARROW_SUMS, USAGE_NAME, USAGE_COLUMNS
};
static const enum usage_column full_summary[] = {
	USAGE_PID, ALL_SUMS, USAGE_NAME, USAGE_COLUMNS
};
static const enum usage_column narrow_mappings[] = {
	USAGE_START, USAGE_PERMS, NARROW_SUMS, USAGE_MAPPING, USAGE_COLUMNS
};
static const enum usage_column wide_mappings[] = {
	USAGE_START, USAGE_PERMS, USAGE_KIND, ALL_SUMS, USAGE_MAPPING,
	USAGE_COLUMNS
};
static const enum usage_column csv_mappings[] = {
	USAGE_PID, USAGE_NAME, PLACE, ALL_SUMS, USAGE_MAPPING, USAGE_COLUMNS
};
static const enum usage_column json_mapping[] = {
	PLACE, ALL_SUMS, USAGE_MAPPING, USAGE_COLUMNS
};
static const enum usage_column sums[] = { ALL_SUMS, USAGE_COLUMNS };
/* clang-format on */

static struct usage total_of(const struct usage_view *v)
{
	struct usage total = { 0 };
	size_t i;

	for (i = 0; i < v->processes; i++)
		usage_add(&total, &v->process[i].total);
	return total;
}

/* --- text -------------------------------------------------------------------------- */

static const char *human(char to[16], const struct usage_view *v,
			 const struct usage *u, enum usage_column c)
{
	if (!usage_rows_knows(v, c))
		return "-";
	return table_human(to, 16, usage_rows_sum(u, c), 1);
}

static void print_parts(const struct usage_view *v, const struct usage *u)
{
	char b[5][16];

	printf("\nof RSS: %s anonymous, %s of files, %s in THPs, %s locked, "
	       "%s of KSM\n",
	       human(b[0], v, u, USAGE_ANON), human(b[1], v, u, USAGE_FILES),
	       human(b[2], v, u, USAGE_THP), human(b[3], v, u, USAGE_LOCKED),
	       human(b[4], v, u, USAGE_KSM));
	printf("mapped just once: %s; soft-dirty: %s; besides RSS: %s of "
	       "hugetlb\n",
	       human(b[0], v, u, USAGE_EXCLUSIVE),
	       human(b[1], v, u, USAGE_SOFT_DIRTY),
	       human(b[2], v, u, USAGE_HUGETLB));
}

static void usage_view_print_table(struct usage_rows *rows, const struct usage *total)
{
	struct table_column c[USAGE_COLUMNS];
	size_t n = usage_rows_columns(rows, c), more = rows->of - rows->count;

	rows->row[rows->count] = (struct usage_row){ .usage = total };
	table_print_text(c, n, rows->count + 1, usage_rows_get, rows);
	table_print_left_out(more);
	if (!rows->view->wide)
		print_parts(rows->view, total);
}

static void text_summary(const struct usage_view *v)
{
	struct usage total = total_of(v);
	struct usage_rows rows;

	usage_rows_init(&rows, v, v->processes,
			v->wide ? full_summary : narrow_summary);
	usage_rows_add_processes(&rows);
	usage_view_print_table(&rows, &total);
	free(rows.row);
}

static void text_mappings(const struct usage_view *v, const struct footprint *f)
{
	struct usage_rows rows;
	usage_rows_init(&rows, v, f->rows,
			v->wide ? wide_mappings : narrow_mappings);
	usage_rows_add_mappings(&rows, f);
	printf("%d %s\n", f->process.pid, f->process.name);
	usage_view_print_table(&rows, &f->total);
	free(rows.row);
}

static void usage_view_print_text(const struct usage_view *v)
{
	size_t i;

	if (v->summary) {
		text_summary(v);
		return;
	}
	for (i = 0; i < v->processes; i++) {
		if (i)
			putchar('\n');
		text_mappings(v, &v->process[i]);
	}
}

/* --- CSV and JSON -------------------------------------------------------------------- */

static void print_csv(const struct usage_view *v)
{
	struct table_column c[USAGE_COLUMNS];
	struct usage_rows rows;
	size_t room = v->processes, i;

	for (i = 0; i < v->processes; i++)
		room += v->process[i].rows;
	usage_rows_init(&rows, v, room,
			v->summary ? full_summary : csv_mappings);
	if (v->summary)
		usage_rows_add_processes(&rows);
	for (i = 0; i < v->processes && !v->summary; i++)
		usage_rows_add_mappings(&rows, &v->process[i]);
	table_print_csv(c, usage_rows_columns(&rows, c), rows.count,
			usage_rows_get, &rows);
	free(rows.row);
}

static json_t *json_rows(struct usage_rows *rows)
{
	struct table_column c[USAGE_COLUMNS];
	json_t *table = table_json(c, usage_rows_columns(rows, c),
				   rows->count, usage_rows_get, rows);

	free(rows->row);
	return table;
}

/* Return: a single row, of a process or of the total, as an object. */
static json_t *json_row(const struct usage_view *v, const struct usage_row *row,
			const enum usage_column *column)
{
	json_t *table, *object;
	struct usage_rows rows;

	usage_rows_init(&rows, v, 1, column);
	rows.row[rows.count++] = *row;
	table = json_rows(&rows);
	object = json_incref(json_array_get(table, 0));
	json_decref(table);
	return object;
}

static json_t *json_process(const struct usage_view *v,
			    const struct footprint *f)
{
	const struct usage_row row = { .process = f, .usage = &f->total };
	json_t *process = json_row(v, &row, full_summary);
	struct usage_rows rows;

	usage_rows_init(&rows, v, f->rows, json_mapping);
	usage_rows_add_mappings(&rows, f);
	json_object_set_new(process, "mappings", json_rows(&rows));
	return process;
}

static json_t *json_processes(const struct usage_view *v)
{
	json_t *processes;
	struct usage_rows rows;
	size_t i;

	if (v->summary) {
		usage_rows_init(&rows, v, v->processes, full_summary);
		usage_rows_add_processes(&rows);
		return json_rows(&rows);
	}
	processes = json_array();
	for (i = 0; i < v->processes; i++)
		json_array_append_new(processes,
				      json_process(v, &v->process[i]));
	return processes;
}

static int usage_view_print_json(const struct usage_view *v)
{
	struct usage total = total_of(v);
	const struct usage_row row = { .usage = &total };
	json_t *root = json_object();

	json_object_set_new(root, "frames_seen", json_boolean(v->sees_frames));
	json_object_set_new(root, "processes", json_processes(v));
	json_object_set_new(root, "total", json_row(v, &row, sums));
	return json_print(root);
}

int usage_view_print(const struct usage_view *v, enum table_format format)
{
	if (format == TABLE_JSON)
		return usage_view_print_json(v);
	if (format == TABLE_CSV)
		print_csv(v);
	else
		usage_view_print_text(v);
	return EXIT_DONE;
}
