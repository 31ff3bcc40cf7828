// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "account/tags.h"
#include "base/array.h"
#include "base/die.h"
#include "base/figures.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/options.h"
#include "base/outfile.h"
#include "base/table.h"
#include "base/textfile.h"
#include "control/control.h"
#include "control/system.h"

#define TITLE "kmemtrace tags - version: "
#define STAT  "# stat "

/* --- parsing ----------------------------------------------------------------- */

/* "-" means that the number is not known: it becomes -1. */
static bool parse_number(const char *word, int base, int64_t *value)
{
	char *end;

	if (!strcmp(word, "-")) {
		*value = -1;
		return true;
	}
	errno = 0;
	*value = base == 16 ? (int64_t)strtoull(word, &end, base) :
			      strtoll(word, &end, base);
	return !errno && end != word && !*end;
}

/* numbers in a row */
#define FIELDS 9
#define ADDRESS_FIELD 7

char *tags_location(const char *text)
{
	size_t file = strcspn(text, ": "), line;
	const char *name = strstr(text, " func:") + strlen(" func:");
	const char *plus = memmem(text, file, "+0x", 3);

	if (!file || text[file] != ':')
		return xstrdup(text);
	line = strspn(text + file + 1, "0123456789");
	if (!plus || strcspn(name, " ") != (size_t)(plus - text) ||
	    strncmp(text, name, plus - text))
		return xstrdup(text);
	return xasprintf("%.*s%s", (int)file, text, text + file + 1 + line);
}

/* Return: false if the line is not a row. */
static bool parse_row(struct site_rows *rows, char *line)
{
	int64_t field[FIELDS] = { 0 };
	char *rest = line, *word = strsep(&rest, " "), *location;
	int i, kind = option_name(site_kind_names, SITE_KINDS, word);
	struct site_row *row;

	if (kind < 0)
		return false;
	for (i = 0; i < FIELDS; i++) {
		word = strsep(&rest, " ");
		if (!word || !parse_number(word, i == ADDRESS_FIELD ? 16 : 10,
					   &field[i]))
			return false;
	}
	if (!rest || !*rest || !strstr(rest, " func:"))
		return false;
	location = tags_location(rest);
	table_clean(location);
	row = site_rows_add(rows, kind, location);
	row->address = field[ADDRESS_FIELD] == -1 ? 0 : field[ADDRESS_FIELD];
	row->id = field[8];
	row->f = (struct figures){ .bytes = field[0],
				   .objects = field[1],
				   .requested = field[2],
				   .allocs = field[3],
				   .frees = field[4],
				   .peak = field[5],
				   .oldest_ms = field[6] };
	figures_exact(&row->f);
	return true;
}

static void collect_stats(struct tags *tags)
{
	struct memtext stats;
	FILE *out = memtext_open(&stats);
	const char *line;

	for (line = tags->text; line; line = textfile_next_line(line))
		if (!strncmp(line, STAT, strlen(STAT)))
			fprintf(out, "%.*s\n",
				(int)(strcspn(line, "\n") - strlen(STAT)),
				line + strlen(STAT));
	tags->stats = memtext_close(&stats, NULL);
	table_clean_lines(tags->stats);
}

void tags_join_loads(struct tags *tags)
{
	size_t i;

	for (i = 0; i < tags->rows.count; i++) {
		struct site_row *row = &tags->rows.row[i];
		char *tail = strstr(row->location, TAGS_UNLOADED);

		if (!tail)
			continue;
		tail[strlen(TAGS_UNLOADED)] = '\0';
		site_row_rename(row, row->location);
	}
}

int tags_parse(struct tags *tags, const char *text, char *why, size_t size)
{
	size_t number = 1;
	char *copy = xstrdup(text), *rest = copy, *line;
	int err = -EINVAL;

	memset(tags, 0, sizeof(*tags));
	tags->text = xstrdup(text);
	collect_stats(tags);
	/* allocate the array also for 0 rows: qsort() must not get NULL */
	array_reserve(tags->rows.row, tags->rows.count);
	line = strsep(&rest, "\n");
	if (strncmp(line, TITLE, strlen(TITLE))) {
		snprintf(why, size, "it does not begin with \"%s\" and a number",
			 TITLE);
		goto out;
	}
	line += strlen(TITLE);
	table_clean(line);
	if (strcmp(line, "1")) {
		snprintf(why, size, "it has version %s; this tool knows 1", line);
		goto out;
	}
	while ((line = strsep(&rest, "\n"))) {
		number++;
		if (!*line || *line == '#')
			continue;
		if (!parse_row(&tags->rows, line)) {
			snprintf(why, size, "line %zu is not a row of tags",
				 number);
			goto out;
		}
	}
	err = 0;
out:
	free(copy);
	return err;
}

