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
#include "report/births.h"
#include "report/report.h"
#include "trace/stacks.h"

/**
 * struct eventrows - the tables while they are written
 * @r: the report that reads the recording
 * @classes: mask of the classes of memory that are wanted; 0: all
 * @events: statement of the table events
 * @losses: statement of the table losses
 * @count: number of events in the table
 * @lost: losses since the last event in the table
 * @known: all losses up to the current record
 * @code: address and place of each row of code
 * @stacks: stacks of numbers of @code
 * @stack_rows: statement of the table stacks
 * @threads: for each row of threads: pid and tgid, and the number of the name in @comms
 * @comms: names of threads
 * @caches: numbers of caches
 * @gfp: GFP flags
 * @births: for each live allocation, the number of its event
 * @watch: sets the members below
 * @group: group of the memory that the current record allocated or freed; UINT32_MAX: none
 * @birth: with a free: number of the event of the allocation; 0: not known
 */
struct eventrows {
	struct report *r;
	unsigned int classes;
	struct insert events;
	struct insert losses;
	uint64_t count;
	uint64_t lost;
	uint64_t known;
	struct pairs code;
	struct stacks stacks;
	struct insert stack_rows;
	struct pairs threads;
	struct words comms;
	struct pairs caches;
	struct pairs gfp;
	struct births births;
	struct analysis_watch watch;
	uint32_t group;
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
