// SPDX-License-Identifier: GPL-2.0-only
/*
 * DWARF describes each call (DW_TAG_call_site): its return address and the called
 * function. The entry is a child of the function that contains the call, or of the
 * inlined copy of that function.
 *
 * If an inlined allocator contains the call (kmalloc(), and all functions that end in
 * _noprof), the call gets the line at which the allocator was inlined.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "account/codesites.h"
#include "account/debugfile.h"
#include "base/array.h"
#include "base/kallsyms.h"
#include "base/textfile.h"
#include "control/system.h"
#include "kmt_allocators.h"

#define NAME(name) name,

static const char *const called_names[] = {
	KMT_KMALLOC_FUNCTIONS(NAME) KMT_SLAB_FUNCTIONS(NAME)
	KMT_LARGE_FUNCTIONS(NAME)
	KMT_PAGE_FUNCTIONS(NAME) KMT_PERCPU_FUNCTIONS(NAME)
	KMT_WRAPPERS(NAME) KMT_WRAPPERS_MORE(NAME)
};

static const char *const inline_names[] = { KMT_INLINE_FUNCTIONS(NAME) };

/* limit of the nesting of functions around a call */
#define DEPTH 64
/* limit of the nesting of entries, because a damaged file may have any number */
#define LEVELS 1000

/**
 * struct finder - one search
 * @sites: the calls found so far
 * @names: sorted names of the allocators, which are the called functions
 * @nr_names: number of names
 * @cu: the current compilation unit
 * @at: offset of the last visited entry in the file
 * @files: source files of @cu
 * @comp_dir: directory in which @cu was compiled
 * @root: root directory of the kernel's source tree
 * @offset: number to add to addresses
 * @failed: memory ran out
 */
struct finder {
	struct codesites *sites;
	const char **names;
	size_t nr_names;
	Dwarf_Die cu;
	Dwarf_Off at;
	Dwarf_Files *files;
	const char *comp_dir;
	struct debugfile_root root;
	int64_t offset;
	bool failed;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_called(const struct finder *f, const char *name)
{
	return bsearch(&name, f->names, f->nr_names, sizeof(*f->names),
		       by_name);
}

static bool is_inline_allocator(const char *name)
{
	size_t len = strlen(name), i;

	if (len > 7 && !strcmp(name + len - 7, "_noprof"))
		return true;
	for (i = 0; i < sizeof(inline_names) / sizeof(*inline_names); i++)
		if (!strcmp(name, inline_names[i]))
			return true;
	return false;
}

/* --- one call --------------------------------------------------------------- */

static void add(struct finder *f, uint64_t address, const char *file, int line,
		const char *function)
{
	struct codesites *s = f->sites;
	struct codesite *new = array_add(s->site, s->count);
	char room[512];

	if (!new) {
		f->failed = true;
		return;
	}
	new->address = address + f->offset;
	new->line = line;
	new->file = strdup(debugfile_relative(&f->root, f->comp_dir, file, room,
					       sizeof(room)));
	new->function = strdup(function);
	if (!new->file || !new->function)
		f->failed = true;
}

static bool return_address(Dwarf_Die *call, Dwarf_Addr *address)
{
	Dwarf_Attribute attr;

	if (dwarf_attr(call, DW_AT_call_return_pc, &attr))
		return !dwarf_formaddr(&attr, address);
	return dwarf_tag(call) == DW_TAG_GNU_call_site &&
	       !dwarf_lowpc(call, address);
}

static const char *called_name(Dwarf_Die *call)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	if (!dwarf_attr(call, DW_AT_call_origin, &attr) &&
	    !dwarf_attr(call, DW_AT_abstract_origin, &attr))
		return NULL;
	return dwarf_formref_die(&attr, &origin) ? dwarf_diename(&origin) :
						   NULL;
}

