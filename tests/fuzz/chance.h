/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decisions of a mutator: the same ones for the same seed.
 */
#ifndef FUZZ_CHANCE_H
#define FUZZ_CHANCE_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's own changes: the new size, up to @max */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

/** struct chance - where the row of decisions is */
struct chance {
	uint64_t state;
};

/** chance_init() - begin a row */
static inline struct chance chance_init(unsigned int seed)
{
	/* a state of 0 would stay 0; small seeds differ in few bits */
	return (struct chance) {(seed + 1ull) * 0x9e3779b97f4a7c15ull | 1};
}

/** chance_of() - a number below @n, which is not 0 */
static inline uint32_t chance_of(struct chance *c, uint32_t n)
{
	c->state ^= c->state << 13;
	c->state ^= c->state >> 7;
	c->state ^= c->state << 17;
	return (c->state >> 20) % n;
}

#endif /* FUZZ_CHANCE_H */
