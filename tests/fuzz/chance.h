/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pseudo-random decisions of a mutator. The same seed gives the same decisions.
 */
#ifndef FUZZ_CHANCE_H
#define FUZZ_CHANCE_H

#include <stddef.h>
#include <stdint.h>

/* The mutator of libFuzzer. Return: the new size in bytes, at most @max. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

/** struct chance - position in a sequence of decisions */
struct chance {
	uint64_t state;
};

/** chance_init() - begin a sequence */
static inline struct chance chance_init(unsigned int seed)
{
	/* a state of 0 would stay 0; small seeds differ in few bits */
	return (struct chance) {(seed + 1ull) * 0x9e3779b97f4a7c15ull | 1};
}

/** chance_of() - Return: a number below @n; @n is not 0 */
static inline uint32_t chance_of(struct chance *c, uint32_t n)
{
	c->state ^= c->state << 13;
	c->state ^= c->state >> 7;
	c->state ^= c->state << 17;
	return (c->state >> 20) % n;
}

#endif /* FUZZ_CHANCE_H */
