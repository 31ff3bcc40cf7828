// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/textfile.h"
#include "control/control.h"
#include "control/system.h"
#include "report/lines.h"
#include "trace/names.h"
#include "why/code.h"

/* bytes of a symbol */
#define SYMBOL_MAX 512

static void add_symbols(struct code *c)
{
	char *symbols = system_kallsyms(&c->hidden), *list = system_modules();

	if (symbols)
		names_add_kallsyms(c->names, symbols);
	if (list)
		names_add_modules(c->names, list);
	free(list);
	free(symbols);
}

static void add_codetags(struct code *c)
{
	const char *why;
	int dir = control_open(&why);
	char *text = dir < 0 ? NULL : control_read(dir, "codetags", NULL);

	if (text)
		names_add_codetags(c->names, text);
	free(text);
	if (dir >= 0)
		close(dir);
}

int code_open(struct code *c, const char *debuginfo)
{
	char meta[sizeof(c->build_id) + 16], path[PATH_MAX];

	*c = (struct code){ .names = names_create() };
	add_symbols(c);
	add_codetags(c);
	textfile_sys_path(path, sizeof(path), "kernel/notes");
	if (!system_build_id(path, c->build_id, sizeof(c->build_id)))
		c->build_id[0] = '\0';
	snprintf(meta, sizeof(meta), "build_id=%s\n", c->build_id);
	return lines_open(&c->lines, c->names, meta, debuginfo);
}

bool code_function(const struct code *c, uint64_t address, char *to, size_t size,
		   uint64_t *offset)
{
	uint64_t start, length;
	char *plus, *module;

	if (!names_function(c->names, NULL, 0, address, &start, &length))
		return false;
	*offset = address - start;
	names_symbol(c->names, start + 1, 0, to, size);
	plus = strstr(to, "+0x1");
	if (plus) {
		module = plus + strlen("+0x1");
		memmove(plus, module, strlen(module) + 1);
	}
	return true;
}

void code_symbol(const struct code *c, uint64_t address, char *to, size_t size)
{
	names_symbol(c->names, address, 0, to, size);
}

bool code_lines(const struct code *c, uint64_t address, char *to, size_t size)
{
	char symbol[SYMBOL_MAX];
	const char *source;

	names_symbol(c->names, address, 0, symbol, sizeof(symbol));
	source = names_source(c->names, address, 0, symbol);
	if (!source)
		return false;
	snprintf(to, size, "%s", source);
	return true;
}

void code_close(struct code *c)
{
	lines_close(c->lines);
	if (c->names)
		names_destroy(c->names);
}
