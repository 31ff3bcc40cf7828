/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs commands of the tool and checks their output. Whatever a file contains, the
 * output must only have printable characters, and JSON must be valid.
 */
#ifndef FUZZ_COMMANDS_H
#define FUZZ_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMMANDS_FILES 4

/**
 * commands_file() - write a file
 * @index: number of the file, below COMMANDS_FILES; its old content is replaced
 * @data: the new content
 * @size: size of @data in bytes
 *
 * Return: its path.
 */
const char *commands_file(unsigned int index, const void *data, size_t size);

/**
 * commands_run() - run a command
 * @command: cmd_*()
 * @...: its words, starting with argv[0]; NULL ends them
 *
 * Its output stays available until the next command runs.
 *
 * Return: the return value of @command.
 */
int commands_run(int (*command)(int argc, char **argv), ...);

/** commands_output() - Return: the text that the last command printed on stdout */
const char *commands_output(void);

/**
 * commands_json() - check that the last command printed valid JSON
 * @lines: true: one object in each line; false: one object in the whole output
 */
void commands_json(int lines);

/** commands_page() - check that the last command printed a page with a JSON document */
void commands_page(void);

/**
 * commands_read() - let check, report and script read files
 * @paths: paths of a recording, or of raw files
 * @count: number of @paths, up to 2
 * @options: number that selects the options of the commands
 *
 * Return: true if script could read them, also if events were lost.
 */
bool commands_read(const char *const *paths, size_t count, uint32_t options);

#endif /* FUZZ_COMMANDS_H */
