/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Saves buffers that nothing writes to any more: those that overwrite, once
 * recording is off, and those of a snapshot. A read takes records out.
 *
 * Each CPU overwrites its oldest records when its own buffer is full. So what
 * is left of a busy CPU begins later than what is left of an idle one, and
 * only from the latest of these beginnings on is everything there.
 */
#ifndef FROZEN_H
#define FROZEN_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/writer.h"

/* names of the files, up to the number of the CPU */
#define FROZEN_BUFFERS	"cpu"
#define FROZEN_SNAPSHOT "snapshot_cpu"

/**
 * struct frozen - what was saved
 * @records: how many
 * @cpus: CPUs that had any
 * @overwritten: a buffer may have been full, and records overwritten
 * @exchanged: the buffers were, while recording, and a CPU may have had a
 *	record under way
 * @whole: from this number on, nothing was overwritten
 */
struct frozen {
	uint64_t records;
	unsigned int cpus;
	bool overwritten;
	bool exchanged;
	uint32_t whole;
};

struct frozen_files;

/**
 * frozen_open() - open the files of all CPUs
 * @dir: from control_open()
 * @prefix: FROZEN_*
 * @cpus: only those of this list; NULL: all
 * @files: set to them; with a snapshot, it stays as it is until they are closed
 *
 * Says what goes wrong.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int frozen_open(int dir, const char *prefix, const char *cpus,
		struct frozen_files **files);

/** frozen_close() - close and free; NULL is fine */
void frozen_close(struct frozen_files *files);

/**
 * frozen_save() - save all records
 * @files: from frozen_open()
 * @writer: of the file; NULL: the records are thrown away
 * @end: the number behind the last record
 * @start: the number at which recording into these buffers began; NULL: that
 *	is not known, they were exchanged for others
 * @frozen: set to what was saved
 *
 * Says what goes wrong.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int frozen_save(struct frozen_files *files, struct trace_writer *writer,
		uint32_t end, const uint32_t *start, struct frozen *frozen);

/** frozen_is_taken() - whether there is a snapshot; @dir from control_open() */
bool frozen_is_taken(int dir);

/** frozen_snapshots() - how many were taken so far */
uint64_t frozen_snapshots(int dir);

#endif /* FROZEN_H */
