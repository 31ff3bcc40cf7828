/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What report, script and check read: a recording, or raw cpu<n> files as of 2008.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/merge.h"
#include "trace/names.h"
#include "trace/reader.h"
#include "trace/unzstd.h"

struct feed;
struct loaded;
struct raw_file;

/**
 * struct input - files being read
 * @reader: of a recording; NULL: raw files
 * @raw: raw files
 * @nr_raw: how many
 * @index: where what is, of a recording
 * @indexed: the file has it; else it has only CPUs and times
 * @swap: records are of the other byte order
 * @meta: text of META chunks; may be NULL
 * @end: text of END; NULL: cut short
 * @names: what is known of names
 * @page_size: of the recorded machine
 * @timed: only records from @first to @last are wanted
 * @first: a time
 * @last: a time
 * @alone: do everything in the caller's thread, also if there are more CPUs
 * @merge: merges the records; from input_begin() on
 * @feed: a thread that reads ahead, into @loaded; NULL: none
 * @loaded: what was read
 * @unzstd: decompresses it
 * @window: records that were merged
 * @damaged: chunks that are damaged; known at the end
 * @unknown: chunks of a type that this version does not know
 * @failed: the file that an error of a read is about
 * @load_err: of @feed's thread, once that has ended: 0 or -errno
 * @err: once input_next() gave NULL: 0, or the -errno that ended it early
 */
struct input {
	struct trace_reader *reader;
	struct raw_file *raw;
	size_t nr_raw;
	struct trace_index index;
	bool indexed;
	bool swap;
	char *meta;
	char *end;
	struct names *names;
	uint64_t page_size;
	bool timed;
	uint64_t first;
	uint64_t last;
	bool alone;
	struct merge *merge;
	struct feed *feed;
	struct loaded *loaded;
	struct unzstd unzstd;
	struct window window;
	uint64_t damaged;
	uint64_t unknown;
	const char *failed;
	int load_err;
	int err;
};

/**
 * input_open() - open what the command line names
 * @in: the input
 * @paths: one recording, or raw files
 * @count: how many
 *
 * Says what is wrong.
 *
 * Return: EXIT_DONE; EXIT_FAILED; EXIT_USAGE if the files cannot be read together.
 */
int input_open(struct input *in, char **paths, size_t count);

/** input_close() - undo input_open() */
void input_close(struct input *in);

/**
 * input_span() - between which times the records are
 * @in: the input
 * @first: set to the least
 * @last: set to the greatest
 *
 * Return: false if that is not known: they have no times, or are raw.
 */
bool input_span(const struct input *in, uint64_t *first, uint64_t *last);

/**
 * input_limit() - read only what happened between two times
 * @in: the input, before input_begin()
 * @first: the first of them
 * @last: the last; UINT64_MAX: to the end
 */
void input_limit(struct input *in, uint64_t first, uint64_t last);

/**
 * input_begin() - get ready to read records
 * @in: the input
 * @records: kmt_event.rec is wanted
 *
 * Says what is wrong.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int input_begin(struct input *in, bool records);

/**
 * input_next() - the next records of all CPUs
 * @in: the input, after input_begin()
 *
 * Prints a message if it fails.
 *
 * Return: them, good until the next call; NULL if there are no more, and losses at
 * the end have been counted; NULL with @in->err set if reading failed or memory
 * ran out: then nothing is known of the rest.
 */
const struct window *input_next(struct input *in);

/**
 * input_value() - the value of a key in the recording's description
 * @text: of META or END; may be NULL
 * @key: the key
 * @to: gets the value, cut if it does not fit
 * @size: of @to
 *
 * What a terminal could take amiss is replaced by '?'.
 *
 * Return: whether the key is there.
 */
bool input_value(const char *text, const char *key, char *to, size_t size);

/** input_number() - as input_value(), for a number */
bool input_number(const char *text, const char *key, uint64_t *value);

/** input_raw_cpu() - the CPU of a raw file, counted from 0 */
uint32_t input_raw_cpu(const struct input *in, size_t index);

/** input_partial() - whether only some CPUs were recorded: gaps are no losses */
bool input_partial(const struct input *in);

/**
 * input_kept() - whether older records were overwritten
 * @in: the input
 *
 * Return: "flight" or "snapshot"; NULL: no.
 */
const char *input_kept(const struct input *in);

/** input_gaps_are_losses() - whether missing numbers are lost events */
bool input_gaps_are_losses(const struct input *in);

/**
 * input_snapshots() - how many snapshots took events away
 * @in: the input
 *
 * They were taken while recording, of events that the recorder had not read.
 */
uint64_t input_snapshots(const struct input *in);

/** input_recorded() - whether a CPU is among those that were recorded */
bool input_recorded(const struct input *in, unsigned int cpu);

/** input_lost() - how many events were lost; once all was read */
uint64_t input_lost(const struct input *in);

/** input_ending() - how the recording ended, as a sentence; NULL if well */
const char *input_ending(const struct input *in);

#endif /* INPUT_H */
