/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What report, script and check read: a recording, or raw cpu<n> files as of 2008.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "merge.h"
#include "names.h"
#include "trace_reader.h"

struct raw_file;
struct cpu_start;

/**
 * struct input - files being read
 * @reader: of a recording; NULL: raw files
 * @raw: raw files
 * @nr_raw: how many
 * @starts: where the records of each CPU begin, of a recording
 * @nr_starts: how many
 * @swap: records are of the other byte order
 * @meta: text of META chunks; may be NULL
 * @end: text of END; NULL: cut short
 * @names: what is known of names
 * @merge: merges the records
 * @damaged: chunks that could not be read
 * @page_size: of the recorded machine
 */
struct input {
	struct trace_reader *reader;
	struct raw_file *raw;
	size_t nr_raw;
	struct cpu_start *starts;
	size_t nr_starts;
	bool swap;
	char *meta;
	char *end;
	struct names *names;
	struct merge *merge;
	uint64_t damaged;
	uint64_t page_size;
};

/**
 * input_open() - open what the command line names
 * @in: the input
 * @paths: one recording, or raw files
 * @count: how many
 *
 * Says what is wrong.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int input_open(struct input *in, char **paths, size_t count);

/** input_close() - undo input_open() */
void input_close(struct input *in);

/**
 * input_next() - the next record of all CPUs
 * @in: the input
 * @ev: set to it; ev->rec is valid until the next call
 * @cpu: set to its CPU
 *
 * Return: whether there was one. When there is none, losses at the end have
 * been counted.
 */
bool input_next(struct input *in, struct kmt_event *ev, uint32_t *cpu);

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

/** input_lost() - how many events were lost */
uint64_t input_lost(const struct input *in);

/** input_ending() - how the recording ended, as a sentence; NULL if well */
const char *input_ending(const struct input *in);

#endif /* INPUT_H */
