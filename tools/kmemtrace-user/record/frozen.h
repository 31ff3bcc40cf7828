/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Saving of buffers to which nothing is written any more: the buffers of a flight
 * recorder after recording was switched off, and the buffers of a snapshot. Reading a
 * record removes it from its buffer.
 *
 * Each CPU overwrites its oldest records when its own buffer is full. The oldest record
 * of a busy CPU is therefore newer than that of an idle CPU. Records are complete only
 * from the newest of these oldest records on.
 */
#ifndef FROZEN_H
#define FROZEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/writer.h"

/* names of the files, without the number of the CPU at the end */
#define FROZEN_BUFFERS	"cpu"
#define FROZEN_SNAPSHOT "snapshot_cpu"

struct frozen_files;
struct order;

/**
 * struct frozen - result of saving
 * @files: the files that were saved, as long as they are open
 * @records: number of saved records
 * @overwritten: a buffer may have been full, and records may have been overwritten
 * @exchanged: the buffers were exchanged while recording was on; a CPU may have been
 *	writing a record at that time
 * @whole: no record with this sequence number or a later one was overwritten
 * @end: sequence number after the last event
 */
struct frozen {
	const struct frozen_files *files;
	uint64_t records;
	bool overwritten;
	bool exchanged;
	uint64_t whole;
	uint64_t end;
};

/**
 * frozen_open() - open the files of CPUs
 * @dir: descriptor from control_open()
 * @prefix: FROZEN_*
 * @cpus: list of CPUs; NULL: all
 * @files: set to the files. While the files of a snapshot are open, no other snapshot
 *	replaces it.
 *
 * Prints a message on failure.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int frozen_open(int dir, const char *prefix, const char *cpus,
		struct frozen_files **files);

/** frozen_abandon() - close the files, because the tool ends at once; NULL: none */
void frozen_abandon(const struct frozen_files *files, int null);

/** frozen_close() - close and free the files; does nothing for NULL */
void frozen_close(struct frozen_files *files);

/**
 * frozen_set_order() - set the order that knows the numbers of the first events
 * @files: files from frozen_open(), of a module that orders events by time
 * @order: from ordering_create() and ordering_start(), when recording into these buffers
 *	began; NULL: not known
 */
void frozen_set_order(struct frozen_files *files, struct order *order);

/**
 * frozen_print_starts() - print the number of the first record of each CPU, for END
 * @files: files from frozen_open(), after frozen_save()
 * @out: gets lines "start_number.cpu<n>=NUMBER"; none in the order by time
 */
void frozen_print_starts(const struct frozen_files *files, FILE *out);

/** frozen_order() - the order of the saved records, until frozen_close(), or NULL */
const struct order *frozen_order(const struct frozen_files *files);

/**
 * frozen_save() - save all records
 * @files: files from frozen_open()
 * @writer: writer of the file; NULL: discard the records
 * @end: sequence number of the last record + 1; not used if the module orders events by
 *	time: the records then get numbers from @start, or 0
 * @start: sequence number at which recording into these buffers began; NULL: not known,
 *	because the buffers were exchanged
 * @frozen: set to the result
 *
 * Prints a message on failure.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int frozen_save(struct frozen_files *files, struct trace_writer *writer,
		uint64_t end, const uint64_t *start, struct frozen *frozen);

/**
 * frozen_is_taken() - check whether there is a snapshot
 * @dir: descriptor from control_open()
 *
 * A snapshot of a trigger can be read only after a grace period. The function waits for
 * that, for up to 5 seconds.
 */
bool frozen_is_taken(int dir);

/** frozen_snapshots() - get the number of snapshots taken so far */
uint64_t frozen_snapshots(int dir);

#endif /* FROZEN_H */