/* --- reading and saving --------------------------------------------------------- */

/*
 * Read the file stats, and append what identifies the boot and the kernel. Return: the
 * text, which the caller frees; NULL with errno set.
 */
static char *read_stats(int dir)
{
	char *stats = control_read(dir, "stats", NULL), *all = NULL;
	char *boot = system_boot_id(), build[64] = "";
	struct utsname u = { 0 };

	if (!stats)
		goto out;
	uname(&u);
	system_build_id("/sys/kernel/notes", build, sizeof(build));
	all = xasprintf("%s%s%s%s" TAGS_KERNEL " %s%s%s\n", stats,
			boot ? TAGS_BOOT " " : "", boot ? boot : "",
			boot ? "\n" : "", u.release,
			*build ? "\n" TAGS_BUILD_ID " " : "", build);
out:
	free(boot);
	free(stats);
	return all;
}

/*
 * Read a file and stats. Accounting may be restarted between the two reads: then both are
 * read again, up to 3 times in total.
 *
 * @stats: set to the text of stats after the file was read
 * @clock_ns: set to the time in stats before that. Reading a file may take long, but the
 *	module counts when it is opened
 *
 * Return: the text of the file; the caller frees both. NULL with errno set.
 */
static char *read_both(int dir, const char *file, char **stats, uint64_t *clock_ns)
{
	uint64_t before, since;
	char *text;
	bool same;
	int tries = 3;

	do {
		*stats = read_stats(dir);
		before = since = 0;
		if (!*stats)
			return NULL;
		textfile_number(*stats, TAGS_SINCE, &before);
		textfile_number(*stats, "clock_ns", clock_ns);
		free(*stats);
		text = control_read(dir, file, NULL);
		*stats = text ? read_stats(dir) : NULL;
		if (!*stats) {
			free(text);
			return NULL;
		}
		textfile_number(*stats, TAGS_SINCE, &since);
		same = before == since;
		if (!same && tries > 1) {
			free(text);
			free(*stats);
		}
	} while (!same && --tries);
	return text;
}

int tags_read_file(struct tags *tags, const char *file, tags_parser parse,
		   char *why, size_t size)
{
	char *text, *stats, wrong[160];
	uint64_t clock_ns = 0;
	const char *reason;
	int dir = control_open(&reason), err;

	memset(tags, 0, sizeof(*tags));
	if (dir < 0) {
		snprintf(why, size, "%s", reason);
		return dir;
	}
	text = read_both(dir, file, &stats, &clock_ns);
	err = text ? 0 : -errno;
	close(dir);
	if (!text) {
		snprintf(why, size, "cannot read the module's files: %s",
			 strerror(-err));
		return err;
	}
	err = parse(tags, text, wrong, sizeof(wrong));
	if (err)
		snprintf(why, size, "cannot read the module's file %s: %s: use the tool that came with the module",
			 file, wrong);
	table_clean_lines(stats);
	free(tags->stats);
	tags->stats = stats;
	tags->clock_ns = clock_ns;
	free(text);
	return err;
}

int tags_read_module(struct tags *tags, bool quick, char *why, size_t size)
{
	int err = tags_read_file(tags, quick ? "tags_quick" : "tags", tags_parse, why, size);

	tags->no_ages = quick;
	return err;
}

static int read_saved(struct tags *tags, const char *path)
{
	char why[256], *text = textfile_read(AT_FDCWD, path, NULL);
	int err;

	memset(tags, 0, sizeof(*tags));
	if (!text) {
		outfile_unreadable(path);
		return -1;
	}
	err = tags_parse(tags, text, why, sizeof(why));
	if (err)
		msg_error("%s was not written by allocinfo --save: %s", path,
			  why);
	free(text);
	return err;
}

static int read_any(struct tags *tags, const char *path, bool quick)
{
	char why[256];
	int err;

	if (path)
		return read_saved(tags, path);
	err = tags_read_module(tags, quick, why, sizeof(why));
	if (err)
		msg_error("%s", why);
	return err;
}

int tags_read(struct tags *tags, const char *path)
{
	return read_any(tags, path, false);
}

int tags_read_quick(struct tags *tags, const char *path)
{
	return read_any(tags, path, true);
}

bool tags_word(const struct tags *tags, const char *name, char *to, size_t size)
{
	const char *value = textfile_value(tags->stats, name, strlen(name), ' ');

	snprintf(to, size, "%.*s", value ? (int)strcspn(value, "\n") : 0,
		 value ? value : "");
	return value;
}

