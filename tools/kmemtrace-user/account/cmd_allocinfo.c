// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/tags.h"
#include "account/trust.h"
#include "base/cmdline.h"
#include "base/json.h"
#include "base/msg.h"
#include "base/table.h"
#include "command.h"

static const char *const sort_names[] = {
	"bytes", "objects", "requested", "waste", "allocs",
	"frees", "peak",    "oldest",	 "location",
};

enum sort {
	SORT_BYTES,
	SORT_OBJECTS,
	SORT_REQUESTED,
	SORT_WASTE,
	SORT_ALLOCS,
	SORT_FREES,
	SORT_PEAK,
	SORT_OLDEST,
	SORT_LOCATION,
	SORTS,
};

struct allocinfo {
	enum sort sort;
	int kind; /* -1: all */
	size_t top;
	bool json;
	bool diff;
	bool force;
	bool has_top;
	struct tags tags;
};

/* --- order -------------------------------------------------------------------- */

static int64_t sort_value(const struct tag *t, enum sort sort)
{
	switch (sort) {
	case SORT_BYTES:
		return t->bytes;
	case SORT_OBJECTS:
		return t->objects;
	case SORT_REQUESTED:
		return t->requested;
	case SORT_WASTE:
		return tag_waste(t);
	case SORT_ALLOCS:
		return t->allocs;
	case SORT_FREES:
		return t->frees;
	case SORT_PEAK:
		return t->peak;
	case SORT_OLDEST:
		return t->oldest_ms;
	default:
		return 0;
	}
}

static enum sort sort_by;
static bool by_size; /* of a change, whichever way it goes */

static uint64_t magnitude(int64_t n)
{
	return n < 0 ? -(uint64_t)n : (uint64_t)n;
}

static int by_sort(const void *a, const void *b)
{
	const struct tag *x = a, *y = b;
	int64_t m = sort_value(x, sort_by), n = sort_value(y, sort_by);

	if (by_size && magnitude(m) != magnitude(n))
		return magnitude(m) < magnitude(n) ? 1 : -1;
	if (m != n)
		return m < n ? 1 : -1;
	return strcmp(x->location, y->location);
}

/* --- text ----------------------------------------------------------------------- */

/* Of a change, the sign as well. */
static const char *human(char *to, int64_t n, bool bytes, bool sign)
{
	char digits[16];

	table_human(digits, sizeof(digits), n < 0 ? -(uint64_t)n : (uint64_t)n,
		    bytes);
	snprintf(to, 20, "%s%s", n < 0 ? "-" : sign && n ? "+" : "", digits);
	return to;
}

static const char *age(char *to, int64_t ms)
{
	return ms < 0 ? "-" : table_age(to, 20, ms);
}

static void print_row(const struct allocinfo *a, const struct tag *t)
{
	char b[7][20];

	printf("%7s %7s %7s %7s %7s %7s %5s %-6s %s\n",
	       human(b[0], t->bytes, true, a->diff),
	       human(b[1], t->objects, false, a->diff),
	       human(b[2], tag_waste(t), true, a->diff),
	       human(b[3], t->allocs, false, a->diff),
	       human(b[4], t->frees, false, a->diff),
	       a->diff ? "-" : human(b[5], t->peak, true, false),
	       age(b[6], t->oldest_ms), tag_kind_names[t->kind], t->location);
}

static bool is_kind(const struct allocinfo *a, const struct tag *t)
{
	return a->kind < 0 || (int)t->kind == a->kind;
}

static bool is_shown(const struct allocinfo *a, const struct tag *t)
{
	if (!is_kind(a, t))
		return false;
	/* a site that was never hit is of interest to those who want all */
	return !a->top || t->bytes || t->objects || t->allocs || t->frees;
}

static void print_rows(const struct allocinfo *a)
{
	size_t i, shown = 0, more = 0;

	printf("%7s %7s %7s %7s %7s %7s %5s %-6s %s\n",
	       a->diff ? "CHANGE" : "LIVE", "OBJECTS", "WASTE", "ALLOCS",
	       "FREES", "PEAK", "AGE", "KIND", "LOCATION");
	for (i = 0; i < a->tags.count; i++) {
		if (!is_shown(a, &a->tags.tag[i]))
			continue;
		if (a->top && shown == a->top) {
			more++;
			continue;
		}
		print_row(a, &a->tags.tag[i]);
		shown++;
	}
	if (more)
		printf("(%zu more rows: --top 0)\n", more);
}

