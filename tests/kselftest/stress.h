/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the processes of the stress test share, and how each behaves.
 */
#ifndef STRESS_H
#define STRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define STRESS_EVENTS (1u << 26) /* of a session, at most */
#define STRESS_CPUS   16
#define STRESS_ACTORS 16
#define READ_BYTES    (256 << 10)

/** struct bitmap - one bit for each event of a session */
struct bitmap {
	uint64_t word[STRESS_EVENTS / 64];
};

/**
 * struct reader - of one CPU
 * @busy: @bytes holds what was read, or is just being read, and not yet counted
 * @seen: there was a record
 * @last: its number
 * @reads: how many
 * @bytes: as read; zeroed before each read, so that it can be told from outside
 *	how far a read came whose reader was killed
 */
struct reader {
	int busy;
	bool seen;
	uint32_t last;
	uint64_t reads;
	uint8_t bytes[READ_BYTES];
};

/**
 * struct shared - between all processes
 * @stop_actors: come to your end
 * @stop_readers: read what is left, and come to your end
 * @start: number of the session's first event
 * @actions: by actor: what it has done
 * @unexpected: answers that there should not be
 * @broken: streams that could not be decoded
 * @disorder: records that did not come after the one before on their CPU
 * @twice: records that were read twice
 * @beyond: records with a number that is not of this session
 * @seen: events that were read
 * @salvaged: those of them that a reader had read when it was killed
 * @frees: those that are frees of the client
 * @reader: by CPU
 */
struct shared {
	int stop_actors;
	int stop_readers;
	uint32_t start;
	uint64_t actions[STRESS_ACTORS];
	uint64_t unexpected;
	uint64_t broken;
	uint64_t disorder;
	uint64_t twice;
	uint64_t beyond;
	struct bitmap seen;
	struct bitmap salvaged;
	struct bitmap frees;
	struct reader reader[STRESS_CPUS];
};

extern struct shared *shared;

/* --- readers: stress_reader.c -------------------------------------------------- */

/** reader_begin() - a new session: nothing was read of it */
void reader_begin(uint32_t start, int cpus);

/** reader_run() - read a CPU's records until told to stop; in a process of its own */
void reader_run(int cpu);

/** reader_salvage() - count what a reader had read when it was killed */
void reader_salvage(int cpu);

/** bitmap_count() - how many bits are set below @end */
uint64_t bitmap_count(const struct bitmap *map, uint64_t end);

/* --- actors: stress_actor.c ----------------------------------------------------- */

/* when an actor takes part */
enum {
	WHEN_STRICT = 1, /* all events of the client are to be found again */
	WHEN_LOOSE = 2,
	WHEN_OVERWRITE = 4,
	WHEN_UNLOADING = 8, /* the module may go at any time */
	WHEN_RECORDER = 16,
	WHEN_ANY = 31,
};

/**
 * struct actor - one kind of process
 * @name: of it
 * @step: does one thing; @when is the session's
 * @when: WHEN_*
 * @killable: it may be killed in the middle
 */
struct actor {
	const char *name;
	void (*step)(uint64_t *random, int when);
	int when;
	bool killable;
};

extern const struct actor actors[];
extern const int nr_actors;

/** actor_run() - act until told to stop; in a process of its own */
void actor_run(int actor, int when, uint64_t seed);

/** pick() - a number below @n */
unsigned int pick(uint64_t *random, unsigned int n);

#endif /* STRESS_H */
