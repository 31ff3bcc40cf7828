/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread that prepares the next items while one or more readers use the previous ones.
 * Each reader gets all items. The items are in slots of the caller, which are used as a
 * ring.
 */
#ifndef FEED_H
#define FEED_H

#include <stdbool.h>

struct feed;

/* maximum number of readers */
#define FEED_READERS 2

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
 * @readers: number of readers, 1 to FEED_READERS
 *
 * Return: the feed; NULL if no thread could be created.
 */
struct feed *feed_start(feed_fill fill, void *arg, unsigned int slots,
			unsigned int readers);

/**
 * feed_next() - get the next item
 * @f: the feed
 * @reader: 0 to the number of readers - 1; each reader may be a thread of its own
 *
 * Reader 0 learns of the end after all other readers. So each of them must call feed_next()
 * until it returns -1, and not after that.
 *
 * Return: the slot of the item, valid until the next call for this reader; -1 if there are
 * no more items.
 */
int feed_next(struct feed *f, unsigned int reader);

/**
 * feed_stop() - end the thread, even before the last item, and free
 * @f: the feed; NULL is allowed. No reader but the caller may use it
 */
void feed_stop(struct feed *f);

#endif /* FEED_H */
