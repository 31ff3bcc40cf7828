/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers at random that are the same ones in every run.
 */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <stdint.h>

/**
 * next_random() - the next of a row of numbers
 * @state: where the row is; any number to begin with
 *
 * Knuth's linear congruential generator (MMIX). The high bits are the better ones.
 *
 * Return: 64 bits.
 */
static inline uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state;
}

/** random_below() - a number below @below, of up to 31 bits, which is not 0 */
static inline uint32_t random_below(uint64_t *state, uint32_t below)
{
	return (next_random(state) >> 33) % below;
}

#endif /* TESTS_RANDOM_H */
