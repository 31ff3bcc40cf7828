// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/die.h"
#include "base/kallsyms.h"
#include "base/textfile.h"
#include "codetags/codecache.h"
#include "codetags/codelive.h"
#include "codetags/debugfile.h"
#include "control/system.h"

#define KERNEL	   "kernel"
#define NO_BUILD   "it has no build id"
#define OTHER	   "it is from another build than the "
#define HIDDEN	   "the kernel hides its addresses (kernel.kptr_restrict)"
/* bytes for the name of a module */
#define NAME_SIZE  128
#define BUILD_SIZE 128

/**
 * struct search - a search in progress
 * @source: what to search
 * @allocators: the functions whose calls are wanted
 * @found: what was found
 * @text: run-time address of the symbol _text; 0: not known
 * @err: 0, or -EIO if codelive_source.put failed
 */
struct search {
	const struct codelive_source *source;
	struct allocators allocators;
	struct codelive_found *found;
	uint64_t text;
	int err;
};

/* --- where the kernel and its modules are --------------------------------------- */

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

/* Return: false if the section is not in memory. */
static bool section_address(const char *module, const char *section, uint64_t *address)
{
	char path[512];
	FILE *file;
	bool ok;

	snprintf(path, sizeof(path), "/sys/module/%s/sections/%s", module, section);
	file = fopen(path, "re");
	ok = file && fscanf(file, "%" SCNx64, address) == 1 && *address;
	if (file)
		fclose(file);
	return ok;
}

/*
 * The kernel frees the init sections of a module when it has run them, but still has their
 * addresses, which may be those of another module now.
 */
static bool is_freed(const char *section)
{
	return !strncmp(section, ".init", 5);
}

static bool build_id(const char *module, char *hex)
{
	return strcmp(module, KERNEL) ? system_module_build_id(module, hex, BUILD_SIZE) :
					system_build_id("/sys/kernel/notes", hex, BUILD_SIZE);
}

/* --- the calls of one build ------------------------------------------------------ */

/* Give the calls their addresses at run time; 0: not in memory. */
static void place(struct search *s, const char *module, struct codesites *sites)
{
	bool is_kernel = !strcmp(module, KERNEL);
	unsigned int section;
	size_t i;

	for (section = 0; section < sites->nr_sections; section++) {
		const char *name = sites->section[section];
		uint64_t start = s->text;
		bool is_there = is_kernel ||
				(!is_freed(name) && section_address(module, name, &start));

		for (i = 0; i < sites->count; i++)
			if (sites->site[i].section == section)
				sites->site[i].address =
					is_there ? start + sites->site[i].offset : 0;
	}
}

static void codelive_take(struct search *s, const char *name, struct codesites *sites)
{
	s->found->known++;
	s->found->kernel = s->found->kernel || !strcmp(name, KERNEL);
	s->found->count += sites->count;
	if (s->source->put && !s->source->put(s->source->arg, sites))
		s->err = -EIO;
	else if (!s->source->put)
		codesites_take(&s->found->sites, sites);
	codesites_clear(sites);
}

/*
 * If a module is unloaded while libdw places its sections, their addresses are not those of
 * any module. Calls of a module are in code, which is in sections of its own.
 */
static bool is_whole(const char *module, const struct codesites *sites)
{
	unsigned int i;

	for (i = 0; strcmp(module, KERNEL) && i < sites->nr_sections; i++)
		if (!strcmp(sites->section[i], CODESITES_KERNEL) ||
		    !strncmp(sites->section[i], ".note", 5))
			return false;
	return true;
}

/* Whether the module that is loaded now is the same build. */
static bool is_still(const char *module, const char *build)
{
	char now[BUILD_SIZE];

	return build_id(module, now) && !strcmp(now, build);
}

/* Set the calls of a module. Return: 0; -ENOENT: nothing is known of it. */
static int find(struct search *s, Dwfl_Module *module, const char *name,
		const char *cache, const char *build, struct codesites *sites)
{
	struct codesites kept = { 0 };
	bool is_same, is_kept = codecache_read(cache, build, &s->allocators, &kept, &is_same);
	int err = is_kept && is_same ? -ENOENT :
				       codefind(module, &s->allocators, s->text, sites);

	if (!err && !is_whole(name, sites)) {
		codesites_clear(sites);
		err = -ENOENT;
	}
	if (!err && cache && is_still(name, build))
		codecache_write(cache, build, &s->allocators, sites);
	/* the calls of other functions are better than none */
	if (err == -ENOENT && is_kept) {
		s->found->cached++;
		*sites = kept;
		return 0;
	}
	codesites_clear(&kept);
	return err;
}

