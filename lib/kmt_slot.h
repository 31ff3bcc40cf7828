/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The number of an object among those that begin in one page: its offset divided by the
 * distance of the objects, without a division.
 */
#ifndef KMT_SLOT_H
#define KMT_SLOT_H

#include "kmt_env.h"

/* the address of an object, and the distance of two, are multiples of this */
#define KMT_SLOT_ALIGN 8u
#define KMT_SLOT_PAGE  4096u

#define KMT_SLOT_SCALE_BITS 18

/**
 * kmt_slot_scale() - prepare kmt_slot_index() for a distance
 * @distance: bytes from one object to the next; a multiple of KMT_SLOT_ALIGN, not 0
 *
 * The scale is 2^18 / (@distance / 8), rounded up. Since offsets are multiples of 8 below
 * 4096, the product with it is exact enough. tests/unit/lib/test_slot.c tries all.
 *
 * Context: any.
 * Return: the scale; 0 if only one object can begin in a page.
 */
static inline u32 kmt_slot_scale(u32 distance)
{
	u32 units = distance / KMT_SLOT_ALIGN;

	if (distance >= KMT_SLOT_PAGE)
		return 0;
	return ((1u << KMT_SLOT_SCALE_BITS) + units - 1) / units;
}

/**
 * kmt_slot_index() - number of the object at an offset
 * @offset: of the object's first byte in its page
 * @scale: from kmt_slot_scale()
 *
 * Context: any.
 * Return: @offset / distance; 0 if only one object can begin in a page.
 */
static __always_inline u32 kmt_slot_index(u32 offset, u32 scale)
{
	return (u64)offset * scale >> (KMT_SLOT_SCALE_BITS + 3);
}

/**
 * kmt_slot_count() - maximum number of objects that begin in a page
 * @scale: from kmt_slot_scale()
 *
 * Context: any.
 * Return: the number; kmt_slot_index() is below it.
 */
static inline u32 kmt_slot_count(u32 scale)
{
	return kmt_slot_index(KMT_SLOT_PAGE - KMT_SLOT_ALIGN, scale) + 1;
}

#endif /* KMT_SLOT_H */
