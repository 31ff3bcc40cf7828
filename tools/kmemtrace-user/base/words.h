/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Texts with numbers. Each text is stored once.
 */
#ifndef WORDS_H
#define WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slots.h"

/**
 * struct words - texts, by number
 * @word: the texts
 * @count: number of texts
 * @slots: hash of the numbers
 */
struct words {
	char **word;
	size_t count;
	struct slots slots;
};

/** words_init() - set up without a text */
void words_init(struct words *w);

/** words_exit() - undo words_init(); all zeros are allowed */
void words_exit(struct words *w);

/**
 * words_get() - get the number of a text, assigned if needed
 * @w: the texts
 * @text: the text
 *
 * Return: the number, from 0 on in the order of the first calls.
 */
uint32_t words_get(struct words *w, const char *text);

#endif /* WORDS_H */
