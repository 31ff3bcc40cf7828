// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "base/table.h"
#include "base/textfile.h"
#include "control/cgroups.h"
#include "trace/modules.h"
#include "trace/names.h"
#include "trace/symtab.h"

#define GFP_MAX 128
#ifndef CACHES_MAX
#define CACHES_MAX 65536
#endif
/* maximum bytes of a function; a more distant address is not in it */
#define FUNCTION_MAX (16u << 20)

struct gfp {
	uint32_t mask;
	char name[40];
};

/**
 * struct codetag - source line of a call site
 * @address: return address of the call
 * @place: "file:line"
 */
struct codetag {
	uint64_t address;
	char *place;
};

/**
 * struct cache - a slab cache
 * @name: its name; NULL: there is no cache with this id
 * @size: bytes that an object takes
 * @reclaimable: the kernel can free its objects when memory is short
 */
struct cache {
	char *name;
	unsigned long size;
	bool reclaimable;
};

struct names {
	struct symtab symbols;
	struct interrupts interrupts;
	struct modules modules;
	struct cache *caches; /* by id */
	size_t nr_caches;
	struct cgroups *cgroups; /* one for each text */
	size_t nr_cgroups;
	struct gfp gfp[GFP_MAX];
	size_t nr_gfp;
	struct codetag *codetags; /* sorted by address */
	size_t nr_codetags;
	names_line line;
	void *line_arg;
};

struct names *names_create(void)
{
	return xcalloc(1, sizeof(struct names));
}

void names_destroy(struct names *n)
{
	size_t i;

	for (i = 0; i < n->nr_caches; i++)
		free(n->caches[i].name);
	free(n->caches);
	for (i = 0; i < n->nr_cgroups; i++)
		cgroups_free(&n->cgroups[i]);
	free(n->cgroups);
	for (i = 0; i < n->nr_codetags; i++)
		free(n->codetags[i].place);
	free(n->codetags);
	interrupts_exit(&n->interrupts);
	symtab_exit(&n->symbols);
	modules_exit(&n->modules);
	free(n);
}

/* --- symbols -------------------------------------------------------------- */

void names_add_kallsyms(struct names *n, const char *text)
{
	/* further texts are ignored */
	if (n->symbols.text)
		return;
	symtab_init(&n->symbols, text, strlen(text));
	interrupts_init(&n->interrupts, &n->symbols);
}

const struct interrupts *names_interrupts(const struct names *n)
{
	return &n->interrupts;
}

void names_add_modules(struct names *n, const char *text)
{
	modules_add(&n->modules, text);
}

void names_add_module_log(struct names *n, const char *text)
{
	modules_add_log(&n->modules, text);
}

const struct modules *names_modules(const struct names *n)
{
	return &n->modules;
}

bool names_have_places(const struct names *n)
{
	return n->modules.nr_visits;
}

uint16_t names_place(const struct names *n, uint64_t addr, uint64_t seq)
{
	return addr ? modules_place(&n->modules, addr - 1, seq) : PLACE_BASE;
}

/* These symbols of the kernel mark the end of its code. They are not functions. */
static bool is_end(const struct symbol *s)
{
	static const char *const ends[] = { "_etext", "_einittext" };
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!s->module && s->name_len == strlen(ends[i]) &&
		    !memcmp(s->name, ends[i], s->name_len))
			return true;
	return false;
}

/* Return: the maximum bytes of a function. */
static uint64_t function_size(const struct names *n, const struct symbol *s)
{
	uint64_t size = symtab_distance(&n->symbols, s);
	uint64_t room = s->module ? modules_room(&n->modules, s) : UINT64_MAX;

	if (room < size)
		size = room;
	return size < FUNCTION_MAX ? size : FUNCTION_MAX;
}

static const struct symbol *find_symbol(const struct names *n, uint64_t addr)
{
	const struct symbol *s = symtab_find(&n->symbols, addr);

	if (!s || is_end(s) || addr - s->addr >= function_size(n, s))
		return NULL;
	return s;
}

static void print_symbol(const struct symbol *s, uint64_t addr,
			 const char *module, size_t len, char *to, size_t size)
{
	snprintf(to, size, "%.*s+0x%" PRIx64 "%s%.*s%s", s->name_len, s->name,
		 addr - s->addr, module ? " [" : "", (int)len,
		 module ? module : "", module ? "]" : "");
}

static void print_offset(const char *module, uint64_t offset, char *to,
			 size_t size)
{
	snprintf(to, size, "[%s]+0x%" PRIx64, module, offset);
}

