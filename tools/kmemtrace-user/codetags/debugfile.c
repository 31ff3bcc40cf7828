// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/memtext.h"
#include "base/textfile.h"
#include "codetags/debugfile.h"

char *debugfile_path;

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debugfile_path,
};

static void append_urls(FILE *out, const char *path)
{
	char *text = textfile_read(AT_FDCWD, path, NULL), *rest = text, *word;

	while (text && (word = strsep(&rest, " \t\n")))
		if (*word)
			fprintf(out, "%s ", word);
	free(text);
}

void debugfile_use_servers(const char *pattern)
{
	struct memtext text;
	FILE *out;
	char *urls;
	glob_t files;
	size_t i;

	if (getenv(DEBUGFILE_URLS) ||
	    glob(pattern, 0, NULL, &files))
		return;
	out = memtext_open(&text);
	for (i = 0; i < files.gl_pathc; i++)
		append_urls(out, files.gl_pathv[i]);
	urls = memtext_close(&text, NULL);
	if (*urls)
		setenv(DEBUGFILE_URLS, urls, 0);
	free(urls);
	globfree(&files);
}

Dwfl *debugfile_open(const char *name, const char *path, Dwfl_Module **module,
		     const char **why)
{
	Dwfl *dwfl = dwfl_begin(&callbacks);

	*module = dwfl ? dwfl_report_offline(dwfl, name, path, -1) : NULL;
	if (*module && !dwfl_report_end(dwfl, NULL, NULL))
		return dwfl;
	*why = dwfl_errmsg(-1);
	if (dwfl)
		dwfl_end(dwfl);
	return NULL;
}

/* Return: number of bytes; 0 if the text is not an even number of digits. */
static size_t parse_hex(const char *hex, unsigned char *to, size_t size)
{
	size_t n;

	for (n = 0; n < size && isxdigit((unsigned char)hex[0]) &&
		    isxdigit((unsigned char)hex[1]); n++, hex += 2)
		sscanf(hex, "%2hhx", &to[n]);
	return *hex ? 0 : n;
}

int debugfile_find(const char *build_id)
{
	unsigned char bits[64];
	size_t n = parse_hex(build_id, bits, sizeof(bits));
	Dwfl *dwfl = n ? dwfl_begin(&callbacks) : NULL;
	Dwfl_Module *module;
	char *path = NULL;
	int fd = -1;

	if (!dwfl)
		return -1;
	/* what it is called and where it is does not matter */
	module = dwfl_report_module(dwfl, "build", 0, 1);
	if (module && !dwfl_module_report_build_id(module, bits, n, 0))
		fd = dwfl_standard_find_debuginfo(module, NULL, NULL, 0, NULL, NULL, 0,
						  &path);
	free(path);
	dwfl_end(dwfl);
	return fd < 0 ? -1 : fd;
}

bool debugfile_build_id(Dwfl_Module *module, char *hex, size_t size)
{
	const unsigned char *bits;
	GElf_Addr at;
	int i, n = dwfl_module_build_id(module, &bits, &at);

	if (n <= 0)
		return false;
	hex[0] = '\0';
	for (i = 0; i < n && 2 * i + 2 < (int)size; i++)
		sprintf(hex + 2 * i, "%02x", bits[i]);
	return true;
}

uint64_t debugfile_symbol(Dwfl_Module *module, const char *name)
{
	int i, n = dwfl_module_getsymtab(module);
	uint64_t found = 0;
	GElf_Sym symbol;

	for (i = 0; i < n; i++) {
		const char *is = dwfl_module_getsym(module, i, &symbol, NULL);

		if (!is || strcmp(is, name) || symbol.st_value == found)
			continue;
		if (found)
			return 0;
		found = symbol.st_value;
	}
	return found;
}

/* --- source files --------------------------------------------------------- */

const char *debugfile_comp_dir(Dwarf_Die *cu)
{
	Dwarf_Attribute attr;

	return dwarf_attr(cu, DW_AT_comp_dir, &attr) ? dwarf_formstring(&attr) :
						       NULL;
}

/* Make "/build/linux/mm/slub.c" from "/build/obj" and "../linux/./mm/slub.c". */
static void absolute(const char *dir, const char *file, char *to, size_t size)
{
	size_t len = 0;

	if (*file != '/' && dir)
		len = snprintf(to, size, "%s", dir);
	if (len >= size)
		len = 0;
	while (*file) {
		size_t n = strcspn(file, "/");

		if (n == 2 && !strncmp(file, "..", 2)) {
			while (len && to[--len] != '/')
				;
		} else if (n && !(n == 1 && *file == '.') &&
			   len + n + 2 < size) {
			to[len++] = '/';
			memcpy(to + len, file, n);
			len += n;
		}
		file += n + (file[n] == '/');
	}
	to[len] = '\0';
}

const char *debugfile_relative(const struct debugfile_root *root,
			       const char *comp_dir, const char *file,
			       char *room, size_t size)
{
	const char *dirs[] = { root->dir, comp_dir };
	size_t i, len = strlen(root->dir);

	/* keep "amd/../header.h" below the root, because the kernel keeps it, too */
	if (len && !strncmp(file, root->dir, len) && file[len] == '/')
		return file + len + 1 + 2 * !strncmp(file + len, "/./", 3);
	absolute(comp_dir, file, room, size);
	for (i = 0; i < 2; i++) {
		len = dirs[i] ? strlen(dirs[i]) : 0;
		if (len && !strncmp(room, dirs[i], len) && room[len] == '/')
			return room + len + 1;
	}
	return room;
}

static void take_root(struct debugfile_root *root, Dwarf_Die *cu)
{
	static const char known[] = "/init/main.c";
	const char *name = dwarf_diename(cu);
	char path[512];
	size_t len;

	if (*root->dir || !name)
		return;
	absolute(debugfile_comp_dir(cu), name, path, sizeof(path));
	len = strlen(path);
	if (len > sizeof(known) &&
	    !strcmp(path + len - sizeof(known) + 1, known))
		snprintf(root->dir, sizeof(root->dir), "%.*s",
			 (int)(len - sizeof(known) + 1), path);
}

void debugfile_find_root(struct debugfile_root *root, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, type;
	uint8_t kind;

	while (!*root->dir &&
	       !dwarf_get_units(dwarf, cu, &cu, NULL, &kind, &die, &type))
		take_root(root, &die);
}

const char *debugfile_call(Dwarf_Die *copy, Dwarf_Files *files, int *line)
{
	Dwarf_Attribute attr;
	Dwarf_Word file, n;

	if (!dwarf_attr(copy, DW_AT_call_file, &attr) ||
	    dwarf_formudata(&attr, &file) ||
	    !dwarf_attr(copy, DW_AT_call_line, &attr) ||
	    dwarf_formudata(&attr, &n))
		return NULL;
	*line = n;
	return dwarf_filesrc(files, file, NULL, NULL);
}