static struct tag sum_of(const struct allocinfo *a, enum tag_kind kind)
{
	struct tag sum = { .kind = kind };
	size_t i;

	for (i = 0; i < a->tags.count; i++)
		if (a->tags.tag[i].kind == kind)
			tag_add(&sum, &a->tags.tag[i], 1);
	return sum;
}

static void print_totals(const struct allocinfo *a)
{
	char b[3][20];
	int kind;

	putchar('\n');
	for (kind = 0; kind < TAG_KINDS; kind++) {
		struct tag sum = sum_of(a, kind);

		if (a->kind >= 0 && a->kind != kind)
			continue;
		printf("%s %-6s %8s in %s objects, %s of it waste\n",
		       a->diff ? "change" : "live", tag_kind_names[kind],
		       human(b[0], sum.bytes, true, a->diff),
		       human(b[1], sum.objects, false, a->diff),
		       human(b[2], tag_waste(&sum), true, false));
	}
	puts("Pages include those that slabs are made of: do not add the lines up.");
}

/* --- JSON ------------------------------------------------------------------------- */

/* "file:line" or "function+0xoffset" */
static void json_set_place(json_t *row, const char *location)
{
	char file[256] = "", function[256] = "";
	unsigned int line, offset;
	bool has_line, has_offset;

	has_line = sscanf(location, "%255[^: ]:%u", file, &line) == 2;
	has_offset = !has_line && sscanf(location, "%255[^+ ]+0x%x", function,
					 &offset) == 2;
	json_object_set_new(row, "file",
			    has_line ? json_string(file) : json_null());
	json_object_set_new(row, "line",
			    has_line ? json_integer(line) : json_null());
	json_object_set_new(row, "offset",
			    has_offset ? json_integer(offset) : json_null());
}

static json_t *json_tag(const struct tag *t)
{
	char module[64] = "", function[256] = "";
	const char *func = strstr(t->location, " func:");
	const char *open = strstr(t->location, " [");
	json_t *row;

	if (open && open < func)
		sscanf(open, " [%63[^]]", module);
	if (func)
		sscanf(func, " func:%255s", function);
	row = json_pack(
		"{s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:o,s:o,s:o,s:s}",
		"kind", tag_kind_names[t->kind], "bytes", (json_int_t)t->bytes,
		"objects", (json_int_t)t->objects, "requested",
		(json_int_t)t->requested, "waste",
		(json_int_t)tag_waste(t), "allocs",
		(json_int_t)t->allocs, "frees", (json_int_t)t->frees, "peak",
		(json_int_t)t->peak, "oldest_ms",
		t->oldest_ms < 0 ? json_null() : json_integer(t->oldest_ms),
		"address", table_json_address(t->address), "module",
		*module ? json_string(module) : json_null(), "function",
		function);
	if (row)
		json_set_place(row, t->location);
	return row;
}

static int print_json(const struct allocinfo *a)
{
	json_t *root = json_object(), *tags = json_array();
	json_t *totals = json_object();
	size_t i;
	int kind;

	for (i = 0; i < a->tags.count; i++) {
		if (a->has_top && a->top && json_array_size(tags) == a->top)
			break;
		if (a->has_top ? is_shown(a, &a->tags.tag[i]) :
				 is_kind(a, &a->tags.tag[i]))
			json_array_append_new(tags, json_tag(&a->tags.tag[i]));
	}
	for (kind = 0; kind < TAG_KINDS; kind++) {
		struct tag sum = sum_of(a, kind);

		json_object_set_new(
			totals, tag_kind_names[kind],
			json_pack("{s:I,s:I,s:I}", "bytes",
				  (json_int_t)sum.bytes, "objects",
				  (json_int_t)sum.objects, "requested",
				  (json_int_t)sum.requested));
	}
	json_object_set_new(root, "version", json_integer(1));
	json_object_set_new(root, "accounting",
			    json_boolean(trust_counter(&a->tags, "accounting")));
	json_object_set_new(root, "change", json_boolean(a->diff));
	json_object_set_new(root, "tags", tags);
	json_object_set_new(root, "totals", totals);
	json_object_set_new(root, "error", trust_json(&a->tags));
	json_object_set_new(root, "holes", trust_json_holes(&a->tags));
	return json_print(root, JSON_INDENT(1));
}

