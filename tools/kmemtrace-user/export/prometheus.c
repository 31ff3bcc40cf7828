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
#include "account/sitename.h"
#include "account/tags.h"
#include "account/trust.h"
#include "base/die.h"
#include "base/msg.h"
#include "export/formats.h"

/* values of labels that no name of the kernel's code has */
static char kernel[] = "kernel";
static char other[] = "(other)";

/**
 * struct metric - a metric
 * @name: its name, without prefix and "_total"
 * @help: its meaning
 * @figure: its value
 * @is_counter: it only grows
 */
struct metric {
	const char *name;
	const char *help;
	enum tag_figure figure;
	bool is_counter;
};

/* caches have the first two */
static const struct metric metrics[] = {
	{ .name = "live_bytes",
	  .help = "Live memory, as allocated",
	  .figure = TAG_BYTES },
	{ .name = "live_objects", .help = "Live allocations", .figure = TAG_OBJECTS },
	{ .name = "allocations",
	  .help = "Allocations since accounting was switched on",
	  .figure = TAG_ALLOCS,
	  .is_counter = true },
	{ .name = "frees",
	  .help = "Frees since accounting was switched on",
	  .figure = TAG_FREES,
	  .is_counter = true },
};
#define METRICS	      (sizeof(metrics) / sizeof(*metrics))
#define CACHE_METRICS 2

/**
 * struct rows - series with the same labels
 * @prefix: begin of the names of their metrics
 * @about: what a row is, as end of the help
 * @label: label with the location of a row; NULL: none
 * @has_kind: the kind of memory is a label
 * @is_site: the location is that of a site: its parts are labels, too
 * @row: figures and locations of the rows
 * @count: number of rows
 */
struct rows {
	const char *prefix;
	const char *about;
	const char *label;
	bool has_kind;
	bool is_site;
	struct tag *row;
	size_t count;
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

static const char *module_of(const struct sitename *site)
{
	return *site->module ? site->module : kernel;
}

/* Other builds have the site at another place, but with the same function and module. */
static void print_site(FILE *out, char *before, const char *location)
{
	struct sitename site;

	if (location == other) {
		print_label(out, before, "function", other);
		print_label(out, before, "module", other);
	} else {
		sitename_parse(&site, location);
		print_label(out, before, "function", site.plain);
		print_label(out, before, "module", module_of(&site));
		sitename_free(&site);
	}
}

static void print_value(FILE *out, const struct metric *m, const struct tag *t)
{
	uint64_t value = tag_figure(t, m->figure);

	if (m->is_counter)
		fprintf(out, " %" PRIu64 "\n", value);
	else
		fprintf(out, " %" PRId64 "\n", (int64_t)value);
}

static void print_row(FILE *out, const struct rows *r,
		      const struct metric *m, const struct tag *t)
{
	char before = '{';

	fprintf(out, "kmemtrace_%s%s%s", r->prefix, m->name,
		m->is_counter ? "_total" : "");
	if (r->has_kind)
		print_label(out, &before, "kind", tag_kind_names[t->kind]);
	if (r->is_site)
		print_site(out, &before, t->location);
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
		for (i = 0; i < r->count; i++)
			if (!m->is_counter || r->row[i].location != other)
				print_row(out, r, m, &r->row[i]);
	}
}

/* --- rows ------------------------------------------------------------------------- */

static bool takes(const struct export *e, enum tag_kind kind)
{
	return export_has_class(e->classes, export_classes[kind]);
}

/* Copy the rows that ever allocated. */
static void copy(struct rows *r, const struct tags *tags, const struct export *e)
{
	const struct tag *t;

	r->count = 0;
	r->row = xcalloc(tags->count + TAG_KINDS, sizeof(*r->row));
	for (t = tags->tag; t < tags->tag + tags->count; t++)
		if (takes(e, t->kind) &&
		    (t->bytes || t->objects || t->allocs || t->frees))
			r->row[r->count++] = *t;
}

static int by_location(const void *a, const void *b)
{
	const struct tag *x = a, *y = b;

	return x->kind != y->kind ? (int)x->kind - (int)y->kind :
				    strcmp(x->location, y->location);
}

