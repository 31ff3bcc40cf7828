/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers of variable length: seven bits in each byte, the lowest first. The top bit is
 * set in all bytes but the last.
 */
#ifndef VARINT_H
#define VARINT_H

#include <stdbool.h>
#include <stdint.h>

/* maximum bytes of a number */
#define VARINT_MAX 10

/** varint_put() - write a number; returns the address after it */
static inline uint8_t *varint_put(uint8_t *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = value | 0x80;
	*to++ = value;
	return to;
}

/**
 * varint_get() - read a number
 * @at: address of the number; set to the address after it
 * @end: end of the readable bytes
 * @value: set to the number
 *
 * Return: false if the number does not end before @end, or has more than 64 bits.
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

/** zigzag() - map a signed number to an unsigned one, which is small near 0 */
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
