// SPDX-License-Identifier: GPL-2.0-only
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "base/slots.h"
#include "codetags/codefind.h"
#include "codetags/debugfile.h"
#include "kmt_allocators.h"
#include "kmt_place.h"

/* --- lists of calls ------------------------------------------------------- */

void codesites_add(struct codesites *sites, const struct codesite *site)
{
	struct codesite *new = array_add(sites->site, sites->count);

	*new = *site;
	new->file = xstrdup(site->file);
	new->function = xstrdup(site->function);
}

int codesites_section(struct codesites *sites, const char *name)
{
	unsigned int i;

	for (i = 0; i < sites->nr_sections; i++)
		if (!strcmp(sites->section[i], name))
			return i;
	array_reserve(sites->section, sites->nr_sections);
	sites->section[i] = xstrdup(name);
	sites->nr_sections++;
	return i;
}

void codesites_take(struct codesites *to, struct codesites *from)
{
	while (from->count) {
		struct codesite *new = array_add(to->site, to->count);

		*new = from->site[--from->count];
	}
	codesites_clear(from);
}

static int by_address(const void *a, const void *b)
{
	const struct codesite *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void free_site(struct codesite *site)
{
	free(site->file);
	free(site->function);
}

void codesites_sort(struct codesites *sites)
{
	size_t i, kept = 0;

	if (sites->count)
		qsort(sites->site, sites->count, sizeof(*sites->site), by_address);
	for (i = 0; i < sites->count; i++) {
		if (kept && sites->site[kept - 1].address == sites->site[i].address)
			free_site(&sites->site[i]);
		else
			sites->site[kept++] = sites->site[i];
	}
	sites->count = kept;
}

void codesites_clear(struct codesites *sites)
{
	size_t i;

	for (i = 0; i < sites->count; i++)
		free_site(&sites->site[i]);
	free(sites->site);
	for (i = 0; i < sites->nr_sections; i++)
		free(sites->section[i]);
	free(sites->section);
	*sites = (struct codesites){ 0 };
}

/* --- codefind ------------------------------------------------------------- */

/*
 * DWARF describes each call (DW_TAG_call_site): its return address and the called
 * function. The entry is a child of the function that contains the call, or of the
 * inlined copy of that function.
 *
 * A function that ends by calling an allocator may jump there instead (a tail call). The
 * return address is then in the caller of the function, which is found in a second pass.
 *
 * If an inlined allocator contains the call (kmalloc(), and all functions that end in
 * _noprof), the call gets the line at which the allocator was inlined.
 */


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
/* limit of the number of functions that jump one to the next, and then to an allocator */
#define PASSES 4
/* limit of the nesting of entries, because a damaged file may have any number */
#define LEVELS 1000

/**
 * struct namelist - names of functions
 * @name: the names
 * @count: number of names
 */
struct namelist {
	const char **name;
	size_t count;
};

/**
 * struct finder - one search
 * @module: the kernel or a module
 * @bias: number to add to the addresses of the debug information
 * @text: address of the symbol _text
 * @called: the functions whose calls are looked for, sorted
 * @jumping: functions that end with a jump to one of @called
 * @seen: names that were in @called in an earlier pass
 * @sites: the calls found so far
 * @cu: the current compilation unit
 * @at: offset of the last visited entry in the file
 * @files: source files of @cu
 * @comp_dir: directory in which @cu was compiled
 * @root: root directory of the kernel's source tree
 */
struct finder {
	Dwfl_Module *module;
	Dwarf_Addr bias;
	uint64_t text;
	struct namelist called;
	struct namelist jumping;
	struct namelist seen;
	struct codesites *sites;
	Dwarf_Die cu;
	Dwarf_Off at;
	Dwarf_Files *files;
	const char *comp_dir;
	struct debugfile_root root;
};

/* --- the functions ------------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* raised when the same names lead to other calls, or to other lines */
#define VERSION 1

static uint64_t hash_names(uint64_t hash, const char *const *names, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		hash = hash_text(hash_text(hash, names[i]), "\n");
	return hash;
}

static uint64_t hash_all(const struct allocators *a)
{
	uint64_t hash = hash_names(HASH_START + VERSION, a->names, a->count);

	return hash_names(hash, inline_names, sizeof(inline_names) / sizeof(*inline_names));
}

static void drop_doubles(struct allocators *a)
{
	size_t i, kept = 0;

	for (i = 0; i < a->count; i++)
		if (!kept || strcmp(a->names[kept - 1], a->names[i]))
			a->names[kept++] = a->names[i];
	a->count = kept;
}

void allocators_init(struct allocators *a, const char *wrappers)
{
	size_t fixed = sizeof(called_names) / sizeof(*called_names), lines = 0;
	const char *c;
	char *word;

	for (c = wrappers; c && *c; c++)
		lines += *c == '\n';
	a->count = 0;
	a->names = xmalloc((fixed + lines + 1) * sizeof(*a->names));
	a->text = xstrdup(wrappers ? wrappers : "");
	memcpy(a->names, called_names, sizeof(called_names));
	a->count = fixed;
	for (word = strtok(a->text, "\n"); word && a->count < fixed + lines + 1;
	     word = strtok(NULL, "\n"))
		a->names[a->count++] = word;
	qsort(a->names, a->count, sizeof(*a->names), by_name);
	drop_doubles(a);
	a->id = hash_all(a);
}

void allocators_exit(struct allocators *a)
{
	free(a->names);
	free(a->text);
}

static bool is_called(const struct finder *f, const char *name)
{
	return bsearch(&name, f->called.name, f->called.count, sizeof(name), by_name);
}

bool codefind_is_inlined(const char *name)
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

/* Set the section of a call, and its offset there. */
static void locate(struct finder *f, struct codesite *site)
{
	Dwarf_Addr at = site->address;
	const char *name = NULL;
	int i = -1;

	if (dwfl_module_relocations(f->module) > 0)
		i = dwfl_module_relocate_address(f->module, &at);
	if (i >= 0)
		name = dwfl_module_relocation_info(f->module, i, NULL);
	/* only a module has sections that are placed one by one */
	if (!name || !*name) {
		name = CODESITES_KERNEL;
		at = site->address - f->text;
	}
	site->section = codesites_section(f->sites, name);
	site->offset = at;
}

/* A blank would end the column. Return: false if the text has one, or is too long. */
static bool is_word(const char *text, size_t max)
{
	size_t len = 0;

	while (text[len] > ' ' && text[len] <= '~')
		len++;
	return len && !text[len] && len <= max;
}

/* The module would refuse a row with other names, and all later ones. */
static void codefind_add(struct finder *f, uint64_t address, const char *file, int line,
			 const char *function)
{
	char room[512];
	struct codesite site = {
		.address = address + f->bias,
		.line = line,
		.file = (char *)debugfile_relative(&f->root, f->comp_dir, file, room,
						   sizeof(room)),
		.function = (char *)function,
	};

	if (line < 0 || !is_word(site.file, KMT_PLACE_FILE_MAX) ||
	    !is_word(function, KMT_PLACE_FUNCTION_MAX))
		return;
	locate(f, &site);
	codesites_add(f->sites, &site);
}

static bool return_address(Dwarf_Die *call, Dwarf_Addr *address)
{
	Dwarf_Attribute attr;

	if (dwarf_attr(call, DW_AT_call_return_pc, &attr))
		return !dwarf_formaddr(&attr, address);
	return dwarf_tag(call) == DW_TAG_GNU_call_site &&
	       !dwarf_lowpc(call, address);
}

/*
 * Whether a call is of an allocator. fortify-string.h declares __real_kmemdup() with another
 * name for the linker: kmemdup_noprof(), or kmemdup() before 6.10.
 */
static bool calls_allocator(const struct finder *f, Dwarf_Die *call)
{
	const char *name, *linked;
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	if ((!dwarf_attr(call, DW_AT_call_origin, &attr) &&
	     !dwarf_attr(call, DW_AT_abstract_origin, &attr)) ||
	    !dwarf_formref_die(&attr, &origin))
		return false;
	name = dwarf_diename(&origin);
	linked = dwarf_attr_integrate(&origin, DW_AT_linkage_name, &attr) ?
			 dwarf_formstring(&attr) : NULL;
	return (name && is_called(f, name)) || (linked && is_called(f, linked));
}

static bool is_in(const struct namelist *list, const char *name)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (!strcmp(list->name[i], name))
			return true;
	return false;
}

