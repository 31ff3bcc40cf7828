// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/siterows.h"
#include "account/tags.h"
#include "account/trust.h"
#include "base/array.h"
#include "base/die.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/options.h"
#include "base/plural.h"
#include "base/table.h"
#include "base/textfile.h"
#include "export/profile.h"
#include "report/report.h"

const char *const profile_names[PROFILE_VALUES] = {
	[PROFILE_ALLOC_OBJECTS] = "allocs",
	[PROFILE_ALLOC_BYTES] = "alloc",
	[PROFILE_TEMPORARY_OBJECTS] = "temporary_objects",
	[PROFILE_TEMPORARY_BYTES] = "temporary",
	[PROFILE_PEAK_OBJECTS] = "peak_objects",
	[PROFILE_PEAK_BYTES] = "peak",
	[PROFILE_LIVE_OBJECTS] = "objects",
	[PROFILE_LIVE_BYTES] = "live",
};

const char *const profile_titles[PROFILE_VALUES] = {
	[PROFILE_ALLOC_OBJECTS] = "allocations",
	[PROFILE_ALLOC_BYTES] = "allocated bytes",
	[PROFILE_TEMPORARY_OBJECTS] = "temporary allocations",
	[PROFILE_TEMPORARY_BYTES] = "temporary bytes",
	[PROFILE_PEAK_OBJECTS] = "objects at the peak",
	[PROFILE_PEAK_BYTES] = "bytes at the peak",
	[PROFILE_LIVE_OBJECTS] = "live objects",
	[PROFILE_LIVE_BYTES] = "live bytes",
};

const char *const profile_labels[PROFILE_LABELS] = {
	[PROFILE_KIND] = "kind",
	[PROFILE_CACHE] = "cache",
	[PROFILE_NODE] = "node",
	[PROFILE_PROCESS] = "process",
};

int profile_find(const char *name)
{
	return option_name(profile_names, PROFILE_VALUES, name);
}

bool profile_is_bytes(enum profile_value value)
{
	return value == PROFILE_ALLOC_BYTES || value == PROFILE_TEMPORARY_BYTES ||
	       value == PROFILE_PEAK_BYTES || value == PROFILE_LIVE_BYTES;
}

int profile_take_value(const struct option_use *use)
{
	if (profile_find(use->text) < 0)
		return option_wrong(use, "live, objects, peak, peak_objects, alloc, allocs, temporary or temporary_objects");
	return option_take_text(use);
}

/* --- texts ------------------------------------------------------------------ */

const char *profile_word(struct profile *p, const char *text)
{
	uint32_t number = words_get(&p->words, text);

	return p->words.word[number];
}

void profile_note(struct profile *p, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	table_clean(text);
	*array_add(p->notes, p->nr_notes) = profile_word(p, text);
	free(text);
}