/* Visit a module of the running kernel, or the kernel. */
static int visit_module(Dwfl_Module *module, void **data, const char *name,
			Dwarf_Addr start, void *arg)
{
	struct search *s = arg;
	const char *cache = s->source->cache;
	struct codesites sites = { 0 };
	char build[BUILD_SIZE];
	bool has_build;
	int err;

	(void)data;
	(void)start;
	if (s->source->only && strcmp(s->source->only, name))
		return DWARF_CB_OK;
	has_build = build_id(name, build);
	err = find(s, module, name, has_build ? cache : NULL, build, &sites);
	if (!err) {
		place(s, name, &sites);
		/* it may have been unloaded, and loaded again, meanwhile */
		if (!has_build || is_still(name, build))
			codelive_take(s, name, &sites);
	}
	codesites_clear(&sites);
	s->found->bare += err == -ENOENT;
	return s->err ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/* If a section is not in memory, set the address to -1. This is not an error. */
static int loaded_section(Dwfl_Module *module, void **data, const char *name,
			  Dwarf_Addr base, const char *section,
			  GElf_Word number, const GElf_Shdr *header,
			  Dwarf_Addr *address)
{
	uint64_t at;

	(void)module;
	(void)data;
	(void)base;
	(void)number;
	(void)header;
	*address = section_address(name, section, &at) ? at : (Dwarf_Addr)-1;
	return DWARF_CB_OK;
}

/*
 * dwfl_linux_kernel_find_elf() asks the servers first, and does not look at the files of this
 * machine if there is no answer; nor if errno happens to be set (elfutils 0.188). So look at
 * the files first, without servers.
 */
static int find_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
		     char **path, Elf **elf)
{
	const char *set = getenv(DEBUGFILE_URLS);
	char *urls = set ? xstrdup(set) : NULL;
	int fd = -1, tries;

	unsetenv(DEBUGFILE_URLS);
	for (tries = 0; tries < 2 && fd < 0 && !*elf; tries++) {
		errno = 0;
		fd = dwfl_linux_kernel_find_elf(module, data, name, base, path, elf);
	}
	if (urls)
		setenv(DEBUGFILE_URLS, urls, 1);
	free(urls);
	if (fd < 0 && !*elf && set)
		fd = dwfl_build_id_find_elf(module, data, name, base, path, elf);
	return fd;
}

static const Dwfl_Callbacks live_callbacks = {
	.find_elf = find_file,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = loaded_section,
	.debuginfo_path = &debugfile_path,
};

static int visit_running(struct search *s, const char **why)
{
	Dwfl *dwfl;

	*why = HIDDEN;
	if (!s->text)
		return -1;
	dwfl = dwfl_begin(&live_callbacks);
	if (!dwfl || dwfl_linux_kernel_report_kernel(dwfl) ||
	    dwfl_linux_kernel_report_modules(dwfl) ||
	    dwfl_report_end(dwfl, NULL, NULL)) {
		*why = "the running kernel's files are not found";
		if (dwfl)
			dwfl_end(dwfl);
		return -1;
	}
	dwfl_getmodules(dwfl, visit_module, s, 0);
	dwfl_end(dwfl);
	return 0;
}

/* --- files ------------------------------------------------------------------------ */

/* Lines of another build would be wrong, without a message. */
static bool is_of_build(Dwfl_Module *module, const char *name)
{
	char running[BUILD_SIZE], hex[BUILD_SIZE];

	if (!debugfile_build_id(module, hex, sizeof(hex)) || !build_id(name, running))
		return true; /* a build id is missing: cannot be checked */
	return !strcmp(hex, running);
}

static bool is_loaded(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/module/%s/sections", name);
	return !access(path, X_OK);
}

/* Return: a sentence that says why a file cannot be used; NULL if it can. */
static const char *check_running(const struct search *s, Dwfl_Module *module,
				 const char *name)
{
	if (!strcmp(name, KERNEL)) {
		if (!is_of_build(module, name))
			return OTHER "running kernel";
		return s->text ? NULL : HIDDEN;
	}
	if (!is_loaded(name))
		return "no module with this name is loaded";
	return is_of_build(module, name) ? NULL : OTHER "loaded module";
}

