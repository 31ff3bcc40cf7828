// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/msg.h"
#include "kmt_event.h"
#include "trace/names.h"
#include "why/callers.h"

#define SYMBOL_MAX 512

static int find_symbol(const struct words *w, const char *symbol)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		if (!strcmp(w->word[i], symbol))
			return i;
	return -1;
}

/* a witness_reading.is_wanted */
static bool is_wanted(void *arg, const struct names *names, const struct kmt_event *ev)
{
	uint16_t place = names_place(names, ev->call_site, kmt_event_number(ev));
	struct callers *c = arg;
	size_t before = c->seen.count;
	uint32_t n = pairs_get(&c->seen, ev->call_site, place);
	char symbol[SYMBOL_MAX];

	if (n < before)
		return c->of[n];
	c->of = pairs_fit(&c->seen, c->of, &c->room, sizeof(*c->of));
	names_symbol(names, ev->call_site, place, symbol, sizeof(symbol));
	c->of[n] = find_symbol(&c->symbols, symbol) + 1;
	return c->of[n];
}

static void add_symbols(struct callers *c, const struct match *m, const struct code *code)
{
	char symbol[SYMBOL_MAX];
	size_t i;

	for (i = 0; i < m->count; i++) {
		if (!m->tag[i]->address)
			continue;
		code_symbol(code, m->tag[i]->address, symbol, sizeof(symbol));
		words_get(&c->symbols, symbol);
	}
}

static int observe(struct callers *c, const struct callers_source *source,
		   const struct witness_reading *how, const struct tags *tags,
		   const struct matches *m, size_t sites)
{
	bool *wanted = xcalloc(tags->rows.count + 1, sizeof(*wanted));
	size_t i, k;
	int ret;

	for (i = 0; i < sites && i < WITNESS_SITES; i++)
		for (k = 0; k < m->match[i].count; k++)
			wanted[m->match[i].tag[k] - tags->rows.row] = true;
	ret = witness_record(&c->witness, tags, wanted, source->seconds, how);
	free(wanted);
	return ret;
}

int callers_read(struct callers *c, const struct callers_source *source,
		 const struct tags *tags, const struct matches *m, size_t sites,
		 const struct code *code)
{
	const struct witness_reading how = { is_wanted, c, source->debuginfo };
	size_t i;
	int ret;

	words_init(&c->symbols);
	pairs_init(&c->seen);
	for (i = 0; i < sites; i++)
		add_symbols(c, &m->match[i], code);
	if (!c->symbols.count)
		return msg_error("the sites have no address of code, so their call paths cannot be found");
	c->is_known = true;
	if (source->file)
		ret = witness_read(&c->witness, source->file, &how);
	else
		ret = observe(c, source, &how, tags, m, sites);
	return ret;
}

bool callers_is_at(const void *arg, uint64_t address)
{
	const struct callers_site *site = arg;
	const struct callers *c = site->callers;
	char symbol[SYMBOL_MAX];
	size_t i, k;

	for (i = 0; i < c->seen.count; i++) {
		if (c->seen.pair[i].a != address || !c->of[i])
			continue;
		for (k = 0; k < site->match->count; k++) {
			if (!site->match->tag[k]->address)
				continue;
			code_symbol(site->code, site->match->tag[k]->address, symbol,
				    sizeof(symbol));
			if (!strcmp(symbol, c->symbols.word[c->of[i] - 1]))
				return true;
		}
	}
	return false;
}

void callers_free(struct callers *c)
{
	if (c->is_known)
		witness_free(&c->witness);
	words_exit(&c->symbols);
	pairs_exit(&c->seen);
	free(c->of);
}
