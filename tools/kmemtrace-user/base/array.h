/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arrays that grow. An array is a pointer, which is NULL while the array is empty. The
 * caller frees it with free(). The macros evaluate their arguments more than once.
 */
#ifndef ARRAY_H
#define ARRAY_H

#include <stddef.h>
#include <stdlib.h>

#include "base/die.h"

/** __array_reserve() - part of array_reserve(); return the array */
void *__array_reserve(void *array, size_t count, size_t size);

/** __array_reach() - part of array_reach(); return the array */
void *__array_reach(void *array, size_t count, size_t to, size_t size);

/**
 * array_reserve() - reserve space for one element after the last one
 * @array: the array, which may move; only functions of this file but array_fit() have
 *	allocated it
 * @count: number of elements in use
 *
 * The space doubles whenever @count is a power of two.
 */
#define array_reserve(array, count)                                            \
	((void)((array) = __array_reserve(array, count, sizeof(*(array)))))

/**
 * array_add() - append an element
 * @array: as for array_reserve()
 * @count: number of elements in use; increased by one
 *
 * Return: the element, not initialized.
 */
#define array_add(array, count)                                                \
	(array_reserve(array, count), &(array)[(count)++])

/**
 * array_reach() - extend an array so that it contains an index
 * @array: as for array_reserve()
 * @count: number of elements; set to @index + 1 if it is smaller. New elements are
 *	filled with zeros.
 * @index: the index
 *
 * The space is rounded up to a power of two, so that indices may increase one by one.
 */
#define array_reach(array, count, index)                                       \
	do {                                                                   \
		if ((index) < (count))                                         \
			break;                                                 \
		(array) = __array_reach(array, count, (index) + 1,             \
					sizeof(*(array)));                     \
		(count) = (index) + 1;                                         \
	} while (0)

/**
 * array_fit() - enlarge a reused buffer, unless it is large enough
 * @array: the buffer, which may move
 * @room: number of elements that fit into the buffer; updated
 * @count: number of elements that must fit into it, not 0
 */
#define array_fit(array, room, count)                                          \
	do {                                                                   \
		if ((count) <= (room))                                         \
			break;                                                 \
		(array) = xreallocarray(array, count, sizeof(*(array)));       \
		(room) = (count);                                              \
	} while (0)

#endif /* ARRAY_H */
