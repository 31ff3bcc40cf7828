// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "account/siterows.h"
#include "base/array.h"
#include "base/die.h"
#include "base/options.h"

/* --- names of sites ------------------------------------------------------- */

#define FUNC   " func:"
#define NOPROF "_noprof"

/* Return: false if the text is not a number with nothing behind it. */
static bool read_number(const char *text, int base, uint64_t *value)
{
	char *end;

	if (!(*text >= '0' && *text <= '9') && base == 10)
		return false;
	errno = 0;
	*value = strtoull(text, &end, base);
	return !errno && end != text && !*end;
}

/*
 * Cut off " FILE:LINE..." behind a symbol. A report has these lines only if debug
 * information was at hand, so they must not make a difference.
 */
static void cut_lines(char *text)
{
	char *plus = strstr(text, "+0x"), *at, *colon;

	if (!plus || strstr(text, FUNC))
		return;
	at = plus + 3 + strspn(plus + 3, "0123456789abcdef");
	if (!strncmp(at, " [", 2))
		at += strcspn(at, "]") + 1;
	colon = *at == ' ' && at[1] != '(' ? strchr(at, ':') : NULL;
	if (colon && colon[1] >= '0' && colon[1] <= '9')
		*at = '\0';
}

/* Cut off " func:FUNCTION TAIL". */
static void cut_function(struct sitename *p, char *text)
{
	char *func = strstr(text, FUNC), *space;

	if (!func)
		return;
	*func = '\0';
	p->function = func + strlen(FUNC);
	space = strchr(p->function, ' ');
	if (!space)
		return;
	*space = '\0';
	p->tail = space + 1;
}

/* Cut off " [MODULE]". */
static void cut_module(struct sitename *p, char *text)
{
	char *open = strstr(text, " ["), *close = open ? strchr(open, ']') : NULL;

	if (!close)
		return;
	*open = *close = '\0';
	p->module = open + 2;
	if (close[1] == ' ')
		p->tail = close + 2;
}

/* The rest is "function+0xoffset", "file:line", or something else. */
static void cut_position(struct sitename *p, char *text)
{
	char *plus = strstr(text, "+0x"), *colon = strrchr(text, ':');

	if (plus && plus != text && *text != '[' &&
	    read_number(plus + 3, 16, &p->offset)) {
		*plus = '\0';
		p->has_offset = true;
		/* the symbol has the compiler's suffix, the name after "func:" may not */
		p->function = text;
	} else if (*p->function && colon && colon != text &&
		   read_number(colon + 1, 10, &p->line)) {
		*colon = '\0';
		p->file = text;
	}
}

static void make_plain(struct sitename *p, char *to)
{
	size_t len = strcspn(p->function, "."), noprof = strlen(NOPROF);

	p->part = strstr(p->function, ".cold")	? SITE_COLD :
		  strstr(p->function, ".part.") ? SITE_PART :
						  SITE_WHOLE;
	if (!len) /* a name of a dot is no suffix */
		len = strlen(p->function);
	if (len > noprof &&
	    !strncmp(p->function + len - noprof, NOPROF, noprof))
		len -= noprof;
	memcpy(to, p->function, len);
	to[len] = '\0';
	p->plain = to;
}

void sitename_parse(struct sitename *p, const char *location)
{
	size_t len = strlen(location);

	*p = (struct sitename){ .module = "", .function = "", .plain = "", .tail = "" };
	p->text = xmalloc(2 * (len + 1));
	memcpy(p->text, location, len + 1);
	cut_lines(p->text);
	cut_function(p, p->text);
	cut_module(p, p->text);
	cut_position(p, p->text);
	make_plain(p, p->text + len + 1);
}

void sitename_free(struct sitename *p)
{
	free(p->text);
	p->text = NULL;
}

/* --- siterows ------------------------------------------------------------- */

const char *const site_kind_names[SITE_ALL_KINDS] = {
	"slab", "page", "percpu", "kmalloc", "cache", "pages",
};

