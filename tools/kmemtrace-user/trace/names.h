/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for numbers in records: code addresses, caches, cgroups and gfp flags. The names are from
 * the recording.
 */
#ifndef NAMES_H
#define NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interrupts;
struct modules;
struct names;

/** names_create() - create an empty set of names */
struct names *names_create(void);

/** names_destroy() - free */
void names_destroy(struct names *n);

/** names_add_kallsyms() - add a text as /proc/kallsyms */
void names_add_kallsyms(struct names *n, const char *text);

/** names_add_modules() - add a list of rows "name size address", the oldest list first */
void names_add_modules(struct names *n, const char *text);

/** names_add_module_log() - add a text as debugfs/kmemtrace/modules */
void names_add_module_log(struct names *n, const char *text);

/** names_add_caches() - add rows "id object_size size name", some with " reclaimable" */
void names_add_caches(struct names *n, const char *text);

/** names_add_gfp() - add rows "0xmask NAME" */
void names_add_gfp(struct names *n, const char *text);

/** names_add_cgroups() - add rows "id state pages path"; the last ones are preferred */
void names_add_cgroups(struct names *n, const char *text);

/** names_cgroup() - get the path of a cgroup; NULL if it is not known */
const char *names_cgroup(const struct names *n, uint64_t id);

/** names_interrupts() - the functions at which stacks end; from names_add_kallsyms() on */
const struct interrupts *names_interrupts(const struct names *n);

/** names_modules() - the modules that were added */
const struct modules *names_modules(const struct names *n);

/**
 * names_have_places() - whether names_place() can return anything but 0
 * @n: the names; all texts have been added
 */
bool names_have_places(const struct names *n);

/**
 * names_place() - distinguish modules that used an address at different times
 * @n: the names; all texts have been added
 * @addr: a return address
 * @seq: kmt_event_number() of the record with this address
 *
 * Return: the place for names_symbol(); 0 if no module was loaded or unloaded at the
 * address during the recording.
 */
uint16_t names_place(const struct names *n, uint64_t addr, uint64_t seq);

/**
 * names_symbol() - get the function that contains an address
 * @n: the names
 * @addr: a return address
 * @place: from names_place(); 0: use the symbols of the start of the recording
 * @to: gets "function+0xoffset [module]"; "[module]+0xoffset" if only the module is
 *	known; the address if neither is known
 * @size: bytes of @to
 *
 * A symbol of a module is not used beyond the end of the module.
 */
void names_symbol(const struct names *n, uint64_t addr, uint16_t place,
		  char *to, size_t size);

/*
 * kmalloc() of more bytes allocates pages, which have events of their own. This is a
 * requested size: debugging data (slub_debug, KASAN) may make objects on slabs larger.
 */
#define NAMES_KMALLOC_MAX 8192

/**
 * names_bucket() - get the name of the cache from which kmalloc() takes an object
 * @n: the names, or NULL. They have the names of caches whose objects are padded
 * @size: bytes that the object takes
 * @to: gets a name as the kernel's: "kmalloc-192", "kmalloc-2k"; "large-12288" if the object
 *	takes whole pages
 * @to_size: bytes of @to
 *
 * Objects of kmalloc-cg-192, kmalloc-rcl-192 and kmalloc-rnd-01-192 are of the same size.
 */
void names_bucket(const struct names *n, uint64_t size, char *to, size_t to_size);

/** names_add_codetags() - add rows "0xaddress file:line function" */
void names_add_codetags(struct names *n, const char *text);

/**
 * typedef names_line - get the source line of a symbol
 * @arg: the argument of names_set_line()
 * @addr: the return address
 * @symbol: its text from names_symbol()
 * @line: set to the text to append, for example "mm/slub.c:12"
 *
 * Return: false if the line is not known.
 */
typedef bool (*names_line)(void *arg, uint64_t addr, const char *symbol,
			   const char **line);

/** names_set_line() - have names_source() and names_location() ask for source lines */
void names_set_line(struct names *n, names_line line, void *arg);

/**
 * names_source() - get the source line of an address
 * @n: the names
 * @addr: as for names_symbol()
 * @place: as for names_symbol()
 * @symbol: its text from names_symbol()
 *
 * The line is from names_set_line() or, for call sites of allocations, from the recorded
 * code tags.
 *
 * Return: "file:line", valid until the next call; NULL if it is not known.
 */
const char *names_source(const struct names *n, uint64_t addr, uint16_t place,
			 const char *symbol);

/**
 * names_location() - get the function and, if known, the source line of an address
 * @n: the names
 * @addr: as for names_symbol()
 * @place: as for names_symbol()
 * @to: as for names_symbol()
 * @size: bytes of @to
 *
 * As names_symbol(), but followed by a blank and the text of names_source().
 */
void names_location(const struct names *n, uint64_t addr, uint16_t place,
		    char *to, size_t size);

/**
 * names_build_id() - get the build id of a module
 * @n: the names
 * @module: name of the module
 *
 * Return: the build id in hex; "" if it is not known; "-" if the recording has two builds
 * of the module; NULL if it does not have the module.
 */
const char *names_build_id(const struct names *n, const char *module);

/**
 * names_function() - find a function by name or address
 * @n: the names
 * @name: name of the function, not terminated by a 0; "module:function" for a function of
 *	that module; NULL: find the function that contains @addr
 * @len: bytes of @name
 * @addr: an address in the function, if @name is NULL
 * @start: set to the address of the function
 * @size: set to the bytes from @start to the next function
 *
 * If several functions have the name, a function of the kernel itself takes precedence,
 * as in event tracing.
 *
 * Return: whether the function was found.
 */
bool names_function(const struct names *n, const char *name, size_t len,
		    uint64_t addr, uint64_t *start, uint64_t *size);

/** names_cache_find() - get the name of a cache, or NULL */
const char *names_cache_find(const struct names *n, uint64_t id);

/** names_cache_is_reclaimable() - whether the kernel can free the objects of a cache */
bool names_cache_is_reclaimable(const struct names *n, uint64_t id);

/** names_cache() - get the name of a cache, as table_escape(); "cache 7" if it is not known */
void names_cache(struct names *n, uint64_t id, char *to, size_t size);

/** names_gfp_mask() - get the flags that have a name; 0 if there are none */
uint32_t names_gfp_mask(const struct names *n, const char *name);

/** names_gfp() - get flags as text, for example "GFP_KERNEL|__GFP_ZERO" */
void names_gfp(struct names *n, uint32_t flags, char *to, size_t size);

#endif /* NAMES_H */
