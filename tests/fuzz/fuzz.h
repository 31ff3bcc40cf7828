/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the targets of libFuzzer. Each target is one file, FOLDER/fuzz_*.c, which the
 * Makefile finds. tests/fuzz/run.sh runs the targets.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * fuzz_one() - test one input
 * @data: the input
 * @size: its size in bytes
 *
 * Each target defines this function. It checks results with FUZZ_MUST().
 *
 * Return: true if the tested code accepted the input. run.sh fails a target whose inputs
 * were all accepted, or all refused, because it has not tested much.
 */
bool fuzz_one(const uint8_t *data, size_t size);

/**
 * fuzz_text() - copy the input as a text
 * @data: the input
 * @size: its size in bytes
 *
 * Return: the input and a terminating 0, in an allocation of exactly this size, so that
 * ASan reports reads behind it. The caller frees it.
 */
char *fuzz_text(const uint8_t *data, size_t size);

/**
 * fuzz_failed() - print the failed condition and call abort()
 * @file: source file
 * @line: line in @file
 * @condition: text of the condition
 */
void __attribute__((noreturn))
fuzz_failed(const char *file, int line, const char *condition);

/** FUZZ_MUST() - abort unless @condition is true; it must hold for every input */
#define FUZZ_MUST(condition)                                         \
	do {                                                         \
		if (!(condition))                                    \
			fuzz_failed(__FILE__, __LINE__, #condition); \
	} while (0)

#endif /* FUZZ_H */
