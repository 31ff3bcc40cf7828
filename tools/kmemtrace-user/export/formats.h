/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The formats of the command export. A format is one file and one row of the table in
 * formats.c. It reads its inputs itself, because formats need different parts of them.
 */
#ifndef FORMATS_H
#define FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "account/tags.h"
#include "base/options.h"
#include "report/analysis.h"
#include "report/event_filter.h"
#include "report/lines.h"
#include "report/report.h"
#include "report/when.h"
#include "trace/anonymize.h"

/* What is exported. The values are bits of export_format.inputs. */
enum export_input {
	EXPORT_RECORDING = 1, /* one recording, or raw cpu<n> files */
	EXPORT_STATE = 2,     /* the state of accounting: of the module, or saved */
};

/* What a format writes. */
enum export_output {
	EXPORT_STREAM,	  /* to export.out */
	EXPORT_FILE,	  /* a file at export.path, which exists and is empty */
	EXPORT_DIRECTORY, /* files in the directory export.dir, which is empty */
	EXPORT_COPY,	  /* a recording, see anonymize_recording(): there is no write() */
};

struct export;
struct outdir;
struct timeline;

/* a format */
struct export_format {
	const char *name;	/* value of --to */
	const char *about;	/* the format, in a few words */
	unsigned int inputs;	/* mask of enum export_input */
	enum export_output output; /* what is written */
	bool is_binary;		/* the output is not text: it is not written to a terminal */
	bool has_values;	/* the format has one value for each row: it takes --value */
	bool has_top;		/* only the largest rows are written one by one: it takes --top */
	const char *begins;	/* as for outfile_create(): the first bytes of each output */
	/*
	 * writes the output, and prints a message if it fails. Returns EXIT_*: EXIT_LOST if the
	 * output is complete, but events were lost.
	 */
	int (*write)(const struct export *e);
};

/* the command line, and the output */
struct export {
	const struct export_format *format; /* the format */
	enum export_input input;	/* what is exported */
	/*
	 * of EXPORT_RECORDING: the files, as for input_open(). Of EXPORT_STATE: one file of
	 * allocinfo --save
	 */
	char **paths;
	size_t count;			/* number of @paths; 0: the state of the module */
	/*
	 * stream to write to; the command closes it, and reports failed writes. NULL unless @format
	 * writes to a stream
	 */
	FILE *out;
	/* of EXPORT_FILE: the file to write, under its temporary name */
	const char *path;
	struct outdir *dir;		/* of EXPORT_DIRECTORY: the directory to write */
	const char *name;		/* the same as the user gave it, for messages */
	const char *value;		/* value of --value; NULL: the default of the format */
	size_t top;			/* value of --top: the largest rows of each kind; 0: all */
	unsigned int classes;		/* mask of enum site_kind, of --kind; 0: all classes */
	const char *expression;		/* value of --filter, or NULL */
	const char *since;		/* value of --since, or NULL */
	const char *until;		/* value of --until, or NULL */
	const char *debuginfo;		/* value of --debuginfo, or NULL */
	bool raw_ip;			/* --raw-ip was given: addresses instead of symbols */
	/*
	 * of the command flame: a function with less than this percentage of its class, in tenths,
	 * has no frame of its own
	 */
	unsigned int min_tenths;
	size_t width;			/* of the command flame: width of the picture, in pixels */
	bool is_live;			/* --live was given: the state of the module */
	struct anonymize anonymize;	/* --no-addresses, --hash-names */
	/* what titles have instead of the name of the first file; NULL: that name */
	const char *title;
	/* set by the command html: a timeline of the rows, see profile_row.group; or NULL */
	struct timeline *timeline;
};

/*
 * Options of commands that export a recording: rows for struct option_row.
 *
 * @object: the struct of the command's options
 * @e: its member of type struct export
 */