const char *const site_total_names[SITE_KINDS] = { "slab", "pages", "percpu" };

int site_kind_option(const char *text)
{
	return strcmp(text, "pages") ? option_name(site_kind_names, SITE_KINDS, text) :
				       SITE_PAGE;
}

enum site_kind site_kind_of(enum site_kind kind)
{
	return kind < SITE_KINDS ? kind : kind == SITE_PAGES ? SITE_PAGE : SITE_SLAB;
}

/* --- figures ---------------------------------------------------------------------- */

int64_t saturated_add(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

static int64_t add(uint64_t to, uint64_t from, int sign)
{
	return sign < 0 ? to - from : to + from;
}

void figures_add(struct figures *to, const struct figures *from, int sign)
{
	to->bytes = add(to->bytes, from->bytes, sign);
	to->objects = add(to->objects, from->objects, sign);
	to->requested = add(to->requested, from->requested, sign);
	to->allocs = add(to->allocs, from->allocs, sign);
	to->frees = add(to->frees, from->frees, sign);
	if (sign < 0)
		return;
	if (from->peak > to->peak)
		to->peak = from->peak;
	if (from->oldest_ms > to->oldest_ms)
		to->oldest_ms = from->oldest_ms;
	to->low = saturated_add(to->low, from->low);
	to->high = saturated_add(to->high, from->high);
	to->objects_low = saturated_add(to->objects_low, from->objects_low);
	to->objects_high = saturated_add(to->objects_high, from->objects_high);
}

void figures_exact(struct figures *f)
{
	f->low = f->high = f->bytes;
	f->objects_low = f->objects_high = f->objects;
}

/* --- the list ---------------------------------------------------------------------- */

struct site_row *site_rows_add(struct site_rows *rows, enum site_kind kind, char *location)
{
	struct site_row *row = array_add(rows->row, rows->count);

	*row = (struct site_row){ .kind = kind, .location = location, .f.oldest_ms = -1 };
	sitename_parse(&row->name, location);
	return row;
}

void site_row_rename(struct site_row *row, char *location)
{
	if (location != row->location)
		free(row->location);
	row->location = location;
	sitename_free(&row->name);
	sitename_parse(&row->name, location);
}

struct figures site_rows_sum(const struct site_rows *rows, enum site_kind kind)
{
	struct figures sum = { .oldest_ms = -1 };
	size_t i;

	for (i = 0; i < rows->count; i++)
		if (site_kind_of(rows->row[i].kind) == kind)
			figures_add(&sum, &rows->row[i].f, 1);
	return sum;
}

int site_row_order(const void *a, const void *b)
{
	const struct site_row *x = a, *y = b;
	int order = strcmp(x->location, y->location);

	return order ? order : strcmp(site_kind_names[x->kind], site_kind_names[y->kind]);
}

void site_rows_merge(struct site_rows *rows)
{
	size_t i, kept = 0;

	if (!rows->count)
		return;
	qsort(rows->row, rows->count, sizeof(*rows->row), site_row_order);
	for (i = 0; i < rows->count; i++) {
		if (kept && !site_row_order(&rows->row[kept - 1], &rows->row[i])) {
			figures_add(&rows->row[kept - 1].f, &rows->row[i].f, 1);
			site_row_free(&rows->row[i]);
		} else {
			rows->row[kept++] = rows->row[i];
		}
	}
	rows->count = kept;
}

const struct site_row *site_rows_find(const struct site_rows *rows,
				      const struct site_row *like)
{
	return rows->count ? bsearch(like, rows->row, rows->count, sizeof(*like), site_row_order) :
			     NULL;
}

void site_row_free(struct site_row *row)
{
	free(row->location);
	row->location = NULL;
	sitename_free(&row->name);
}

void site_rows_free(struct site_rows *rows)
{
	size_t i;

	for (i = 0; i < rows->count; i++)
		site_row_free(&rows->row[i]);
	free(rows->row);
	*rows = (struct site_rows){ 0 };
}
