// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/tags.h"
#include "account/trust.h"
#include "base/cmdline.h"
#include "base/die.h"
#include "base/figures.h"
#include "base/json.h"
#include "base/listing.h"
#include "base/msg.h"
#include "base/options.h"
#include "base/plural.h"
#include "base/textfile.h"
#include "command.h"
#include "trace/anonymize.h"

/* text has all but the last one */
#define COLUMNS	     10
#define TEXT_COLUMNS (COLUMNS - 1)
/* --sort location */
#define SORT_LOCATION COLUMNS

/* first for values, then for changes (--diff), whose text has a sign */
static const struct table_column columns[2][COLUMNS] = {
	{
		FIGURE_LIVE, FIGURE_OBJECTS, FIGURE_WASTE, FIGURE_ALLOCS, FIGURE_FREES,
		FIGURE_PEAK, FIGURE_OLDEST, FIGURE_KIND, FIGURE_SITE, FIGURE_REQUESTED,
	}, {
		FIGURE_LIVE_CHANGE, FIGURE_OBJECTS_CHANGE, FIGURE_WASTE_CHANGE,
		FIGURE_ALLOCS_CHANGE, FIGURE_FREES_CHANGE, FIGURE_PEAK, FIGURE_OLDEST,
		FIGURE_KIND, FIGURE_SITE, FIGURE_REQUESTED_CHANGE,
	},
};

/**
 * struct allocinfo - the rows to show
 * @sort: column to sort by, or SORT_LOCATION
 * @kind: kind of --kind; -1: all kinds
 * @top: number of rows of --top; 0: all
 * @json: --json was given
 * @verbose: --verbose was given
 * @diff: --diff was given: @tags are changes
 * @force: --force was given
 * @has_top: --top was given
 * @anonymize: --no-addresses
 * @tags: all tags
 * @old: tags of the file of --diff
 * @shown: tags that have a row
 */
struct allocinfo {
	size_t sort;
	int kind;
	size_t top;
	bool json;
	bool verbose;
	bool diff;
	bool force;
	bool has_top;
	struct anonymize anonymize;
	struct tags tags;
	struct tags old;
	const struct site_row **shown;
};

/* --- the table ------------------------------------------------------------------ */

static void allocinfo_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct allocinfo *a = arg;
	const struct site_row *t = a->shown[i];

	row_number(cell, t->f.bytes);
	row_number(cell, t->f.objects);
	row_number(cell, figures_waste(&t->f));
	row_number(cell, t->f.allocs);
	row_number(cell, t->f.frees);
	row_known(cell, !a->diff, t->f.peak);
	row_known(cell, t->f.oldest_ms >= 0, t->f.oldest_ms);
	row_text(cell, site_kind_names[t->kind]);
	row_text(cell, t->location);
	row_number(cell, t->f.requested);
}

static bool is_kind(const struct allocinfo *a, const struct site_row *t)
{
	return a->kind < 0 || (int)t->kind == a->kind;
}

/* A site that never allocated has a row only if all rows are shown. */
static bool is_shown(const struct allocinfo *a, const struct site_row *t)
{
	bool all = a->json ? !a->has_top || !a->top : !a->top;

	if (!is_kind(a, t))
		return false;
	return all || t->f.bytes || t->f.objects || t->f.allocs || t->f.frees;
}

static int by_location(const void *a, const void *b)
{
	const struct site_row *const *x = a, *const *y = b;

	return strcmp((*x)->location, (*y)->location);
}

static void allocinfo_make_rows(struct allocinfo *a, struct listing *l)
{
	size_t top = a->json && !a->has_top ? 0 : a->top, i;

	*l = LISTING(columns[a->diff], 0, allocinfo_cell, a);
	l->nr_text = TEXT_COLUMNS;
	a->shown = xcalloc(a->tags.rows.count + 1, sizeof(*a->shown));
	for (i = 0; i < a->tags.rows.count; i++)
		if (is_shown(a, &a->tags.rows.row[i]))
			a->shown[l->nr_rows++] = &a->tags.rows.row[i];
	qsort(a->shown, l->nr_rows, sizeof(*a->shown), by_location);
	if (a->sort == SORT_LOCATION)
		listing_keep(l, top);
	else
		listing_sort(l, a->sort, top);
}

/* --- text ----------------------------------------------------------------------- */

