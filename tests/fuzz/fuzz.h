/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A parser under test, and what main.c needs to make up texts for it. One
 * target is one file, fuzz_*.c; the Makefile finds it.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/**
 * LLVMFuzzerTestOneInput() - the target
 * @data: a text, not ended by a 0
 * @size: bytes in it
 *
 * Of libFuzzer's name, so that it can be driven by that as well:
 * clang -fsanitize=fuzzer,address,undefined, without main.c.
 *
 * Return: 0. What must not be ends in abort().
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* how many texts the target took for good ones */
extern unsigned long fuzz_accepted;

/**
 * fuzz_seed() - a text to start from
 * @i: which one
 *
 * Return: the text; NULL behind the last one.
 */
const char *fuzz_seed(size_t i);

/**
 * fuzz_token() - a piece of the grammar
 * @i: which one
 *
 * Return: the piece; NULL behind the last one.
 */
const char *fuzz_token(size_t i);

/** FUZZ_MUST() - what is true of every text */
#define FUZZ_MUST(condition)                                                   \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__,       \
				__LINE__, #condition);                         \
			abort();                                               \
		}                                                              \
	} while (0)

#endif /* FUZZ_H */
