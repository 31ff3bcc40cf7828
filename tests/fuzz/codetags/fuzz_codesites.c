// SPDX-License-Identifier: GPL-2.0-only
/*
 * codetags load with any tree of debug information. Functions in this file replace libdw.
 * They make the tree from the input, fail if the input says so, and return results that
 * are possible with a damaged file: missing names, invalid lines and numbers, endless
 * depth, siblings that point back. The command must print only rows that the module
 * accepts.
 *
 * The input is a byte of options, then units and entries of ENTRY bytes each, see below.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "command.h"
#include "commands.h"
#include "fuzz.h"
#include "kmt_place.h"

#define ENTRY	8
#define END	0xff /* in place of an entry: its parent has no more children */
#define UNIT	0xfe /* in place of an entry: another unit begins */
#define KIND(e) ((e)[0] & 7)
/* Dwarf_Die.padding__ of the origin of an entry, see dwarf_formref_die() */
#define ORIGIN -1

/* bits of byte 0 of an entry, above its kind */
enum { CHILDREN = 8, BOTTOMLESS = 16, BACK = 32 };
/* bits of byte 2: the attributes of the entry, and the calls that fail */
enum {
	HAS_RETURN_PC = 1,
	HAS_CALL_ORIGIN = 2,
	HAS_ABSTRACT_ORIGIN = 4,
	HAS_CALL_FILE = 8,
	HAS_CALL_LINE = 16,
	NO_ADDRESS = 32,
	NO_ORIGIN = 64,
	NO_ROW = 128,
};
/* bits of byte 7, above those of files and lines: see dwarf_attr() and dwarf_formflag() */
enum { HAS_JUMP = 4, HAS_LINKAGE = 8, NO_FLAG = 16, NO_JUMP = 32 };
/* bits of the options */
enum {
	NO_DWFL = 1,
	NO_FILE = 2,
	NO_DWARF = 4,
	NO_END = 8,
	WITH_MODULE = 16,
	WITH_SECTIONS = 32,
	NO_SECTION = 64,
};

static const uint8_t *input, *input_end;
static uint8_t options;

static const char *const names[16] = {
	NULL,
	"",
	"do_work",
	"__kmalloc",
	"kmalloc",
	"kfree_rcu",
	"kzalloc",
	"__alloc_pages_noprof",
	"_noprof",
	"a b",
	"new\nline",
	"__alloc_percpu",
	"\xc3\xa0",
	"x\x1b[31m",
	"kmem_cache_alloc_noprof",
	"#",
};

static char long_path[600], long_name[300];
static const char *const paths[16] = {
	NULL,
	"",
	"mm/slub.c",
	"/src/linux/mm/slub.c",
	"/init/main.c",
	"init/main.c",
	"/src/linux/./a.h",
	"../../../../a.c",
	"/src",
	long_path,
	"/",
	"a:b.c",
	"a b.c",
	"/src/linux/../linux//mm/./../mm/x.c",
	"..",
	"/src/linux",
};

static const char *name_of(uint8_t byte)
{
	return byte >= 0xf0 ? long_name : names[byte & 15];
}

static uint64_t number_of(uint8_t byte)
{
	static const uint64_t odd[] = {0x7fffffff, 0x80000000, 0xffffffff,
				       1ull << 32, ~0ull};

	return byte < 250 ? byte : odd[(byte - 250) % 5];
}

/* --- tree ----------------------------------------------------------------- */

static bool is_entry(const uint8_t *e)
{
	return e >= input && e <= input_end - ENTRY && *e < UNIT;
}

static void set_die(Dwarf_Die *die, const uint8_t *e)
{
	*die = (Dwarf_Die) {.addr = (void *)e};
}

int dwarf_get_units(Dwarf *dwarf, Dwarf_CU *cu, Dwarf_CU **next,
		    Dwarf_Half *version, uint8_t *type, Dwarf_Die *die,
		    Dwarf_Die *sub)
{
	const uint8_t *e = cu ? (const uint8_t *)cu + ENTRY : input;

	(void)dwarf, (void)version, (void)sub;
	while (e <= input_end - ENTRY && *e != UNIT)
		e += ENTRY;
	if (e > input_end - ENTRY)
		return 1;
	*next = (Dwarf_CU *)e;
	*type = e[1] % 4;
	set_die(die, e);
	return 0;
}

/* A BOTTOMLESS entry is its own child. padding__ counts the depth. */
int dwarf_child(Dwarf_Die *die, Dwarf_Die *child)
{
	const uint8_t *e = die->addr;

	if (*e != UNIT && !(*e & CHILDREN))
		return 1;
	if (*e != UNIT && *e & BOTTOMLESS) {
		*child = *die;
		child->padding__++;
		return 0;
	}
	e += ENTRY;
	if (!is_entry(e))
		return e < input_end && *e == END ? 1 : -1;
	set_die(child, e);
	return 0;
}

