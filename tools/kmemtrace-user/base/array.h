/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arrays that grow. An array is a pointer, which is NULL while the array is empty. The
 * caller frees it with free(). The macros evaluate their arguments more than once.
 */
#ifndef ARRAY_H
#define ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/** __array_reserve() - part of array_reserve(); return the array, or NULL */
void *__array_reserve(void *array, size_t count, size_t size);

/** __array_reach() - part of array_reach(); return the array, or NULL */
void *__array_reach(void *array, size_t count, size_t to, size_t size);

/* Set @array to the result of one of the functions above, unless it is NULL. */
#define __array_take(array, returned)                                          \
	({                                                                     \
		void *__more = returned;                                       \
		if (__more)                                                    \
			(array) = __more;                                      \
		__more != NULL;                                                \
	})

/**
 * array_reserve() - reserve space for one element after the last one
 * @array: the array, which may move; only functions of this file but array_fit() have
 *	allocated it
 * @count: number of elements in use
 *
 * The space doubles whenever @count is a power of two.
 *
 * Return: false if memory ran out; the array is then unchanged.
 */
#define array_reserve(array, count)                                            \
	__array_take(array, __array_reserve(array, count, sizeof(*(array))))

/**
 * array_add() - append an element
 * @array: as for array_reserve()
 * @count: number of elements in use; increased by one
 *
 * Return: the element, not initialized; NULL if memory ran out: then the array is
 * unchanged.
 */
#define array_add(array, count)                                                \
	(array_reserve(array, count) ? &(array)[(count)++] : NULL)

/**
 * array_reach() - extend an array so that it contains an index
 * @array: as for array_reserve()
 * @count: number of elements; set to @index + 1 if it is smaller. New elements are
 *	filled with zeros.
 * @index: the index
 *
 * The space is rounded up to a power of two, so that indices may increase one by one.
 *
 * Return: false if memory ran out; the array is then unchanged.
 */
#define array_reach(array, count, index)                                       \
	((index) < (count) ||                                                  \
	 (__array_take(array, __array_reach(array, count, (index) + 1,         \
					    sizeof(*(array)))) &&              \
	  ((count) = (index) + 1)))

/**
 * array_fit() - enlarge a reused buffer, unless it is large enough
 * @array: the buffer, which may move
 * @room: number of elements that fit into the buffer; updated
 * @count: number of elements that must fit into it, not 0
 *
 * Return: false if memory ran out; the buffer is then unchanged.
 */
#define array_fit(array, room, count)                                          \
	((count) <= (room) ||                                                  \
	 (__array_take(array, reallocarray(array, count, sizeof(*(array)))) && \
	  ((room) = (count))))

#endif /* ARRAY_H */
