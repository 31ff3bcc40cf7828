// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "account/tags.h"
#include "base/array.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/outfile.h"
#include "base/table.h"
#include "base/textfile.h"
#include "control/control.h"
#include "control/system.h"

#define TITLE "kmemtrace tags - version: "
#define STAT  "# stat "
/* time of the last start of accounting, in ns since boot */
#define SINCE "accounting_since_ns"

const char *const tag_kind_names[TAG_KINDS] = { "slab", "page", "percpu" };

/* --- parsing ----------------------------------------------------------------- */

static bool parse_kind(const char *word, enum tag_kind *kind)
{
	int i;

	for (i = 0; i < TAG_KINDS; i++) {
		if (!strcmp(word, tag_kind_names[i])) {
			*kind = i;
			return true;
		}
	}
	return false;
}

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

/* numbers in a row of version 2; version 1 lacks the last one */
#define FIELDS 9
#define ADDRESS_FIELD 7

/*
 * Without debug information, a location contains the function instead of the file:
 * "function+0xoffset:0". Older modules write "function:offset", with a decimal offset.
 * Both become "function+0xoffset".
 *
 * Return: the location, which the caller frees; NULL if memory ran out.
 */
static char *location_of(const char *text)
{
	size_t file = strcspn(text, ": "), line, function;
	const char *name = strstr(text, " func:") + strlen(" func:");
	const char *plus = memmem(text, file, "+0x", 3);
	char *to;

	if (!file || text[file] != ':')
		return strdup(text);
	line = strspn(text + file + 1, "0123456789");
	function = strcspn(name, " ");
	if (plus && function == (size_t)(plus - text) &&
	    !strncmp(text, name, function)) {
		if (asprintf(&to, "%.*s%s", (int)file, text,
			     text + file + 1 + line) < 0)
			return NULL;
		return to;
	}
	if (function != file || strncmp(text, name, file))
		return strdup(text);
	if (asprintf(&to, "%.*s+0x%lx%s", (int)file, text,
		     strtoul(text + file + 1, NULL, 10),
		     text + file + 1 + line) < 0)
		return NULL;
	return to;
}

/* Return: false if the line is not a row. If memory runs out, the location is NULL. */
static bool parse_row(char *line, int fields, struct tag *tag)
{
	int64_t field[FIELDS] = { 0 };
	char *word, *rest = line;
	int i;

	word = strsep(&rest, " ");
	if (!parse_kind(word, &tag->kind))
		return false;
	for (i = 0; i < fields; i++) {
		word = strsep(&rest, " ");
		if (!word || !parse_number(word, i == ADDRESS_FIELD ? 16 : 10,
					   &field[i]))
			return false;
	}
	if (!rest || !*rest || !strstr(rest, " func:"))
		return false;
	tag->bytes = field[0];
	tag->objects = field[1];
	tag->requested = field[2];
	tag->allocs = field[3];
	tag->frees = field[4];
	tag->peak = field[5];
	tag->oldest_ms = field[6];
	tag->address = field[ADDRESS_FIELD] == -1 ? 0 : field[ADDRESS_FIELD];
	tag->id = field[8];
	tag->location = location_of(rest);
	if (tag->location)
		table_clean(tag->location);
	return true;
}

static int collect_stats(struct tags *tags)
{
	struct memtext stats;
	FILE *out = memtext_open(&stats);
	const char *line;

	if (!out)
		return -1;
	for (line = tags->text; line; line = textfile_next_line(line))
		if (!strncmp(line, STAT, strlen(STAT)))
			fprintf(out, "%.*s\n",
				(int)(strcspn(line, "\n") - strlen(STAT)),
				line + strlen(STAT));
	tags->stats = memtext_close(&stats, NULL);
	if (!tags->stats)
		return -1;
	table_clean_lines(tags->stats);
	return 0;
}

int tags_parse(struct tags *tags, const char *text, char *why, size_t size)
{
	size_t number = 1;
	char *copy = strdup(text), *rest = copy, *line;
	struct tag *tag;
	int fields, err = -ENOMEM;

	memset(tags, 0, sizeof(*tags));
	tags->text = strdup(text);
	snprintf(why, size, "out of memory");
	/* allocate the array also for 0 rows: qsort() must not get NULL */
	if (!copy || !tags->text || collect_stats(tags) ||
	    !array_reserve(tags->tag, tags->count))
		goto out;
	line = strsep(&rest, "\n");
	if (strncmp(line, TITLE, strlen(TITLE))) {
		snprintf(why, size, "it does not begin with \"%s\" and a number",
			 TITLE);
		err = -EINVAL;
		goto out;
	}
	line += strlen(TITLE);
	table_clean(line);
	if (strcmp(line, "1") && strcmp(line, "2")) {
		snprintf(why, size, "it has version %s; this tool knows 1 and 2",
			 line);
		err = -EINVAL;
		goto out;
	}
	fields = *line == '1' ? FIELDS - 1 : FIELDS;
	while ((line = strsep(&rest, "\n"))) {
		number++;
		if (!*line || *line == '#')
			continue;
		if (!array_reserve(tags->tag, tags->count))
			goto out;
		tag = &tags->tag[tags->count];
		memset(tag, 0, sizeof(*tag));
		if (!parse_row(line, fields, tag)) {
			snprintf(why, size, "line %zu is not a row of tags",
				 number);
			err = -EINVAL;
			goto out;
		}
		if (!tag->location)
			goto out;
		tags->count++;
	}
	err = 0;
out:
	free(copy);
	return err;
}