static void allocinfo_print_totals(const struct allocinfo *a)
{
	char b[3][20];
	int kind;

	putchar('\n');
	for (kind = 0; kind < SITE_KINDS; kind++) {
		struct figures sum = site_rows_sum(&a->tags.rows, kind);

		if (a->kind >= 0 && a->kind != kind)
			continue;
		printf("%s %-6s %8s in %s objects, %s of it waste\n",
		       a->diff ? "change" : "live", site_kind_names[kind],
		       table_signed(b[0], 20, sum.bytes, true, a->diff),
		       table_signed(b[1], 20, sum.objects, false, a->diff),
		       table_signed(b[2], 20, figures_waste(&sum), true, false));
	}
	if (a->kind < 0)
		puts(SITE_KINDS_NOTE);
}

/* --- JSON ------------------------------------------------------------------------- */

static void json_set_site(json_t *row, const struct sitename *p)
{
	json_object_update_new(row, json_pack(
		"{s:s?,s:s,s:s?,s:o,s:o}", "module", *p->module ? p->module : NULL, "function",
		p->function, "file", p->file, "line", p->file ? json_integer(p->line) : json_null(),
		"offset", p->has_offset ? json_integer(p->offset) : json_null()));
}

static json_t *json_tags(const struct allocinfo *a, const struct listing *l)
{
	json_t *tags = listing_json(l), *row;
	size_t i;

	json_array_foreach(tags, i, row) {
		const struct site_row *t = a->shown[l->row[i]];

		json_object_set_new(row, "address",
				    table_json_address(t->address));
		json_set_site(row, &t->name);
	}
	return tags;
}

/* The command diff needs these members to decide whether it may compare the document. */
static void json_set_origin(json_t *root, const struct tags *tags)
{
	static const char *const names[] = { TAGS_KERNEL, TAGS_BUILD_ID, TAGS_BOOT };
	char value[256];
	uint64_t since;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (tags_word(tags, names[i], value, sizeof(value)))
			json_object_set_new(root, names[i], json_string(value));
	if (textfile_number(tags->stats, TAGS_SINCE, &since))
		json_object_set_new(root, TAGS_SINCE, json_integer(since));
}

static int allocinfo_print_json(const struct allocinfo *a, const struct listing *l)
{
	json_t *totals = json_object(), *root;
	int kind;

	for (kind = 0; kind < SITE_KINDS; kind++) {
		struct figures sum = site_rows_sum(&a->tags.rows, kind);

		json_object_set_new(
			totals, site_kind_names[kind],
			json_pack("{s:I,s:I,s:I}", a->diff ? "live_change" : "live",
				  (json_int_t)sum.bytes,
				  a->diff ? "objects_change" : "objects",
				  (json_int_t)sum.objects,
				  a->diff ? "requested_change" : "requested",
				  (json_int_t)sum.requested));
	}
	root = json_pack("{s:b,s:b,s:o,s:o,s:o,s:o}", "accounting",
			 !!trust_counter(&a->tags, "accounting"), "change", a->diff, "tags",
			 json_tags(a, l), "totals", totals, "error", trust_json(&a->tags),
			 "holes", trust_json_holes(&a->tags));
	if (a->diff)
		json_object_set_new(root, "old_error", trust_json(&a->old));
	else
		json_set_origin(root, &a->tags);
	return json_print(root);
}

/* --- the command -------------------------------------------------------------------- */

static int check_old(const struct allocinfo *a, const struct tags *old,
		     const char *path)
{
	const char *why = tags_incomparable(&a->tags, old);

	if (!why)
		return 0;
	if (a->force) {
		msg_note("%s: %s; the changes are not reliable", path, why);
		return 0;
	}
	return msg_error("%s cannot be compared: %s; save a new file, or use --force",
			 path, why);
}

static int allocinfo_print(struct allocinfo *a)
{
	int ret = EXIT_DONE;
	struct listing l;

	allocinfo_make_rows(a, &l);
	if (a->json) {
		ret = allocinfo_print_json(a, &l);
	} else {
		listing_print(&l, TABLE_TEXT);
		allocinfo_print_totals(a);
		if (a->diff)
			trust_print_changes(&a->old, &a->tags, a->verbose);
		else
			trust_print(&a->tags, a->verbose);
	}
	listing_free(&l);
	free(a->shown);
	return ret;
}

static int save_tags(const struct allocinfo *a, const char *path)
{
	if (tags_save(&a->tags, path))
		return EXIT_FAILED;
	msg_note("%zu tag%s saved in %s", a->tags.rows.count, plural(a->tags.rows.count),
		 path);
	return EXIT_DONE;
}

static int subtract(struct allocinfo *a, const char *path)
{
	if (tags_read(&a->old, path) || check_old(a, &a->old, path))
		return EXIT_FAILED;
	tags_subtract(&a->tags, &a->old);
	a->diff = true;
	return EXIT_DONE;
}

