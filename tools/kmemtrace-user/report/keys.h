/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The keys of report --by: the properties that the allocations of a row have in common.
 *
 * The analysis itself finds the group of a single simple key. For several keys, and for
 * keys that need names or the whole record, keys_find() gives each combination of values
 * a number, which the analysis takes as the key (BY_GIVEN).
 */
#ifndef KEYS_H
#define KEYS_H

#include "base/memo.h"
#include "base/pidnames.h"
#include "base/words.h"
#include "report/analysis.h"
#include "trace/input.h"

#define KEYS_MAX 8

/* the keys of a report */
struct keys {
	enum analysis_by by[KEYS_MAX];	/* the keys */
	size_t count;			/* number of keys */
	const struct input *in;		/* the recording */
	bool raw_ip;			/* print addresses instead of symbols */
	bool given;			/* groups have numbers of keys_find() */
	/* numbers of combinations: a value, and the number of the values before it */
	struct pairs chains;
	struct pairs sites;		/* numbers of call sites: an address, and its place */
	struct words words;		/* names of functions, modules and threads */
	/* for each of @sites, the number in @words of its function, plus 1 */
	uint32_t *functions;
	size_t nr_functions;		/* number of elements of @functions */
	/* for each of @sites, the number in @words of its module, plus 1 */
	uint32_t *modules;
	size_t nr_modules;		/* number of elements of @modules */
	/* for each stack, whether modules came and went at its addresses: MOVING_* */
	uint8_t *moving;
	size_t nr_moving;		/* number of elements of @moving */
	/* stacks of @moving: the number of the stack, and the place of each address */
	struct stacks placed;
	struct pidnames processes;	/* names of processes */
	/* keys_text() has printed the number of a cgroup, because its path is not known */
	bool numbered;
};

/* names of the keys, by enum analysis_by; the last element is NULL */
extern const char *const key_names[];

/** keys_member() - the name of a key in JSON and CSV: the column of the kind is "kind" */
const char *keys_member(enum analysis_by by);

/** keys_are_numbers() - whether keys_text() gives decimal numbers for a key */
bool keys_are_numbers(enum analysis_by by);

/**
 * keys_parse() - parse the value of --by
 * @k: @by and @count are set
 * @list: names of keys, separated by commas
 *
 * Return: false if a name is wrong, occurs twice, or there are too many.
 */
bool keys_parse(struct keys *k, const char *list);

/** keys_init() - prepare for a recording */
void keys_init(struct keys *k, const struct input *in);

/** keys_exit() - undo keys_init(); all zeros are allowed */
void keys_exit(struct keys *k);

/** keys_have() - whether a key is among the keys */
bool keys_have(const struct keys *k, enum analysis_by by);

/**
 * keys_lack() - find a feature that a key needs and that no record has
 * @k: the keys
 * @in: the recording; a trigger may have recorded stacks without the feature
 *
 * Return: the name of the feature; NULL if there is none, or if the recording does not say
 * which features it has.
 */
const char *keys_lack(const struct keys *k, const struct input *in);

/** keys_need_records() - whether keys_find() needs the records of events */
bool keys_need_records(const struct keys *k);

/**
 * keys_find() - get the number of the values of an allocation
 * @k: the keys, with @given
 * @a: the analysis
 * @ev: the allocation
 * @e: from extra_take(); needed with keys_need_records()
 * @cpu: CPU of the allocation
 *
 * Return: the key of the group.
 */
uint64_t keys_find(struct keys *k, const struct analysis *a,
		   struct kmt_event *ev, struct extra *e, uint32_t cpu);

/**
 * keys_text() - get the value of a key as text
 * @k: the keys
 * @g: a group
 * @i: index of the key
 * @to: gets the text, which is printable; of a stack, the innermost function
 * @size: bytes of @to
 */
void keys_text(struct keys *k, const struct group *g, size_t i, char *to,
	       size_t size);

/* addresses of a stack */
struct keys_frames {
	bool recorded;				/* the stack was recorded */
	size_t depth;				/* number of addresses */
	uint64_t callers[KMT_STACK_MAX];	/* addresses, the innermost first */
	uint16_t places[KMT_STACK_MAX];		/* places of the addresses, for names_symbol() */
};

/** keys_frames() - get the stack of a group; @i: index of the key BY_STACK */
void keys_frames(const struct keys *k, const struct group *g, size_t i,
		 struct keys_frames *to);

/** keys_symbol() - get an address as text: a symbol, or the address with k->raw_ip */
void keys_symbol(const struct keys *k, uint64_t address, uint16_t place,
		 char *to, size_t size);

/**
 * keys_function() - as keys_symbol(), with the source line apart
 * @k: the keys
 * @address: the address
 * @place: its place, as in struct keys_frames
 * @to: gets the symbol, or the address
 * @size: bytes of @to
 *
 * Return: the source line, as keys_symbol() appends it, valid until the next call; NULL if
 * it is not known.
 */
const char *keys_function(const struct keys *k, uint64_t address, uint16_t place,
			  char *to, size_t size);

/**
 * keys_site() - get the call site of a group
 * @k: the keys
 * @g: a group
 * @i: index of the key BY_SITE
 * @place: set to the place of the call site, for names_symbol()
 */
uint64_t keys_site(const struct keys *k, const struct group *g, size_t i,
		   uint16_t *place);

#endif /* KEYS_H */