/* Return: the position after an entry and its children. */
static const uint8_t *behind(const uint8_t *e)
{
	size_t depth = 0;

	do {
		if (*e == END)
			depth--;
		else if (*e & CHILDREN && !(*e & BOTTOMLESS))
			depth++;
		e += ENTRY;
	} while (depth && e <= input_end - ENTRY && *e != UNIT);
	return e;
}

int dwarf_siblingof(Dwarf_Die *die, Dwarf_Die *sibling)
{
	const uint8_t *e = die->addr;

	if (!(*e & BACK))
		e = behind(e);
	if (!is_entry(e) || die->padding__)
		return 1;
	set_die(sibling, e);
	return 0;
}

Dwarf_Off dwarf_dieoffset(Dwarf_Die *die)
{
	return (((const uint8_t *)die->addr - input) << 40) + die->padding__;
}

int dwarf_tag(Dwarf_Die *die)
{
	static const int tags[8] = {
		DW_TAG_call_site,	   DW_TAG_GNU_call_site,
		DW_TAG_subprogram,	   DW_TAG_inlined_subroutine,
		DW_TAG_lexical_block,	   DW_TAG_variable,
		DW_TAG_inlined_subroutine, DW_TAG_call_site,
	};

	return tags[KIND((const uint8_t *)die->addr)];
}

/* --- attributes ----------------------------------------------------------- */

const char *dwarf_diename(Dwarf_Die *die)
{
	const uint8_t *e = die->addr;

	if (*e == UNIT)
		return paths[e[2] & 15];
	return name_of(die->padding__ == ORIGIN ? e[3] : e[1]);
}

Dwarf_Attribute *dwarf_attr(Dwarf_Die *die, unsigned int name,
			    Dwarf_Attribute *attr)
{
	static const struct {
		unsigned int name;
		uint8_t bit;
	} all[] = {
		{DW_AT_call_return_pc, HAS_RETURN_PC},
		{DW_AT_call_origin, HAS_CALL_ORIGIN},
		{DW_AT_abstract_origin, HAS_ABSTRACT_ORIGIN},
		{DW_AT_call_file, HAS_CALL_FILE},
		{DW_AT_call_line, HAS_CALL_LINE},
	};
	const uint8_t *e = die->addr;
	bool has = *e == UNIT && name == DW_AT_comp_dir;
	size_t i;

	has |= name == DW_AT_call_tail_call && e[7] & HAS_JUMP;
	has |= name == DW_AT_linkage_name && e[7] & HAS_LINKAGE;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		has |= name == all[i].name && e[2] & all[i].bit;
	*attr = (Dwarf_Attribute) {.code = name, .valp = die->addr};
	return has ? attr : NULL;
}

Dwarf_Attribute *dwarf_attr_integrate(Dwarf_Die *die, unsigned int name,
				      Dwarf_Attribute *attr)
{
	return dwarf_attr(die, name, attr);
}

int dwarf_formflag(Dwarf_Attribute *attr, bool *flag)
{
	*flag = !(attr->valp[7] & NO_JUMP);
	return attr->valp[7] & NO_FLAG ? -1 : 0;
}

int dwarf_formaddr(Dwarf_Attribute *attr, Dwarf_Addr *addr)
{
	*addr = number_of(attr->valp[4]);
	return attr->valp[2] & NO_ADDRESS ? -1 : 0;
}

int dwarf_lowpc(Dwarf_Die *die, Dwarf_Addr *addr)
{
	Dwarf_Attribute attr = {.valp = die->addr};

	return dwarf_formaddr(&attr, addr);
}

Dwarf_Die *dwarf_formref_die(Dwarf_Attribute *attr, Dwarf_Die *die)
{
	if (attr->valp[2] & NO_ORIGIN)
		return NULL;
	*die = (Dwarf_Die) {.addr = attr->valp, .padding__ = ORIGIN};
	return die;
}

int dwarf_formudata(Dwarf_Attribute *attr, Dwarf_Word *value)
{
	*value = number_of(attr->valp[attr->code == DW_AT_call_file ? 5 : 6]);
	return attr->valp[7] & 1 ? -1 : 0;
}

const char *dwarf_formstring(Dwarf_Attribute *attr)
{
	return attr->code == DW_AT_linkage_name ? name_of(attr->valp[5]) :
						  paths[attr->valp[3] & 15];
}

/* --- files and lines ------------------------------------------------------ */

