/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables of events in a database, and of what they refer to: code, stacks, threads,
 * caches and GFP flags.
 */
#ifndef EVENTROWS_H
#define EVENTROWS_H

#include "base/pairs.h"
#include "base/words.h"
#include "export/database.h"
#include "report/lifetimes.h"
#include "report/report.h"
#include "trace/stacks.h"

/* the tables while they are written */
struct eventrows {
	struct report *r;		/* the report that reads the recording */
	unsigned int classes;		/* mask of the classes of memory that are wanted; 0: all */
	struct insert events;		/* statement of the table events */
	struct insert losses;		/* statement of the table losses */
	uint64_t count;			/* number of events in the table */
	uint64_t lost;			/* losses since the last event in the table */
	uint64_t known;			/* all losses up to the current record */
	struct pairs code;		/* address and place of each row of code */
	struct stacks stacks;		/* stacks of numbers of @code */
	struct insert stack_rows;	/* statement of the table stacks */
	/* for each row of threads: pid and tgid, and the number of the name in @comms */
	struct pairs threads;
	struct words comms;		/* names of threads */
	struct pairs caches;		/* numbers of caches */
	struct pairs gfp;		/* GFP flags */
	struct births births;		/* for each live allocation, the number of its event */
	struct analysis_watch watch;	/* sets the members below */
	/* group of the memory that the current record allocated or freed; UINT32_MAX: none */
	uint32_t group;
	/* with a free: number of the event of the allocation; 0: not known */
	uint64_t birth;
};

/**
 * eventrows_init() - prepare to write the tables
 * @t: set; the caller calls eventrows_exit() later, also after a failure
 * @d: the database
 */
void eventrows_init(struct eventrows *t, struct database *d);

/** eventrows_watch() - a report.watch; t->r and t->classes are set */
void eventrows_watch(struct eventrows *t, struct report *r);

/** eventrows_add() - add a record, as report.each; false, with a message, on failure */
bool eventrows_add(struct eventrows *t, const struct merged *record,
		   bool matches);

/**
 * eventrows_finish() - write the losses after the last event, and the names
 * @t: the tables; report_read() has returned
 * @d: the database
 *
 * In a stream, the names follow after the records.
 *
 * Return: false on failure, with a message.
 */
bool eventrows_finish(struct eventrows *t, struct database *d);

/** eventrows_wanted() - whether a class of memory is wanted */
bool eventrows_wanted(const struct eventrows *t, enum site_kind class);

/** eventrows_exit() - undo eventrows_init() */
void eventrows_exit(struct eventrows *t);

#endif /* EVENTROWS_H */