/* --- reading and saving --------------------------------------------------------- */

/*
 * Read the file stats, and append the boot id. Return: the text, which the caller frees;
 * NULL with errno set.
 */
static char *read_stats(int dir)
{
	char *stats = control_read(dir, "stats", NULL), *both = NULL;
	char *boot = system_boot_id();

	if (stats && boot && asprintf(&both, "%sboot_id %s\n", stats, boot) < 0) {
		both = NULL;
		msg_no_memory();
	}
	free(boot);
	if (!both)
		return stats;
	free(stats);
	return both;
}

/*
 * Read a file and stats. Accounting may be restarted between the two reads: then both are
 * read again, up to 3 times in total.
 *
 * Return: the text of the file, with @stats set; the caller frees both. NULL with errno
 * set.
 */
static char *read_both(int dir, const char *file, char **stats)
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
		textfile_number(*stats, SINCE, &before);
		free(*stats);
		text = control_read(dir, file, NULL);
		*stats = text ? read_stats(dir) : NULL;
		if (!*stats) {
			free(text);
			return NULL;
		}
		textfile_number(*stats, SINCE, &since);
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
	const char *reason;
	int dir = control_open(&reason), err;

	memset(tags, 0, sizeof(*tags));
	if (dir < 0) {
		snprintf(why, size, "%s", reason);
		return -1;
	}
	text = read_both(dir, file, &stats);
	if (!text)
		snprintf(why, size, "cannot read the module's files: %s",
			 strerror(errno));
	close(dir);
	if (!text)
		return -1;
	err = parse(tags, text, wrong, sizeof(wrong));
	if (err)
		snprintf(why, size, "cannot read the module's file %s: %s%s", file,
			 wrong, err == -ENOMEM ? "" :
				": use the tool that came with the module");
	table_clean_lines(stats);
	free(tags->stats);
	tags->stats = stats;
	free(text);
	return err;
}

int tags_read_module(struct tags *tags, char *why, size_t size)
{
	return tags_read_file(tags, "tags", tags_parse, why, size);
}

static int read_module(struct tags *tags)
{
	char why[256];
	int err = tags_read_module(tags, why, sizeof(why));

	if (err)
		msg_error("%s", why);
	return err;
}

static int read_saved(struct tags *tags, const char *path)
{
	char why[256], *text = textfile_read(AT_FDCWD, path, NULL);
	int err;

	if (!text) {
		msg_error("cannot read %s: %s", path, strerror(errno));
		return -1;
	}
	err = tags_parse(tags, text, why, sizeof(why));
	if (err == -ENOMEM)
		msg_error("cannot read %s: %s", path, why);
	else if (err)
		msg_error("%s was not written by allocinfo --save: %s", path,
			  why);
	free(text);
	return err;
}

