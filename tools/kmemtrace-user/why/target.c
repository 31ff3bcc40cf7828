// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "why/target.h"

#define FRAME  "pfn:"
#define DIGITS "0123456789"
#define HEX    DIGITS "abcdefABCDEF"
#define LOWER_HEX DIGITS "abcdef"

/* digits of an address, as the kernel prints it without 0x */
#define ADDRESS_DIGITS 16

const char *const target_kind_names[] = {
	[TARGET_SITE] = "site",
	[TARGET_ADDRESS] = "address",
	[TARGET_FRAME] = "frame",
};

/* Read a text of digits; strtoull() would also accept signs, blanks and another "0x". */
static bool read_number(const char *text, int base, uint64_t *number)
{
	if (!*text || text[strspn(text, base == 16 ? HEX : DIGITS)])
		return false;
	errno = 0;
	*number = strtoull(text, NULL, base);
	return !errno;
}

static bool read_frame(const char *text, uint64_t *number)
{
	bool hex = !strncmp(text, "0x", 2) || !strncmp(text, "0X", 2);

	return read_number(text + 2 * hex, hex ? 16 : 10, number);
}

const char *target_parse(struct target *t, const char *text)
{
	bool is_hex = *text && !text[strspn(text, HEX)];

	*t = (struct target){ .text = text };
	if (!strncasecmp(text, FRAME, strlen(FRAME))) {
		t->kind = TARGET_FRAME;
		return read_frame(text + strlen(FRAME), &t->number) ? NULL :
			"names no page frame: write pfn:1234 or pfn:0x4d2";
	}
	t->kind = TARGET_ADDRESS;
	if (!strncmp(text, "0x", 2) || !strncmp(text, "0X", 2))
		return read_number(text + 2, 16, &t->number) ? NULL :
			"is no address: write 0x and up to 16 hexadecimal digits";
	if (is_hex && strlen(text) == ADDRESS_DIGITS)
		return read_number(text, 16, &t->number) ? NULL : "is no address";
	if (is_hex && *text >= '0' && *text <= '9')
		return "may be an address or a page frame: write 0x... for an address, pfn:... for a page frame";
	t->kind = TARGET_SITE;
	return text[strspn(text, " \t\n")] ? NULL :
		"is empty: name a function, a file with its line, an address or a page frame";
}

/* --- texts that name sites ------------------------------------------------------------- */

/* Remove the size of the function, as stack traces of the kernel have it: "/0x34". */
static void drop_size(char *text)
{
	char *plus = strstr(text, "+0x"), *slash;

	if (!plus)
		return;
	slash = plus + 3 + strspn(plus + 3, LOWER_HEX);
	if (strncmp(slash, "/0x", 3))
		return;
	plus = slash + 3 + strspn(slash + 3, LOWER_HEX);
	memmove(slash, plus, strlen(plus) + 1);
}

/* Return: whether the first @len bytes are "file:line". */
static bool is_file(const char *text, size_t len)
{
	const char *colon = memrchr(text, ':', len);

	return colon && colon != text && colon + 1 < text + len &&
	       colon + 1 + strspn(colon + 1, DIGITS) >= text + len;
}

/* Complete a function or a file to a location. Return: the location. */
static char *complete(const char *text, bool *file, bool *function)
{
	const char *module = strstr(text, " [");
	size_t len = module ? (size_t)(module - text) : strlen(text);

	*file = *function = false;
	if (strstr(text, " func:") || strstr(text, "+0x"))
		return xstrdup(text);
	*file = is_file(text, len);
	*function = !*file;
	if (*file)
		return xasprintf("%s func:?", text);
	return xasprintf("%.*s+0x0%s", (int)len, text, text + len);
}

void pattern_parse(struct pattern *p, const char *text)
{
	char *copy, *location;
	bool file, function;

	*p = (struct pattern){ .name = { .module = "", .function = "", .plain = "", .tail = "" } };
	text += strspn(text, " \t\n");
	copy = xstrdup(text);
	drop_size(copy);
	location = complete(copy, &file, &function);
	free(copy);
	sitename_parse(&p->name, location);
	free(location);
	if (file)
		p->name.function = p->name.plain = "";
	if (function)
		p->name.has_offset = false;
}

bool pattern_is_empty(const struct pattern *p)
{
	return !*p->name.function && !p->name.file;
}

static bool has_function(const struct sitename *want, const struct sitename *s)
{
	if (!strcmp(want->function, s->function))
		return true;
	return !want->has_offset && !strcmp(want->plain, s->plain);
}

/* The tail of a path matches, from the start of one of its words. */
static bool has_file(const struct sitename *want, const struct sitename *s)
{
	size_t n = strlen(want->file), len = s->file ? strlen(s->file) : 0;

	return len >= n && want->line == s->line && !strcmp(s->file + len - n, want->file) &&
	       (len == n || s->file[len - n - 1] == '/');
}

bool pattern_matches(const struct pattern *p, const char *location)
{
	const struct sitename *want = &p->name;
	struct sitename s;
	bool ok;

	sitename_parse(&s, location);
	ok = (!*want->module || !strcmp(want->module, s.module)) &&
	     (!*want->function || has_function(want, &s)) &&
	     (!want->file || has_file(want, &s)) &&
	     (!want->has_offset || (s.has_offset && want->offset == s.offset)) &&
	     (!*want->tail || !strcmp(want->tail, s.tail));
	sitename_free(&s);
	return ok;
}

void pattern_free(struct pattern *p)
{
	sitename_free(&p->name);
}

/* --- the sites --------------------------------------------------------------------------- */

static int by_location(const void *a, const void *b)
{
	const struct site_row *x = *(const struct site_row **)a;
	const struct site_row *y = *(const struct site_row **)b;
	int order = strcmp(x->location, y->location);

	if (order)
		return order;
	return x->kind != y->kind ? (int)x->kind - (int)y->kind : x < y ? -1 : x > y;
}

static int by_bytes(const void *a, const void *b)
{
	const struct match *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return strcmp(x->location, y->location);
}

static void matches_add(struct matches *m, const struct site_row **tag)
{
	struct match *last = m->count ? &m->match[m->count - 1] : NULL;

	if (!last || strcmp(last->location, (*tag)->location)) {
		last = &m->match[m->count++];
		*last = (struct match){ .location = (*tag)->location, .tag = tag };
	}
	last->count++;
	last->bytes = (uint64_t)last->bytes + (uint64_t)(*tag)->f.bytes;
}

void matches_find(struct matches *m, const struct tags *tags,
		 bool (*is)(void *arg, const struct site_row *tag), void *arg)
{
	size_t i, n = 0;

	*m = (struct matches){ 0 };
	m->tags = xcalloc(tags->rows.count + 1, sizeof(*m->tags));
	m->match = xcalloc(tags->rows.count + 1, sizeof(*m->match));
	for (i = 0; i < tags->rows.count; i++)
		if (is(arg, &tags->rows.row[i]))
			m->tags[n++] = &tags->rows.row[i];
	qsort(m->tags, n, sizeof(*m->tags), by_location);
	for (i = 0; i < n; i++)
		matches_add(m, &m->tags[i]);
	qsort(m->match, m->count, sizeof(*m->match), by_bytes);
}

void matches_free(struct matches *m)
{
	free(m->match);
	free(m->tags);
}
