// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/caches.h"
#include "account/tags.h"
#include "account/trust.h"
#include "base/array.h"
#include "base/die.h"
#include "base/figures.h"
#include "base/json.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/pseudonym.h"
#include "base/words.h"
#include "export/formats.h"
#include "html/html.h"
#include "leaks/findings.h"
#include "leaks/leakview.h"
#include "leaks/observe.h"
#include "memory/memory.h"
#include "process/usage_rows.h"
#include "trace/anonymize.h"
#include "trace/anonymized.h"
#include "waste/live_waste.h"

/* The page has at most so many rows of each table. */
#define ROWS_MAX 5000

/* Only the module tells the age of each object. @sums: the rows are sums of kinds */
static json_t *json_tags(const struct tags *tags, bool live, bool sums)
{
	struct listing l = tagrows_list(tags);
	json_t *all;

	if (sums)
		l.nr_columns = TAGROWS_SUMS;
	listing_sort(&l, TAGROWS_LIVE, ROWS_MAX);
	all = tables_json(&l);
	if (!sums)
		json_object_set_new(all, "ages", live ? ages_of_module(tags, &l) :
				    json_pack("{s:s}", "why",
					      "a saved state has only the age of the oldest object"));
	listing_free(&l);
	return all;
}

/* The sums of all tags of each kind that there is. */
static json_t *json_kinds(const struct tags *tags)
{
	struct tags kinds = { 0 };
	json_t *sums;
	size_t i;
	int kind;

	for (kind = 0; kind < SITE_KINDS; kind++) {
		for (i = 0; i < tags->rows.count && (int)tags->rows.row[i].kind != kind; i++)
			;
		if (i < tags->rows.count)
			site_rows_add(&kinds.rows, kind, xstrdup(""))->f =
				site_rows_sum(&tags->rows, kind);
	}
	sums = json_tags(&kinds, false, true);
	tags_free(&kinds);
	return sums;
}

/* The accuracy, in the words of allocinfo. */
static json_t *json_words(const struct tags *tags)
{
	struct memtext text;
	FILE *out = memtext_open(&text);

	trust_write(tags, out);
	fprintf(out, "%s\n", SITE_KINDS_NOTE);
	return tables_lines(memtext_close(&text, NULL));
}

static json_t *json_kernel(const struct tags *tags)
{
	char text[256];

	if (!tags_word(tags, TAGS_KERNEL, text, sizeof(text)))
		return json_null();
	return json_string(text);
}

static json_t *json_title(char *name)
{
	table_clean(name);
	return json_string(name);
}

static int read_state(const char *path, const struct anonymize *how,
		      json_t **ret)
{
	char name[ANONYMIZED_NAME] = "live memory";
	struct tags tags;

	if (path && anonymized_name(how, path, name))
		return EXIT_FAILED;

	if (tags_read(&tags, path)) {
		tags_free(&tags);
		return EXIT_FAILED;
	}
	*ret = json_pack("{s:i,s:o,s:o,s:o,s:o,s:o}", "version", JSON_VERSION,
			 "title", json_title(name), "kernel", json_kernel(&tags),
			 "words", json_words(&tags), "kinds", json_kinds(&tags), "sites",
			 json_tags(&tags, !path, false));
	tags_free(&tags);
	return EXIT_DONE;
}

/* --- without addresses and names ------------------------------------------------ */

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

static int discreet_document(json_t *document, const struct anonymize *how)
{
	if (how->addresses)
		drop_addresses(document);
	return how->names ?
		       hash_names(json_object_get(document, "processes"), how->key) :
		       EXIT_DONE;
}

/* The message was printed. */
static bool lacks_ages(const json_t *document)
{
	const json_t *sites = json_object_get(document, "sites");

	return json_object_get(json_object_get(sites, "ages"), "why");
}

/* --- caches ------------------------------------------------------------------------- */

static const struct table_column cache_columns[] = {
	FIGURE_LIVE, FIGURE_OBJECTS, FIGURE_CACHE,
};

static void state_cache_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct site_row *t = &((const struct tags *)arg)->rows.row[i];

	row_number(cell, t->f.bytes);
	row_number(cell, t->f.objects);
	row_text(cell, t->location);
}

