/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes random filters from the grammar. Their constants are close to values of the given
 * events, so that many filters match some of the events and not all.
 */
#ifndef FILTER_RANDOM_H
#define FILTER_RANDOM_H

#include <stdbool.h>
#include <stddef.h>

#include "kmt_event.h"
#include "kmt_fire.h"

/**
 * struct fired - one event as it was fired
 * @ev: the event
 * @comm: name of the task that fired it
 * @pid: PID of that task
 * @cpu: CPU that fired it
 */
struct fired {
	struct kmt_event ev;
	char comm[16];
	int pid;
	int cpu;
};

/**
 * struct fire_site - a function that call sites are in or next to
 * @name: its name in kallsyms
 * @start: its address
 * @size: its size in bytes
 */
struct fire_site {
	char name[64];
	unsigned long long start;
	unsigned long long size;
};

/**
 * struct filter_world - the events, functions and CPUs that filters refer to
 * @events: constants are close to values of these
 * @count: number of @events
 * @sites: FIRE_SITES functions
 * @last_cpu: highest number that CPUS{} may have
 * @later: the kernel is newer than 6.1 and knows .function and CPUS{}
 */
struct filter_world {
	const struct fired *events;
	int count;
	const struct fire_site *sites;
	int last_cpu;
	bool later;
};

/** filter_comms - names of tasks that fire events; patterns are made from them */
extern const char *const filter_comms[];
extern const int filter_nr_comms;

/**
 * filter_random() - make a random filter
 * @state: state of fire_random()
 * @world: the events, functions and CPUs that it may refer to
 * @text: set to the filter
 * @size: size of @text in bytes; a page is more than enough
 */
void filter_random(unsigned long long *state, const struct filter_world *world,
		   char *text, size_t size);

#endif /* FILTER_RANDOM_H */
