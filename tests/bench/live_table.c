// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the table of live objects: an object is freed and allocated again, while a
 * given number of objects are live. The objects are taken in random order. If there are
 * many, neither the CPU's caches nor its TLB contain the next one. The objects have 64
 * bytes, and are on random pages.
 */
#include <stdio.h>
#include <stdlib.h>

#include "kernel.h"
#include "account/object.h"
#include "hotpath.h"
#include "random.h"

#define PER_PAGE (4096 / 64)
/* the module's default for max_objects on a machine with 8 GiB of memory */
#define ROOM	 1600000

static unsigned long *object;
static size_t live, next;

static void free_and_allocate(void)
{
	unsigned long ptr;
	size_t i;
	u64 value;

	for (i = 0; i < EVENTS; i++) {
		ptr = object[next];
		if (++next == live)
			next = 0;
		value = kmt_object_remove_simple(ptr);
		if (unlikely(!value))
			value = kmt_object_remove(ptr);
		if (unlikely(!kmt_object_insert_simple(ptr, value)) &&
		    kmt_object_insert(ptr, value))
			abort();
	}
}

static u64 random_number(void)
{
	static uint64_t random = 1;

	return next_random(&random) >> 33;
}

static void make_objects(size_t n)
{
	unsigned long page = 0, other;
	size_t i, j;

	for (i = 0; i < n; i++) {
		if (i % PER_PAGE == 0)
			page = 0xffff888000000000ul + (i / PER_PAGE * 64 +
						       random_number() % 64) *
							      4096;
		object[i] = page + i % PER_PAGE * 64;
	}
	for (i = n - 1; i > 0; i--) {
		j = random_number() % (i + 1);
		other = object[i];
		object[i] = object[j];
		object[j] = other;
	}
}

static void measure_live(size_t n)
{
	char name[64];
	size_t i;

	live = n;
	next = 0;
	object = malloc(n * sizeof(*object));
	if (!object || kmt_object_init(ROOM))
		exit(1);
	make_objects(n);
	for (i = 0; i < n; i++)
		if (kmt_object_insert(object[i], i + 1))
			abort();
	snprintf(name, sizeof(name), "free, allocate: %zu live", n);
	measure(name, free_and_allocate);
	kmt_object_exit();
	free(object);
}

void measure_live_table(void)
{
	measure_live(1000);
	measure_live(10000);
	measure_live(1000000);
}