static int make_caches(json_t **ret)
{
	struct tags tags;
	struct listing l = LISTING(cache_columns, 0, state_cache_cell, &tags);
	char why[256];
	int err = caches_read_module(&tags, why, sizeof(why));

	l.nr_rows = tags.rows.count;
	if (!err) {
		listing_sort_by(&l, "live", ROWS_MAX);
		*ret = tables_json(&l);
	}
	listing_free(&l);
	tags_free(&tags);
	return err ? msg_error("%s", why) : EXIT_DONE;
}

/* --- processes ------------------------------------------------------------------------ */

static const enum usage_column process_columns[] = {
	USAGE_PSS,  USAGE_RSS,	USAGE_USS,   USAGE_SHARED, USAGE_SWAP,
	USAGE_ANON, USAGE_FILES, USAGE_THP,   USAGE_LOCKED, USAGE_SIZE,
	USAGE_PID,  USAGE_NAME,	USAGE_COLUMNS,
};

/* A process may end meanwhile, and kernel threads have no memory of their own. */
static int read_processes(struct usage_view *v, struct footprint_reader *r,
			  const int *pid, size_t pids)
{
	const struct footprint_choice all = { .end = UINT64_MAX };
	size_t i;
	int err = 0;

	v->process = xcalloc(pids + 1, sizeof(*v->process));
	for (i = 0; i < pids && err != FOOTPRINT_BROKEN; i++) {
		struct footprint *f = &v->process[v->processes];

		err = footprint_read(r, f, pid[i], &all);
		if (err || !f->rows) {
			footprint_free(f);
			continue;
		}
		footprint_keep_total(f);
		v->processes++;
	}
	return err == FOOTPRINT_BROKEN ? EXIT_FAILED : EXIT_DONE;
}

static json_t *json_processes(struct usage_view *v, const struct footprint_reader *r)
{
	struct usage_rows rows;
	json_t *all;

	v->reader = r;
	v->sort = usage_rows_find_column(r->sees_frames ? "pss" : "rss");
	v->top = ROWS_MAX;
	usage_rows_init(&rows, v, NULL, process_columns);
	all = tables_json(&rows.list);
	listing_free(&rows.list);
	return all;
}

static int make_processes(json_t **ret)
{
	struct usage_view v = { .summary = true };
	struct footprint_reader r;
	int *pid, err;
	ssize_t pids = process_list(NULL, &pid);
	size_t i;

	if (pids < 0)
		return EXIT_FAILED;
	err = footprint_start(&r, NULL) ? EXIT_FAILED : read_processes(&v, &r, pid, pids);
	if (!err)
		*ret = json_processes(&v, &r);
	for (i = 0; i < v.processes; i++)
		footprint_free(&v.process[i]);
	free(v.process);
	footprint_stop(&r);
	free(pid);
	return err;
}

/* --- waste ---------------------------------------------------------------------------- */

static int make_waste(json_t **ret)
{
	struct wasteview v = {
		.sort = "saved",
		.format = TABLE_JSON,
		.document = ret,
	};

	int err = live_waste(&v);

	if (!err)
		tables_cut_waste(*ret);
	return err;
}

/* --- leaks ---------------------------------------------------------------------------- */

static int live_judge(json_t **ret, struct observation *w, const struct sites *sites)
{
	struct findings f;
	struct leakview v = { .w = w, .f = &f, .tags = &sites->tags };
	int err = EXIT_FAILED;

	findings_make(&f, w, sites);
	if (!f.suspects || !observe_again(w)) {
		findings_confirm(&f, w);
		*ret = leakview_document(&v);
		tables_cut_leaks(*ret);
		err = EXIT_DONE;
	}
	findings_free(&f);
	return err;
}

/* Hash the paths and addresses of what holds memory. */
static int hash_helds(struct helds *h, const struct anonymize *how)
{
	struct pseudonyms *hashes;
	size_t i;

	if (!how->names)
		return EXIT_DONE;
	if (pseudonyms_create(how->key, &hashes))
		return EXIT_FAILED;
	for (i = 0; i < h->count; i++) {
		char *where = h->held[i].where;

		if (!where)
			continue;
		h->held[i].where = xstrdup(pseudonym(hashes, where));
		free(where);
	}
	pseudonyms_destroy(hashes);
	return EXIT_DONE;
}

