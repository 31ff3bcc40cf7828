// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any text as /proc/kallsyms, caches, gfp_flags, lists of modules and the log of modules.
 * Look-ups of symbols must give the same results as a linear search in this file.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "trace/names.h"

#define TEXT	     300
#define FUNCTION_MAX (16u << 20)
/* number of lines that are looked up */
#define ASKED 40

/**
 * struct symbol - a line, parsed by this file
 * @addr: address of the function; 0: the line is not a function
 * @name: its name
 * @module: name of its module; NULL: the kernel itself
 */
struct symbol {
	uint64_t addr;
	char *name;
	char *module;
};

static struct symbol *symbols;
static size_t count;

/* @line: "address type name", and optionally "\t[module]" */
static struct symbol read_line(char *line)
{
	struct symbol s = {0};
	char *end, *tab;
	size_t len;

	s.addr = strtoull(line, &end, 16);
	if (end == line || strlen(end) < 4 || end[0] != ' ' || end[2] != ' ' ||
	    !strchr("tTwW", end[1]))
		return (struct symbol) {0};
	s.name = end + 3;
	tab = strchr(s.name, '\t');
	if (!tab)
		return s;
	*tab++ = '\0';
	len = strlen(tab);
	if (len > 2 && *tab == '[' && tab[len - 1] == ']') {
		tab[len - 1] = '\0';
		s.module = tab + 1;
	}
	return s;
}

static void read_lines(char *text)
{
	char *line;

	count = 0;
	symbols = calloc(strlen(text) + 1, sizeof(*symbols));
	FUZZ_MUST(symbols);
	while ((line = strsep(&text, "\n"))) {
		symbols[count] = read_line(line);
		count += symbols[count].addr != 0;
	}
}

/* --- search by address ---------------------------------------------------- */

/* Return: the last symbol at or below @addr; of several at one address, the first. */
static const struct symbol *find(uint64_t addr)
{
	const struct symbol *best = NULL;
	size_t i;

	for (i = 0; i < count; i++)
		if (symbols[i].addr <= addr &&
		    (!best || symbols[i].addr > best->addr))
			best = &symbols[i];
	return best;
}

/* Return: true for symbols that only mark the end of kernel code. */
static bool is_end(const struct symbol *s)
{
	return !s->module &&
	       (!strcmp(s->name, "_etext") || !strcmp(s->name, "_einittext"));
}

static void check_symbol(struct names *n, uint64_t addr)
{
	const struct symbol *s = addr ? find(addr - 1) : NULL;
	char text[TEXT], want[TEXT];

	names_symbol(n, addr, 0, text, sizeof(text));
	if (!addr)
		snprintf(want, sizeof(want), "(unknown)");
	else if (!s || is_end(s) || addr - s->addr > FUNCTION_MAX)
		snprintf(want, sizeof(want), "0x%" PRIx64, addr);
	else if (s->module)
		snprintf(want, sizeof(want), "%s+0x%" PRIx64 " [%s]", s->name,
			 addr - s->addr, s->module);
	else
		snprintf(want, sizeof(want), "%s+0x%" PRIx64, s->name,
			 addr - s->addr);
	FUZZ_MUST(!strcmp(text, want));
}

/* --- search by name ------------------------------------------------------- */

/* Return: a function of the kernel, else of a module; of several, the lowest. */
static const struct symbol *find_name(const char *name, const char *module)
{
	const struct symbol *best = NULL, *s;

	for (s = symbols; s < symbols + count; s++) {
		if (strcmp(s->name, name) ||
		    (module && (!s->module || strcmp(s->module, module))))
			continue;
		if (!best || (best->module && !s->module) ||
		    (!best->module == !s->module && s->addr < best->addr))
			best = s;
	}
	return best;
}

static uint64_t size_of(const struct symbol *s)
{
	uint64_t size = FUNCTION_MAX;
	size_t i;

	for (i = 0; i < count; i++)
		if (symbols[i].addr > s->addr &&
		    symbols[i].addr - s->addr < size)
			size = symbols[i].addr - s->addr;
	return size;
}

static void check_function(struct names *n, const struct symbol *s)
{
	const struct symbol *want;
	uint64_t start, size;
	char text[TEXT];
	int len;

	/* a name with a colon is parsed as module and function */
	if (strchr(s->name, ':') || (s->module && strchr(s->module, ':')))
		return;
	len = snprintf(text, sizeof(text), "%s%s%s", s->module ?: "",
		       s->module ? ":" : "", s->name);
	if (len >= TEXT)
		return;
	want = find_name(s->name, s->module);
	FUZZ_MUST(want && names_function(n, text, len, 0, &start, &size));
	FUZZ_MUST(start == want->addr && size == size_of(want));
	want = find_name(s->name, NULL);
	FUZZ_MUST(
		names_function(n, s->name, strlen(s->name), 0, &start, &size));
	FUZZ_MUST(start == want->addr && size == size_of(want));
	want = find(s->addr + 1);
	if (names_function(n, NULL, 0, s->addr + 1, &start, &size))
		FUZZ_MUST(start == want->addr && size == size_of(want));
	else
		FUZZ_MUST(!want || is_end(want) ||
			  s->addr + 1 - want->addr >= size_of(want));
}

/* --- other tables --------------------------------------------------------- */

static void check_tables(struct names *n, const char *text)
{
	char to[TEXT];
	const char *name;
	uint64_t i;

	names_add_caches(n, text);
	names_add_gfp(n, text);
	names_add_modules(n, text);
	names_add_modules(n, text);
	names_add_module_log(n, text);
	for (i = 0; i < 256; i++) {
		name = names_cache_find(n, i << i % 60);
		FUZZ_MUST(!name || !strchr(name, '\n'));
		names_cache(n, i, to, sizeof(to));
		names_symbol(n, i, names_place(n, i, i), to, sizeof(to));
		names_gfp(n, i << i % 25, to, 1 + i);
		FUZZ_MUST(strlen(to) <= i);
	}
}

bool fuzz_one(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *copy = fuzz_text(data, size);
	struct names *n = names_create();
	bool any;
	size_t i;

	names_add_kallsyms(n, text);
	read_lines(copy);
	any = count;
	check_symbol(n, 0);
	check_symbol(n, UINT64_MAX);
	for (i = 0; i < count && i < ASKED; i++) {
		check_symbol(n, symbols[i].addr);
		check_symbol(n, symbols[i].addr + 1);
		check_function(n, &symbols[i]);
	}
	check_tables(n, text);
	names_destroy(n);
	free(symbols);
	free(copy);
	free(text);
	return any;
}
