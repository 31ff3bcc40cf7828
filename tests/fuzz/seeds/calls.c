// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of allocators in a function, in an inlined function and in a block. Never run:
 * only the debug information is used.
 */
void *__kmalloc(unsigned long size, unsigned int flags);
void *kmem_cache_alloc(void *cache, unsigned int flags);

static inline void *kmalloc(unsigned long size, unsigned int flags)
{
	return __kmalloc(size, flags);
}

void *do_work(int n)
{
	void **p = kmalloc(n, 1);

	if (n > 1) {
		int i;

		for (i = 0; i < n; i++)
			p[i] = kmem_cache_alloc(p, 2);
	}
	return p;
}