int tags_read(struct tags *tags, const char *path)
{
	memset(tags, 0, sizeof(*tags));
	return path ? read_saved(tags, path) : read_module(tags);
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

int tags_save(const struct tags *tags, const char *path)
{
	struct outfile *out;

	if (outfile_create(path, &out))
		return -1;
	return outfile_finish(out, write_all(tags, outfile_stream(out)), false);
}

void tags_free(struct tags *tags)
{
	size_t i;

	for (i = 0; i < tags->count; i++)
		free(tags->tag[i].location);
	free(tags->tag);
	free(tags->text);
	free(tags->stats);
}

/* --- changes -------------------------------------------------------------------- */

static int by_identity(const void *a, const void *b)
{
	const struct tag *x = a, *y = b;
	int order = strcmp(x->location, y->location);

	return order ? order : (int)x->kind - (int)y->kind;
}

static int64_t add(uint64_t to, uint64_t from, int sign)
{
	return sign < 0 ? to - from : to + from;
}

void tag_add(struct tag *to, const struct tag *from, int sign)
{
	to->bytes = add(to->bytes, from->bytes, sign);
	to->objects = add(to->objects, from->objects, sign);
	to->requested = add(to->requested, from->requested, sign);
	to->allocs = add(to->allocs, from->allocs, sign);
	to->frees = add(to->frees, from->frees, sign);
}

/* Several calls on one line, and copies of an inlined function, become one row. */
static void merge_same(struct tags *tags)
{
	size_t i, kept = 0;

	qsort(tags->tag, tags->count, sizeof(*tags->tag), by_identity);
	for (i = 0; i < tags->count; i++) {
		if (kept && !by_identity(&tags->tag[kept - 1], &tags->tag[i])) {
			tag_add(&tags->tag[kept - 1], &tags->tag[i], 1);
			if (tags->tag[i].oldest_ms > tags->tag[kept - 1].oldest_ms)
				tags->tag[kept - 1].oldest_ms = tags->tag[i].oldest_ms;
			free(tags->tag[i].location);
		} else {
			tags->tag[kept++] = tags->tag[i];
		}
	}
	tags->count = kept;
}

static struct tag *find(const struct tags *tags, const struct tag *like)
{
	return bsearch(like, tags->tag, tags->count, sizeof(*tags->tag),
		       by_identity);
}

static void drop_unchanged(struct tags *tags)
{
	size_t i, kept = 0;

	for (i = 0; i < tags->count; i++) {
		const struct tag *t = &tags->tag[i];

		if (t->bytes || t->objects || t->requested || t->allocs ||
		    t->frees)
			tags->tag[kept++] = *t;
		else
			free(t->location);
	}
	tags->count = kept;
}

/* Return: true if both have a line "boot_id", and these lines differ. */
static bool is_other_boot(const struct tags *a, const struct tags *b)
{
	static const char key[] = "boot_id ";
	const char *x = strstr(a->stats, key), *y = strstr(b->stats, key);
	size_t len;

	if (!x || !y)
		return false;
	len = strcspn(x, "\n");
	return len != strcspn(y, "\n") || strncmp(x, y, len);
}

const char *tags_incomparable(const struct tags *now, const struct tags *old)
{
	uint64_t m, n;

	if (is_other_boot(now, old))
		return "the machine was booted in between";
	if (textfile_number(now->stats, SINCE, &m) &&
	    textfile_number(old->stats, SINCE, &n) && m != n)
		return "accounting was restarted, or the module loaded again, in between";
	return NULL;
}

/* --- rows whose location changed ------------------------------------------------ */

static int by_id(const void *a, const void *b)
{
	const struct tag *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->id == y->id ? 0 : x->id < y->id ? -1 : 1;
}

static int by_address(const void *a, const void *b)
{
	const struct tag *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->address == y->address ? 0 :
	       x->address < y->address	? -1 :
					  1;
}

/* The address or id may have belonged to another module, which was unloaded. */
static bool may_be_renamed(const struct tag *now, const struct tag *old)
{
	return !now->address || !old->address || now->address == old->address;
}

/* @same: for each old row: true if a current row has the same location */
static bool rename_rows(struct tags *now, struct tags *old, const bool *same,
			int (*order)(const void *, const void *), bool ids)
{
	struct tag *t, *like;
	char *location;
	size_t i;

	qsort(now->tag, now->count, sizeof(*now->tag), order);
	for (i = 0; i < old->count; i++) {
		t = &old->tag[i];
		if (same[i] || (ids ? !t->id : !t->address))
			continue;
		like = bsearch(t, now->tag, now->count, sizeof(*t), order);
		if (!like || !may_be_renamed(like, t))
			continue;
		location = strdup(like->location);
		if (!location)
			return false;
		free(t->location);
		t->location = location;
	}
	return true;
}

/*
 * codetags load may have changed locations. Old rows get the location of the current row
 * with the same address or the same id.
 */
static bool follow_renames(struct tags *now, struct tags *old)
{
	bool *same, done;
	size_t i;

	if (tags_incomparable(now, old) || !old->count)
		return true;
	same = calloc(old->count, sizeof(*same));
	if (!same)
		return false;
	qsort(now->tag, now->count, sizeof(*now->tag), by_identity);
	for (i = 0; i < old->count; i++)
		same[i] = find(now, &old->tag[i]);
	done = rename_rows(now, old, same, by_address, false) &&
	       rename_rows(now, old, same, by_id, true);
	free(same);
	return done;
}

void tags_subtract(struct tags *tags, struct tags *old)
{
	size_t i, now;
	struct tag *tag;

	if (!follow_renames(tags, old))
		return msg_no_memory();
	merge_same(tags);
	now = tags->count;
	for (i = 0; i < old->count; i++) {
		struct tags before = { tags->tag, now, NULL, NULL };

		tag = find(&before, &old->tag[i]);
		if (!tag) { /* the row does not exist any more */
			if (!array_reserve(tags->tag, tags->count))
				return msg_no_memory();
			tag = &tags->tag[tags->count];
			*tag = (struct tag){ .kind = old->tag[i].kind,
					     .oldest_ms = -1 };
			tag->location = strdup(old->tag[i].location);
			if (!tag->location)
				return msg_no_memory();
			tags->count++;
		}
		tag_add(tag, &old->tag[i], -1);
	}
	merge_same(tags);
	drop_unchanged(tags);
}
