/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Things from another thread: while some are being looked at, the next ones are
 * made. They lie in slots of the caller's, which go round.
 */
#ifndef FEED_H
#define FEED_H

#include <stdbool.h>

struct feed;

/**
 * typedef feed_fill - in the thread: make the next thing
 * @arg: what feed_start() was given
 * @slot: where it is to be put
 *
 * Return: false if there are no more.
 */
typedef bool (*feed_fill)(void *arg, unsigned int slot);

/**
 * feed_start() - start the thread
 * @fill: makes things; what it uses is the thread's until feed_stop()
 * @arg: for @fill
 * @slots: how many slots there are, at least 2
 *
 * Return: the feed; NULL if there can be none.
 */
struct feed *feed_start(feed_fill fill, void *arg, unsigned int slots);

/**
 * feed_next() - the next thing
 * @f: the feed
 *
 * Return: its slot, good until the next call; -1: there are no more.
 */
int feed_next(struct feed *f);

/** feed_stop() - end the thread, wherever it is, and free; NULL is fine */
void feed_stop(struct feed *f);

#endif /* FEED_H */
