// SPDX-License-Identifier: GPL-2.0-only
/*
 * Addresses of the recording differ from those in the files. All addresses of the kernel
 * itself differ by the same number, which _text shows. For modules, the address in the
 * file is that of the function there plus the offset: symbols are "function+0x12
 * [module]". A function whose name is not unique in its module has no lines.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/die.h"
#include "codetags/codefind.h"
#include "codetags/debugfile.h"
#include "base/array.h"
#include "base/msg.h"
#include "base/textfile.h"
#include "base/words.h"
#include "report/lines.h"
#include "trace/input.h"

/* maximum bytes of the lines of a symbol */
#define TEXT_MAX 512

/**
 * struct line_file - a file with debug information
 * @module: name of the module; "": the kernel
 * @dwfl: the session
 * @mod: the module in the file; NULL: there is none
 * @root: root of the source tree
 * @shift: the kernel: number to add to addresses of the recording
 * @shifted: @shift is known
 */
struct line_file {
	char module[64];
	Dwfl *dwfl;
	Dwfl_Module *mod;
	struct debugfile_root root;
	uint64_t shift;
	bool shifted;
};

/**
 * struct lines - source lines
 * @names: names of the recording
 * @kernel_id: build id of the recorded kernel; "": not known
 * @searches: files are searched by their build ids
 * @files: the files
 * @nr_files: number of files
 * @symbols: addresses and symbols that were looked up
 * @texts: for each of @symbols, its lines; "": not known
 * @nr_texts: number of elements of @texts
 * @why: why a file could not be used, for a message
 */
struct lines {
	struct names *names;
	char kernel_id[128];
	bool searches;
	struct line_file *files;
	size_t nr_files;
	struct words symbols;
	char **texts;
	size_t nr_texts;
	const char *why;
};

/* --- files ---------------------------------------------------------------- */

static struct line_file *find_file(const struct lines *l, const char *module)
{
	size_t i;

	for (i = 0; i < l->nr_files; i++)
		if (!strcmp(l->files[i].module, module))
			return &l->files[i];
	return NULL;
}

/* Set the module by a file name, for example "snd-pcm.ko.debug"; "" for vmlinux. */
static void module_of(const char *path, char *to, size_t size)
{
	char *at;

	snprintf(to, size, "%s", textfile_name(path));
	at = strstr(to, ".ko");
	if (at)
		*at = '\0';
	else
		to[0] = '\0';
	for (at = to; *at; at++)
		if (*at == '-')
			*at = '_';
}

/* Return: NULL, "" or "-" if it is not known. */
static const char *recorded_id(const struct lines *l, const char *module)
{
	return *module ? names_build_id(l->names, module) : l->kernel_id;
}

/* Return: whether a file is of the recorded build. */
static bool is_of_build(const struct lines *l, const struct line_file *f)
{
	const char *recorded = recorded_id(l, f->module);
	char hex[128];

	if (!recorded || !*recorded || !debugfile_build_id(f->mod, hex, sizeof(hex)))
		return true; /* a build id is missing: cannot be checked */
	return !strcmp(hex, recorded);
}

static void find_shift(const struct lines *l, struct line_file *f)
{
	static const char *const marks[] = { "_text", "_stext" };
	uint64_t recorded, size, in_file;
	size_t i;

	for (i = 0; i < 2 && !*f->module && !f->shifted; i++) {
		in_file = debugfile_symbol(f->mod, marks[i]);
		f->shifted = in_file &&
			     names_function(l->names, marks[i],
					    strlen(marks[i]), 0, &recorded,
					    &size);
		f->shift = f->shifted ? in_file - recorded : 0;
	}
}

/* Return: whether a file is used; otherwise sets l->why. @module: "": the kernel */
static bool add_file(struct lines *l, const char *path, const char *module)
{
	struct line_file f = { .dwfl = NULL };
	Dwarf_Addr bias;
	Dwarf *dwarf;

	snprintf(f.module, sizeof(f.module), "%s", module);
	f.dwfl = debugfile_open(*f.module ? f.module : "kernel", path, &f.mod,
				&l->why);
	if (!f.dwfl)
		return false;
	dwarf = dwfl_module_getdwarf(f.mod, &bias);
	if (!is_of_build(l, &f))
		l->why = *f.module ? "it is from another build than the recorded module" :
				     "it is from another build than the recorded kernel";
	else if (!dwarf)
		l->why = "it has no debug information (DWARF)";
	else if (find_file(l, f.module))
		l->why = "another file is used already";
	else {
		debugfile_find_root(&f.root, dwarf);
		find_shift(l, &f);
		*array_add(l->files, l->nr_files) = f;
		return true;
	}
	dwfl_end(f.dwfl);
	return false;
}

