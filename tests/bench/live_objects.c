// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures both tables of live objects: the hash (module/account/bucket.c), and the slots
 * (slots.h). An object is freed and allocated again, while a given number of objects are
 * live. The objects are taken in random order. If there are many, neither the CPU's caches
 * nor its TLB contain the next one. The objects have 64 bytes, and fill random pages.
 *
 * With two threads, each has half of the objects, or all objects pass through the hands of
 * both. The memory is mapped as in the kernel: the hash and the entries of frames in small
 * pages, the slots in large ones.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "kernel.h"
#include "account/bucket.h"
#include "account/slots.h"
#include "account/stock.h"
#include "hotpath.h"
#include "random.h"
#include "stock_sizes.h"

#define DISTANCE 64
#define PER_PAGE (4096 / DISTANCE)
/* one in so many pages has objects */
#define SPREAD 64
/* the default for max_objects on a machine with 8 GiB, when the hash had all objects */
#define ROOM 1600000
#define FIRST_PAGE 0xffff888000000000ul
#define LARGE_PAGE (2ul << 20)
/* objects that a thread takes at once from those that the other one passes on */
#define BATCH 64

/* --- the slots ------------------------------------------------------------ */

struct kmt_frame **kmt_frame_chunks_simple;
unsigned long page_offset_base;

static void *arena;
static size_t arena_size, arena_used;

static void init_slots(size_t pages)
{
	const size_t chunks = 64; /* 8 GiB */
	struct kmt_frame_chunks *c =
		vzalloc(sizeof(*c) + chunks * sizeof(c->at[0]));
	size_t i;

	if (!c)
		exit(1);
	c->mask = chunks - 1;
	for (i = 0; i < chunks; i++)
		c->at[i] = vzalloc(KMT_FRAME_CHUNK * sizeof(struct kmt_frame));
	kmt_frame_chunks_simple = c->at;

	arena_size = ALIGN((pages / 30 + 1) * SPAN_SIZE, LARGE_PAGE);
	arena_used = 0;
	arena = aligned_alloc(LARGE_PAGE, arena_size);
	if (!arena || madvise(arena, arena_size, MADV_HUGEPAGE))
		exit(1);
	memset(arena, 0, arena_size);
	page_offset_base = (unsigned long)arena;
}

static void exit_slots(void)
{
	struct kmt_frame_chunks *c = container_of(
		kmt_frame_chunks_simple, struct kmt_frame_chunks, at[0]);
	size_t i;

	for (i = 0; i <= c->mask; i++)
		vfree(c->at[i]);
	vfree(c);
	free(arena);
}

/* as module/account/stock.c hands them out: a head and blocks in each span */
static struct kmt_slots *next_block(void)
{
	const size_t bytes = KMT_STOCK_HEAD + PER_PAGE * sizeof(u64);
	struct kmt_slots *slots;

	if (arena_used % SPAN_SIZE + bytes > SPAN_SIZE)
		arena_used = ALIGN(arena_used, SPAN_SIZE);
	if (arena_used % SPAN_SIZE == 0)
		arena_used += sizeof(struct span);
	if (arena_used + bytes > arena_size)
		abort();
	slots = arena + arena_used;
	arena_used += bytes;
	return slots;
}

static void give_slots(unsigned long page)
{
	struct kmt_slots *slots = next_block();

	slots->scale = kmt_slot_scale(DISTANCE);
	kmt_frame_at_simple(page)->word =
		((unsigned long)slots->word - PAGE_OFFSET)
			<< KMT_FRAME_SLOTS_SHIFT |
		KMT_FRAME_SLOTS;
}

static __always_inline u64 slots_remove(unsigned long ptr)
{
	u64 *slot, value;

	if (unlikely(!kmt_slots_find_simple(ptr, &slot)))
		abort();
	value = *slot;
	if (unlikely(!value))
		abort();
	WRITE_ONCE(*slot, 0);
	return value;
}

static __always_inline void slots_insert(unsigned long ptr, u64 value)
{
	u64 *slot;

	if (unlikely(!kmt_slots_find_simple(ptr, &slot) || *slot))
		abort();
	WRITE_ONCE(*slot, value);
}