static void visit_call(struct finder *f, Dwarf_Die *call, Dwarf_Die *functions,
		       int depth)
{
	const char *name = called_name(call), *file = NULL, *function;
	Dwarf_Addr address;
	Dwarf_Line *row;
	int line = 0;

	if (!name || !depth || !return_address(call, &address))
		return;
	/* an inlined allocator may contain calls of other functions */
	if (!is_called(f, name))
		return;
	for (; depth > 1; depth--) {
		function = dwarf_diename(&functions[depth - 1]);
		if (!function || !is_inline_allocator(function))
			break;
		file = debugfile_call(&functions[depth - 1], f->files, &line);
	}
	function = dwarf_diename(&functions[depth - 1]);
	if (!file) {
		row = dwarf_getsrc_die(&f->cu, address - 1);
		if (!row || dwarf_lineno(row, &line))
			return;
		file = dwarf_linesrc(row, NULL, NULL);
	}
	if (file && function)
		add(f, address, file, line, function);
}

/* --- all calls ----------------------------------------------------------------- */

/* @depth: number of functions around the entry; @level: number of entries of any kind */
static void visit_children(struct finder *f, Dwarf_Die *parent,
			   Dwarf_Die *functions, int depth, int level)
{
	Dwarf_Die die;

	if (level == LEVELS || dwarf_child(parent, &die))
		return;
	do {
		/* in a damaged file, entries may form an endless loop */
		if (dwarf_dieoffset(&die) <= f->at)
			return;
		f->at = dwarf_dieoffset(&die);
		switch (dwarf_tag(&die)) {
		case DW_TAG_call_site:
		case DW_TAG_GNU_call_site:
			visit_call(f, &die, functions, depth);
			break;
		case DW_TAG_subprogram:
		case DW_TAG_inlined_subroutine:
			if (depth == DEPTH)
				break;
			functions[depth] = die;
			visit_children(f, &die, functions, depth + 1,
				       level + 1);
			break;
		case DW_TAG_lexical_block:
			visit_children(f, &die, functions, depth, level + 1);
			break;
		}
	} while (!dwarf_siblingof(&die, &die));
}

static void visit_units(struct finder *f, Dwarf *dwarf)
{
	Dwarf_Die functions[DEPTH], type;
	Dwarf_CU *cu = NULL;
	uint8_t kind;

	debugfile_find_root(&f->root, dwarf);
	while (!f->failed &&
	       !dwarf_get_units(dwarf, cu, &cu, NULL, &kind, &f->cu, &type)) {
		if (kind != DW_UT_compile ||
		    dwarf_getsrcfiles(&f->cu, &f->files, NULL))
			continue;
		f->comp_dir = debugfile_comp_dir(&f->cu);
		f->at = dwarf_dieoffset(&f->cu);
		visit_children(f, &f->cu, functions, 0, 0);
	}
}

/* Lines of another build would be wrong, without a message. */
static bool is_of_build(Dwfl_Module *module, const char *notes)
{
	char running[128], hex[128];

	if (!debugfile_build_id(module, hex, sizeof(hex)) ||
	    !system_build_id(notes, running, sizeof(running)))
		return true; /* a build id is missing: cannot be checked */
	return !strcmp(hex, running);
}

static int visit_module(Dwfl_Module *module, void **data, const char *name,
			Dwarf_Addr start, void *arg)
{
	struct finder *f = arg;
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(module, &bias);
	int64_t offset = f->offset;

	(void)data;
	(void)name;
	(void)start;
	if (!dwarf) {
		f->sites->bare++;
		return DWARF_CB_OK;
	}
	f->sites->modules++;
	f->offset += bias;
	visit_units(f, dwarf);
	f->offset = offset;
	return f->failed ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/* --- kernel and modules ----------------------------------------------------------- */

static uint64_t kallsyms_text(void)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	struct symbol s;
	uint64_t found = 0;
	char line[256];

	while (file && !found && fgets(line, sizeof(line), file))
		if (kallsyms_parse(line, strchrnul(line, '\n'), &s) &&
		    s.name_len == 5 && !memcmp(s.name, "_text", 5))
			found = s.addr;
	if (file)
		fclose(file);
	return found;
}

