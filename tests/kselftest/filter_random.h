/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Well-formed filters by chance, from the grammar, with constants near what the
 * events at hand have, so that many filters let some through and not all.
 */
#ifndef FILTER_RANDOM_H
#define FILTER_RANDOM_H

#include <stdbool.h>
#include <stddef.h>

#include "kmt_event.h"
#include "kmt_fire.h"

/**
 * struct fired - one event as it was fired
 * @ev: what is in it
 * @comm: of the task that fired it
 * @pid: of that task
 * @cpu: that it was on
 */
struct fired {
	struct kmt_event ev;
	char comm[16];
	int pid;
	int cpu;
};

/**
 * struct fire_site - a function that call sites are in or next to
 * @name: as kallsyms has it
 * @start: address
 * @size: bytes
 */
struct fire_site {
	char name[64];
	unsigned long long start;
	unsigned long long size;
};

/**
 * struct filter_world - what filters are about
 * @events: that constants are near to
 * @count: of @events
 * @sites: FIRE_SITES functions
 * @last_cpu: the highest number that CPUS{} may have
 * @later: than 6.1: there are .function and CPUS{}
 */
struct filter_world {
	const struct fired *events;
	int count;
	const struct fire_site *sites;
	int last_cpu;
	bool later;
};

/** filter_comms - names that events are fired under; patterns are made from them */
extern const char *const filter_comms[];
extern const int filter_nr_comms;

/**
 * filter_random() - make a filter
 * @state: of the random numbers
 * @world: what it is about
 * @text: room for it
 * @size: of @text; a page is more than enough
 */
void filter_random(unsigned long long *state, const struct filter_world *world,
		   char *text, size_t size);

#endif /* FILTER_RANDOM_H */
