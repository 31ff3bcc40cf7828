/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random numbers that are the same in every run.
 */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <stdint.h>

/**
 * next_random() - get the next number of a sequence
 * @state: state of the sequence; any number at first
 *
 * Knuth's linear congruential generator (MMIX). The low bits are less random.
 *
 * Return: 64 bits.
 */
static inline uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state;
}

/** random_below() - get a number below @below, which is not 0 and has up to 31 bits */
static inline uint32_t random_below(uint64_t *state, uint32_t below)
{
	return (next_random(state) >> 33) % below;
}

#endif /* TESTS_RANDOM_H */