static int state_observe(json_t **ret, double seconds, const struct anonymize *how)
{
	struct observation w;
	struct sites sites = { 0 };
	int err = EXIT_FAILED;

	if (observe_check())
		return EXIT_FAILED;
	if (!observe_run(&w, seconds, OBSERVE_SETTLE)) {
		if (!sites_read(&sites)) {
			observe_merge(&w, &sites);
			err = hash_helds(&w.helds, how);
			if (!err)
				err = live_judge(ret, &w, &sites);
		}
		sites_free(&sites);
	}
	observe_free(&w);
	return err;
}

static int live_leaks(json_t *document, double seconds, const struct anonymize *how)
{
	json_t *leaks = NULL;
	int ret = EXIT_DONE;

	if (seconds)
		ret = state_observe(&leaks, seconds, how);
	else
		leaks = json_pack("{s:s}", "why",
				  "verdicts need an observation: html --live --for 60s");
	if (!ret)
		json_object_set_new(document, "leaks", leaks);
	return ret;
}

/* --- memory --------------------------------------------------------------------- */

/* The page has at most so many sites; the others are one sum for each line. */
#define SITES_MAX 2000

#define NO_SITE	   "(without a known site)"
#define OTHER_SITE "(other sites)"

/* a part of a line */
struct part {
	enum balance_id id;		/* the line */
	uint64_t bytes;			/* its bytes */
	const struct site_row *tag;	/* the site that has allocated it; NULL: see @site */
	const char *site;		/* what is in the place of a site */
};

/* all memory of the machine */
struct parts {
	const struct memory *m;	/* the memory */
	struct part *part;	/* the parts */
	size_t count;		/* number of parts */
};

static void machine_add(struct parts *p, enum balance_id id, uint64_t bytes,
			const struct site_row *tag, const char *site)
{
	if (bytes)
		*array_add(p->part, p->count) = (struct part){ id, bytes, tag, site };
}

/* --- the sites of a line ---------------------------------------------------------- */

/* Pages of slabs and of per-CPU memory have many sites: the objects on them tell which. */
static uint64_t objects_of(enum balance_id id, const struct site_row *tag)
{
	enum site_kind kind = id == LINE_SLAB ? SITE_SLAB : SITE_PERCPU;

	return tag->kind == kind && tag->f.bytes > 0 ? tag->f.bytes : 0;
}

static uint64_t frames_of(const struct parts *p, enum balance_id id,
			  const struct site_row *tag)
{
	const struct tally *t = &p->m->tally;
	uint64_t frames = 0;
	int kind;

	if (!tag->id || tag->id >= t->nr_sites)
		return 0;
	for (kind = 0; kind < KINDS; kind++)
		if (p->m->balance.line[id].kinds & 1u << kind)
			frames += t->site[tag->id].kind[kind];
	return frames * p->m->page_size;
}

static uint64_t bytes_of(const struct parts *p, enum balance_id id,
			 const struct site_row *tag)
{
	return id == LINE_SLAB || id == LINE_PERCPU ? objects_of(id, tag) :
						      frames_of(p, id, tag);
}

/* Objects that were allocated after the frames were counted may exceed the line. */
static void add_line(struct parts *p, enum balance_id id)
{
	const struct balance_line *line = &p->m->balance.line[id];
	const struct tags *tags = &p->m->tags;
	uint64_t rest = line->bytes, bytes;
	size_t i;

	for (i = 0; i < tags->rows.count; i++) {
		bytes = bytes_of(p, id, &tags->rows.row[i]);
		if (bytes > rest)
			bytes = rest;
		machine_add(p, id, bytes, &tags->rows.row[i], NULL);
		rest -= bytes;
	}
	machine_add(p, id, rest, NULL, rest < line->bytes ? NO_SITE : line->title);
}

static int by_size(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->tag < y->tag ? -1 : x->tag > y->tag;
}

/* What has no place is one part of each line. */
static void limit_parts(struct parts *p)
{
	uint64_t other[LINES] = { 0 };
	size_t i, count = p->count;
	int id;

	qsort(p->part, p->count, sizeof(*p->part), by_size);
	if (count <= SITES_MAX)
		return;
	for (i = SITES_MAX; i < count; i++)
		other[p->part[i].id] += p->part[i].bytes;
	p->count = SITES_MAX;
	for (id = 0; id < LINES; id++)
		machine_add(p, id, other[id], NULL, OTHER_SITE);
}

