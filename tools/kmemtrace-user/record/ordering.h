/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The order in which the module records events: by sequence number, or by time. In the
 * second case, trace/order.h gives the records their sequence numbers.
 */
#ifndef ORDERING_H
#define ORDERING_H

#include <stdbool.h>
#include <stdint.h>

struct order;
struct trace_writer;

/* files that tell a place in the order: no later event is before it */
#define ORDERING_BY_NUMBER "sequence"
#define ORDERING_BY_TIME   "clock"

/** ordering_is_by_time() - whether the module orders events by time; @dir: its directory */
bool ordering_is_by_time(int dir);

/** ordering_is_doubtful() - whether the order of the last recording may be wrong */
bool ordering_is_doubtful(int dir);

/**
 * ordering_create() - prepare to order records, and to write them to a file
 * @dir: the module's directory
 * @writer: writer of the file
 * @complete: all records come, and their marks are valid; else buffers overwrite records
 * @first: the first sequence number
 *
 * Return: the order.
 */
struct order *ordering_create(int dir, struct trace_writer *writer,
			      bool complete, uint64_t first);

/**
 * ordering_start() - note the numbers of the first events of all CPUs
 * @o: the order
 * @dir: the module's directory
 *
 * Context: nothing is recorded.
 * Return: false if the numbers cannot be read.
 */
bool ordering_start(struct order *o, int dir);

/**
 * ordering_end() - note the numbers of the next events of all CPUs
 * @o: the order, after order_finish()
 * @dir: the module's directory
 * @cpus: list of the CPUs that were recorded; NULL: all
 *
 * Context: nothing is recorded.
 */
void ordering_end(struct order *o, int dir, const char *cpus);

/**
 * ordering_module_log() - put numbers for times into the text of the file modules
 * @o: the order
 * @text: the text; freed
 *
 * Return: the new text, which the caller frees; NULL for NULL.
 */
char *ordering_module_log(const struct order *o, char *text);

#endif /* ORDERING_H */
