// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/table.h"
#include "base/textfile.h"
#include "kmt_field.h"
#include "report/keys.h"
#include "report/threads.h"
#include "trace/names.h"

const char *const key_names[] = {
	[BY_SITE] = "site",	    [BY_CACHE] = "cache",
	[BY_KIND] = "kind",	    [BY_GFP] = "gfp",
	[BY_ORDER] = "order",	    [BY_NODE] = "node",
	[BY_CPU] = "cpu",	    [BY_SIZE] = "size",
	[BY_STACK] = "stack",	    [BY_PROCESS] = "process",
	[BY_FUNCTION] = "function", [BY_MODULE] = "module",
	[BY_COMM] = "comm",	    [BY_CGROUP] = "cgroup",
	[BY_GIVEN] = NULL,
};

/* values of the keys comm and cgroup that are no words and no numbers */
#define NOT_RECORDED THREADS_NOT_RECORDED
#define INTERRUPT    THREADS_INTERRUPT

/* values of keys.moving; 0: not known yet */
#define MOVING_NO  1
#define MOVING_YES 2

/* a value of the key stack: a number in keys.placed instead of one of the input */
#define PLACED (1ull << 32)

/* --- options -------------------------------------------------------------- */

static int find_name(const char *name, size_t len)
{
	int i;

	for (i = 0; key_names[i]; i++)
		if (strlen(key_names[i]) == len &&
		    !memcmp(key_names[i], name, len))
			return i;
	return -1;
}

bool keys_have(const struct keys *k, enum analysis_by by)
{
	size_t i;

	for (i = 0; i < k->count; i++)
		if (k->by[i] == by)
			return true;
	return false;
}

/* Each row has a kind of memory anyway, so the key kind is only needed alone. */
static void drop_kind(struct keys *k)
{
	size_t i, kept = 0;

	for (i = 0; i < k->count && k->count > 1; i++)
		if (k->by[i] != BY_KIND)
			k->by[kept++] = k->by[i];
	if (kept)
		k->count = kept;
}

const char *keys_member(enum analysis_by by)
{
	return by == BY_KIND ? "name" : key_names[by];
}

bool keys_are_numbers(enum analysis_by by)
{
	return by == BY_ORDER || by == BY_NODE || by == BY_CPU || by == BY_SIZE;
}

bool keys_parse(struct keys *k, const char *list)
{
	size_t len;
	int by;

	k->count = 0;
	for (;; list += len + 1) {
		len = strcspn(list, ",");
		by = find_name(list, len);
		if (by < 0 || keys_have(k, by) || k->count == KEYS_MAX)
			return false;
		k->by[k->count++] = by;
		if (!list[len])
			break;
	}
	drop_kind(k);
	return true;
}

/* --- start and end -------------------------------------------------------- */

/* Return: whether the analysis cannot find the groups of a key alone. */
static bool is_complex(const struct keys *k, enum analysis_by by)
{
	switch (by) {
	case BY_PROCESS:
	case BY_FUNCTION:
	case BY_MODULE:
	case BY_COMM:
	case BY_CGROUP:
		return true;
	case BY_STACK:
		return names_have_places(k->in->names);
	default:
		return false;
	}
}

void keys_init(struct keys *k, const struct input *in)
{
	k->in = in;
	k->given = k->count > 1 || is_complex(k, k->by[0]);
	pairs_init(&k->chains);
	pairs_init(&k->sites);
	words_init(&k->words);
	stacks_init(&k->placed);
	pidnames_init(&k->processes);
}

void keys_exit(struct keys *k)
{
	pairs_exit(&k->chains);
	pairs_exit(&k->sites);
	words_exit(&k->words);
	stacks_exit(&k->placed);
	pidnames_exit(&k->processes);
	free(k->functions);
	free(k->modules);
	free(k->moving);
}

static bool has_stack_trigger(const char *meta)
{
	static const char key[] = "trigger=", stack[] = "stacktrace";
	const char *line;

	for (line = meta; line; line = textfile_next_line(line))
		if (!strncmp(line, key, strlen(key)) &&
		    memmem(line, strcspn(line, "\n"), stack, strlen(stack)))
			return true;
	return false;
}