static void add_name(struct namelist *list, const char *name)
{
	*array_add(list->name, list->count) = name;
}

/* If the call is a jump, calls of the function around it are looked for in the next pass. */
static void note_jump(struct finder *f, Dwarf_Die *call, Dwarf_Die *function)
{
	const char *name = dwarf_diename(function);
	Dwarf_Attribute attr;
	bool jumps;

	if (!name || !dwarf_attr(call, DW_AT_call_tail_call, &attr) ||
	    dwarf_formflag(&attr, &jumps) || !jumps)
		return;
	if (is_called(f, name) || is_in(&f->seen, name) || is_in(&f->jumping, name))
		return;
	add_name(&f->jumping, name);
}

static void visit_call(struct finder *f, Dwarf_Die *call, Dwarf_Die *functions,
		       int depth)
{
	const char *file = NULL, *function;
	Dwarf_Addr address;
	Dwarf_Line *row;
	int line = 0;

	/* an inlined allocator may contain calls of other functions */
	if (!depth || !calls_allocator(f, call))
		return;
	note_jump(f, call, &functions[0]);
	if (!return_address(call, &address))
		return;
	for (; depth > 1; depth--) {
		function = dwarf_diename(&functions[depth - 1]);
		if (!function || !codefind_is_inlined(function))
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
		codefind_add(f, address, file, line, function);
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
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, &kind, &f->cu, &type)) {
		if (kind != DW_UT_compile ||
		    dwarf_getsrcfiles(&f->cu, &f->files, NULL))
			continue;
		f->comp_dir = debugfile_comp_dir(&f->cu);
		f->at = dwarf_dieoffset(&f->cu);
		visit_children(f, &f->cu, functions, 0, 0);
	}
}

/* Look for calls of the functions that jump. Return: false if there are none. */
static bool next_pass(struct finder *f)
{
	size_t i;

	for (i = 0; i < f->called.count; i++)
		add_name(&f->seen, f->called.name[i]);
	free(f->called.name);
	f->called = f->jumping;
	f->jumping = (struct namelist){ 0 };
	if (f->called.count)
		qsort(f->called.name, f->called.count, sizeof(*f->called.name), by_name);
	return f->called.count;
}

int codefind(Dwfl_Module *module, const struct allocators *allocators, uint64_t text,
	     struct codesites *sites)
{
	struct finder f = { .module = module, .text = text, .sites = sites };
	Dwarf *dwarf = dwfl_module_getdwarf(module, &f.bias);
	size_t i, pass = 0;

	if (!dwarf)
		return -ENOENT;
	for (i = 0; i < allocators->count; i++)
		add_name(&f.called, allocators->names[i]);
	do
		visit_units(&f, dwarf);
	while (next_pass(&f) && ++pass < PASSES);
	codesites_sort(sites);
	free(f.called.name);
	free(f.jumping.name);
	free(f.seen.name);
	return 0;
}
