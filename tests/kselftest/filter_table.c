// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter_table.h"

const char *const filter_marks[FILTER_MARKS] = {
	"errno", "suffix", "field", "data",
	"stacktrace", "function-6.1", "cpus-6.1",
};

/* Write the expansion of one %...{...}; false if the text at @from is none. */
static bool expand_one(const char **from, FILE *to)
{
	const char *p = *from + 1, *end;
	char *open;
	long n = strtol(p, &open, 10);
	size_t len;

	/* strtol() would accept blanks and signs as well */
	if (*open != '{' || (open != p && !isdigit(*p)))
		return false;
	end = strchr(++open, '}');
	if (!end)
		return false;
	len = end - open;
	if (open - 1 != p)
		while (n-- > 0)
			fwrite(open, 1, len, to);
	else if (len == 2 && isxdigit(open[0]) && isxdigit(open[1]))
		fputc(strtol(open, NULL, 16), to);
	else if (len)
		return false;
	*from = end + 1;
	return true;
}

static bool expand(struct filter_row *row)
{
	const char *p = row->source;
	FILE *to = open_memstream(&row->text, &row->len);

	if (!to)
		return false;
	while (*p) {
		if (*p == '%' && expand_one(&p, to))
			continue;
		fputc(*p++, to);
	}
	return !fclose(to);
}

/* Remove one "@NAME "; false if there is no such mark. */
static bool take_mark(const char **p, unsigned int *marks)
{
	size_t len = strcspn(*p + 1, " ");
	int i;

	for (i = 0; i < FILTER_MARKS; i++) {
		if (strlen(filter_marks[i]) != len ||
		    memcmp(filter_marks[i], *p + 1, len))
			continue;
		*marks |= 1u << i;
		*p += 1 + len;
		*p += **p == ' ';
		return true;
	}
	return false;
}

static bool parse_line(const char *line, struct filter_row *row)
{
	while (*line == '@')
		if (!take_mark(&line, &row->marks))
			return false;
	row->source = strdup(line);
	return row->source && expand(row);
}

static int read_rows(FILE *f, const char *path, struct filter_row **rows)
{
	char *line = NULL;
	size_t room = 0;
	int n = 0, number = 0;
	ssize_t len;

	while ((len = getline(&line, &room, f)) > 0) {
		struct filter_row *row;

		number++;
		line[strcspn(line, "\n")] = '\0';
		if (!*line || *line == '#')
			continue;
		row = realloc(*rows, (n + 1) * sizeof(*row));
		if (!row)
			break;
		*rows = row;
		row += n++;
		memset(row, 0, sizeof(*row));
		row->line = number;
		if (!parse_line(line, row)) {
			fprintf(stderr, "%s:%d: no such mark\n", path, number);
			break;
		}
	}
	free(line);
	if (feof(f))
		return n;
	filter_table_free(*rows, n);
	*rows = NULL;
	return -1;
}

int filter_table_read(const char *path, struct filter_row **rows)
{
	FILE *f = fopen(path, "r");
	int n;

	*rows = NULL;
	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	n = read_rows(f, path, rows);
	fclose(f);
	return n;
}

void filter_table_free(struct filter_row *rows, int n)
{
	while (n-- > 0) {
		free(rows[n].source);
		free(rows[n].text);
	}
	free(rows);
}
