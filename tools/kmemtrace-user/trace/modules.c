// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/textfile.h"
#include "trace/modules.h"

/* limits, because a damaged file may have any number */
#define RANGES_MAX 4096
#define VISITS_MAX 4096

void modules_exit(struct modules *m)
{
	size_t i;

	for (i = 0; i < m->nr_visits; i++)
		symtab_exit(&m->visits[i].symbols);
	free(m->visits);
	free(m->ranges);
	*m = (struct modules){ 0 };
}

/* --- lists ---------------------------------------------------------------- */

static bool is_same(const struct module_range *a, const struct module_range *b)
{
	return a->start == b->start && a->size == b->size &&
	       !strcmp(a->name, b->name);
}

static void add_range(struct modules *m, const struct module_range *new)
{
	struct module_range *range;
	size_t i;

	for (i = 0; i < m->nr_ranges; i++)
		if (is_same(&m->ranges[i], new))
			return;
	if (m->nr_ranges == RANGES_MAX)
		return;
	range = array_add(m->ranges, m->nr_ranges);
	*range = *new;
	range->later = m->lists > 0;
}

void modules_add(struct modules *m, const char *text)
{
	struct module_range range;
	const char *line;

	for (line = text; line; line = textfile_next_line(line)) {
		range.build_id[0] = '\0';
		if (textfile_scan(line, "%63s %" SCNu64 " %" SCNx64 " %67s",
				  range.name, &range.size, &range.start,
				  range.build_id) < 3 ||
		    !range.start)
			continue;
		add_range(m, &range);
	}
	m->lists++;
}

const char *modules_build_id(const struct modules *m, const char *name)
{
	const char *found = NULL;
	size_t i;

	for (i = 0; i < m->nr_ranges; i++) {
		const char *is = m->ranges[i].build_id;

		if (strcmp(m->ranges[i].name, name))
			continue;
		if (!strcmp(is, "-"))
			is = "";
		if (found && *found && *is && strcmp(found, is))
			return "-";
		if (!found || *is)
			found = is;
	}
	return found;
}

static bool is_logged(const struct modules *m, const struct module_range *r)
{
	size_t i;

	for (i = 0; i < m->nr_visits; i++)
		if (m->visits[i].text.start == r->start &&
		    !strcmp(m->visits[i].name, r->name))
			return true;
	return false;
}

const struct module_range *modules_find(const struct modules *m, uint64_t addr,
					bool later)
{
	const struct module_range *found = NULL;
	size_t i;

	for (i = 0; i < m->nr_ranges; i++) {
		const struct module_range *r = &m->ranges[i];

		if (r->later == later && module_range_has(r, addr) &&
		    !(later && is_logged(m, r)) &&
		    (!found || r->start > found->start))
			found = r;
	}
	return found;
}

uint64_t modules_room(const struct modules *m, const struct symbol *s)
{
	size_t i;

	for (i = 0; i < m->nr_ranges; i++) {
		const struct module_range *r = &m->ranges[i];

		if (module_range_has(r, s->addr) && strlen(r->name) == s->module_len &&
		    !memcmp(r->name, s->module, s->module_len))
			return r->start + r->size - s->addr;
	}
	return UINT64_MAX;
}

/* --- the log -------------------------------------------------------------- */

static bool parse_mark(const char *text, struct module_mark *mark)
{
	char *end;

	*mark = (struct module_mark){ 0 };
	if (!strcmp(text, "-"))
		return true;
	mark->known = true;
	mark->seq = strtoull(text, &end, 10);
	return end != text && !*end;
}

/* "module NAME FROM LIVE TO TEXT SIZE INIT SIZE" */
static bool parse_visit(const char *line, struct module_visit *v)
{
	char from[24], live[24], to[24];

	*v = (struct module_visit){ 0 };
	return textfile_scan(line,
			     "module %63s %23s %23s %23s %" SCNx64 " %" SCNu64
			     " %" SCNx64 " %" SCNu64,
			     v->name, from, live, to, &v->text.start,
			     &v->text.size, &v->init.start,
			     &v->init.size) == 8 &&
	       parse_mark(from, &v->from) && parse_mark(live, &v->live) &&
	       parse_mark(to, &v->to);
}

static bool is_same_visit(const struct module_visit *a,
			  const struct module_visit *b)
{
	return a->text.start == b->text.start && !strcmp(a->name, b->name) &&
	       a->from.known == b->from.known && a->from.seq == b->from.seq;
}

/*
 * A later log of a stream repeats the modules in the same order, without the oldest, and
 * has the time when they were unloaded.
 *
 * @from: the module can be in an earlier log from this visit on; raised if it is
 * @to: number of visits from earlier logs
 */
static void add_visit(struct modules *m, const struct module_visit *v,
		      const char *symbols, size_t size, size_t *from, size_t to)
{
	struct module_visit *visit;
	size_t i;

	for (i = *from; i < to; i++) {
		visit = &m->visits[i];
		if (!is_same_visit(visit, v))
			continue;
		visit->live = v->live;
		visit->to = v->to;
		*from = i + 1;
		return;
	}
	if (m->nr_visits == VISITS_MAX)
		return;
	visit = array_add(m->visits, m->nr_visits);
	*visit = *v;
	symtab_init(&visit->symbols, symbols, size);
}

/* Return: the line of the next module, or the end of the text. */
static const char *next_visit(const char *line)
{
	while (*line && strncmp(line, "module ", 7)) {
		line = strchrnul(line, '\n');
		line += !!*line;
	}
	return line;
}

void modules_add_log(struct modules *m, const char *text)
{
	size_t from = 0, to = m->nr_visits;
	const char *line, *symbols, *next;
	struct module_visit v;

	for (line = next_visit(text); *line; line = next) {
		symbols = strchrnul(line, '\n');
		symbols += !!*symbols;
		next = next_visit(symbols);
		if (parse_visit(line, &v))
			add_visit(m, &v, symbols, next - symbols, &from, to);
	}
}

static bool is_before(uint64_t seq, const struct module_mark *mark)
{
	return mark->known && (int64_t)(seq - mark->seq) < 0;
}

static bool is_behind(uint64_t seq, const struct module_mark *mark)
{
	return mark->known && (int64_t)(seq - mark->seq) >= 0;
}

/* Return: whether the module was loaded, and had this part, at the time of a record. */
static bool was_there(const struct module_visit *v, bool init, uint64_t seq)
{
	return !is_before(seq, &v->from) && !is_behind(seq, &v->to) &&
	       !(init && is_behind(seq, &v->live));
}

uint16_t modules_place(const struct modules *m, uint64_t addr, uint64_t seq)
{
	uint16_t place = PLACE_BASE;
	size_t i = m->nr_visits;

	while (i--) {
		const struct module_visit *v = &m->visits[i];
		bool init = module_range_has(&v->init, addr);

		if (!init && !module_range_has(&v->text, addr))
			continue;
		if (was_there(v, init, seq))
			return i + 1;
		place = PLACE_UNKNOWN;
	}
	return place;
}

const struct module_visit *modules_visit(const struct modules *m,
					 uint16_t place)
{
	return &m->visits[place - 1];
}