/* Visit a file alone, so that the offsets of other files do not change its addresses. */
static int visit_file(struct search *s, const char *name, const char *path,
		      const char **why)
{
	struct codesites sites = { 0 };
	char build[BUILD_SIZE];
	Dwfl_Module *module;
	Dwfl *dwfl = debugfile_open(name, path, &module, why);
	int err;

	if (!dwfl)
		return -1;
	*why = s->source->live ? check_running(s, module, name) : NULL;
	if (*why) {
		dwfl_end(dwfl);
		return -1;
	}
	err = codefind(module, &s->allocators, debugfile_symbol(module, "_text"), &sites);
	if (!err && s->source->live) {
		if (s->source->cache && debugfile_build_id(module, build, sizeof(build)))
			codecache_write(s->source->cache, build, &s->allocators, &sites);
		place(s, name, &sites);
	}
	dwfl_end(dwfl);
	if (!err)
		codelive_take(s, name, &sites);
	codesites_clear(&sites);
	s->found->bare += err == -ENOENT;
	return 0;
}

/* Set the name of a module from "NAME=FILE" or FILE. Return: the file. */
static const char *split_name(const char *text, char *name)
{
	const char *path = strchr(text, '='), *base = textfile_name(text);

	if (path)
		snprintf(name, NAME_SIZE, "%.*s", (int)(path++ - text), text);
	else
		snprintf(name, NAME_SIZE, "%.*s", (int)strcspn(base, "."), base);
	for (; *name; name++)
		if (*name == '-')
			*name = '_';
	return path ? path : text;
}

static int visit_files(struct search *s, const char **why)
{
	const char *const *m = s->source->modules;
	char name[NAME_SIZE];
	int err = 0;

	if (s->source->vmlinux)
		err = visit_file(s, KERNEL, s->source->vmlinux, why);
	for (; m && *m && !err; m++) {
		const char *path = split_name(*m, name);

		err = visit_file(s, name, path, why);
	}
	return err;
}

/* --- all -------------------------------------------------------------------------- */

/* Without an answer, the client of debuginfod would wait for 90 s each time. */
static void begin_search(const struct codelive_source *source)
{
	debugfile_path = source->debug_path ? xstrdup(source->debug_path) : NULL;
	debugfile_use_servers(DEBUGFILE_SERVERS);
	setenv("DEBUGINFOD_TIMEOUT", "10", 0);
}

static void end_search(void)
{
	free(debugfile_path);
	debugfile_path = NULL;
}

int codelive_find(const struct codelive_source *source, struct codelive_found *found,
		  const char **why)
{
	struct search s = { .source = source, .found = found };
	int err;

	*found = (struct codelive_found){ 0 };
	begin_search(source);
	allocators_init(&s.allocators, source->wrappers);
	s.text = source->live ? kallsyms_text() : 0;
	err = source->vmlinux || source->modules ? visit_files(&s, why) :
						   visit_running(&s, why);
	if (s.err) {
		*why = NULL;
		err = -1;
	}
	codesites_sort(&found->sites);
	end_search();
	allocators_exit(&s.allocators);
	return err;
}

/* Find the calls in a file. Return: 0; -ENOENT: no debug information; another -errno. */
static int keep_module(const struct codelive_source *source, Dwfl_Module *module,
		       const char *build, struct codesites *sites)
{
	struct allocators allocators;
	int err;

	allocators_init(&allocators, source->wrappers);
	err = codefind(module, &allocators, debugfile_symbol(module, "_text"), sites);
	if (!err && codecache_write(source->cache, build, &allocators, sites))
		err = -EIO;
	allocators_exit(&allocators);
	return err;
}

int codelive_keep(const struct codelive_source *source, const char *path, size_t *count,
		  const char **why)
{
	struct codesites sites = { 0 };
	char build[BUILD_SIZE];
	Dwfl_Module *module;
	Dwfl *dwfl;
	int err = -1;

	begin_search(source);
	dwfl = debugfile_open("file", path, &module, why);
	if (dwfl && !debugfile_build_id(module, build, sizeof(build))) {
		*why = NO_BUILD;
	} else if (dwfl) {
		err = keep_module(source, module, build, &sites);
		*why = err == -ENOENT ? "it has no debug information (DWARF)" : NULL;
	}
	if (dwfl)
		dwfl_end(dwfl);
	end_search();
	*count = sites.count;
	codesites_clear(&sites);
	return err ? -1 : 0;
}
