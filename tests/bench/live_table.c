// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of live objects: one is freed and allocated again, while so many
 * others are live. Which one comes next is at random, so that with many of them
 * neither the CPU's caches nor its TLB have it. What is live are objects of 64
 * bytes, on pages at random.
 */
#include <stdio.h>
#include <stdlib.h>

#include "kernel.h"
#include "account/object.h"
#include "hotpath.h"
#include "random.h"

#define PER_PAGE (4096 / 64)
/* what the module has by itself on a machine with 8 GiB */
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
