/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a target of libFuzzer needs besides the code that it tests. One target
 * is one file, FOLDER/fuzz_*.c; the Makefile finds it. tests/fuzz/run.sh runs it.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * fuzz_one() - the target
 * @data: the input
 * @size: bytes in it
 *
 * What must not be ends in FUZZ_MUST().
 *
 * Return: whether the code that is tested took the input for a good one. A run
 * in which it took none, or all, has not tested much: it fails.
 */
bool fuzz_one(const uint8_t *data, size_t size);

/**
 * fuzz_text() - the input as a text
 * @data: the input
 * @size: bytes in it
 *
 * Return: it, ended by a 0, in just as much memory as it takes; to be freed.
 */
char *fuzz_text(const uint8_t *data, size_t size);

/**
 * fuzz_failed() - say what is not so, and end with a core
 * @file: of the source
 * @line: of it
 * @condition: what is not so
 */
void __attribute__((noreturn))
fuzz_failed(const char *file, int line, const char *condition);

/** FUZZ_MUST() - what is true of every input */
#define FUZZ_MUST(condition)                                         \
	do {                                                         \
		if (!(condition))                                    \
			fuzz_failed(__FILE__, __LINE__, #condition); \
	} while (0)

#endif /* FUZZ_H */