int dwarf_getsrcfiles(Dwarf_Die *cu, Dwarf_Files **files, size_t *n)
{
	(void)n;
	*files = cu->addr;
	return ((const uint8_t *)cu->addr)[4] & 1 ? -1 : 0;
}

const char *dwarf_filesrc(Dwarf_Files *files, size_t i, Dwarf_Word *mtime,
			  Dwarf_Word *length)
{
	(void)files, (void)mtime, (void)length;
	return i < 16 ? paths[i] : NULL;
}

/* Return: the first entry whose address is @addr + 1, as the row of @addr; or NULL. */
Dwarf_Line *dwarf_getsrc_die(Dwarf_Die *cu, Dwarf_Addr addr)
{
	const uint8_t *e = cu->addr;

	for (e += ENTRY; e <= input_end - ENTRY; e += ENTRY)
		if (number_of(e[4]) == addr + 1)
			return e[2] & NO_ROW ? NULL : (Dwarf_Line *)e;
	return NULL;
}

int dwarf_lineno(Dwarf_Line *row, int *line)
{
	*line = number_of(((const uint8_t *)row)[6]);
	return ((const uint8_t *)row)[7] & 2 ? -1 : 0;
}

const char *dwarf_linesrc(Dwarf_Line *row, Dwarf_Word *mtime,
			  Dwarf_Word *length)
{
	(void)mtime, (void)length;
	return paths[((const uint8_t *)row)[5] & 15];
}

/* --- modules -------------------------------------------------------------- */

Dwfl *dwfl_begin(const Dwfl_Callbacks *callbacks)
{
	(void)callbacks;
	return options & NO_DWFL ? NULL : (Dwfl *)&options;
}

void dwfl_end(Dwfl *dwfl)
{
	(void)dwfl;
}

Dwfl_Module *dwfl_report_offline(Dwfl *dwfl, const char *name, const char *file,
				 int fd)
{
	(void)dwfl, (void)name, (void)file, (void)fd;
	return options & NO_FILE ? NULL : (Dwfl_Module *)&options;
}

int dwfl_report_end(Dwfl *dwfl,
		    int (*removed)(Dwfl_Module *, void *, const char *,
				   Dwarf_Addr, void *),
		    void *arg)
{
	(void)dwfl, (void)removed, (void)arg;
	return options & NO_END;
}

const char *dwfl_errmsg(int error)
{
	(void)error;
	return options & WITH_MODULE ? NULL : "it fails";
}

Dwarf *dwfl_module_getdwarf(Dwfl_Module *module, Dwarf_Addr *bias)
{
	*bias = 0x1000;
	return options & NO_DWARF ? NULL : (Dwarf *)module;
}

int dwfl_module_getsymtab(Dwfl_Module *module)
{
	(void)module;
	return 0;
}

int dwfl_module_relocations(Dwfl_Module *module)
{
	(void)module;
	return options & WITH_SECTIONS ? 3 : 0;
}

int dwfl_module_relocate_address(Dwfl_Module *module, Dwarf_Addr *address)
{
	(void)module;
	return options & NO_SECTION ? -1 : (int)(*address % 3);
}

const char *dwfl_module_relocation_info(Dwfl_Module *module, unsigned int i,
					GElf_Word *number)
{
	static const char *const sections[3] = { "", ".text", ".init.text" };

	(void)module, (void)number;
	return sections[i];
}

/* --- target --------------------------------------------------------------- */

static void check_rows(void)
{
	char *copy = strdup(commands_output()), *text = copy;
	enum kmt_place_result result;
	struct kmt_place place;

	FUZZ_MUST(copy);
	while ((result = kmt_place_next(&text, &place)) == KMT_PLACE_ROW)
		;
	FUZZ_MUST(result == KMT_PLACE_NONE);
	free(copy);
}

bool fuzz_one(const uint8_t *data, size_t size)
{
	uint8_t *copy;
	bool found;

	if (size < 1 + ENTRY)
		return false;
	memset(long_path, 'p', sizeof(long_path) - 1);
	memset(long_name, 'n', sizeof(long_name) - 1);
	options = *data;
	copy = malloc(size - 1);
	FUZZ_MUST(copy);
	memcpy(copy, data + 1, size - 1);
	input = copy;
	input_end = copy + (size - 1) / ENTRY * ENTRY;
	found = commands_run(cmd_codetags, "codetags", "load", "--vmlinux",
			     "vmlinux", "-o", "-",
			     options & WITH_MODULE ? "--module=a-b.ko" : NULL,
			     NULL) == EXIT_DONE;
	check_rows();
	free(copy);
	return found;
}
