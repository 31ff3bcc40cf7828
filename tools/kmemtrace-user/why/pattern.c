// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/msg.h"
#include "why/pattern.h"

#define DIGITS "0123456789"
#define HEX    DIGITS "abcdef"

/* Remove the size of the function, as stack traces of the kernel have it: "/0x34". */
static void drop_size(char *text)
{
	char *plus = strstr(text, "+0x"), *slash;

	if (!plus)
		return;
	slash = plus + 3 + strspn(plus + 3, HEX);
	if (strncmp(slash, "/0x", 3))
		return;
	plus = slash + 3 + strspn(slash + 3, HEX);
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
