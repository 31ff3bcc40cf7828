/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Computes the arguments with which kmt_fire.ko calls trace_kmalloc(), from a seed and
 * the number of the event. The test computes them again and compares, so this header is
 * for the kernel and for user space.
 */
#ifndef KMT_FIRE_H
#define KMT_FIRE_H

/*
 * Each event has a different pointer, outside the addresses of memory. A filter only
 * compares pointers, so it treats these like real ones.
 */
#define FIRE_PTR	0xfeed000000000000ull
#define FIRE_PTR_STEP	16
#define FIRE_MAX	(1u << 20) /* numbers of events are below this */

/* Number of functions used for call sites; the last two are in the module itself. */
#define FIRE_SITES	6

/* Position of a call site: next to, at the edges of, or in a function; or in none. */
enum fire_place {
	FIRE_BEFORE,
	FIRE_FIRST,
	FIRE_SECOND,
	FIRE_MIDDLE,
	FIRE_LAST,
	FIRE_AFTER,
	FIRE_ZERO,
	FIRE_ONES,
	FIRE_PLACES,
};

/**
 * struct fire_event - arguments of one trace_kmalloc()
 * @bytes_req: any 64 bits
 * @bytes_alloc: any 64 bits
 * @gfp_flags: any 32 bits
 * @node: -1 to 3
 * @site: number of a function, below FIRE_SITES
 * @place: enum fire_place; position of the call site relative to that function
 */
struct fire_event {
	unsigned long long bytes_req;
	unsigned long long bytes_alloc;
	unsigned int gfp_flags;
	int node;
	unsigned int site;
	unsigned int place;
};

/* splitmix64 */
static inline unsigned long long fire_random(unsigned long long *state)
{
	unsigned long long z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/**
 * fire_size() - a random size for an event
 * @state: state of fire_random()
 *
 * Most sizes are typical ones; some are limits of integer types.
 *
 * Return: the size.
 */
static inline unsigned long long fire_size(unsigned long long *state)
{
	static const unsigned long long edges[] = {
		0, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
		0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001,
		0xfffffffffffffffe, 0xffffffffffffffff,
	};
	unsigned long long r = fire_random(state);
	unsigned int kind = r & 7, n = r >> 8 & 0xffff;

	if (kind < 2)
		return edges[n % (sizeof(edges) / sizeof(edges[0]))];
	if (kind < 5) /* a power of two, or next to one */
		return (1ull << n % 14) + (n >> 8) % 3 - 1;
	return n % 5000;
}

/**
 * fire_gfp() - random GFP flags for an event
 * @state: state of fire_random()
 *
 * Return: the flags.
 */
static inline unsigned int fire_gfp(unsigned long long *state)
{
	static const unsigned int flags[] = {
		0, 0xcc0, 0xdc0, 0x820, 0x400dc0, 0x400cc0, 0x100cca,
		0x52cc0, 0x80000000, 0xffffffff,
	};

	return flags[fire_random(state) % (sizeof(flags) / sizeof(flags[0]))];
}

/**
 * fire_make() - compute the arguments of one event
 * @seed: the seed from the test
 * @index: number of the event, below FIRE_MAX
 * @ev: set to the arguments
 */
static inline void fire_make(unsigned long long seed, unsigned int index,
			     struct fire_event *ev)
{
	unsigned long long state = seed ^ (unsigned long long)index << 32;

	ev->bytes_req = fire_size(&state);
	ev->bytes_alloc = fire_size(&state);
	ev->gfp_flags = fire_gfp(&state);
	ev->node = (int)(fire_random(&state) % 5) - 1;
	ev->site = fire_random(&state) % FIRE_SITES;
	ev->place = fire_random(&state) % FIRE_PLACES;
}

/**
 * fire_call_site() - compute the call site of an event
 * @ev: the event
 * @start: start address of the function @ev->site
 * @size: size of that function in bytes
 *
 * Return: the address.
 */
static inline unsigned long long fire_call_site(const struct fire_event *ev,
						unsigned long long start,
						unsigned long long size)
{
	switch (ev->place) {
	case FIRE_BEFORE:
		return start - 1;
	case FIRE_FIRST:
		return start;
	case FIRE_SECOND:
		return start + 1;
	case FIRE_MIDDLE:
		return start + size / 2;
	case FIRE_LAST:
		return start + size - 1;
	case FIRE_AFTER:
		return start + size;
	case FIRE_ONES:
		return ~0ull;
	default:
		return 0;
	}
}

#endif /* KMT_FIRE_H */