/* If a section is not in memory, set the address to -1. This is not an error. */
static int loaded_section(Dwfl_Module *module, void **data, const char *name,
			  Dwarf_Addr base, const char *section,
			  GElf_Word number, const GElf_Shdr *header,
			  Dwarf_Addr *address)
{
	char path[512];
	FILE *file;

	(void)module;
	(void)data;
	(void)base;
	(void)number;
	(void)header;
	*address = -1;
	snprintf(path, sizeof(path), "/sys/module/%s/sections/%s", name,
		 section);
	file = fopen(path, "re");
	if (file && fscanf(file, "%" SCNx64, address) != 1)
		*address = -1;
	if (file)
		fclose(file);
	return DWARF_CB_OK;
}

static const Dwfl_Callbacks live_callbacks = {
	.find_elf = dwfl_linux_kernel_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = loaded_section,
	.debuginfo_path = &debugfile_path,
};

/* file of the current loaded module, for find_named() */
static const char *module_path;

static int find_named(Dwfl_Module *module, void **data, const char *name,
		      Dwarf_Addr base, char **file, Elf **elf)
{
	int fd = open(module_path, O_RDONLY | O_CLOEXEC);

	(void)module;
	(void)data;
	(void)name;
	(void)base;
	*elf = NULL;
	*file = fd < 0 ? NULL : strdup(module_path);
	return fd;
}

static const Dwfl_Callbacks loaded_callbacks = {
	.find_elf = find_named,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = loaded_section,
	.debuginfo_path = &debugfile_path,
};

/* Set the address range of a loaded module. Return: false if it is not loaded. */
static bool is_loaded(const char *name, uint64_t *start, uint64_t *end)
{
	char *modules = textfile_read(AT_FDCWD, "/proc/modules", NULL);
	struct system_module module;
	bool found = system_find_module(modules, name, strlen(name), &module);

	if (found) {
		*start = module.address;
		*end = module.address + module.size;
	}
	free(modules);
	return found;
}

/* Visit a loaded module. The addresses of its sections come from /sys/module. */
static int visit_loaded(struct finder *f, const char *name, const char *path,
			const char **why)
{
	uint64_t start, end;
	Dwfl_Module *module;
	GElf_Addr bias;
	char notes[256];
	Dwfl *dwfl;

	if (access(path, R_OK)) {
		*why = strerror(errno);
		return -1;
	}
	if (!is_loaded(name, &start, &end)) {
		*why = "no module with this name is loaded";
		return -1;
	}
	module_path = path;
	dwfl = dwfl_begin(&loaded_callbacks);
	module = dwfl ? dwfl_report_module(dwfl, name, start, end) : NULL;
	if (!module || dwfl_report_end(dwfl, NULL, NULL) ||
	    !dwfl_module_getelf(module, &bias)) {
		*why = dwfl_errmsg(-1);
		dwfl_end(dwfl);
		return -1;
	}
	snprintf(notes, sizeof(notes),
		 "/sys/module/%s/notes/.note.gnu.build-id", name);
	if (!is_of_build(module, notes)) {
		*why = "it is from another build than the loaded module";
		dwfl_end(dwfl);
		return -1;
	}
	dwfl_getmodules(dwfl, visit_module, f, 0);
	dwfl_end(dwfl);
	return 0;
}

/* Visit a file alone, so that the offsets of other files do not change its addresses. */
static int visit_file(struct finder *f, const char *name, const char *path,
		      bool is_kernel, bool live, const char **why)
{
	Dwfl_Module *module;
	uint64_t text;
	Dwfl *dwfl = debugfile_open(name, path, &module, why);

	if (!dwfl)
		return -1;
	if (is_kernel && live && !is_of_build(module, "/sys/kernel/notes")) {
		*why = "it is from another build than the running kernel";
		dwfl_end(dwfl);
		return -1;
	}
	text = is_kernel && live ? kallsyms_text() : 0;
	if (is_kernel && live && !text) {
		*why = "the kernel hides its addresses (kernel.kptr_restrict)";
		dwfl_end(dwfl);
		return -1;
	}
	f->offset = text ? text - debugfile_symbol(module, "_text") : 0;
	dwfl_getmodules(dwfl, visit_module, f, 0);
	f->offset = 0;
	dwfl_end(dwfl);
	return 0;
}

