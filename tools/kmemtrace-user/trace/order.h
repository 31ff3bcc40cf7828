/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Puts the records of streams that are ordered by time into one order, and numbers them:
 * see include/uapi/linux/kmemtrace.h. The records that come out are those of a stream that
 * is ordered by sequence number. So only this file has to know the order by time.
 *
 * In the streams, each CPU counts its own events. A record that is missing in the numbers
 * of a CPU is missing in the new numbers as well, just before the next record of the CPU.
 */
#ifndef ORDER_H
#define ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kmt_env.h"

struct buffer;
struct buffers;
struct order;

/**
 * typedef order_put - take records that have their final numbers
 * @arg: the argument of order_create()
 * @cpu: CPU of the records, or TRACE_CPU_ABSENT
 * @data: whole records in this machine's byte order, valid during the call; NULL if @size
 *	is 0
 * @size: bytes of @data, at most ORDER_PUT_MAX unless it is one record
 * @mark: all further records of the CPU have this number or a higher one
 */
typedef void (*order_put)(void *arg, uint32_t cpu, const void *data,
			  size_t size, uint32_t mark);

#ifndef ORDER_PUT_MAX
#define ORDER_PUT_MAX (8 * 1024)
#endif

#define ORDER_KEPT_GAP (1 << 20)

/**
 * struct order_setup - how to order
 * @put: takes the records
 * @arg: its argument
 * @first: the first number; records get the low half of theirs
 * @features: features that are kept in the records; of those of KMT_FEATURES_COMPACT only
 * @swap: the streams have the other byte order
 * @compact: compact records stay compact, with all features: only their numbers change.
 *	@swap is not set
 * @kept: the streams are what is left of buffers that overwrote their oldest records. Of
 *	those that are missing before the first record of a CPU, ORDER_KEPT_GAP are enough:
 *	readers expect that numbers that are close in time differ by less than 2^31
 */
struct order_setup {
	order_put put;
	void *arg;
	uint64_t first;
	uint32_t features;
	bool swap;
	bool compact;
	bool kept;
};

/** order_create() - start without streams */
struct order *order_create(const struct order_setup *setup);

/** order_destroy() - free; NULL is allowed */
void order_destroy(struct order *o);

/**
 * order_start() - set the number of the first event of a CPU
 * @o: the order, before the first record of the CPU
 * @cpu: the CPU
 * @number: missing numbers from this one on are missing events
 */
void order_start(struct order *o, uint32_t cpu, uint32_t number);

/**
 * order_add() - add records of one CPU
 * @o: the order
 * @cpu: the CPU
 * @data: whole records, which follow those of earlier calls
 * @size: bytes of @data
 */
void order_add(struct order *o, uint32_t cpu, const void *data, size_t size);

/**
 * order_take() - add records of one CPU in a buffer
 * @o: the order
 * @cpu: the CPU
 * @buffer: whole records, and at least one, which follow those of earlier calls
 * @pool: pool of the buffer. The order puts it back when all its records are numbered
 *
 * A CPU without records may need a buffer of the pool before it is put back: see holders
 * in buffers.h.
 */
void order_take(struct order *o, uint32_t cpu, struct buffer *buffer,
		struct buffers *pool);

/**
 * order_mark() - note that earlier records of a CPU are complete
 * @o: the order
 * @cpu: the CPU; TRACE_CPU_ABSENT: all CPUs that have no record and no mark so far
 * @time: further records of the CPU have this time stamp or a later one
 */
void order_mark(struct order *o, uint32_t cpu, uint64_t time);

/** order_close() - note that a CPU has no more records */
void order_close(struct order *o, uint32_t cpu);

/** order_needs() - whether there is no record of a CPU, and it was not closed */
bool order_needs(struct order *o, uint32_t cpu);

/**
 * order_run() - number all records whose place is known
 * @o: the order
 *
 * Records that are not many yet wait for order_flush().
 */
void order_run(struct order *o);

/** order_flush() - put all numbered records, and the mark of each CPU */
void order_flush(struct order *o);

/** order_finish() - number and put all records: no more will come; as order_run() */
void order_finish(struct order *o);

/**
 * order_end() - count the events of a CPU after its last record
 * @o: the order, after order_finish()
 * @cpu: the CPU
 * @number: number of the CPU's next event
 */
void order_end(struct order *o, uint32_t cpu, uint32_t number);

/** order_next() - the number of the next record */
uint64_t order_next(const struct order *o);

/**
 * order_first() - get the number that the first record of a CPU got
 * @o: the order
 * @cpu: the CPU
 * @number: set to the number
 *
 * Return: false if no record of the CPU was numbered.
 */
bool order_first(const struct order *o, uint32_t cpu, uint64_t *number);

/**
 * order_number_before() - get a number from before a time
 * @o: the order
 * @time: the time
 *
 * Return: no record with this time stamp or a later one has a lower number. For each 65,536
 * records, it may be too low by one.
 */
uint64_t order_number_before(const struct order *o, uint64_t time);

/**
 * order_number_after() - get a number from after a time
 * @o: the order
 * @time: the time
 * @number: set to a number: no record with an earlier time stamp has this number or a
 *	higher one. It may be too high by as much
 *
 * Return: false if no record that late was numbered.
 */
bool order_number_after(const struct order *o, uint64_t time, uint64_t *number);

/** order_held() - bytes of records that wait for those of other CPUs */
size_t order_held(const struct order *o);

#endif /* ORDER_H */
