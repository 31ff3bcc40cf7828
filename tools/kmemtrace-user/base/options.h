/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of a command's options. The parser and --help (cmdline.h), the
 * completion in the shell and the checks of the man page use this table. A new option is
 * therefore added in one place only.
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
 * @to: the member at offset option_row.to of the object that cmdline_parse() was given
 */
struct option_use {
	const char *command;
	const struct option_row *row;
	const char *text;
	void *to;
};

/**
 * struct option_row - an option, or a heading
 * @letter: the letter after "-"; 0: none
 * @name: the name after "--"; NULL: the row is a heading
 * @value: name of the value in the help text; NULL: the option has no value
 * @help: text about the option. In a heading: the heading. Long lines are wrapped;
 *	a newline starts a new line.
 * @repeats: the option may be given several times, and the help text says so. Any other
 *	option with a value is refused the second time
 * @take: stores the value, or prints a message if the value is wrong; returns EXIT_*
 * @to: offset of the member that @take writes to
 * @number: the number that option_take_number() stores
 * @offers: completions of the value in the shell: "files", "\@events" or another list
 *	of complete.c; with a comma in front if the value is a list; NULL: none
 *
 * A table ends with a row of zeros. No table contains --help, because every command has
 * this option.
 */
struct option_row {
	char letter;
	const char *name;
	const char *value;
	const char *help;
	bool repeats;
	int (*take)(const struct option_use *use);
	size_t to;
	int number;
	const char *offers;
};

/**
 * struct options - the command line of a command
 * @command: name of the command
 * @synopsis: forms of the words that follow the name; the last element is NULL
 * @about: description of the command; newlines and spaces as in option_row.help
 * @rows: the options
 * @notes: text after the options in the help text; NULL: none
 * @words: completions of the first operand; the last element is NULL; NULL: none
 * @operands: completions of the operands, after the first one if @words is set; format
 *	as option_row.offers, or "\@files": files, but a word first; "": none; NULL: the
 *	command has no operands
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

/* The largest number of rows in a table. */
#define OPTIONS_MAX 32

/* The offset of a member; does not compile if @right is 0: the type is wrong. */
#define OPTION_TO(object, member, right)                                     \
	(offsetof(object, member) +                                          \
	 0 * sizeof(char[(right) ? 1 : -1]))
#define OPTION_MEMBER(object, member, type)                                  \
	OPTION_TO(object, member,                                            \
		  __builtin_types_compatible_p(                              \
			  __typeof__(((object *)0)->member), type))

/* The usual options: they set a bool, an int, a text, or a number. */
#define OPTION_TRUE(object, member)                                          \
	.take = option_take_true, .to = OPTION_MEMBER(object, member, bool)
#define OPTION_NUMBER(object, member, value)                                 \
	.take = option_take_number, .number = (value),                       \
	.to = OPTION_TO(object, member,                                      \
			sizeof(((object *)0)->member) == sizeof(int))
#define OPTION_TEXT(object, member)                                          \
	.take = option_take_text,                                            \
	.to = OPTION_MEMBER(object, member, const char *)
#define OPTION_WORD(object, member)                                          \
	.take = option_take_word,                                            \
	.to = OPTION_MEMBER(object, member, const char *)
#define OPTION_COUNT(object, member)                                         \
	.take = option_take_count, .to = OPTION_MEMBER(object, member, size_t)

#define OPTION_HEADING(text) { .help = (text) }

/* The rows of a command whose only option is --json; its object is a bool. */
extern const struct option_row option_json_rows[];

/** option_take_true() - set a bool; see OPTION_TRUE */
int option_take_true(const struct option_use *use);

/** option_take_number() - set an int to the row's number; see OPTION_NUMBER */
int option_take_number(const struct option_use *use);

/** option_take_text() - keep the value as it is; see OPTION_TEXT */
int option_take_text(const struct option_use *use);

/** option_take_word() - option_take_text(), but refuse an empty value; see OPTION_WORD */
int option_take_word(const struct option_use *use);

/** option_take_count() - parse the value by option_count(); see OPTION_COUNT */
int option_take_count(const struct option_use *use);

/** option_take_tenths() - parse a percentage, in tenths, into an unsigned int */
int option_take_tenths(const struct option_use *use);

/**
 * option_wrong() - print a message about a wrong value of an option
 * @use: the option
 * @takes: text about right values, for example "a number"
 *
 * Return: EXIT_USAGE.
 */
int option_wrong(const struct option_use *use, const char *takes);

/**
 * option_name() - find the value of an option in a list of names
 * @names: the names
 * @count: number of names
 * @text: the value
 *
 * Return: the index of the name; -1 if there is none.
 */
int option_name(const char *const *names, int count, const char *text);

/** option_end() - check whether a row is the end of its table */
bool option_end(const struct option_row *row);

/**
 * option_count() - parse a number without a sign or a unit, for example of --top
 * @text: the value of the option
 * @n: set to the number
 *
 * Return: false if @text is not a number, or too large for a size_t.
 */
bool option_count(const char *text, size_t *n);

/**
 * option_kib() - parse a size, for example "10M"
 * @text: the value of the option: a number of bytes; or a number with the unit K, M, G,
 *	KiB, MiB or GiB, in upper or lower case. All units are powers of 1024.
 * @max: the largest size allowed, in KiB
 * @kib: set to the size, in KiB; a number of bytes is rounded up
 *
 * Return: false if @text is not a size, or the size is 0 or larger than @max.
 */
bool option_kib(const char *text, uint64_t max, uint64_t *kib);

#endif /* OPTIONS_H */