/* --- the command -------------------------------------------------------------------- */

static int find_name(const char *const *names, int count, const char *name)
{
	int i;

	for (i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

static int check_old(const struct allocinfo *a, const struct tags *old,
		     const char *path)
{
	const char *why = tags_incomparable(&a->tags, old);

	if (!why)
		return 0;
	if (a->force) {
		msg_note("%s: %s; the changes mean little", path, why);
		return 0;
	}
	return msg_error("%s cannot be compared: %s; save a new file, or use --force",
			 path, why);
}

static int show(struct allocinfo *a, const char *input, const char *old_path,
		const char *save)
{
	struct tags old = { 0 };
	int ret = EXIT_FAILED;

	if (tags_read(&a->tags, input))
		goto out;
	if (save) {
		if (!tags_save(&a->tags, save)) {
			msg_note("%zu tags saved in %s", a->tags.count, save);
			ret = EXIT_DONE;
		}
		goto out;
	}
	if (old_path) {
		if (tags_read(&old, old_path) ||
		    check_old(a, &old, old_path))
			goto out;
		tags_subtract(&a->tags, &old);
		a->diff = true;
	}
	sort_by = a->sort;
	by_size = a->diff;
	qsort(a->tags.tag, a->tags.count, sizeof(*a->tags.tag), by_sort);
	ret = EXIT_DONE;
	if (a->json) {
		ret = print_json(a);
	} else {
		print_rows(a);
		print_totals(a);
		trust_print(&a->tags);
	}
out:
	tags_free(&old);
	tags_free(&a->tags);
	return ret;
}

/**
 * struct wanted - the command line
 * @a: what to show
 * @input: of --input
 * @old: of --diff
 * @save: of --save
 */
struct wanted {
	struct allocinfo a;
	const char *input;
	const char *old;
	const char *save;
};

static int take_sort(const struct option_use *use)
{
	struct wanted *w = use->to;
	int n = find_name(sort_names, SORTS, use->text);

	if (n < 0)
		return msg_usage(use->command, "there is no column '%s'", use->text);
	w->a.sort = n;
	return EXIT_DONE;
}

static int take_kind(const struct option_use *use)
{
	struct wanted *w = use->to;

	w->a.kind = find_name(tag_kind_names, TAG_KINDS, use->text);
	if (w->a.kind >= 0)
		return EXIT_DONE;
	return msg_usage(use->command, "--kind is slab, page or percpu, not '%s'",
			 use->text);
}

static const struct option_row rows[] = {
	{ 's', "sort", "KEY",
	  "largest first: bytes (default), objects, requested, waste, allocs, frees, peak, oldest; or by location",
	  .take = take_sort },
	{ 'n', "top", "N",
	  "show N rows; 0 is all; default 25, with --json all",
	  OPTION_COUNT(struct wanted, a.top) },
	{ 'k', "kind", "KIND", "show only rows of this kind: slab, page or percpu",
	  .take = take_kind },
	{ 0, "diff", "OLDFILE", "show the changes since OLDFILE was saved",
	  OPTION_TEXT(struct wanted, old), .offers = "files" },
	{ 0, "force", NULL, "compare even if accounting was restarted since then",
	  OPTION_TRUE(struct wanted, a.force) },
	{ 0, "save", "FILE", "save the current state, for --diff and --input",
	  OPTION_TEXT(struct wanted, save), .offers = "files" },
	{ 'i', "input", "FILE", "show a saved state instead of the current one",
	  OPTION_TEXT(struct wanted, input), .offers = "files" },
	{ 0, "json", NULL, "everything, as JSON", OPTION_TRUE(struct wanted, a.json) },
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
		return msg_usage("allocinfo", "--save keeps all that there is, as text: it does not go with --diff or --json");
	return show(&w.a, w.input, w.old, w.save);
}
