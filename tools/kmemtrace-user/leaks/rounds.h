/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * leaks --repeat: what each round of a command leaves behind.
 */
#ifndef ROUNDS_H
#define ROUNDS_H

#include <stdbool.h>
#include <stddef.h>

/* rounds at least */
#define ROUNDS_MIN 4

/* the options */
struct rounds_wanted {
	size_t rounds;	/* number of rounds */
	double settle;	/* seconds from the end of a round to the measurement */
	char **command;	/* words of the command, the last one NULL */
	size_t top;	/* number of rows; 0: all */
	bool reclaim;	/* ask the kernel to free its caches after each round */
	bool json;	/* print JSON */
};

/** rounds_ignored() - get the number of first rounds that do not count */
size_t rounds_ignored(size_t rounds);

/* what a site keeps of each round */
struct rounds_left {
	double least;	/* smallest change of a round that counts, in bytes */
	double median;	/* median of these changes */
	double most;	/* largest change */
	double objects;	/* median of the changes in objects */
};

/**
 * rounds_of() - compute what a site keeps
 * @left: set to the result
 * @bytes: live bytes before the first round and after each round
 * @objects: live objects likewise
 * @rounds: number of rounds; at least ROUNDS_MIN
 */
void rounds_of(struct rounds_left *left, const double *bytes, const double *objects,
	       size_t rounds);

/**
 * rounds_keep() - check whether a site keeps memory of each round, and only of these
 * @left: from rounds_of()
 * @idle: change in a round without the command, in bytes
 * @rounds: number of rounds, without this one
 *
 * Memory that a round without the command frees was only freed late, for example because the
 * kernel has many callbacks to run after a grace period.
 *
 * Return: false if the site does not grow in each round that counts; if it grows as much
 * without the command; and if it then frees half of what the rounds left, or more.
 */
bool rounds_keep(const struct rounds_left *left, double idle, size_t rounds);

/** rounds_run() - run the command, and print what it leaves; Return: EXIT_* */
int rounds_run(const struct rounds_wanted *wanted);

#endif /* ROUNDS_H */
