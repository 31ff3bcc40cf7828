/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tags that are read again and again: their rates, their changes and their history, and
 * sums of these by site, function, module or kind.
 */
#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/tags.h"
#include "base/slots.h"

/*
 * Values of the last minutes.
 *
 * Time is divided into slots of equal length. A history has the last value in each of
 * the last slots. All histories of a watch have the same clock.
 */

/* slots of a history, and their length: five minutes */
#define HISTORY_SLOTS	60
#define HISTORY_SLOT_NS 5000000000ull

/* the current slot of several histories */
struct history_clock {
	uint64_t start_ns;	/* time of the first value */
	uint64_t slot;		/* number of the current slot, from 0 */
};

/* values */
struct history {
	/* the values; the value of slot N is at N modulo HISTORY_SLOTS */
	int64_t value[HISTORY_SLOTS];
};

/**
 * history_advance() - move the clock
 * @c: the clock
 * @ns: the time, not before @c->start_ns
 *
 * Return: number of slots that began, at most HISTORY_SLOTS.
 */
unsigned int history_advance(struct history_clock *c, uint64_t ns);

/**
 * history_put() - store the value of the current slot
 * @h: the history
 * @c: its clock
 * @began: what history_advance() returned
 * @before: the value that was stored before; slots that were skipped get it
 * @value: the value
 */
void history_put(struct history *h, const struct history_clock *c,
		 unsigned int began, int64_t before, int64_t value);

/** history_known() - get the number of slots that have a value */
static inline size_t history_known(const struct history_clock *c)
{
	return c->slot < HISTORY_SLOTS ? c->slot + 1 : HISTORY_SLOTS;
}

/** history_add() - add the values of a history, oldest first; @to: history_known() sums */
void history_add(int64_t *to, const struct history *h,
		 const struct history_clock *c);

enum watch_by {
	WATCH_SITE,
	WATCH_FUNCTION,
	WATCH_MODULE,
	WATCH_CACHE, /* tags of caches_read_module(): each is a row */
	WATCH_KIND,
	WATCH_BYS,
};

extern const char *const watch_by_names[WATCH_BYS];

/* no row */
#define WATCH_NONE UINT32_MAX

/* no time of birth */
#define WATCH_UNBORN INT64_MAX

/* a tag */
struct watch_tag {
	struct site_row now;	/* the tag, and its current figures */
	struct figures last;	/* figures of the refresh before */
	struct figures start;	/* figures of the first refresh; 0 if the tag was not listed then */
	/* figures when watch_mark() was called; 0 if the tag was not listed then */
	struct figures mark;
	struct history history;	/* its live bytes */
	/* birth of its oldest object, or an earlier time; WATCH_UNBORN: not known */
	int64_t born_ns;
	uint64_t seen;		/* number of the refresh that listed it last */
	uint64_t seen_slot;	/* slot of that refresh */
	char *name;		/* name of its row */
};

/* a row: the sum of several tags */
struct watch_row {
	const char *name;	/* its name, printable ASCII */
	uint32_t first;		/* index of its first tag in watch.order */
	uint32_t tags;		/* number of its tags */
	/* live figures and counts; oldest_ms is that of the oldest object */
	struct figures now;
	struct figures step;	/* change since the refresh before */
	struct figures change;	/* change since the mark; without a mark, since the first refresh */
};

/* the tags and their rows */
struct watch {
	struct watch_tag *tag;		/* the tags */
	size_t count;			/* number of tags */
	/* indices of the tags that are shown, sorted by name of the row, then ascending */
	uint32_t *order;
	struct watch_row *row;		/* the rows, sorted by name */
	size_t rows;			/* number of rows */
	enum watch_by by;		/* what a row is */
	int kind;			/* kind of the tags that are added up; -1: all kinds */
	struct tags stats;		/* the module's counters, without tags */
	/* number of refreshes since the first one or the last restart */
	uint64_t refresh;
	uint64_t restarts;		/* number of restarts of accounting that were noticed */
	uint64_t ns;			/* time of the last refresh */
	uint64_t start_ns;		/* time of the first refresh since the last restart */
	uint64_t mark_ns;		/* time of the mark; 0: there is no mark */
	/* time from the refresh before to the last one; 0: there was no refresh before */
	uint64_t step_ns;
	bool has_ages[SITE_KINDS];	/* by kind of memory: tags have ages */
	/* time when the ages were last read; for source_refresh(), as the next two */
	uint64_t ages_ns;
	uint64_t ages_cost_ns;		/* CPU time that the ages took */
	uint64_t quick_cost_ns;		/* CPU time of the last read without ages */
	struct history_clock clock;	/* clock of all histories */
	struct slots slots;		/* hash of the indices in @tag */
};