const char *keys_lack(const struct keys *k, const struct input *in)
{
	static const struct {
		enum analysis_by by;
		u32 feature;
		const char *name;
	} needs[] = { { BY_STACK, KMT_FEATURE_STACK, "stack" },
		      { BY_PROCESS, KMT_FEATURE_TASK, "task" },
		      { BY_COMM, KMT_FEATURE_TASK, "task" },
		      { BY_CGROUP, KMT_FEATURE_CGROUP, "cgroup" } };
	uint32_t recorded;
	size_t i;

	if (!input_features(in, &recorded))
		return NULL;
	if (has_stack_trigger(in->meta))
		recorded |= KMT_FEATURE_STACK;
	for (i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if (keys_have(k, needs[i].by) && !(recorded & needs[i].feature))
			return needs[i].name;
	return NULL;
}

bool keys_need_records(const struct keys *k)
{
	return keys_have(k, BY_PROCESS) || keys_have(k, BY_COMM) ||
	       keys_have(k, BY_CGROUP);
}

/* --- values of an allocation ---------------------------------------------- */

static uint64_t site_of(struct keys *k, const struct kmt_event *ev)
{
	uint16_t place = 0;

	if (names_have_places(k->in->names))
		place = names_place(k->in->names, ev->call_site, kmt_event_number(ev));
	return pairs_get(&k->sites, ev->call_site, place);
}

/*
 * Symbols are "function+0x12 [module]", "[module]+0x12" if only the module is known, an
 * address, or "(unknown)". Cuts the offset off.
 */
static void cut_offset(char *symbol)
{
	char *plus = strstr(symbol, "+0x");
	size_t digits;

	if (!plus) {
		strcpy(symbol, "(unknown)");
		return;
	}
	digits = 3 + strspn(plus + 3, "0123456789abcdef");
	memmove(plus, plus + digits, strlen(plus + digits) + 1);
}

/* Leaves the name of the module; "kernel" for the kernel itself. */
static void cut_function(char *symbol)
{
	char *start = strchr(symbol, '[');

	if (!start) {
		strcpy(symbol, strstr(symbol, "+0x") ? "kernel" : "(unknown)");
		return;
	}
	start++;
	memmove(symbol, start, strlen(start) + 1);
	symbol[strcspn(symbol, "]")] = '\0';
}

/* The names of a call site are only made once. */
static uint64_t name_of(struct keys *k, uint64_t site, uint32_t **names,
			size_t *count, void (*cut)(char *symbol))
{
	const struct pair *pair;
	char symbol[MEMO_TEXT_MAX];

	array_reach(*names, *count, site);
	pair = &k->sites.pair[site];
	if (!(*names)[site]) {
		names_symbol(k->in->names, pair->a, pair->b, symbol,
			     sizeof(symbol));
		cut(symbol);
		(*names)[site] = 1 + words_get(&k->words, symbol);
	}
	return (*names)[site] - 1;
}

static bool is_moving(struct keys *k, const struct kmt_event *ev)
{
	const uint64_t *callers;
	size_t depth, i;

	array_reach(k->moving, k->nr_moving, ev->stack);
	if (k->moving[ev->stack])
		return k->moving[ev->stack] == MOVING_YES;
	callers = stacks_at(&k->in->defs.stacks, ev->stack, &depth);
	k->moving[ev->stack] = MOVING_NO;
	for (i = 0; i < depth; i++)
		if (names_place(k->in->names, callers[i], kmt_event_number(ev)))
			k->moving[ev->stack] = MOVING_YES;
	return k->moving[ev->stack] == MOVING_YES;
}

/* Other modules may have been at the addresses of the same stack at other times. */
static uint64_t stack_of(struct keys *k, const struct kmt_event *ev)
{
	uint64_t placed[1 + KMT_STACK_MAX];
	const uint64_t *callers;
	size_t depth, i;

	if (!(ev->features & KMT_FEATURE_STACK))
		return STACKS_NONE;
	if (!names_have_places(k->in->names) || !is_moving(k, ev))
		return ev->stack;
	callers = stacks_at(&k->in->defs.stacks, ev->stack, &depth);
	placed[0] = ev->stack;
	for (i = 0; i < depth; i++)
		placed[1 + i] = names_place(k->in->names, callers[i],
					    kmt_event_number(ev));
	return PLACED | stacks_get(&k->placed, placed, 1 + depth);
}

static uint64_t comm_of(struct keys *k, struct kmt_event *ev, struct extra *e)
{
	uint64_t process = threads_number(ev, e);
	char comm[THREADS_COMM];

	if (process >= THREADS_INTERRUPT)
		return process;
	return words_get(&k->words, threads_comm(&e->x, comm));
}

static uint64_t cgroup_of(struct kmt_event *ev, struct extra *e)
{
	if (!(e->x.have & KMT_FEATURE_CGROUP))
		extra_fetch(&e->x, ev, KMT_FEATURE_CGROUP);
	return e->x.have & KMT_FEATURE_CGROUP ? e->x.cgroup : NOT_RECORDED;
}

static uint64_t value_of(struct keys *k, enum analysis_by by,
			 const struct analysis *a, struct kmt_event *ev,
			 struct extra *e, uint32_t cpu)
{
	switch (by) {
	case BY_SITE:
		return site_of(k, ev);
	case BY_FUNCTION:
		return name_of(k, site_of(k, ev), &k->functions,
			       &k->nr_functions, cut_offset);
	case BY_MODULE:
		return name_of(k, site_of(k, ev), &k->modules, &k->nr_modules,
			       cut_function);
	case BY_STACK:
		return stack_of(k, ev);
	case BY_PROCESS:
		return threads_process(&k->processes, ev, e);
	case BY_COMM:
		return comm_of(k, ev, e);
	case BY_CGROUP:
		return cgroup_of(ev, e);
	default:
		return analysis_key(a, by, ev, cpu);
	}
}

uint64_t keys_find(struct keys *k, const struct analysis *a,
		   struct kmt_event *ev, struct extra *e, uint32_t cpu)
{
	uint64_t key = value_of(k, k->by[0], a, ev, e, cpu);
	size_t i;

	if (k->count == 1)
		return key;
	key = pairs_get(&k->chains, key, 0);
	for (i = 1; i < k->count; i++)
		key = pairs_get(&k->chains, value_of(k, k->by[i], a, ev, e, cpu),
				1 + key);
	return key;
}

/* --- texts ---------------------------------------------------------------- */

/* Return: the value of a key of a group; sets @place of a call site. */
static uint64_t value_at(const struct keys *k, const struct group *g, size_t i,
			 uint16_t *place)
{
	uint64_t value = g->key;
	size_t last;

	*place = g->place;
	if (!k->given)
		return value;
	if (k->count > 1) {
		for (last = k->count - 1; last > i; last--)
			value = k->chains.pair[value].b - 1;
		value = k->chains.pair[value].a;
	}
	if (k->by[i] != BY_SITE)
		return value;
	*place = k->sites.pair[value].b;
	return k->sites.pair[value].a;
}

/*
 * The log of modules follows after the records of a stream. So these records have no
 * place. If the log has another module at the address, the name of the start is wrong.
 */
static uint16_t place_of(const struct keys *k, uint64_t address, uint16_t place)
{
	uint64_t start = 0;

	if (place || !input_is_stream(k->in))
		return place;
	input_number(k->in->meta, "seq_start", &start);
	return names_place(k->in->names, address, start);
}

void keys_symbol(const struct keys *k, uint64_t address, uint16_t place,
		 char *to, size_t size)
{
	if (k->raw_ip)
		snprintf(to, size, "0x%" PRIx64, address);
	else
		names_location(k->in->names, address,
			       place_of(k, address, place), to, size);
	table_clean(to);
}

const char *keys_function(const struct keys *k, uint64_t address, uint16_t place,
			  char *to, size_t size)
{
	const char *source;

	if (k->raw_ip) {
		snprintf(to, size, "0x%" PRIx64, address);
		return NULL;
	}
	place = place_of(k, address, place);
	names_symbol(k->in->names, address, place, to, size);
	source = names_source(k->in->names, address, place, to);
	table_clean(to);
	return source;
}

uint64_t keys_site(const struct keys *k, const struct group *g, size_t i,
		   uint16_t *place)
{
	return value_at(k, g, i, place);
}

void keys_frames(const struct keys *k, const struct group *g, size_t i,
		 struct keys_frames *to)
{
	uint16_t place;
	uint64_t value = value_at(k, g, i, &place);
	const uint64_t *placed = NULL, *callers;
	size_t depth, n;

	if (value & PLACED) {
		placed = stacks_at(&k->placed, (uint32_t)value, &depth);
		value = placed[0];
	}
	callers = stacks_at(&k->in->defs.stacks, value, &depth);
	to->recorded = value != STACKS_NONE;
	to->depth = depth;
	for (n = 0; n < depth; n++) {
		to->callers[n] = callers[n];
		to->places[n] = placed ? placed[1 + n] : 0;
	}
}

static void stack_text(const struct keys *k, const struct group *g, size_t i,
		       char *to, size_t size)
{
	struct keys_frames f;

	keys_frames(k, g, i, &f);
	if (!f.recorded)
		snprintf(to, size, "(not recorded)");
	else if (!f.depth)
		snprintf(to, size, "(empty)");
	else
		keys_symbol(k, f.callers[0], f.places[0], to, size);
}

static void word_text(const struct keys *k, uint64_t value, char *to,
		      size_t size)
{
	if (value == INTERRUPT)
		snprintf(to, size, THREADS_INTERRUPT_NAME);
	else if (value == NOT_RECORDED)
		snprintf(to, size, "(not recorded)");
	else
		snprintf(to, size, "%s", k->words.word[value]);
}

static void cache_text(const struct keys *k, const struct group *g,
		       uint64_t value, char *to, size_t size)
{
	if (g->type == KMEMTRACE_TYPE_CACHE)
		names_cache(k->in->names, value, to, size);
	else if (g->type == KMEMTRACE_TYPE_KMALLOC)
		names_bucket(k->in->names, value, to, size);
	else
		snprintf(to, size, "%s-%" PRIu64, analysis_types[g->type], value);
}

static void cgroup_text(struct keys *k, uint64_t value, char *to, size_t size)
{
	const char *path = value == NOT_RECORDED ? "(not recorded)" :
						   names_cgroup(k->in->names, value);

	k->numbered |= !path;
	if (path)
		snprintf(to, size, "%s", path);
	else
		snprintf(to, size, "%" PRIu64, value);
}

void keys_text(struct keys *k, const struct group *g, size_t i, char *to,
	       size_t size)
{
	uint16_t place;
	uint64_t value = value_at(k, g, i, &place);

	switch (k->by[i]) {
	case BY_SITE:
		keys_symbol(k, value, place, to, size);
		break;
	case BY_CACHE:
		cache_text(k, g, value, to, size);
		break;
	case BY_KIND:
		snprintf(to, size, "%s", analysis_types[g->type]);
		break;
	case BY_GFP:
		names_gfp(k->in->names, value, to, size);
		break;
	case BY_STACK:
		stack_text(k, g, i, to, size);
		break;
	case BY_FUNCTION:
	case BY_MODULE:
	case BY_COMM:
		word_text(k, value, to, size);
		break;
	case BY_PROCESS:
		threads_name(&k->processes, value, to, size);
		break;
	case BY_NODE:
		snprintf(to, size, "%" PRId32, (int32_t)value);
		break;
	case BY_CGROUP:
		cgroup_text(k, value, to, size);
		break;
	default:
		snprintf(to, size, "%" PRIu64, value);
	}
	table_clean(to);
}
