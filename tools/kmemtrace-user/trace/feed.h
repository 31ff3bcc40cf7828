/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread that prepares the next items while the caller uses the previous ones. The
 * items are in slots of the caller, which are used as a ring.
 */
#ifndef FEED_H
#define FEED_H

#include <stdbool.h>

struct feed;

/**
 * typedef feed_fill - make the next item; called in the thread
 * @arg: the argument of feed_start()
 * @slot: index of the slot for the item
 *
 * Return: false if there are no more items.
 */
typedef bool (*feed_fill)(void *arg, unsigned int slot);

/**
 * feed_start() - start the thread
 * @fill: makes items; only the thread may use the data of @fill until feed_stop()
 * @arg: argument of @fill
 * @slots: number of slots, at least 2
 *
 * Return: the feed; NULL if memory ran out or no thread could be created.
 */
struct feed *feed_start(feed_fill fill, void *arg, unsigned int slots);

/**
 * feed_next() - get the next item
 * @f: the feed
 *
 * Return: the slot of the item, valid until the next call; -1 if there are no more items.
 */
int feed_next(struct feed *f);

/** feed_stop() - end the thread, even before the last item, and free; NULL is allowed */
void feed_stop(struct feed *f);

#endif /* FEED_H */