/* Prints an address in a module that was loaded or unloaded during the recording. */
static void print_visit(const struct module_visit *v, uint64_t addr, char *to,
			size_t size)
{
	const struct symbol *s = symtab_find(&v->symbols, addr - 1);
	const struct module_range *r = &v->text;

	if (addr - 1 - r->start >= r->size)
		r = &v->init;
	if (s && s->addr >= r->start)
		print_symbol(s, addr, v->name, strlen(v->name), to, size);
	else
		print_offset(v->name, addr - r->start, to, size);
}

/*
 * A module that is only in a later list was loaded during the recording, at an unknown
 * time. So the symbols of the start are not used for its addresses. If the first list has
 * another module there, the module is not known either.
 */
static void print_base(const struct names *n, uint64_t addr, char *to,
		       size_t size)
{
	const struct modules *m = &n->modules;
	const struct module_range *first = modules_find(m, addr - 1, false);
	const struct module_range *later = modules_find(m, addr - 1, true);
	const struct symbol *s = later ? NULL : find_symbol(n, addr - 1);

	if (s)
		print_symbol(s, addr, s->module, s->module_len, to, size);
	else if (first && !later)
		print_offset(first->name, addr - first->start, to, size);
	else if (later && !first)
		print_offset(later->name, addr - later->start, to, size);
	else
		snprintf(to, size, "0x%" PRIx64, addr);
}

/*
 * A return address may be the first byte after the function, if the call is its last
 * instruction. So @addr - 1 is looked up.
 */
void names_symbol(const struct names *n, uint64_t addr, uint16_t place,
		  char *to, size_t size)
{
	if (!addr)
		snprintf(to, size, "(unknown)");
	else if (place == PLACE_UNKNOWN)
		snprintf(to, size, "0x%" PRIx64, addr);
	else if (place)
		print_visit(modules_visit(&n->modules, place), addr, to, size);
	else
		print_base(n, addr, to, size);
}

/* --- source lines --------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
	const struct codetag *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

void names_add_codetags(struct names *n, const char *text)
{
	const char *line, *end;
	struct codetag *tag;
	char *place;

	for (line = text; *line; line = *end ? end + 1 : end) {
		uint64_t address = strtoull(line, &place, 16);

		end = strchrnul(line, '\n');
		if (!address || *place != ' ')
			continue;
		place++;
		tag = array_add(n->codetags, n->nr_codetags);
		*tag = (struct codetag){
			address, xstrndup(place, strcspn(place, " \n"))
		};
	}
	if (n->nr_codetags)
		qsort(n->codetags, n->nr_codetags, sizeof(*n->codetags),
		      by_address);
}

void names_set_line(struct names *n, names_line line, void *arg)
{
	n->line = line;
	n->line_arg = arg;
}

const char *names_source(const struct names *n, uint64_t addr, uint16_t place,
			 const char *symbol)
{
	const struct codetag key = { .address = addr }, *tag;
	const char *line;

	if (n->line && n->line(n->line_arg, addr, symbol, &line))
		return line;
	/* the tags are those of the end of the recording */
	if (place || !n->nr_codetags)
		return NULL;
	tag = bsearch(&key, n->codetags, n->nr_codetags, sizeof(*n->codetags),
		      by_address);
	return tag ? tag->place : NULL;
}

void names_location(const struct names *n, uint64_t addr, uint16_t place,
		    char *to, size_t size)
{
	const char *line;
	size_t used;

	names_symbol(n, addr, place, to, size);
	line = names_source(n, addr, place, to);
	used = strlen(to);
	if (line && used < size)
		snprintf(to + used, size - used, " %s", line);
}

const char *names_build_id(const struct names *n, const char *module)
{
	return modules_build_id(&n->modules, module);
}

static void set_function(const struct symbol *s, uint64_t bytes,
			 uint64_t *start, uint64_t *size)
{
	*start = s->addr;
	*size = bytes;
}

/* Finds a function in a module that was loaded or unloaded during the recording. */
static bool find_visiting(const struct names *n, const char *name, size_t len,
			  const char *module, size_t module_len,
			  uint64_t *start, uint64_t *size)
{
	const struct modules *m = &n->modules;
	size_t i;

	for (i = 0; i < m->nr_visits; i++) {
		const struct module_visit *v = &m->visits[i];
		const struct module_range *r = &v->text;
		const struct symbol *s =
			symtab_name(&v->symbols, name, len, NULL, 0);
		uint64_t bytes;

		if (!s || (module && (strlen(v->name) != module_len ||
				      memcmp(v->name, module, module_len))))
			continue;
		if (s->addr - r->start >= r->size)
			r = &v->init;
		bytes = symtab_distance(&v->symbols, s);
		if (bytes > r->start + r->size - s->addr)
			bytes = r->start + r->size - s->addr;
		set_function(s, bytes, start, size);
		return true;
	}
	return false;
}