/* By kind; the largest first. */
static int by_bytes(const void *a, const void *b)
{
	const struct tag *x = a, *y = b;

	if (x->kind == y->kind && x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return by_location(a, b);
}

/* A server refuses two series with the same labels: add up rows of a kind and location. */
static void merge(struct rows *r)
{
	size_t i, to = 0;

	qsort(r->row, r->count, sizeof(*r->row), by_location);
	for (i = 0; i < r->count; i++) {
		if (to && !by_location(&r->row[to - 1], &r->row[i]))
			tag_add(&r->row[to - 1], &r->row[i], 1);
		else
			r->row[to++] = r->row[i];
	}
	r->count = to;
}

/* Replace all but the N largest rows of a kind by one, with their sum. */
static void keep_top(struct rows *r, const struct export *e)
{
	struct tag sum[TAG_KINDS] = { 0 };
	size_t i, to = 0, kept[TAG_KINDS] = { 0 };
	int kind;

	qsort(r->row, r->count, sizeof(*r->row), by_bytes);
	for (i = 0; i < r->count; i++) {
		kind = r->row[i].kind;
		/* a cache may have any name */
		if ((!e->top || kept[kind] < e->top) &&
		    strcmp(r->row[i].location, other)) {
			kept[kind]++;
			r->row[to++] = r->row[i];
		} else {
			tag_add(&sum[kind], &r->row[i], 1);
		}
	}
	for (kind = 0; kind < TAG_KINDS; kind++) {
		if (!takes(e, kind) || (!r->has_kind && kind != TAG_SLAB))
			continue;
		sum[kind].kind = kind;
		sum[kind].location = other;
		r->row[to++] = sum[kind];
	}
	r->count = to;
}

static void print_top(FILE *out, struct rows *r, const struct export *e,
		      size_t count)
{
	merge(r);
	keep_top(r, e);
	print_rows(out, r, count);
}

static void prometheus_print_totals(FILE *out, const struct export *e,
				    const struct tags *tags)
{
	struct tag sum[TAG_KINDS];
	struct rows r = { .prefix = "",
			  .about = "; page includes the pages of slabs",
			  .has_kind = true,
			  .row = sum };
	int kind;

	for (kind = 0; kind < TAG_KINDS; kind++)
		if (takes(e, kind))
			sum[r.count++] = tags_sum(tags, kind);
	print_rows(out, &r, METRICS);
}

static void print_sites(FILE *out, const struct export *e,
			const struct tags *tags)
{
	struct rows r = { .prefix = "site_",
			  .about = ", by call site; the largest ones of each kind have a series",
			  .label = "site",
			  .has_kind = true,
			  .is_site = true };

	copy(&r, tags, e);
	print_top(out, &r, e, METRICS);
	free(r.row);
}

static void print_modules(FILE *out, const struct export *e,
			  const struct tags *tags)
{
	struct rows r = { .prefix = "module_",
			  .about = ", by module; the largest ones of each kind have a series",
			  .label = "module",
			  .has_kind = true };
	struct sitename *site = xcalloc(tags->count + 1, sizeof(*site));
	size_t i, count;

	copy(&r, tags, e);
	count = r.count; /* merge() changes it */
	for (i = 0; i < count; i++) {
		sitename_parse(&site[i], r.row[i].location);
		r.row[i].location = (char *)module_of(&site[i]);
	}
	print_top(out, &r, e, METRICS);
	for (i = 0; i < count; i++)
		sitename_free(&site[i]);
	free(site);
	free(r.row);
}

/* The module does not count the allocations and frees of caches. */
static void print_caches(FILE *out, const struct export *e,
			 const struct tags *caches)
{
	struct rows r = { .prefix = "cache_",
			  .about = ", by slab cache; read at another moment than the sites",
			  .label = "cache" };

	copy(&r, caches, e);
	print_top(out, &r, e, CACHE_METRICS);
	free(r.row);
}

/* --- single metrics ----------------------------------------------------------------- */

static void print_single(FILE *out, const struct metric *m,
			 const char *about, uint64_t value)
{
	print_about(out, "", m, about);
	fprintf(out, "kmemtrace_%s%s %" PRIu64 "\n", m->name,
		m->is_counter ? "_total" : "", value);
}

/* The counters are those of the file stats; "bytes" and "is_bound" follow from them. */
static void print_errors(FILE *out, const struct tags *tags)
{
	json_t *error = trust_json(tags), *value;
	const char *key;
	char name[80];

	json_object_foreach(error, key, value) {
		bool is_sum = !strcmp(key, "bytes"), is_bound = !strcmp(key, "is_bound");
		struct metric m = { .name = name,
				    .is_counter = !is_sum && !is_bound };

		m.help = is_sum	  ? "Known error of live_bytes" :
			 is_bound ? "1: error_bytes is an upper bound; 0: a lower bound" :
				    "Counter of the module: ";
		snprintf(name, sizeof(name), "error_%s", key);
		print_single(out, &m, m.is_counter ? key : "",
			     is_bound ? json_is_true(value) :
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
	bool has_caches = !e->count && takes(e, TAG_SLAB);
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
