/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Print each record as a line of text: in the format of event tracing, in columns, or as
 * JSON.
 */
#ifndef RENDER_H
#define RENDER_H

#include "base/memo.h"
#include "base/outbuf.h"
#include "kmt_field.h"
#include "trace/input.h"

#define RENDER_COLUMNS_MAX 64
#define RENDER_LABEL_MAX   32

enum render_format {
	RENDER_TRACE,	/* time, CPU, event, and its fields with their names */
	RENDER_COLUMNS, /* selected fields, below a line of names */
	RENDER_JSON,	/* one object for each line */
};

/* forms of a field's value */
enum render_form {
	FORM_NUMBER,
	FORM_HEX,
	FORM_ADDRESS, /* in JSON a string, because most readers lose bits of a number */
	FORM_TIME,
	FORM_STRING,
	FORM_SYMBOL,
	FORM_GFP,
	FORM_EVENT,
	FORM_STACK,
};

/* a field to be printed */
struct render_column {
	const struct kmt_field *field;	/* the field */
	int form;			/* the form of its value: enum render_form */
	char label[RENDER_LABEL_MAX];	/* " name=" */
	size_t label_len;		/* bytes of @label */
};

/* state of the output of records */
struct render {
	enum render_format format;				/* the output format */
	/* print addresses of code instead of symbols */
	bool raw_ip;
	struct render_column columns[RENDER_COLUMNS_MAX];	/* the fields to print */
	size_t nr_columns;					/* number of fields */
	u32 need;						/* groups of the fields */
	const struct names *names;				/* names of the recording */
	/* cached symbols of addresses of code, from @names */
	struct memo *symbols;
	struct memo *gfp;					/* cached names of GFP flags */
	char events[KMT_EVENT_KINDS][32];			/* names of the kinds of events */
	struct outbuf out;					/* the output */
};

/**
 * render_init() - prepare to print records to stdout
 * @r: the renderer; the caller must call render_exit(), also after an error
 * @format: RENDER_TRACE or RENDER_JSON; render_choose() sets RENDER_COLUMNS
 * @names: names of the recording
 */
void render_init(struct render *r, enum render_format format,
		 struct names *names);

/** render_exit() - undo render_init(); output that was not flushed is lost */
void render_exit(struct render *r);

/**
 * render_choose() - print only selected fields
 * @r: the renderer
 * @list: names of the fields, separated by commas; the field "event" is the event's name
 *
 * Prints a message if the list is wrong.
 *
 * Return: EXIT_DONE or EXIT_USAGE.
 */
int render_choose(struct render *r, const char *list);

/** render_list_fields() - print the fields that render_choose() accepts; EXIT_* */
int render_list_fields(bool json);

/** render_head() - print the first line: the names of columns, or the JSON version */
void render_head(struct render *r);

/**
 * render_record() - print a record
 * @r: the renderer
 * @ev: from input_next(); its record must still be in memory
 * @e: from extra_take(); gets the further values that are printed
 */
void render_record(struct render *r, struct kmt_event *ev, struct extra *e);

/**
 * render_knows() - whether a record has the field of a column
 * @c: the column
 * @e: after extra_fetch() of the groups in render.need
 */
bool render_knows(const struct render_column *c, const struct extra *e);

/**
 * render_value() - get the text of a field
 * @r: the renderer
 * @c: the column of the field, which render_knows()
 * @ev: the record
 * @e: its further values
 * @scratch: MEMO_TEXT_MAX bytes
 * @len: set to the bytes of the text
 *
 * Return: the text, printable ASCII, in @scratch or valid until the next call; "" of a stack.
 */
const char *render_value(struct render *r, const struct render_column *c,
			 const struct kmt_event *ev, const struct extra *e,
			 char *scratch, size_t *len);

/**
 * render_symbol() - get an address of code as text
 * @r: the renderer
 * @address: the address
 * @seq: kmt_event_number() of the record
 * @scratch: MEMO_TEXT_MAX bytes
 * @len: set to the bytes of the text
 *
 * Return: as for render_value().
 */
const char *render_symbol(struct render *r, u64 address, u64 seq, char *scratch,
			  size_t *len);

/** render_lost() - print that records were lost at this point */
void render_lost(struct render *r, uint64_t count);

#endif /* RENDER_H */