void profile_note_lines(struct profile *p, char *text)
{
	char *save = NULL, *line;

	for (line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		profile_note(p, "%s", line);
	free(text);
}

/* For formats without comments. */
static void profile_print_notes(struct profile *p)
{
	size_t i;

	p->has_printed = true;
	for (i = 0; i < p->nr_notes; i++)
		msg_note("%s", p->notes[i]);
}

void profile_set_title(struct profile *p, const struct export *e,
		       const char *release)
{
	char title[1024], more[64] = "";

	if (e->count > 1)
		snprintf(more, sizeof(more), " and %zu more file%s", e->count - 1,
			 plural(e->count - 1));
	snprintf(title, sizeof(title), "%s%s%s%s",
		 e->title ? e->title :
		 e->count ? textfile_name(e->paths[0]) : "state of accounting",
		 more, *release ? ", Linux " : "", release);
	table_clean(title);
	p->title = profile_word(p, title);
}

/* --- functions -------------------------------------------------------------- */

/* Return: a part of a text as a word. */
static const char *part_word(struct profile *p, const char *text, const char *end)
{
	char *part = xstrndup(text, end - text);
	const char *word = profile_word(p, part);

	free(part);
	return word;
}

/*
 * The first of the lines is in the function itself; those of inlined functions follow.
 */
static void split_source(struct profile *p, struct profile_frame *f)
{
	const char *colon = f->source;

	do
		colon = strchr(colon + 1, ':');
	while (colon && !(colon[1] >= '0' && colon[1] <= '9'));
	if (!colon)
		return;
	f->file = part_word(p, f->source, colon);
	f->line = strtoul(colon + 1, NULL, 10);
}

/* Return: the index of a module, added if needed. */
static uint32_t add_module(struct profile *p, const char *name)
{
	uint32_t word = words_get(&p->words, name), number;

	number = pairs_get(&p->known_modules, word, 0);
	if (number < p->nr_modules)
		return number;
	array_reserve(p->modules, p->nr_modules);
	p->modules[p->nr_modules++] = (struct profile_module){
		.name = p->words.word[word], .build_id = "", .start = UINT64_MAX
	};
	return number;
}

/* Return: the name of the module of a symbol. */
static const char *module_of(struct profile *p, const char *symbol)
{
	const char *module, *end = strchr(symbol, ']');
	struct sitename parts;

	/* only the module is known: "[module]+0x12" */
	if (*symbol == '[' && end)
		return part_word(p, symbol + 1, end);
	sitename_parse(&parts, symbol);
	module = profile_word(p, parts.module);
	sitename_free(&parts);
	return module;
}

/* A symbol that is an address has no name: it is neither in the kernel nor in a module. */
static void set_module(struct profile *p, struct profile_frame *f,
		       const char *symbol)
{
	struct profile_module *m;

	f->module = PROFILE_NO_MODULE;
	if (!strncmp(symbol, "0x", 2) || !strcmp(symbol, "(unknown)"))
		return;
	f->module = add_module(p, module_of(p, symbol));
	m = &p->modules[f->module];
	if (!f->address)
		return;
	m->start = f->address < m->start ? f->address : m->start;
	m->last = f->address > m->last ? f->address : m->last;
}

static void set_source(struct profile *p, struct profile_frame *f,
		       const char *source)
{
	char *clean = xstrdup(source);

	table_clean(clean);
	f->source = profile_word(p, clean);
	free(clean);
	split_source(p, f);
}

uint32_t profile_frame(struct profile *p, uint64_t address, const char *name,
		       const char *symbol, const char *source)
{
	uint32_t word = words_get(&p->words, name);
	uint32_t number = pairs_get(&p->known, address, word);
	struct profile_frame *f;

	if (number < p->nr_frames)
		return number;
	f = array_add(p->frames, p->nr_frames);
	*f = (struct profile_frame){ .address = address, .name = p->words.word[word] };
	set_module(p, f, symbol);
	if (source && *source)
		set_source(p, f, source);
	return number;
}

/* --- rows ------------------------------------------------------------------- */

bool profile_is_empty(const struct profile_row *row)
{
	int i;

	for (i = 0; i < PROFILE_VALUES; i++)
		if (row->value[i])
			return false;
	return true;
}

void profile_add(struct profile *p, const struct profile_row *row,
		 const uint64_t *frames, size_t depth)
{
	struct profile_row *to = array_add(p->rows, p->count);

	*to = *row;
	to->stack = stacks_get(&p->stacks, frames, depth);
}

static int by_stack(const void *x, const void *y)
{
	const struct profile_row *a = x, *b = y;

	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	return a->stack == b->stack ? 0 : a->stack < b->stack ? -1 : 1;
}

void profile_merge(struct profile *p)
{
	size_t i, kept = 0;
	int value;

	if (p->count)
		qsort(p->rows, p->count, sizeof(*p->rows), by_stack);
	for (i = 0; i < p->count; i++) {
		struct profile_row *to = p->rows + kept;

		if (!kept || by_stack(to - 1, &p->rows[i])) {
			*to = p->rows[i];
			kept++;
			continue;
		}
		for (value = 0; value < PROFILE_VALUES; value++)
			to[-1].value[value] += p->rows[i].value[value];
	}
	p->count = kept;
}

/* Sums of 2^63 and more would be negative numbers in the formats. */
static bool limit_row(struct profile_row *row, uint64_t total[PROFILE_VALUES])
{
	bool cut = false;
	int i;

	for (i = 0; i < PROFILE_VALUES; i++) {
		if (row->value[i] > INT64_MAX - total[i]) {
			row->value[i] = INT64_MAX - total[i];
			cut = true;
		}
		total[i] += row->value[i];
	}
	return cut;
}

static void limit_rows(struct profile *p)
{
	uint64_t total[PROFILE_VALUES] = { 0 };
	bool cut = false;
	size_t i;

	for (i = 0; i < p->count; i++)
		cut |= limit_row(&p->rows[i], total);
	if (cut)
		profile_note(p, "sums are cut to 2^63 - 1: the recording is damaged");
}

/* --- start and end ---------------------------------------------------------- */

void profile_init(struct profile *p)
{
	*p = (struct profile){ .title = "" };
	/* the kernel comes first: viewers take the first one for the program */
	words_init(&p->words);
	pairs_init(&p->known);
	pairs_init(&p->known_modules);
	stacks_init(&p->stacks);
	add_module(p, "");
}

void profile_free(struct profile *p)
{
	words_exit(&p->words);
	pairs_exit(&p->known);
	pairs_exit(&p->known_modules);
	stacks_exit(&p->stacks);
	free(p->rows);
	free(p->frames);
	free(p->modules);
	free(p->notes);
}

int profile_exit(const struct profile *p)
{
	if (p->is_lossy && p->loss && !p->has_printed)
		msg_note("%s", p->loss);
	return p->is_lossy ? EXIT_LOST : EXIT_DONE;
}

static int profile_explain(const struct profile *p, const struct export *e,
			   const char *value)
{
	bool counts = strstr(value, "objects");

	if (p->no_live)
		return msg_error("the value %s is not known: %s; use --value %s",
				 value, p->no_live, counts ? "allocs" : "alloc");
	if (e->input == EXPORT_STATE && !strncmp(value, "peak", strlen("peak")))
		return msg_error("accounting has no peak of all rows together: use --value live, objects or allocs, or a recording");
	if (e->input == EXPORT_STATE)
		return msg_error("accounting does not have %s: use --value live, objects or allocs, or a recording",
				 value);
	return msg_error("--value %s reads the recording twice, and a pipe can be read only once: save the recording to a file",
			 value);
}

int profile_read_value(struct profile *p, const struct export *e,
		       enum profile_value *value)
{
	int ret;

	*value = e->value ? profile_find(e->value) : PROFILE_LIVE_BYTES;
	ret = profile_read(p, e, PROFILE_BIT(*value), false);
	if (!ret && !(p->have & PROFILE_BIT(*value)))
		ret = profile_explain(p, e, profile_names[*value]);
	return ret;
}

/*
 * A profile of the state of accounting: each code tag is a stack of one function.
 */


/* A damaged file may have sums below 0. */
static uint64_t not_below_0(int64_t n)
{
	return n < 0 ? 0 : n;
}

static void print_name(const struct site_row *t, char *to, size_t size)
{
	const struct sitename *site = &t->name;
	const char *module = site->module;
	int used;

	/* a location without a known form */
	if (!*site->function) {
		snprintf(to, size, "%s", t->location);
		return;
	}
	used = snprintf(to, size, "%s", site->function);
	if (site->has_offset && used < (int)size)
		used += snprintf(to + used, size - used, "+0x%llx",
				 (unsigned long long)site->offset);
	if (*module && used < (int)size)
		used += snprintf(to + used, size - used, " [%s]", module);
	if (*site->tail && used < (int)size)
		snprintf(to + used, size - used, " %s", site->tail);
}

/* Return: the index of the tag's function. */
static uint32_t frame_of(struct profile *p, const struct site_row *t)
{
	char name[4096], source[4096] = "";

	print_name(t, name, sizeof(name));
	if (t->name.file)
		snprintf(source, sizeof(source), "%s:%llu", t->name.file,
			 (unsigned long long)t->name.line);
	table_clean(name);
	table_clean(source);
	return profile_frame(p, t->address, name, name, source);
}

static void add_tag(struct profile *p, const struct site_row *t)
{
	struct profile_row row = {
		.class = t->kind,
		.value[PROFILE_ALLOC_OBJECTS] = t->f.allocs,
		.value[PROFILE_LIVE_OBJECTS] = not_below_0(t->f.objects),
		.value[PROFILE_LIVE_BYTES] = not_below_0(t->f.bytes),
	};
	uint64_t frame;

	if (profile_is_empty(&row))
		return;
	frame = frame_of(p, t);
	profile_add(p, &row, &frame, 1);
}

/* The accuracy, in the words of allocinfo. */
static void add_notes(struct profile *p, const struct tags *tags)
{
	struct memtext text;
	FILE *out = memtext_open(&text);
	size_t below = 0, i;

	trust_write(tags, out);
	profile_note_lines(p, memtext_close(&text, NULL));
	profile_note(p, "%s", SITE_KINDS_NOTE);
	for (i = 0; i < tags->rows.count; i++)
		below += tags->rows.row[i].f.bytes < 0 || tags->rows.row[i].f.objects < 0;
	if (below)
		profile_note(p, "rows with a number below 0, which counts as 0: %zu; the file is damaged",
			     below);
}

static void profile_state_take(struct profile *p, const struct export *e,
			       const struct tags *tags)
{
	char release[256];
	size_t i;

	p->have = PROFILE_BIT(PROFILE_LIVE_BYTES) |
		  PROFILE_BIT(PROFILE_LIVE_OBJECTS) |
		  PROFILE_BIT(PROFILE_ALLOC_OBJECTS);
	for (i = 0; i < tags->rows.count; i++)
		if (export_has_class(e->classes, tags->rows.row[i].kind))
			add_tag(p, &tags->rows.row[i]);
	add_notes(p, tags);
	tags_word(tags, TAGS_KERNEL, release, sizeof(release));
	profile_set_title(p, e, release);
}

static int profile_read_state(struct profile *p, const struct export *e)
{
	struct tags tags;
	int err = formats_read_tags(e, &tags);

	if (!err)
		profile_state_take(p, e, &tags);
	tags_free(&tags);
	return err ? EXIT_FAILED : EXIT_DONE;
}

int profile_read(struct profile *p, const struct export *e, unsigned int values,
		 bool labels)
{
	int ret;

	profile_init(p);
	ret = e->input == EXPORT_RECORDING ?
		      profile_read_recording(p, e, values, labels) :
		      profile_read_state(p, e);
	if (!labels)
		profile_merge(p);
	limit_rows(p);
	return ret;
}

/* A semicolon separates functions, and a blank precedes the value. */
static void write_name(FILE *out, const char *name)
{
	for (; *name; name++)
		fputc(*name == ';' ? ',' : *name, out);
}

static void write_stack(const struct profile *p, const struct profile_row *row,
			FILE *out)
{
	size_t depth;
	const uint64_t *frames = stacks_at(&p->stacks, row->stack, &depth);

	fputs(site_total_names[row->class], out);
	while (depth--) {
		const struct profile_frame *f = &p->frames[frames[depth]];

		fputc(';', out);
		write_name(out, f->name);
		if (!f->source)
			continue;
		fputc(' ', out);
		write_name(out, f->source);
	}
}

static void folded_write_rows(const struct profile *p, enum profile_value value,
			      FILE *out)
{
	size_t i;

	for (i = 0; i < p->count; i++) {
		uint64_t n = p->rows[i].value[value];

		if (!n)
			continue;
		write_stack(p, &p->rows[i], out);
		fprintf(out, " %" PRIu64 "\n", n);
	}
}

int folded_write(const struct export *e)
{
	enum profile_value value;
	struct profile p;
	int ret = profile_read_value(&p, e, &value);

	if (!ret) {
		folded_write_rows(&p, value, e->out);
		profile_print_notes(&p);
		ret = profile_exit(&p);
	}
	profile_free(&p);
	return ret;
}
