/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of a command's options. Parsing (cmdline.h), --help (usage.h), the shell's
 * completion and the checks of the man page all come from it, so an option is added
 * in this one place.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct option_row;

/**
 * struct option_use - an option on a command line
 * @command: name of the command
 * @row: the option
 * @text: its value; NULL if it has none
 * @to: the member that the row names; the whole object if it names none
 */
struct option_use {
	const char *command;
	const struct option_row *row;
	const char *text;
	void *to;
};

/**
 * struct option_row - an option, a heading, or a letter that is no option any more
 * @letter: after "-"; 0: none
 * @name: after "--"; NULL: the row is no option
 * @value: name of its value in the help text; NULL: it has none
 * @help: what it does; of a heading, the heading; of a letter that is no option any
 *	more, the message to whoever uses it. The text is wrapped where a line is full;
 *	a newline ends a line before.
 * @take: stores the value, or prints what is wrong with it; returns EXIT_*
 * @to: offset of what @take writes to
 * @number: what option_take_number() stores
 * @offers: what the shell offers as value: "files", "\@events" or another list of
 *	complete.c, with a comma in front if the value is a list of them; NULL: nothing
 *
 * A table ends with a row of zeros. No table has --help, which every command has.
 */
struct option_row {
	char letter;
	const char *name;
	const char *value;
	const char *help;
	int (*take)(const struct option_use *use);
	size_t to;
	int number;
	const char *offers;
};

/**
 * struct options - what may follow the name of a command
 * @command: the name
 * @synopsis: what follows the name, one form each, ended by NULL
 * @about: what the command does; newlines and spaces as in option_row.help
 * @rows: the options
 * @notes: what follows the options in the help text; NULL: nothing
 * @words: what the first operand may be, ended by NULL; NULL: anything
 * @operands: what the shell offers as (further) operands, as option_row.offers; ""
 *	for nothing; NULL: there are no operands
 * @stops: options end at the first operand
 */
struct options {
	const char *command;
	const char *const *synopsis;
	const char *about;
	const struct option_row *rows;
	const char *notes;
	const char *const *words;
	const char *operands;
	bool stops;
};

/* All that a table has rows for. */
#define OPTIONS_MAX 32

/* The offset of a member, if its type is right. */
#define OPTION_TO(object, member, right)                                     \
	(offsetof(object, member) +                                          \
	 0 * sizeof(char[(right) ? 1 : -1]))
#define OPTION_MEMBER(object, member, type)                                  \
	OPTION_TO(object, member,                                            \
		  __builtin_types_compatible_p(                              \
			  __typeof__(((object *)0)->member), type))

/* What most options do: they set a bool, an int, a text, or a number. */
#define OPTION_TRUE(object, member)                                          \
	.take = option_take_true, .to = OPTION_MEMBER(object, member, bool)
#define OPTION_NUMBER(object, member, value)                                 \
	.take = option_take_number, .number = (value),                       \
	.to = OPTION_TO(object, member,                                      \
			sizeof(((object *)0)->member) == sizeof(int))
#define OPTION_TEXT(object, member)                                          \
	.take = option_take_text,                                            \
	.to = OPTION_MEMBER(object, member, const char *)
#define OPTION_COUNT(object, member)                                         \
	.take = option_take_count, .to = OPTION_MEMBER(object, member, size_t)

#define OPTION_HEADING(text) { .help = (text) }
#define OPTION_MOVED(was, text) { .letter = (was), .help = (text) }

/* The rows of a command whose only option is --json; they set the bool @object. */
extern const struct option_row option_json_rows[];

/** option_take_true() - set a bool; see OPTION_TRUE */
int option_take_true(const struct option_use *use);

/** option_take_number() - set an int to the row's number; see OPTION_NUMBER */
int option_take_number(const struct option_use *use);

/** option_take_text() - keep the value as it is; see OPTION_TEXT */
int option_take_text(const struct option_use *use);

/** option_take_count() - parse the value by option_count(); see OPTION_COUNT */
int option_take_count(const struct option_use *use);

/**
 * option_wrong() - say that the value of an option is wrong
 * @use: the option
 * @takes: what it takes, for example "a number"
 *
 * Return: EXIT_USAGE.
 */
int option_wrong(const struct option_use *use, const char *takes);

/** option_end() - whether a row ends its table */
bool option_end(const struct option_row *row);

/**
 * option_count() - parse a number without a sign or a unit, for example of --top
 * @text: the value of the option
 * @n: set to the number
 *
 * Return: false if it is not a number, or too large for a size_t.
 */
bool option_count(const char *text, size_t *n);

/**
 * option_kib() - parse a size, for example "10M"
 * @text: the value of the option: a number of bytes, or one with the unit K, M, G,
 *	KiB, MiB or GiB, in upper or lower case; all are powers of 1024
 * @max: the largest size allowed, in KiB
 * @kib: set to the size, in KiB; bytes are rounded up
 *
 * Return: false if it is not a size, or 0, or larger than @max.
 */
bool option_kib(const char *text, uint64_t max, uint64_t *kib);

#endif /* OPTIONS_H */
