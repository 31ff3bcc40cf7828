// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

#define GFP_MAX 128
#ifndef CACHES_MAX
#define CACHES_MAX 65536
#endif
/* what is further from a symbol is not in its function */
#define FUNCTION_MAX (16u << 20)

struct symbol {
	uint64_t addr;
	const char *name;   /* not ended by a 0 */
	const char *module; /* as well; NULL: the kernel itself */
	uint16_t name_len;
	uint16_t module_len;
};

struct gfp {
	uint32_t mask;
	char name[40];
};

struct names {
	char *kallsyms; /* what symbols point into */
	struct symbol *symbols;
	size_t nr_symbols;
	bool sorted;
	char **caches; /* by id */
	size_t nr_caches;
	struct gfp gfp[GFP_MAX];
	size_t nr_gfp;
};

struct names *names_create(void)
{
	return calloc(1, sizeof(struct names));
}

void names_destroy(struct names *n)
{
	size_t i;

	for (i = 0; i < n->nr_caches; i++)
		free(n->caches[i]);
	free(n->caches);
	free(n->symbols);
	free(n->kallsyms);
	free(n);
}

/* --- symbols -------------------------------------------------------------- */

/* "address type name[\t[module]]"; only code is of use. */
static bool parse_symbol(const char *line, const char *end, struct symbol *s)
{
	const char *at, *tab;
	char *stop;
	char type;

	s->addr = strtoull(line, &stop, 16);
	at = stop;
	if (at == line || end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return false;
	type = at[1] | 0x20;
	if (type != 't' && type != 'w')
		return false;
	s->name = at + 3;
	tab = memchr(s->name, '\t', end - s->name);
	s->name_len = (tab ? tab : end) - s->name;
	s->module = NULL;
	s->module_len = 0;
	if (tab && end - tab > 3 && tab[1] == '[' && end[-1] == ']') {
		s->module = tab + 2;
		s->module_len = end - 1 - s->module;
	}
	return s->addr != 0;
}

static size_t count_lines(const char *text)
{
	size_t n = 1;

	while ((text = strchr(text, '\n'))) {
		n++;
		text++;
	}
	return n;
}

bool names_add_kallsyms(struct names *n, const char *text)
{
	const char *line, *end;

	if (n->kallsyms)
		return true; /* one is enough */
	n->kallsyms = strdup(text);
	n->symbols = calloc(count_lines(text), sizeof(*n->symbols));
	if (!n->kallsyms || !n->symbols)
		return false;
	for (line = n->kallsyms; *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		if (parse_symbol(line, end, &n->symbols[n->nr_symbols]))
			n->nr_symbols++;
	}
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static void sort_symbols(struct names *n)
{
	if (n->sorted || !n->nr_symbols)
		return;
	qsort(n->symbols, n->nr_symbols, sizeof(*n->symbols), by_address);
	n->sorted = true;
}

/* How many symbols there are below an address. */
static size_t count_below(const struct names *n, uint64_t addr)
{
	size_t low = 0, high = n->nr_symbols;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (n->symbols[mid].addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The last one at or below an address; of several names for it, the first. */
static const struct symbol *find_symbol(struct names *n, uint64_t addr)
{
	size_t count;

	sort_symbols(n);
	count = addr == UINT64_MAX ? n->nr_symbols : count_below(n, addr + 1);
	if (!count)
		return NULL;
	return &n->symbols[count_below(n, n->symbols[count - 1].addr)];
}

void names_symbol(struct names *n, uint64_t addr, char *to, size_t size)
{
	/* a return address may be behind the end of the function */
	const struct symbol *s = addr ? find_symbol(n, addr - 1) : NULL;

	if (!addr)
		snprintf(to, size, "(unknown)");
	else if (!s || addr - s->addr > FUNCTION_MAX)
		snprintf(to, size, "0x%" PRIx64, addr);
	else
		snprintf(to, size, "%.*s+0x%" PRIx64 "%s%.*s%s", s->name_len,
			 s->name, addr - s->addr, s->module ? " [" : "",
			 s->module_len, s->module ? s->module : "",
			 s->module ? "]" : "");
}

static bool is_text(const char *text, size_t len, const char *name, size_t n)
{
	return len == n && !memcmp(text, name, n);
}

static const struct symbol *find_name(struct names *n, const char *name,
				      size_t len)
{
	const char *colon = memchr(name, ':', len);
	const char *module = colon ? name : NULL;
	const struct symbol *s, *found = NULL;
	size_t module_len = 0;

	if (colon) {
		module_len = colon - name;
		name = colon + 1;
		len -= module_len + 1;
	}
	sort_symbols(n);
	for (s = n->symbols; s < n->symbols + n->nr_symbols; s++) {
		if (!is_text(s->name, s->name_len, name, len))
			continue;
		if (module && (!s->module || !is_text(s->module, s->module_len,
						      module, module_len)))
			continue;
		if (!s->module)
			return s;
		if (!found)
			found = s;
	}
	return found;
}

bool names_function(struct names *n, const char *name, size_t len,
		    uint64_t addr, uint64_t *start, uint64_t *size)
{
	const struct symbol *s = name ? find_name(n, name, len) :
					find_symbol(n, addr);
	const struct symbol *next = s;

	if (!s)
		return false;
	while (next < n->symbols + n->nr_symbols && next->addr == s->addr)
		next++;
	*start = s->addr;
	*size = FUNCTION_MAX;
	if (next < n->symbols + n->nr_symbols &&
	    next->addr - s->addr < FUNCTION_MAX)
		*size = next->addr - s->addr;
	return name || addr - s->addr < *size;
}

/* --- caches ---------------------------------------------------------------- */

static bool set_cache(struct names *n, size_t id, const char *name, size_t len)
{
	if (id >= CACHES_MAX)
		return true;
	if (id >= n->nr_caches) {
		char **more = realloc(n->caches, (id + 64) * sizeof(*more));

		if (!more)
			return false;
		memset(more + n->nr_caches, 0,
		       (id + 64 - n->nr_caches) * sizeof(*more));
		n->caches = more;
		n->nr_caches = id + 64;
	}
	free(n->caches[id]);
	n->caches[id] = strndup(name, len);
	return n->caches[id] != NULL;
}

/* sscanf() would look for the end of the whole text at each line. */
static const char *take_number(const char *at, const char *end,
			       unsigned long *value)
{
	char *stop;

	if (!at || at == end || !isdigit((unsigned char)*at))
		return NULL;
	*value = strtoul(at, &stop, 10);
	return stop < end && *stop == ' ' ? stop + 1 : NULL;
}

bool names_add_caches(struct names *n, const char *text)
{
	unsigned long id, size;
	const char *line, *end;

	for (line = text; *line; line = *end ? end + 1 : end) {
		const char *name;

		end = strchrnul(line, '\n');
		name = take_number(line, end, &id);
		name = take_number(name, end, &size);
		name = take_number(name, end, &size);
		if (name && !set_cache(n, id, name, end - name))
			return false;
	}
	return true;
}

const char *names_cache_find(const struct names *n, uint64_t id)
{
	return id < n->nr_caches ? n->caches[id] : NULL;
}

void names_cache(struct names *n, uint64_t id, char *to, size_t size)
{
	const char *name = names_cache_find(n, id);

	if (name)
		snprintf(to, size, "%s", name);
	else if (id)
		snprintf(to, size, "cache %" PRIu64, id);
	else
		snprintf(to, size, "(unknown)");
}

/* --- gfp flags --------------------------------------------------------------- */

static int most_bits_first(const void *a, const void *b)
{
	const struct gfp *x = a, *y = b;

	return __builtin_popcount(y->mask) - __builtin_popcount(x->mask);
}

bool names_add_gfp(struct names *n, const char *text)
{
	const char *line, *end;
	char row[128];

	for (line = text; *line && n->nr_gfp < GFP_MAX;
	     line = *end ? end + 1 : end) {
		struct gfp *g = &n->gfp[n->nr_gfp];

		end = strchrnul(line, '\n');
		snprintf(row, sizeof(row), "%.*s", (int)(end - line), line);
		if (sscanf(row, "0x%" SCNx32 " %39s", &g->mask, g->name) == 2 &&
		    g->mask)
			n->nr_gfp++;
	}
	qsort(n->gfp, n->nr_gfp, sizeof(n->gfp[0]), most_bits_first);
	return true;
}

void names_gfp(struct names *n, uint32_t flags, char *to, size_t size)
{
	size_t i, used = 0;

	to[0] = '\0';
	for (i = 0; i < n->nr_gfp && used < size; i++) {
		if ((flags & n->gfp[i].mask) != n->gfp[i].mask)
			continue;
		used += snprintf(to + used, size - used, "%s%s",
				 used ? "|" : "", n->gfp[i].name);
		flags &= ~n->gfp[i].mask;
	}
	if (used < size && (flags || !used))
		snprintf(to + used, size - used, "%s0x%" PRIx32,
			 used ? "|" : "", flags);
}
