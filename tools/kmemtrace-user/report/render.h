/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records as text: one line each, as event tracing has it, as columns, or as
 * JSON.
 */
#ifndef RENDER_H
#define RENDER_H

#include "base/memo.h"
#include "base/outbuf.h"
#include "kmt_field.h"
#include "trace/extra.h"

#define RENDER_COLUMNS_MAX 64

enum render_format {
	RENDER_TRACE,	/* time, CPU, event, and its fields with their names */
	RENDER_COLUMNS, /* fields that were chosen, below a line of names */
	RENDER_JSON,	/* an object a line */
};

/**
 * struct render_column - a field to be shown
 * @field: which
 * @form: how, an enum in render.c
 */
struct render_column {
	const struct kmt_field *field;
	int form;
};

/**
 * struct render - how records are shown
 * @format: as what
 * @raw_ip: addresses of code instead of symbols
 * @columns: the fields
 * @nr_columns: how many
 * @need: their groups
 * @names: of the recording
 * @symbols: of addresses of code, in @names
 * @gfp: names of flags
 * @events: names of kinds of events
 * @out: where to
 */
struct render {
	enum render_format format;
	bool raw_ip;
	struct render_column columns[RENDER_COLUMNS_MAX];
	size_t nr_columns;
	u32 need;
	const struct names *names;
	struct memo *symbols;
	struct memo *gfp;
	char events[KMT_EVENT_KINDS][32];
	struct outbuf out;
};

/**
 * render_init() - show records on stdout
 * @r: the renderer; to be ended by render_exit() whatever this returns
 * @format: as what; RENDER_COLUMNS comes of render_choose()
 * @names: of the recording
 *
 * Return: false if memory ran out.
 */
bool render_init(struct render *r, enum render_format format,
		 struct names *names);

/** render_exit() - undo render_init(); what is not flushed is lost */
void render_exit(struct render *r);

/**
 * render_choose() - show some fields only
 * @r: the renderer
 * @list: their names, separated by commas; "event" is the name of the event
 *
 * Says what is wrong.
 *
 * Return: EXIT_DONE or EXIT_USAGE.
 */
int render_choose(struct render *r, const char *list);

/** render_list_fields() - print which fields there are to choose from; EXIT_* */
int render_list_fields(bool json);

/** render_head() - the line of names above columns; of JSON, the one with the version */
void render_head(struct render *r);

/**
 * render_record() - show a record
 * @r: the renderer
 * @ev: from input_next(), its record still there
 * @e: from extra_take(); what has to be found out is added
 */
void render_record(struct render *r, struct kmt_event *ev, struct extra *e);

/** render_lost() - show that records were lost here */
void render_lost(struct render *r, uint64_t count);

#endif /* RENDER_H */
