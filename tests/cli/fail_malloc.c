// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes one allocation of a program fail, as a part of fail_each.so. It is preloaded
 * (LD_PRELOAD), so that allocations of libraries can fail as well. Allocations before the
 * constructor of this library are not counted.
 */
#include <errno.h>
#include <execinfo.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "fail_malloc.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t to, size_t size);

static long left; /* allocations until one fails; 0: none fails */
static int told = -1;
static struct paths *noted;

void fail_malloc(long which, int fd)
{
	told = fd;
	__atomic_store_n(&left, which, __ATOMIC_RELAXED);
}

void note_paths(struct paths *paths)
{
	void *here;

	backtrace(&here, 1); /* it allocates memory at its first call */
	noted = paths;
}

static void note_path(void)
{
	void *path[64];
	int depth = backtrace(path, 64);
	unsigned long hash = 0;
	long i = __atomic_fetch_add(&noted->n, 1, __ATOMIC_RELAXED);

	while (depth--)
		hash = (hash ^ (unsigned long)path[depth]) * 0x9e3779b97f4a7c15;
	if (i < PATHS_MAX)
		noted->hash[i] = hash;
}

/* Runs after the constructors of the libraries that the program needs. */
__attribute__((constructor)) static void begin(void)
{
	long step = atol(getenv("FAIL_EACH"));

	/* the programs that the command runs are not concerned */
	unsetenv("LD_PRELOAD");
	unsetenv("FAIL_EACH");
	fail_each(step, getenv("FAIL_AFTER"));
}

static int fails(void)
{
	if (noted)
		note_path();
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
