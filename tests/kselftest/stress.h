/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory that the processes of the stress test share, and the actors.
 */
#ifndef STRESS_H
#define STRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define STRESS_EVENTS (1u << 26) /* maximum number of events in a session */
#define STRESS_ACTORS 16
#define READ_BYTES    (256 << 10)

/** struct bitmap - one bit for each event of a session */
struct bitmap {
	uint64_t word[STRESS_EVENTS / 64];
};

/**
 * struct reader - the reader of one CPU
 * @busy: @bytes has data that are not counted yet, or a read is in progress
 * @seen: a record was read
 * @last: sequence number of the last record
 * @reads: number of reads
 * @bytes: data that were read. Zeroed before each read, so that the other process can
 *	determine how far a read came if its reader is killed
 */
struct reader {
	int busy;
	bool seen;
	uint32_t last;
	uint64_t reads;
	uint8_t bytes[READ_BYTES];
};

/**
 * struct shared - memory shared between all processes
 * @stop_actors: actors must end
 * @stop_readers: readers must read the rest and end
 * @start: sequence number of the session's first event
 * @actions: number of actions of each actor
 * @unexpected: number of unexpected results
 * @broken: number of streams that could not be decoded
 * @disorder: number of records with a lower number than the one before on their CPU
 * @twice: number of records that were read twice
 * @beyond: number of records with a sequence number that is not of this session
 * @seen: events that were read
 * @salvaged: events of @seen that a reader had read when it was killed
 * @frees: events of @seen that are frees of the client
 * @reader: a reader for each CPU that is online at the start
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
	struct reader reader[];
};

extern struct shared *shared;

/* --- readers: stress_reader.c -------------------------------------------------- */

/** reader_begin() - start a new session, with sequence numbers from @start on */
void reader_begin(uint32_t start, int cpus);

/** reader_run() - read a CPU's records until @stop_readers; in a process of its own */
void reader_run(int cpu);

/** reader_salvage() - count the records that a reader had read when it was killed */
void reader_salvage(int cpu);

/** bitmap_count() - number of bits that are set below @end */
uint64_t bitmap_count(const struct bitmap *map, uint64_t end);

/* --- actors: stress_actor.c ----------------------------------------------------- */

/* the sessions in which an actor takes part */
enum {
	WHEN_STRICT = 1, /* all frees of the client must be recorded or lost */
	WHEN_LOOSE = 2,
	WHEN_OVERWRITE = 4,
	WHEN_UNLOADING = 8, /* the module may be unloaded at any time */
	WHEN_RECORDER = 16,
	WHEN_ANY = 31,
};

/**
 * struct actor - one kind of process
 * @name: its name
 * @step: does one action; @when is the kind of session
 * @when: mask of WHEN_*
 * @killable: it may be killed at any time
 */
struct actor {
	const char *name;
	void (*step)(uint64_t *random, int when);
	int when;
	bool killable;
};

extern const struct actor actors[];
extern const int nr_actors;

/** actor_run() - act until @stop_actors; in a process of its own */
void actor_run(int actor, int when, uint64_t seed);

/**
 * victims_refill() - start processes for the OOM killer, which it prefers to others
 *
 * Return: the number of those that it has killed since the last call.
 */
unsigned int victims_refill(void);

/** pick() - a random number below @n */
unsigned int pick(uint64_t *random, unsigned int n);

#endif /* STRESS_H */
