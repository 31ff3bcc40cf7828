// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "account/sitename.h"
#include "base/die.h"

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