static bool find_name(const struct names *n, const char *name, size_t len,
		      uint64_t *start, uint64_t *size)
{
	const char *colon = memchr(name, ':', len), *module = NULL;
	const struct symbol *s;
	size_t module_len = 0;

	if (colon) {
		module = name;
		module_len = colon - name;
		name = colon + 1;
		len -= module_len + 1;
	}
	s = symtab_name(&n->symbols, name, len, module, module_len);
	if (s) {
		set_function(s, function_size(n, s), start, size);
		return true;
	}
	return find_visiting(n, name, len, module, module_len, start, size);
}

bool names_function(const struct names *n, const char *name, size_t len,
		    uint64_t addr, uint64_t *start, uint64_t *size)
{
	const struct symbol *s;

	if (name)
		return find_name(n, name, len, start, size);
	s = find_symbol(n, addr);
	if (!s)
		return false;
	set_function(s, function_size(n, s), start, size);
	return true;
}

/* --- caches ---------------------------------------------------------------- */

static void set_cache(struct names *n, size_t id, unsigned long size,
		      const char *name, size_t len)
{
	static const char mark[] = " reclaimable";
	const size_t skip = sizeof(mark) - 1;
	bool is = len > skip && !memcmp(name + len - skip, mark, skip);

	if (id >= CACHES_MAX)
		return;
	array_reach(n->caches, n->nr_caches, id);
	free(n->caches[id].name);
	n->caches[id] = (struct cache){ xstrndup(name, is ? len - skip : len), size, is };
}

static const char *take_number(const char *at, const char *end,
			       unsigned long *value)
{
	char *stop;

	if (!at || at == end || !isdigit((unsigned char)*at))
		return NULL;
	*value = strtoul(at, &stop, 10);
	return stop < end && *stop == ' ' ? stop + 1 : NULL;
}

void names_add_caches(struct names *n, const char *text)
{
	unsigned long id, size;
	const char *line, *end;

	for (line = text; *line; line = *end ? end + 1 : end) {
		const char *name;

		end = strchrnul(line, '\n');
		name = take_number(line, end, &id);
		name = take_number(name, end, &size);
		name = take_number(name, end, &size);
		if (name)
			set_cache(n, id, size, name, end - name);
	}
}

const char *names_cache_find(const struct names *n, uint64_t id)
{
	return id < n->nr_caches ? n->caches[id].name : NULL;
}

/* A cache as kmalloc-192, not as kmalloc-cg-192. */
static bool is_bucket(const struct cache *c, uint64_t size)
{
	return c->name && c->size == size &&
	       !strncmp(c->name, "kmalloc-", strlen("kmalloc-")) &&
	       isdigit((unsigned char)c->name[strlen("kmalloc-")]);
}

void names_bucket(const struct names *n, uint64_t size, char *to, size_t to_size)
{
	size_t i;

	for (i = 0; n && i < n->nr_caches; i++)
		if (is_bucket(&n->caches[i], size)) {
			snprintf(to, to_size, "%s", n->caches[i].name);
			return;
		}
	if (size > NAMES_KMALLOC_MAX)
		snprintf(to, to_size, "large-%" PRIu64, size);
	else if (size && size % 1024 == 0)
		snprintf(to, to_size, "kmalloc-%" PRIu64 "k", size / 1024);
	else
		snprintf(to, to_size, "kmalloc-%" PRIu64, size);
}

bool names_cache_is_reclaimable(const struct names *n, uint64_t id)
{
	return id < n->nr_caches && n->caches[id].reclaimable;
}

void names_cache(struct names *n, uint64_t id, char *to, size_t size)
{
	const char *name = names_cache_find(n, id);

	if (name)
		table_escape(to, size, name);
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

void names_add_cgroups(struct names *n, const char *text)
{
	struct cgroups *c = array_add(n->cgroups, n->nr_cgroups);

	*c = (struct cgroups){ .text = xstrdup(text) };
	cgroups_parse(c);
}

const char *names_cgroup(const struct names *n, uint64_t id)
{
	const char *path = NULL;
	size_t i = n->nr_cgroups;

	while (!path && i--)
		path = cgroups_path(&n->cgroups[i], id);
	return path;
}

void names_add_gfp(struct names *n, const char *text)
{
	const char *line;

	for (line = text; line && n->nr_gfp < GFP_MAX;
	     line = textfile_next_line(line)) {
		struct gfp *g = &n->gfp[n->nr_gfp];

		if (textfile_scan(line, "0x%" SCNx32 " %39s", &g->mask,
				  g->name) == 2 &&
		    g->mask)
			n->nr_gfp++;
	}
	qsort(n->gfp, n->nr_gfp, sizeof(n->gfp[0]), most_bits_first);
}

uint32_t names_gfp_mask(const struct names *n, const char *name)
{
	size_t i;

	for (i = 0; i < n->nr_gfp; i++)
		if (!strcmp(n->gfp[i].name, name))
			return n->gfp[i].mask;
	return 0;
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
