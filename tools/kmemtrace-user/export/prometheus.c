// SPDX-License-Identifier: GPL-2.0-only
/*
 * Metrics, in the text format of Prometheus.
 *
 * A server keeps each series that it has ever seen. So only the largest rows of each kind
 * of memory have series, and the others have one together.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "account/caches.h"
#include "account/tags.h"
#include "account/trust.h"
#include "base/array.h"
#include "base/die.h"
#include "base/msg.h"
#include "export/formats.h"

/* values of labels that no name of the kernel's code has */
static const char kernel[] = "kernel";
static const char other[] = "(other)";

/* a metric */
struct metric {
	const char *name;	/* its name, without prefix and "_total" */
	const char *help;	/* its meaning */
	size_t figure;		/* where its value is in struct figures */
	bool is_counter;	/* it only grows */
};

/* caches have the first two */
static const struct metric metrics[] = {
	{ .name = "live_bytes",
	  .help = "Live memory, as allocated",
	  .figure = offsetof(struct figures, bytes) },
	{ .name = "live_objects",
	  .help = "Live allocations",
	  .figure = offsetof(struct figures, objects) },
	{ .name = "allocations",
	  .help = "Allocations since accounting was switched on",
	  .figure = offsetof(struct figures, allocs),
	  .is_counter = true },
	{ .name = "frees",
	  .help = "Frees since accounting was switched on",
	  .figure = offsetof(struct figures, frees),
	  .is_counter = true },
};
#define METRICS	      (sizeof(metrics) / sizeof(*metrics))
#define CACHE_METRICS 2

/* series with the same labels */
struct rows {
	const char *prefix;	/* begin of the names of their metrics */
	const char *about;	/* what a row is, as end of the help */
	const char *label;	/* label with the location of a row; NULL: none */
	bool has_kind;		/* the kind of memory is a label */
	bool is_site;		/* the location is that of a site: its parts are labels, too */
	bool is_module;		/* a row is a module */
	struct site_rows list;	/* the rows; their locations are values of labels */
};

/* --- lines ------------------------------------------------------------------------ */

static void print_about(FILE *out, const char *prefix,
			const struct metric *m, const char *about)
{
	const char *end = m->is_counter ? "_total" : "";

	fprintf(out, "# HELP kmemtrace_%s%s%s %s%s\n# TYPE kmemtrace_%s%s%s %s\n",
		prefix, m->name, end, m->help, about, prefix, m->name, end,
		m->is_counter ? "counter" : "gauge");
}