/**
 * watch_init() - make a watch without tags
 * @w: set up; the caller calls watch_exit() later, also after a failure
 * @by: what a row is
 */
void watch_init(struct watch *w, enum watch_by by);

/** watch_exit() - undo watch_init() */
void watch_exit(struct watch *w);

/**
 * watch_refresh() - take the current figures
 * @w: the watch
 * @tags: tags that were just read; the caller still frees them. Tags that never
 *	allocated are ignored
 * @ns: time at which they were read; if it is that of the last refresh, nothing changes
 *
 * Tags are recognized by their id, also if codetags load or an unloaded module changed
 * the location. With @tags->no_ages, an age is the most that it can be: the oldest object
 * is taken to be still live, and that of a tag without objects to be as old as the last
 * refresh.
 *
 * If accounting was restarted since the last refresh (see
 * tags_incomparable()), all changes and histories begin anew, and the mark is removed.
 */
void watch_refresh(struct watch *w, struct tags *tags, uint64_t ns);

/**
 * watch_group() - change what a row is
 * @w: the watch
 * @by: what a row is. WATCH_CACHE and the others have different tags: a watch cannot
 *	change from one to the other.
 * @kind: kind of the tags that are added up; -1: all kinds
 */
void watch_group(struct watch *w, enum watch_by by, int kind);

/** watch_mark() - let changes be those since the last refresh; nothing if there is none */
void watch_mark(struct watch *w);

/** watch_unmark() - let changes be those since the first refresh */
void watch_unmark(struct watch *w);

/** watch_tag() - get tag @i of a row, of those that the row counts in its member tags */
static inline const struct watch_tag *watch_tag(const struct watch *w, uint32_t row,
						uint32_t i)
{
	return &w->tag[w->order[w->row[row].first + i]];
}

/** watch_find() - get the index of the row with this name; WATCH_NONE if there is none */
uint32_t watch_find(const struct watch *w, const char *name);

/**
 * watch_history() - get the live bytes of a row in the last slots, oldest first
 * @w: the watch
 * @row: index of the row
 * @value: set to history_known() values
 */
void watch_history(const struct watch *w, uint32_t row,
		   int64_t value[HISTORY_SLOTS]);

/** watch_counts() - check whether allocations, frees, waste and age are known */
static inline bool watch_counts(const struct watch *w)
{
	return w->by != WATCH_CACHE;
}

/**
 * watch_since_mark() - bound what was allocated since the mark and is still live
 * @w: the watch, with a mark, and with watch_counts()
 * @row: index of the row
 *
 * The counters cannot distinguish objects from before the mark from newer ones. The net
 * growth of each tag is newer; at most, all of its live bytes are, if it allocated since.
 * If its oldest live object is younger than the mark, all of its live bytes are newer.
 *
 * Return: the members low and high of these bytes.
 */
struct figures watch_since_mark(const struct watch *w, uint32_t row);

/*
 * Reads what a watch shows.
 */

/**
 * source_refresh() - read the module's files, and refresh a watch
 * @w: the watch; its @by selects the file: caches_live, or tags
 * @why: set to the message on failure
 * @size: bytes of @why
 *
 * The time of the figures is the module's own (clock_ns in the file stats), so that rates
 * do not depend on when this process runs.
 *
 * Reading ages takes the module time for each live object and page frame. They are read
 * when the CPU time for that is below 0.25 % of the time since they were last read.
 *
 * Return: 0; another value, with @why set.
 */
int source_refresh(struct watch *w, char *why, size_t size);

#endif /* WATCH_H */