static bool sorts_by_age(const struct allocinfo *a)
{
	return (int)a->sort == listing_column(columns[0], COLUMNS, "oldest_ms");
}

/* The module visits all memory for the ages, so a few rows come without them. */
static int read_tags(struct allocinfo *a, const char *input, bool saves)
{
	bool quick = a->has_top && a->top && !sorts_by_age(a) && !saves;

	if (quick ? tags_read_quick(&a->tags, input) : tags_read(&a->tags, input))
		return EXIT_FAILED;
	if (a->anonymize.addresses)
		tags_drop_addresses(&a->tags);
	return EXIT_DONE;
}

static int allocinfo_show(struct allocinfo *a, const char *input, const char *old_path,
			  const char *save)
{
	int ret = EXIT_FAILED;

	if (!read_tags(a, input, save)) {
		if (save)
			ret = save_tags(a, save);
		else if (!old_path || !subtract(a, old_path))
			ret = allocinfo_print(a);
	}
	tags_free(&a->old);
	tags_free(&a->tags);
	return ret;
}

/**
 * struct wanted - the command line
 * @a: the rows to show
 * @input: file of --input, or NULL
 * @old: file of --diff, or NULL
 * @save: file of --save, or NULL
 */
struct wanted {
	struct allocinfo a;
	const char *input;
	const char *old;
	const char *save;
};

/* Return: a column, or -1. */
static int find_sort(const char *name)
{
	return strcmp(name, "site") ? listing_column(columns[0], COLUMNS, name) :
					  SORT_LOCATION;
}

static int take_sort(const struct option_use *use)
{
	struct wanted *w = use->to;
	int n = find_sort(use->text);

	if (n < 0)
		return listing_no_column(use->command, columns[0], COLUMNS, use->text,
					 "site");
	w->a.sort = n;
	return EXIT_DONE;
}

static int take_kind(const struct option_use *use)
{
	struct wanted *w = use->to;

	w->a.kind = site_kind_option(use->text);
	if (w->a.kind >= 0)
		return EXIT_DONE;
	return msg_usage(use->command, "--kind is slab, pages or percpu, not '%s'",
			 use->text);
}

static const struct option_row rows[] = {
	{ 's', "sort", "KEY",
	  "largest first: live (default), objects, requested, waste, allocs, frees, peak, oldest; or by site",
	  .take = take_sort },
	{ 'n', "top", "N",
	  "show N rows, without AGE unless sorted by it; 0 is all; default 25, with --json all",
	  OPTION_COUNT(struct wanted, a.top) },
	{ 'k', "kind", "KIND", "show only rows of this kind: slab, pages or percpu",
	  .take = take_kind },
	{ 0, "diff", "OLDFILE", "show the changes since OLDFILE was saved",
	  OPTION_TEXT(struct wanted, old), .offers = "files" },
	{ 0, "force", NULL, "compare even if accounting was restarted since then",
	  OPTION_TRUE(struct wanted, a.force) },
	{ 0, "save", "FILE", "save the current state, for --diff and --input",
	  OPTION_TEXT(struct wanted, save), .offers = "files" },
	ANONYMIZE_ADDRESSES(struct wanted, a.anonymize),
	{ 'i', "input", "FILE", "show a saved state instead of the current one",
	  OPTION_TEXT(struct wanted, input), .offers = "files" },
	{ 0, "json", NULL, "everything, as JSON", OPTION_TRUE(struct wanted, a.json) },
	{ 'v', "verbose", NULL, "also print each kind of error",
	  OPTION_TRUE(struct wanted, a.verbose) },
	{ 0 },
};

const struct options cmd_allocinfo_options = {
	.command = "allocinfo",
	.synopsis = (const char *const[]){ "[OPTION]...", NULL },
	.about = "Shows which code holds kernel memory now, by code tag, and the known error of these figures.",
	.rows = rows,
};

int cmd_allocinfo(int argc, char **argv)
{
	struct wanted w = { .a.kind = -1, .a.top = 25 };
	struct cmdline line = cmdline_parse(&cmd_allocinfo_options, argc, argv, &w);

	if (line.is_over)
		return line.ret;
	w.a.has_top = cmdline_has(&line, &cmd_allocinfo_options, "top");
	if (w.save && (w.old || w.a.json))
		return msg_usage("allocinfo", "--save writes the complete state as text: it cannot be combined with --diff or --json");
	return allocinfo_show(&w.a, w.input, w.old, w.save);
}
