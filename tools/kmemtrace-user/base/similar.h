/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Suggestions for misspelled names.
 */
#ifndef SIMILAR_H
#define SIMILAR_H

#include <stddef.h>

/**
 * struct similar - a search for the name that is most similar to another one
 * @name: the name that does not exist
 * @best: the most similar name; NULL: none is similar
 * @distance: number of letters to insert, remove or replace to make @name from @best;
 *	a new name must have a smaller distance
 */
struct similar {
	const char *name;
	const char *best;
	size_t distance;
};

/**
 * similar_init() - start a search
 * @s: the search
 * @name: the name that does not exist
 */
void similar_init(struct similar *s, const char *name);

/**
 * similar_offer() - compare with one more name
 * @s: the search
 * @name: a name that exists; it must live as long as @s
 */
void similar_offer(struct similar *s, const char *name);

#endif /* SIMILAR_H */