#define EXPORT_OPTIONS(object, e)                                              \
	{ 'f', "filter", "EXPR", EVENT_FILTER_HELP,                            \
	  OPTION_TEXT(object, e.expression) },                                 \
	{ 0, "since", "TIME", WHEN_SINCE, OPTION_TEXT(object, e.since) },      \
	{ 0, "until", "TIME", WHEN_UNTIL, OPTION_TEXT(object, e.until) },      \
	{ 0, "raw-ip", NULL, "addresses instead of symbols",                   \
	  OPTION_TRUE(object, e.raw_ip) },                                     \
	{ 0, "debuginfo", "PATH", LINES_HELP,                                  \
	  OPTION_TEXT(object, e.debuginfo), .offers = "files" },               \
	ANONYMIZE_OPTIONS(object, e.anonymize)

/* the same, for memory of some kinds, and for --live */
#define EXPORT_OPTIONS_KIND(object, e)                                         \
	{ 0, "live", NULL, "live memory now, from accounting; takes no file",  \
	  OPTION_TRUE(object, e.is_live) },                                    \
	{ 'k', "kind", "KIND",                                                 \
	  "only memory of this kind: slab, pages or percpu", .repeats = true,  \
	  .take = report_take_kind,                                            \
	  .to = OPTION_MEMBER(object, e.classes, unsigned int) },              \
	EXPORT_OPTIONS(object, e)

/* the formats; the last element has no name */
extern const struct export_format export_formats[];

/** export_has_class() - whether a mask of classes, of --kind, has a class; 0 has all */
static inline bool export_has_class(unsigned int classes, enum site_kind class)
{
	return !classes || classes >> class & 1;
}

/** formats_find() - find a format by its name; NULL if there is none */
const struct export_format *formats_find(const char *name);

/** formats_print() - print a line for each format: its name, and what it is */
void formats_print(FILE *out);

/**
 * formats_check_state() - refuse options that have no meaning for a state of accounting
 * @command: name of the command
 * @e: its options
 *
 * Return: EXIT_DONE; EXIT_USAGE, with a message.
 */
int formats_check_state(const char *command, const struct export *e);

/**
 * formats_take_inputs() - determine what kind of input the files are
 * @command: name of the command
 * @e: the command line, with its format; @e->input is set. Without files, @e->paths is set to
 *	the default recording, unless the format or --live needs a state
 * @path: value of --output
 *
 * Return: EXIT_DONE; EXIT_USAGE or EXIT_FAILED, with a message, if the format or an option
 * needs others, or if the output is an input.
 */
int formats_take_inputs(const char *command, struct export *e, const char *path);

/**
 * formats_write() - write a format into a file, see outfile.h; without addresses
 * and names, if the options say so
 * @e: the command line; @e->out is set
 * @path: the file
 *
 * Return: EXIT_*.
 */
int formats_write(struct export *e, const char *path);

/**
 * formats_read_tags() - read a state of accounting
 * @e: the options; of EXPORT_STATE
 * @tags: set to the state, without addresses if the options say so; the caller calls
 *	tags_free() in any case
 *
 * Return: 0; otherwise -errno, after a message.
 */
int formats_read_tags(const struct export *e, struct tags *tags);

/**
 * formats_check_output() - refuse an output without a name, and one that is an input
 * @command: name of the command
 * @e: its inputs
 * @path: value of --output
 *
 * Return: EXIT_DONE; EXIT_USAGE, with a message.
 */
int formats_check_output(const char *command, const struct export *e,
			 const char *path);


/** folded_write() - write stacks as lines "a;b;c N", the outermost function first */
int folded_write(const struct export *e);

/** pprof_write() - write profile.proto, gzipped */
int pprof_write(const struct export *e);

/** perfetto_write() - write counters over time in the JSON format of Chrome */
int perfetto_write(const struct export *e);

/** allocinfo_write() - write the text of mainline's /proc/allocinfo */
int allocinfo_write(const struct export *e);

/** prometheus_write() - write metrics in the text format of Prometheus */
int prometheus_write(const struct export *e);

/** sqlite_write() - write a database of SQLite */
int sqlite_write(const struct export *e);

/** ctf_write() - write a directory in the Common Trace Format */
int ctf_write(const struct export *e);

#endif /* FORMATS_H */