/* --- the hash, and no table ----------------------------------------------- */

static __always_inline u64 hash_remove(unsigned long ptr)
{
	u64 value = kmt_bucket_remove(&kmt_objects, ptr);

	if (unlikely(!value))
		abort();
	return value;
}

static __always_inline void hash_insert(unsigned long ptr, u64 value)
{
	if (unlikely(kmt_bucket_insert(&kmt_objects, ptr, value)))
		abort();
}

static __always_inline u64 no_remove(unsigned long ptr)
{
	return ptr;
}

static __always_inline void no_insert(unsigned long ptr, u64 value)
{
	if (unlikely(ptr != value))
		abort();
}

/* --- objects of a thread -------------------------------------------------- */

/**
 * struct part - the objects of a thread
 * @object: their addresses
 * @count: number of objects
 * @next: the next one that is freed
 */
struct part {
	unsigned long *object;
	size_t count, next;
} __aligned(128);

static struct part parts[2];

static __always_inline void reuse(struct part *part,
				  u64 (*remove)(unsigned long ptr),
				  void (*insert)(unsigned long ptr, u64 value))
{
	unsigned long ptr;
	size_t i;

	for (i = 0; i < EVENTS; i++) {
		ptr = part->object[part->next];
		if (++part->next == part->count)
			part->next = 0;
		insert(ptr, remove(ptr));
	}
}

static void reuse_hash(unsigned int thread)
{
	reuse(&parts[thread], hash_remove, hash_insert);
}

static void reuse_slots(unsigned int thread)
{
	reuse(&parts[thread], slots_remove, slots_insert);
}

/* --- objects that pass from one thread to the other ------------------------ */

/**
 * struct ring - objects that one thread has allocated and the other one frees
 * @object: their addresses; there is space for all objects that exist
 * @mask: length of @object less one
 * @tail: number of objects that were taken; of the thread that takes them
 * @head: number of objects that were added; of the other thread
 */
struct ring {
	unsigned long *object;
	size_t mask;
	size_t tail __aligned(128);
	size_t head __aligned(128);
} __aligned(128);

static struct ring rings[2]; /* by number of the thread that takes objects */

static void take(struct ring *ring, unsigned long *object)
{
	size_t i;

	while (__atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) - ring->tail <
	       BATCH)
		__builtin_ia32_pause();
	for (i = 0; i < BATCH; i++)
		object[i] = ring->object[ring->tail++ & ring->mask];
}

static void give(struct ring *ring, const unsigned long *object, size_t count)
{
	size_t i, head = ring->head;

	for (i = 0; i < count; i++)
		ring->object[head++ & ring->mask] = object[i];
	__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
}

static __always_inline void pass(unsigned int thread,
				 u64 (*remove)(unsigned long ptr),
				 void (*insert)(unsigned long ptr, u64 value))
{
	unsigned long object[BATCH];
	size_t n, i;

	for (n = 0; n < EVENTS; n += BATCH) {
		take(&rings[thread], object);
		for (i = 0; i < BATCH; i++)
			insert(object[i], remove(object[i]));
		give(&rings[!thread], object, BATCH);
	}
}

static void pass_hash(unsigned int thread)
{
	pass(thread, hash_remove, hash_insert);
}

static void pass_slots(unsigned int thread)
{
	pass(thread, slots_remove, slots_insert);
}

static void pass_only(unsigned int thread)
{
	pass(thread, no_remove, no_insert);
}

/* --- the rows ------------------------------------------------------------- */

/**
 * struct table - a table of live objects
 * @name: name in the rows
 * @insert: stores an object
 * @reuse: frees and allocates EVENTS objects of a thread
 * @pass: frees objects of the other thread, and allocates as many for it
 */
struct table {
	const char *name;
	void (*insert)(unsigned long ptr, u64 value);
	void (*reuse)(unsigned int thread);
	void (*pass)(unsigned int thread);
};

static const struct table tables[] = {
	{ "hash", hash_insert, reuse_hash, pass_hash },
	{ "slots", slots_insert, reuse_slots, pass_slots },
};

static uint64_t random_state = 1;