static void find_parts(struct parts *p)
{
	const struct balance *b = &p->m->balance;
	int id;

	for (id = LINE_TOTAL + 1; id < LINES; id++)
		if (id != LINE_USED)
			add_line(p, id);
	if (p->count)
		limit_parts(p);
	if (b->difference < 0)
		machine_add(p, LINE_TOTAL, -b->difference, NULL,
			    "frames that no line covers");
}

/* --- the document -------------------------------------------------------------------- */

static const struct table_column part_columns[] = {
	FIGURE_BYTES, FIGURE_KIND, FIGURE_MODULE, FIGURE_SITE,
};

static void machine_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct parts *p = arg;
	const struct part *part = &p->part[i];

	row_number(cell, part->bytes);
	row_text(cell, part->id == LINE_TOTAL ? "not covered" :
						p->m->balance.line[part->id].title);
	if (!part->tag)
		row_text(cell, "");
	else if (row_wants(cell))
		tagrows_module(part->tag, cell);
	row_text(cell, part->tag ? part->tag->location : part->site);
}

static json_t *machine_words(const struct memory *m)
{
	const struct balance *b = &m->balance;
	struct memtext text;
	FILE *out = memtext_open(&text);

	fprintf(out, "explained: %.1f %% of used memory\n", balance_explained(b));
	if (m->vmallocs.why)
		fprintf(out, "the areas of vmalloc() are unknown: %s\n",
			m->vmallocs.why);
	if (b->difference > 0)
		fprintf(out, "the lines have %" PRId64 " bytes more than MemTotal\n",
			b->difference);
	fprintf(out, "outside of MemTotal: %" PRIu64 " bytes reserved", b->reserved);
	if (b->offline)
		fprintf(out, ", %" PRIu64 " bytes given back (balloon)", b->offline);
	fputc('\n', out);
	return tables_lines(memtext_close(&text, NULL));
}

static json_t *machine_make(const struct memory *m)
{
	struct parts p = { .m = m };
	struct listing l = LISTING(part_columns, 0, machine_cell, &p);
	const struct balance_line *total = &m->balance.line[LINE_TOTAL];
	json_t *all;

	find_parts(&p);
	l.nr_rows = p.count;
	listing_keep(&l, 0);
	all = tables_json(&l);
	listing_free(&l);
	free(p.part);
	json_object_set_new(all, "total",
			    total->has_figure ? json_integer(total->before) :
						json_null());
	json_object_set_new(all, "difference", json_integer(m->balance.difference));
	json_object_set_new(all, "words", machine_words(m));
	return all;
}

static int machine_document(json_t **ret)
{
	struct memory m;
	int err = EXIT_FAILED;

	if (!memory_read(&m)) {
		*ret = machine_make(&m);
		err = EXIT_DONE;
	}
	memory_free(&m);
	return err;
}

/* --- all parts -------------------------------------------------------------------------- */

static const struct {
	const char *name;
	const char *command;
	int (*make)(json_t **ret);
} parts[] = {
	{ "memory", "memory", machine_document },
	{ "caches", "top --by cache", make_caches },
	{ "waste", "waste", make_waste },
	{ "processes", "pagemap --all", make_processes },
};

static int live_add(json_t *document)
{
	int ret = EXIT_DONE;
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		json_t *part = NULL;
		char why[128];

		snprintf(why, sizeof(why), "it could not be read; %s prints the reason",
			 parts[i].command);
		if (parts[i].make(&part)) {
			ret = EXIT_FAILED;
			part = json_pack("{s:s}", "why", why);
		}
		json_object_set_new(document, parts[i].name, part);
	}
	return ret;
}

/* The observation takes time, so it comes first: all figures are then of one moment. */
int state_document(const char *path, double seconds, const struct anonymize *how,
		   json_t **ret)
{
	json_t *leaks = json_object();
	int err = EXIT_DONE;

	*ret = NULL;
	if (!path)
		err = live_leaks(leaks, seconds, how);
	if (!err)
		err = read_state(path, how, ret);
	if (!err)
		json_object_update(*ret, leaks);
	if (!err && !path)
		err = live_add(*ret);
	if (!err && !path && lacks_ages(*ret))
		err = EXIT_FAILED;
	json_decref(leaks);
	/* a document that lacks parts is written as well */
	if (*ret && discreet_document(*ret, how)) {
		json_decref(*ret);
		*ret = NULL;
		err = EXIT_FAILED;
	}
	return err;
}