/* nftw() has no argument for its callback. */
static struct lines *searching;

/*
 * In a directory, only files with these names are opened: vmlinux, vmlinux with a
 * release, and modules of the recording.
 */
static int lines_visit(const char *path, const struct stat *st, int type,
		       struct FTW *ftw)
{
	const char *base = path + ftw->base;
	char module[64];

	if (type != FTW_F || !S_ISREG(st->st_mode))
		return 0;
	module_of(path, module, sizeof(module));
	if (*module ? names_build_id(searching->names, module) != NULL :
		      !strncmp(base, "vmlinux", 7))
		add_file(searching, path, module);
	return 0;
}

static int open_files(struct lines *l, const char *path)
{
	char module[64];
	struct stat st;

	if (stat(path, &st))
		return msg_error("cannot read %s: %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode)) {
		module_of(path, module, sizeof(module));
		if (add_file(l, path, module))
			return EXIT_DONE;
		return msg_error("cannot use %s: %s", path, l->why);
	}
	searching = l;
	nftw(path, lines_visit, 32, FTW_PHYS);
	if (l->nr_files)
		return EXIT_DONE;
	return msg_error("%s has no debug information of the recorded build: name a directory with vmlinux and *.ko files",
			 path);
}

/* Return: whether a file is used; otherwise prints why not. */
static bool search_file(struct lines *l, const char *module)
{
	const char *id = recorded_id(l, module);
	char what[80], path[64];
	bool found;
	int fd;

	snprintf(what, sizeof(what), "%s%s", *module ? "module " : "the kernel", module);
	if (!id || !*id || !strcmp(id, "-")) {
		msg_note("no source lines of %s: its build id is not known", what);
		return false;
	}
	fd = debugfile_find(id);
	if (fd < 0) {
		msg_note("no source lines of %s: its debug information was not found: install it (Debian: linux-image-*-dbg), or set DEBUGINFOD_URLS",
			 what);
		return false;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	found = add_file(l, path, module);
	if (!found)
		msg_note("no source lines of %s: cannot use its debug information: %s", what,
			 l->why);
	close(fd);
	return found;
}

/* Notes that there is no file of a module, so that it is searched only once. */
static void add_absent(struct lines *l, const char *module)
{
	struct line_file *f = array_add(l->files, l->nr_files);

	*f = (struct line_file){ .mod = NULL };
	snprintf(f->module, sizeof(f->module), "%s", module);
}

/* Return: the file of a module; NULL if there is none. */
static const struct line_file *get_file(struct lines *l, const char *module)
{
	const struct line_file *f;

	if (l->searches && !find_file(l, module) && !search_file(l, module))
		add_absent(l, module);
	f = find_file(l, module);
	return f && f->mod ? f : NULL;
}

/* --- one symbol ----------------------------------------------------------- */

/* Appends "FILE:LINE", and " in FUNCTION" of an inlined function. */
static void lines_append(char *to, const struct line_file *f, Dwarf_Die *cu,
			 const char *file, int line, const char *inlined)
{
	size_t used = strlen(to);
	char room[512];

	snprintf(to + used, TEXT_MAX - used, "%s%s:%d%s%s", used ? ", " : "",
		 debugfile_relative(&f->root, debugfile_comp_dir(cu), file, room,
				    sizeof(room)),
		 line, inlined ? " in " : "", inlined ? inlined : "");
}

/*
 * Appends the line in the function itself, and then the lines in the inlined functions
 * around the address, from the outside to the inside. The lines inside of kmalloc() and the
 * like would be the same for all sites.
 */
static void append_scopes(char *to, const struct line_file *f, Dwarf_Die *cu,
			  Dwarf_Addr address, const char *file, int line)
{
	Dwarf_Die *inner = NULL, *scopes = NULL;
	Dwarf_Files *files;
	const char *in = NULL, *at;
	int i, n, at_line;

	n = dwarf_getscopes(cu, address, &inner);
	/* around an inlined copy, those are the scopes of its definition */
	if (n > 0)
		n = dwarf_getscopes_die(&inner[0], &scopes);
	if (n > 0 && dwarf_getsrcfiles(cu, &files, NULL))
		n = 0;
	/* scopes has the innermost first */
	for (i = n - 1; i >= 0; i--) {
		if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine)
			continue;
		at = debugfile_call(&scopes[i], files, &at_line);
		if (at)
			lines_append(to, f, cu, at, at_line, in);
		in = dwarf_diename(&scopes[i]);
		if (at && in && codefind_is_inlined(in))
			break;
	}
	if (i < 0)
		lines_append(to, f, cu, file, line, in);
	free(scopes);
	free(inner);
}