static int write_all(const struct tags *tags, FILE *out)
{
	/* the text of a saved file contains the counters already */
	const char *line = strstr(tags->text, STAT) ? NULL : tags->stats;

	errno = 0;
	fputs(tags->text, out);
	for (; line && *line; line = textfile_next_line(line))
		fprintf(out, STAT "%.*s\n", (int)strcspn(line, "\n"), line);
	return ferror(out) ? -(errno ? errno : EIO) : 0;
}

bool tags_is_saved(const char *first)
{
	static const char words[] = "kmemtrace tags";

	return !strncmp(first, words, strlen(words));
}

bool tags_is_saved_file(const char *path)
{
	char first[TAGS_FIRST];

	return !textfile_first(path, first, sizeof(first)) && tags_is_saved(first);
}

int tags_save(const struct tags *tags, const char *path)
{
	struct outfile *out;

	if (outfile_create(path, TITLE, &out))
		return -1;
	return outfile_finish(out, write_all(tags, outfile_stream(out)), false);
}

char *tags_find_address(char *text, char **end)
{
	char *at;

	for (*end = text; (at = strstr(*end, "0x"));)
		if (strtoull(at, end, 16) > UINT32_MAX)
			return at;
	return NULL;
}

void tags_name_address(char *at, char *end, size_t number)
{
	size_t used = snprintf(at, end - at, "site%zu", number % 1000000);

	memmove(at + used, end, strlen(end) + 1);
}

/* A location without a function has its address twice. */
static void name_addresses(char *location, size_t number)
{
	char *at, *end;

	while ((at = tags_find_address(location, &end)))
		tags_name_address(at, end, number);
}

/* Removes the address from a row of the text, which has all fields. */
static void drop_address(char *row, size_t number)
{
	char *at = row, *end;
	int i;

	for (i = 0; i <= ADDRESS_FIELD; i++)
		at = strchr(at, ' ') + 1;
	end = strchr(at, ' ');
	*at = '-';
	memmove(at + 1, end, strlen(end) + 1);
	name_addresses(at, number);
}

/*
 * Copies lines without addresses and the id of the boot. Return: the copy, which the caller
 * frees.
 */
static char *safe_lines(char *lines, const char *boot, bool has_rows)
{
	struct memtext text;
	FILE *out = memtext_open(&text);
	char *line, *rest = lines;
	size_t rows = 0;

	while ((line = strsep(&rest, "\n"))) {
		if (has_rows && line != lines && *line && *line != '#')
			drop_address(line, ++rows);
		if (strncmp(line, boot, strlen(boot)))
			fprintf(out, "%s%s", line, rest ? "\n" : "");
	}
	return memtext_close(&text, NULL);
}

void tags_drop_addresses(struct tags *tags)
{
	char *text = safe_lines(tags->text, STAT TAGS_BOOT " ", true);
	char *stats = safe_lines(tags->stats, TAGS_BOOT " ", false);
	size_t i;

	free(tags->text);
	free(tags->stats);
	tags->text = text;
	tags->stats = stats;
	for (i = 0; i < tags->rows.count; i++) {
		struct site_row *row = &tags->rows.row[i];

		row->address = 0;
		name_addresses(row->location, i + 1);
		site_row_rename(row, row->location);
	}
}

void tags_free(struct tags *tags)
{
	site_rows_free(&tags->rows);
	free(tags->text);
	free(tags->stats);
}

/* --- columns of all lists of tags ----------------------------------------- */

/* The titles are those of allocinfo. */
static const struct table_column columns[] = {
	FIGURE_LIVE, FIGURE_OBJECTS, FIGURE_ALLOCS, FIGURE_FREES, FIGURE_WASTE, FIGURE_REQUESTED,
	FIGURE_KIND, FIGURE_PEAK, FIGURE_OLDEST, FIGURE_SITE, FIGURE_MODULE,
};

void tagrows_module(const struct site_row *t, struct table_cell *cell)
{
	snprintf(cell->string, sizeof(cell->string), "%s",
		 *t->name.module ? t->name.module : "kernel");
}

static void tagrows_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct site_row *t = &((const struct tags *)arg)->rows.row[i];

	row_number(cell, t->f.bytes);
	row_number(cell, t->f.objects);
	row_number(cell, t->f.allocs);
	row_number(cell, t->f.frees);
	row_number(cell, figures_waste(&t->f));
	row_number(cell, t->f.requested);
	row_text(cell, site_kind_names[t->kind]);
	row_number(cell, t->f.peak);
	row_known(cell, t->f.oldest_ms >= 0, t->f.oldest_ms);
	row_text(cell, t->location);
	if (row_wants(cell))
		tagrows_module(t, cell);
}

struct listing tagrows_list(const struct tags *tags)
{
	return LISTING(columns, tags->rows.count, tagrows_cell, tags);
}
