/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers in as few bytes as they need: seven bits in each, the lowest first,
 * and the top bit in all but the last.
 */
#ifndef VARINT_H
#define VARINT_H

#include <stdbool.h>
#include <stdint.h>

/* bytes that a number takes at most */
#define VARINT_MAX 10

/** varint_put() - write a number; behind it */
static inline uint8_t *varint_put(uint8_t *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = value | 0x80;
	*to++ = value;
	return to;
}

/**
 * varint_get() - read a number
 * @at: where it starts; moved behind it
 * @end: no byte is read from here on
 * @value: set to it
 *
 * Return: false if it does not end before @end, or is larger than 64 bits.
 */
static inline bool varint_get(const uint8_t **at, const uint8_t *end,
			      uint64_t *value)
{
	unsigned int shift;
	uint64_t v = 0;

	for (shift = 0; shift < 64 && *at < end; shift += 7) {
		uint8_t byte = *(*at)++;

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*value = v;
			return shift < 63 || byte < 2;
		}
	}
	return false;
}

/** zigzag() - a number with a sign as one without, small if it was near 0 */
static inline uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

/** unzigzag() - undo zigzag() */
static inline int64_t unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

#endif /* VARINT_H */