static void lines_at(const struct line_file *f, Dwarf_Addr address, char *to)
{
	Dwarf_Addr bias;
	Dwarf_Die *cu = dwfl_module_addrdie(f->mod, address, &bias);
	Dwarf_Line *row = cu ? dwarf_getsrc_die(cu, address - bias) : NULL;
	const char *file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
	int line;

	if (file && !dwarf_lineno(row, &line))
		append_scopes(to, f, cu, address - bias, file, line);
}

/* A return address may be the first byte after the call's function or line. */
static void lines_look_up(struct lines *l, uint64_t addr, const char *symbol,
			  char *to)
{
	const char *plus = strstr(symbol, "+0x");
	char function[512], module[64] = "";
	const struct line_file *f;
	uint64_t offset, start;

	to[0] = '\0';
	if (!plus || *symbol == '[' || plus - symbol >= (int)sizeof(function))
		return;
	snprintf(function, sizeof(function), "%.*s", (int)(plus - symbol),
		 symbol);
	if (sscanf(plus, "+0x%" SCNx64 " [%63[^]]", &offset, module) < 1)
		return;
	f = get_file(l, module);
	if (f && f->shifted) {
		lines_at(f, addr - 1 + f->shift, to);
		return;
	}
	start = f ? debugfile_symbol(f->mod, function) : 0;
	if (start && offset)
		lines_at(f, start + offset - 1, to);
}

/* a names_line */
static bool find_line(void *arg, uint64_t addr, const char *symbol,
		      const char **line)
{
	char text[TEXT_MAX], key[1024];
	struct lines *l = arg;
	uint32_t number;

	snprintf(key, sizeof(key), "%" PRIx64 " %s", addr, symbol);
	number = words_get(&l->symbols, key);
	array_reach(l->texts, l->nr_texts, number);
	if (!l->texts[number]) {
		lines_look_up(l, addr, symbol, text);
		l->texts[number] = xstrdup(text);
	}
	*line = l->texts[number];
	return *line && **line;
}

/* --- start and end -------------------------------------------------------- */

int lines_check(const char *path)
{
	char first[SELFMAG + 1] = "";

	if (!path || !strcmp(path, "auto"))
		return EXIT_DONE;
	if (textfile_first(path, first, sizeof(first)))
		return errno == EISDIR ? EXIT_DONE :
			msg_error("cannot read %s: %s", path, strerror(errno));
	return memcmp(first, ELFMAG, SELFMAG) ?
		       msg_error("cannot use %s: not an ELF file", path) :
		       EXIT_DONE;
}

int lines_open(struct lines **ret, struct names *names, const char *meta,
	       const char *path)
{
	struct lines *l;
	int err;

	*ret = NULL;
	if (!path)
		return EXIT_DONE;
	l = *ret = xcalloc(1, sizeof(*l));
	words_init(&l->symbols);
	l->names = names;
	input_value(meta, "build_id", l->kernel_id, sizeof(l->kernel_id));
	l->searches = !strcmp(path, "auto");
	if (l->searches)
		debugfile_use_servers(DEBUGFILE_SERVERS);
	err = l->searches ? EXIT_DONE : open_files(l, path);
	if (!err)
		names_set_line(l->names, find_line, l);
	return err;
}

void lines_close(struct lines *l)
{
	size_t i;

	if (!l)
		return;
	for (i = 0; i < l->nr_files; i++)
		if (l->files[i].dwfl)
			dwfl_end(l->files[i].dwfl);
	free(l->files);
	for (i = 0; i < l->nr_texts; i++)
		free(l->texts[i]);
	free(l->texts);
	words_exit(&l->symbols);
	free(l);
}
