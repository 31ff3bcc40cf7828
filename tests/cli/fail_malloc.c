// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes one allocation of a program fail. It is preloaded (LD_PRELOAD), so that
 * allocations of libraries can fail as well. Environment variables:
 *
 *   FAIL_MALLOC   number of the allocation, from 1; allocations before the constructor
 *                 of this library are not counted
 *   FAIL_TOLD     file descriptor that gets a byte when the allocation fails
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t to, size_t size);

static long left; /* allocations until one fails; 0: none fails */
static int told = -1;

/* Runs after the constructors of the libraries that the program needs. */
__attribute__((constructor)) static void begin(void)
{
	const char *which = getenv("FAIL_MALLOC"), *to = getenv("FAIL_TOLD");

	if (to)
		told = atoi(to);
	if (which)
		__atomic_store_n(&left, atol(which), __ATOMIC_RELAXED);
}

static int fails(void)
{
	if (__atomic_load_n(&left, __ATOMIC_RELAXED) <= 0 ||
	    __atomic_sub_fetch(&left, 1, __ATOMIC_RELAXED))
		return 0;
	if (write(told, "!", 1) < 0)
		_exit(99);
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t to, size_t size)
{
	return fails() ? NULL : __libc_memalign(to, size);
}

int posix_memalign(void **at, size_t to, size_t size)
{
	if (fails())
		return ENOMEM;
	*at = __libc_memalign(to, size);
	return *at ? 0 : ENOMEM;
}
