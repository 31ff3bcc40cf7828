/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs commands of the tool, and looks at what they print: whatever is in a
 * file, a terminal gets nothing but printable characters, and JSON is JSON.
 */
#ifndef FUZZ_COMMANDS_H
#define FUZZ_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMMANDS_FILES 4

/**
 * commands_file() - a file that holds this
 * @index: which one, below COMMANDS_FILES; it replaces what it held before
 * @data: what it is to hold
 * @size: bytes of it
 *
 * Return: its path.
 */
const char *commands_file(unsigned int index, const void *data, size_t size);

/**
 * commands_run() - run a command
 * @command: cmd_*()
 * @...: its words, argv[0] among them; NULL ends them
 *
 * Return: what it returned. What it printed can be looked at until the next
 * one is run.
 */
int commands_run(int (*command)(int argc, char **argv), ...);

/** commands_output() - what the last one printed on stdout */
const char *commands_output(void);

/**
 * commands_json() - what the last one printed must be JSON
 * @lines: an object in each line, instead of one in all
 */
void commands_json(int lines);

/**
 * commands_read() - let check, report and script read files
 * @paths: of a recording, or of raw files
 * @count: how many, up to 2
 * @options: what decides with which options
 *
 * Return: whether script could read them, also if events were lost.
 */
bool commands_read(const char *const *paths, size_t count, uint32_t options);

#endif /* FUZZ_COMMANDS_H */
