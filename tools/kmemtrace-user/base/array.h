/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arrays that grow. An array is a pointer, NULL while it is empty, and is freed with
 * free(). The macros evaluate their arguments more than once.
 */
#ifndef ARRAY_H
#define ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/** __array_reserve() - for array_reserve(); the array, or NULL */
void *__array_reserve(void *array, size_t count, size_t size);

/** __array_reach() - for array_reach(); the array, or NULL */
void *__array_reach(void *array, size_t count, size_t to, size_t size);

/* Take over what one of the functions above returns. */
#define __array_take(array, returned)                                          \
	({                                                                     \
		void *__more = returned;                                       \
		if (__more)                                                    \
			(array) = __more;                                      \
		__more != NULL;                                                \
	})

/**
 * array_reserve() - make room for an element behind the last one
 * @array: the array, which may move; all of it was made room for by array_reserve()
 *	or array_add()
 * @count: number of elements in use
 *
 * The room doubles whenever @count is a power of two.
 *
 * Return: false if memory ran out; the array is then as before.
 */
#define array_reserve(array, count)                                            \
	__array_take(array, __array_reserve(array, count, sizeof(*(array))))

/**
 * array_add() - append an element
 * @array: as for array_reserve()
 * @count: number of elements in use; is increased by one
 *
 * Return: the element, not initialized; NULL if memory ran out, and the array is
 * then as before.
 */
#define array_add(array, count)                                                \
	(array_reserve(array, count) ? &(array)[(count)++] : NULL)

/**
 * array_reach() - make an array as long as an index needs
 * @array: the array, which may move
 * @count: number of elements; is set to @index + 1 if it is not more. Added
 *	elements are filled with zeros.
 * @index: the index
 *
 * Return: false if memory ran out; the array is then as before.
 */
#define array_reach(array, count, index)                                       \
	((index) < (count) ||                                                  \
	 (__array_take(array, __array_reach(array, count, (index) + 1,         \
					    sizeof(*(array)))) &&              \
	  ((count) = (index) + 1)))

/**
 * array_fit() - make a buffer that is used again large enough
 * @array: the buffer, which may move
 * @room: number of elements that it has room for; is updated
 * @count: number of elements that it is to have room for, not 0
 *
 * Return: false if memory ran out; the buffer is then as before.
 */
#define array_fit(array, room, count)                                          \
	((count) <= (room) ||                                                  \
	 (__array_take(array, reallocarray(array, count, sizeof(*(array)))) && \
	  ((room) = (count))))

#endif /* ARRAY_H */