static void shuffle(unsigned long *object, size_t n)
{
	unsigned long other;
	size_t i, j;

	for (i = n - 1; i > 0; i--) {
		j = random_below(&random_state, i + 1);
		other = object[i];
		object[i] = object[j];
		object[j] = other;
	}
}

/* Make objects on pages that have no other objects. @page: first number of such a page */
static size_t make_part(struct part *part, unsigned long *object, size_t count,
			size_t page)
{
	unsigned long start = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		if (i % PER_PAGE == 0) {
			start = FIRST_PAGE +
				(page + random_below(&random_state, SPREAD)) *
					PAGE_SIZE;
			page += SPREAD;
			give_slots(start);
		}
		object[i] = start + i % PER_PAGE * DISTANCE;
	}
	*part = (struct part){ .object = object, .count = count };
	shuffle(object, count);
	return page;
}

static void insert_objects(const unsigned long *object, size_t n)
{
	size_t i, t;

	for (i = 0; i < n; i++)
		for (t = 0; t < 2; t++)
			tables[t].insert(object[i], i + 1);
}

static void row(const char *table, const char *how, size_t n,
		unsigned int threads, void (*run)(unsigned int thread))
{
	char name[64];

	snprintf(name, sizeof(name), "%s, %s: %zu live", table, how, n);
	measure_together(name, threads, run);
}

static void make_ring(struct ring *ring, const struct part *part, size_t n)
{
	size_t length = 1;

	while (length < n)
		length *= 2;
	*ring = (struct ring){ .object = vzalloc(length * sizeof(u64)),
			       .mask = length - 1 };
	if (!ring->object)
		exit(1);
	give(ring, part->object, part->count);
}

static void measure_alone(unsigned long *object, size_t n)
{
	size_t t;

	parts[0] = (struct part){ .object = object, .count = n };
	for (t = 0; t < 2; t++)
		row(tables[t].name, "one thread", n, 1, tables[t].reuse);
}

static void measure_both(const char *how, size_t n)
{
	size_t t;

	for (t = 0; t < 2; t++)
		row(tables[t].name, how, n, 2, tables[t].reuse);
}

static void measure_passing(size_t n)
{
	size_t t;

	for (t = 0; t < 2; t++)
		make_ring(&rings[t], &parts[t], n);
	row("no table", "passed on", n, 2, pass_only);
	for (t = 0; t < 2; t++)
		row(tables[t].name, "passed on", n, 2, tables[t].pass);
	for (t = 0; t < 2; t++)
		vfree(rings[t].object);
}

static void measure_objects(size_t n)
{
	unsigned long *object = malloc(n * sizeof(*object));
	size_t page;

	if (!object || kmt_bucket_init(&kmt_objects, ROOM))
		exit(1);
	init_slots(n / PER_PAGE + 2);
	page = make_part(&parts[0], object, n / 2, 0);
	make_part(&parts[1], object + n / 2, n / 2, page);
	insert_objects(object, n);
	measure_both("two threads", n);
	shuffle(object, n);
	measure_both("same pages", n);
	measure_passing(n);
	measure_alone(object, n);
	free(object);
	kmt_bucket_exit(&kmt_objects);
	exit_slots();
}

/* The worst case of the hash: it has the objects it was planned for, less the refused ones. */
static void measure_full(void)
{
	unsigned long *object = malloc(ROOM * sizeof(*object));
	size_t i, n = 0;

	if (!object || kmt_bucket_init(&kmt_objects, ROOM))
		exit(1);
	init_slots(ROOM / PER_PAGE + 1);
	make_part(&parts[0], object, ROOM, 0);
	for (i = 0; i < ROOM; i++)
		if (kmt_bucket_insert(&kmt_objects, object[i], i + 1) != KMT_BUCKET_FULL)
			object[n++] = object[i];
	parts[0].count = n;
	row("hash", "full", n, 1, reuse_hash);
	free(object);
	kmt_bucket_exit(&kmt_objects);
	exit_slots();
}

void measure_live_objects(void)
{
	printf("\n%-36s %6s %7s %7s\n", "free, allocate: objects of 64 bytes",
	       "ns", "TSC", "instr.");
	measure_objects(1000);
	measure_objects(10000);
	measure_objects(1000000);
	measure_full();
}