/* @before: '{' before the first label, ',' before others */
static void print_label(FILE *out, char *before, const char *name, const char *text)
{
	fprintf(out, "%c%s=\"", *before, name);
	/* the parsers have made printable ASCII of all names */
	for (; *text; text++) {
		if (*text == '\\' || *text == '"')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('"', out);
	*before = ',';
}

static const char *module_of(const struct site_row *t)
{
	return *t->name.module ? t->name.module : kernel;
}

static bool is_other(const struct site_row *t)
{
	return !strcmp(t->location, other);
}

/* Other builds have the site at another place, but with the same function and module. */
static void print_site(FILE *out, char *before, const struct site_row *t)
{
	print_label(out, before, "function", is_other(t) ? other : t->name.plain);
	print_label(out, before, "module", is_other(t) ? other : module_of(t));
}

static void print_value(FILE *out, const struct metric *m, const struct site_row *t)
{
	uint64_t value = *(const uint64_t *)((const char *)&t->f + m->figure);

	if (m->is_counter)
		fprintf(out, " %" PRIu64 "\n", value);
	else
		fprintf(out, " %" PRId64 "\n", (int64_t)value);
}

static void print_row(FILE *out, const struct rows *r,
		      const struct metric *m, const struct site_row *t)
{
	char before = '{';

	fprintf(out, "kmemtrace_%s%s%s", r->prefix, m->name,
		m->is_counter ? "_total" : "");
	if (r->has_kind)
		print_label(out, &before, "kind", site_kind_names[t->kind]);
	if (r->is_site)
		print_site(out, &before, t);
	if (r->label)
		print_label(out, &before, r->label, t->location);
	fputc('}', out);
	print_value(out, m, t);
}

/*
 * The other rows have no counters together: when a row becomes one of the largest, the
 * sum of the others would fall, as if it had begun anew.
 */
static void print_rows(FILE *out, const struct rows *r, size_t count)
{
	const struct metric *m;
	size_t i;

	for (m = metrics; m < metrics + count; m++) {
		print_about(out, r->prefix, m, r->about);
		for (i = 0; i < r->list.count; i++)
			if (!m->is_counter || !is_other(&r->list.row[i]))
				print_row(out, r, m, &r->list.row[i]);
	}
}

/* --- rows ------------------------------------------------------------------------- */


/* By kind; the largest first. */
static int by_bytes(const void *a, const void *b)
{
	const struct site_row *x = a, *y = b;

	if (x->kind != y->kind)
		return (int)x->kind - (int)y->kind;
	if (x->f.bytes != y->f.bytes)
		return x->f.bytes < y->f.bytes ? 1 : -1;
	return strcmp(x->location, y->location);
}

/* Add the rows that ever allocated. */
static void add_all(struct rows *r, const struct tags *tags, const struct export *e)
{
	size_t i;

	for (i = 0; i < tags->rows.count; i++) {
		const struct site_row *t = &tags->rows.row[i];
		const char *label = r->is_module ? module_of(t) : t->location;

		if (export_has_class(e->classes, t->kind) &&
		    (t->f.bytes || t->f.objects || t->f.allocs || t->f.frees))
			site_rows_add(&r->list, t->kind, xstrdup(label))->f = t->f;
	}
}

/* Replace all but the N largest rows of a kind by one, with their sum. */
static void keep_top(struct rows *r, const struct export *e)
{
	struct site_rows all = r->list;
	struct figures sum[SITE_KINDS] = { 0 };
	size_t i, kept[SITE_KINDS] = { 0 };
	int kind;

	r->list = (struct site_rows){ 0 };
	if (all.count)
		qsort(all.row, all.count, sizeof(*all.row), by_bytes);
	for (i = 0; i < all.count; i++) {
		kind = all.row[i].kind;
		/* a cache may have any name */
		if ((!e->top || kept[kind] < e->top) && !is_other(&all.row[i])) {
			kept[kind]++;
			*array_add(r->list.row, r->list.count) = all.row[i];
		} else {
			figures_add(&sum[kind], &all.row[i].f, 1);
			site_row_free(&all.row[i]);
		}
	}
	free(all.row);
	for (kind = 0; kind < SITE_KINDS; kind++)
		if (export_has_class(e->classes, kind) && (r->has_kind || kind == SITE_SLAB))
			site_rows_add(&r->list, kind, xstrdup(other))->f = sum[kind];
}

/* A server refuses two series with the same labels: add up rows of a kind and location. */
static void print_top(FILE *out, struct rows *r, const struct export *e,
		      const struct tags *tags, size_t count)
{
	add_all(r, tags, e);
	site_rows_merge(&r->list);
	keep_top(r, e);
	print_rows(out, r, count);
	site_rows_free(&r->list);
}

static void prometheus_print_totals(FILE *out, const struct export *e,
				    const struct tags *tags)
{
	struct rows r = { .prefix = "",
			  .about = "; page includes the pages of slabs",
			  .has_kind = true };
	int kind;

	for (kind = 0; kind < SITE_KINDS; kind++)
		if (export_has_class(e->classes, kind))
			site_rows_add(&r.list, kind, xstrdup(""))->f =
				site_rows_sum(&tags->rows, kind);
	print_rows(out, &r, METRICS);
	site_rows_free(&r.list);
}

static void print_sites(FILE *out, const struct export *e,
			const struct tags *tags)
{
	struct rows r = { .prefix = "site_",
			  .about = ", by call site; the largest ones of each kind have a series",
			  .label = "site",
			  .has_kind = true,
			  .is_site = true };

	print_top(out, &r, e, tags, METRICS);
}

static void print_modules(FILE *out, const struct export *e,
			  const struct tags *tags)
{
	struct rows r = { .prefix = "module_",
			  .about = ", by module; the largest ones of each kind have a series",
			  .label = "module",
			  .has_kind = true,
			  .is_module = true };

	print_top(out, &r, e, tags, METRICS);
}

/* The module does not count the allocations and frees of caches. */
static void print_caches(FILE *out, const struct export *e,
			 const struct tags *caches)
{
	struct rows r = { .prefix = "cache_",
			  .about = ", by slab cache; read at another moment than the sites",
			  .label = "cache" };

	print_top(out, &r, e, caches, CACHE_METRICS);
}

/* --- single metrics ----------------------------------------------------------------- */

static void print_single(FILE *out, const struct metric *m,
			 const char *about, uint64_t value)
{
	print_about(out, "", m, about);
	fprintf(out, "kmemtrace_%s%s %" PRIu64 "\n", m->name,
		m->is_counter ? "_total" : "", value);
}

/* Return: what a member of trust_json() means; NULL for a counter of the file stats. */
static const char *error_help(const char *key)
{
	if (!strcmp(key, "bytes"))
		return "Known error of live_bytes";
	if (!strcmp(key, "is_bound"))
		return "1: error_bytes is an upper bound; 0: a lower bound";
	if (!strcmp(key, "is_surveyed"))
		return "1: memory that was allocated before is in rows; 0: a part of it is not";
	return NULL;
}

static void print_errors(FILE *out, const struct tags *tags)
{
	json_t *error = trust_json(tags), *value;
	const char *key;
	char name[80];

	json_object_foreach(error, key, value) {
		const char *help = error_help(key);
		/* not a counter: the next survey begins at 0 */
		bool is_survey = !strncmp(key, "survey_", strlen("survey_"));
		struct metric m = {
			.name = name,
			.is_counter = !help && !is_survey,
			.help = help	  ? help :
				is_survey ? "Of the last survey: " :
					    "Counter of the module: ",
		};

		snprintf(name, sizeof(name), "error_%s", key);
		print_single(out, &m, help ? "" : key,
			     json_is_boolean(value) ? json_is_true(value) :
						      (uint64_t)json_integer_value(value));
	}
	json_decref(error);
}

static void print_kernel(FILE *out, const struct tags *tags)
{
	const struct metric m = { .name = "kernel_info", .help = "The kernel" };
	char release[256], before = '{';

	if (!tags_word(tags, TAGS_KERNEL, release, sizeof(release)))
		return;
	print_about(out, "", &m, "");
	fputs("kmemtrace_kernel_info", out);
	print_label(out, &before, "release", release);
	fputs("} 1\n", out);
}

/* A saved state of an old version has no counters: then the error is not known. */
static void print_singles(FILE *out, const struct tags *tags)
{
	static const struct metric accounting = {
		.name = "accounting",
		.help = "1: accounting is on; 0: it is off, so that the figures do not change",
	};

	if (!*tags->stats)
		return;
	print_single(out, &accounting, "", trust_counter(tags, "accounting") != 0);
	print_errors(out, tags);
	print_kernel(out, tags);
}

/* --- the format ---------------------------------------------------------------------- */

static void prometheus_print(FILE *out, const struct export *e,
			     const struct tags *tags, const struct tags *caches)
{
	prometheus_print_totals(out, e, tags);
	print_sites(out, e, tags);
	print_modules(out, e, tags);
	if (caches)
		print_caches(out, e, caches);
	print_singles(out, tags);
}

/* All is read before the first line is written. A saved state has no caches. */
int prometheus_write(const struct export *e)
{
	bool has_caches = !e->count && export_has_class(e->classes, SITE_SLAB);
	struct tags tags, caches = { 0 };
	int ret = EXIT_FAILED;
	char why[256];

	if (!formats_read_tags(e, &tags)) {
		if (has_caches && caches_read_module(&caches, why, sizeof(why)))
			ret = msg_error("%s", why);
		else {
			prometheus_print(e->out, e, &tags, has_caches ? &caches : NULL);
			ret = 0;
		}
	}
	tags_free(&caches);
	tags_free(&tags);
	return ret;
}