static int visit_running(struct finder *f, const char **why)
{
	Dwfl *dwfl = dwfl_begin(&live_callbacks);

	if (!dwfl || dwfl_linux_kernel_report_kernel(dwfl) ||
	    dwfl_linux_kernel_report_modules(dwfl) ||
	    dwfl_report_end(dwfl, NULL, NULL)) {
		*why = "the running kernel's files are not found";
		if (dwfl)
			dwfl_end(dwfl);
		return -1;
	}
	dwfl_getmodules(dwfl, visit_module, f, 0);
	dwfl_end(dwfl);
	return 0;
}

static int visit_modules(struct finder *f, const struct codesites_source *from,
			 const char **why)
{
	const char *const *m;
	char name[128];
	int err = 0;

	for (m = from->modules; m && *m && !err; m++) {
		const char *path = strchr(*m, '='), *base;

		if (path) {
			snprintf(name, sizeof(name), "%.*s", (int)(path - *m),
				 *m);
			path++;
		} else {
			path = *m;
			base = textfile_name(path);
			snprintf(name, sizeof(name), "%.*s",
				 (int)strcspn(base, "."), base);
		}
		for (base = name; *base; base++)
			if (*base == '-')
				name[base - name] = '_';
		err = from->live ? visit_loaded(f, name, path, why) :
				   visit_file(f, name, path, false, false, why);
	}
	return err;
}

static bool collect_names(struct finder *f, const char *wrappers, char **copy)
{
	size_t fixed = sizeof(called_names) / sizeof(*called_names), lines = 0;
	const char *c;
	char *word;

	for (c = wrappers; c && *c; c++)
		lines += *c == '\n';
	f->names = malloc((fixed + lines + 1) * sizeof(*f->names));
	*copy = strdup(wrappers ? wrappers : "");
	if (!f->names || !*copy)
		return false;
	memcpy(f->names, called_names, sizeof(called_names));
	f->nr_names = fixed;
	for (word = strtok(*copy, "\n"); word && f->nr_names < fixed + lines + 1;
	     word = strtok(NULL, "\n"))
		f->names[f->nr_names++] = word;
	qsort(f->names, f->nr_names, sizeof(*f->names), by_name);
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct codesite *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void drop_doubles(struct codesites *s)
{
	size_t i, kept = 0;

	if (s->count)
		qsort(s->site, s->count, sizeof(*s->site), by_address);
	for (i = 0; i < s->count; i++) {
		if (kept && s->site[kept - 1].address == s->site[i].address) {
			free(s->site[i].file);
			free(s->site[i].function);
		} else {
			s->site[kept++] = s->site[i];
		}
	}
	s->count = kept;
}

int codesites_find(const struct codesites_source *source,
		   struct codesites *sites, const char **why)
{
	struct finder f = { .sites = sites };
	char *copy = NULL;
	int err = -1;

	memset(sites, 0, sizeof(*sites));
	*why = "out of memory";
	debugfile_path = source->debug_path ? strdup(source->debug_path) : NULL;
	if (!collect_names(&f, source->wrappers, &copy))
		goto out;
	if (source->vmlinux)
		err = visit_file(&f, "kernel", source->vmlinux, true,
				 source->live, why);
	else if (!source->modules)
		err = visit_running(&f, why);
	else
		err = 0;
	if (!err)
		err = visit_modules(&f, source, why);
	if (f.failed)
		err = -1;
	drop_doubles(sites);
out:
	free(debugfile_path);
	debugfile_path = NULL;
	free(copy);
	free(f.names);
	return err;
}

void codesites_free(struct codesites *sites)
{
	size_t i;

	for (i = 0; i < sites->count; i++) {
		free(sites->site[i].file);
		free(sites->site[i].function);
	}
	free(sites->site);
}
