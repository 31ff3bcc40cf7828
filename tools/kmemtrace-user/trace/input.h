/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The input of report, script and check: a recording, or raw cpu<n> files as of 2008.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kmt_event.h"
#include "trace/merge.h"
#include "trace/names.h"
#include "trace/rawfiles.h"
#include "trace/reader.h"
#include "trace/stacks.h"

/*
 * Lines "KEY=VALUE" of the texts META and END of a recording.
 */

/** metaline_has_key() - whether a line has a key */
bool metaline_has_key(const char *line, const char *key);

/**
 * metaline_has_one_of() - whether a line has one of some keys
 * @line: the line; other lines may follow
 * @keys: the keys, ended by NULL
 *
 * Return: true if it has.
 */
bool metaline_has_one_of(const char *line, const char *const *keys);

/**
 * metaline_is_known() - whether this version knows the key of a line
 * @line: the line; other lines may follow
 *
 * A copy without addresses or names leaves out the other lines. So a new key of record or
 * snapshot has to be added to the list, with the part of anonymize.c that changes its value
 * if it may be an address or a name.
 *
 * Return: true if it does, or if the line is empty.
 */
bool metaline_is_known(const char *line);

/* windows that a thread merges ahead; enough to wake it rarely */
#define INPUT_WINDOWS 32

struct feed;
struct loader;

enum input_threads {
	INPUT_THREADS_IF_FASTER, /* for a large file, if there are several CPUs */
	INPUT_THREADS_NONE,
	INPUT_THREADS_ALWAYS,	 /* also for a small recording, and on one CPU */
};

/**
 * struct input_hook - what to call while a stream is read
 * @chunk: called for each chunk, in its order, with the reader at the chunk; NULL: not needed
 * @arg: argument of @chunk
 */
struct input_hook {
	void (*chunk)(void *arg, struct trace_reader *reader,
		      const struct trace_chunk *chunk);
	void *arg;
};

/**
 * struct input - files being read
 * @reader: reader of the recording; NULL for raw files
 * @raw: raw files
 * @hook: as given to input_open_with()
 * @head: the first chunks of a stream, up to the one with records, which is the current chunk
 *	of @reader
 * @nr_head: number of @head
 * @next_head: number of these that input_next_chunk() has returned
 * @index: index of the recording
 * @indexed: @index is from the file; otherwise it has only CPUs and times
 * @swap: records of the recording have the other byte order
 * @meta: text of the first META chunk; may be NULL
 * @end: text of the last END chunk; NULL if the file is truncated, or before the end of
 *	a stream
 * @names: names from the recording
 * @page_size: page size of the recorded machine, in bytes
 * @timed: only records from @first to @last are wanted
 * @first: the first wanted time, in ns
 * @last: the last wanted time, in ns
 * @limit: read only so many records; 0: all
 * @threads: whether to use further threads. To be set before input_begin()
 * @stacks: set kmt_event.stack, the number of the stack in @defs; otherwise
 *	kmt_event.stack is undefined. To be set before input_begin()
 * @readers: number of threads that want the records: 0 or 1: the caller; 2: another thread
 *	as well, see input_next_too(); windows are then divided, see window.second. To be set
 *	before input_begin(), which sets it to 1 if a further thread would not be faster
 * @defs: the stacks, with @stacks
 * @merge: merges the records; from input_begin() on
 * @wants_stacks: definitions of stacks are read into @defs
 * @loader: a thread that reads ahead; NULL: no thread
 * @windows: merged records
 * @feed: a thread that merges ahead, into @windows; NULL: input_next() merges, into the
 *	first of @windows
 * @begun: input_next() may return records
 * @damaged: number of damaged chunks; valid after all records have been read
 * @unknown: number of chunks of an unknown type
 * @failed: path of the file for messages about a failed read
 * @err: after input_next() has returned NULL: 0, or the -errno that ended it early
 */
struct input {
	struct trace_reader *reader;
	struct rawfiles raw;
	struct input_hook hook;
	struct trace_chunk *head;
	size_t nr_head;
	size_t next_head;
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
	uint64_t limit;
	enum input_threads threads;
	bool stacks;
	unsigned int readers;
	struct stackdefs defs;
	struct merge *merge;
	bool wants_stacks;
	struct loader *loader;
	struct window windows[INPUT_WINDOWS];
	struct feed *feed;
	bool begun;
	uint64_t damaged;
	uint64_t unknown;
	const char *failed;
	int err;
};

/**
 * input_open() - open the files of a command line
 * @in: the input
 * @paths: one recording or stream ("-" is standard input), or raw files
 * @count: number of @paths
 *
 * Prints a message if it fails.
 *
 * Return: EXIT_DONE; EXIT_FAILED; EXIT_USAGE if the files cannot be read together.
 */
int input_open(struct input *in, char **paths, size_t count);

/** input_open_with() - as input_open(), with a hook */
int input_open_with(struct input *in, char **paths, size_t count, struct input_hook hook);

/** input_follow() - as input_open(), of a recording as by trace_reader_follow() */
int input_follow(struct input *in, char **paths, size_t count, pid_t recorder);

/**
 * input_is_stream() - whether the recording can only be read in order
 * @in: the input
 *
 * The names, CPUs and times that follow after the records are then not known before all
 * records have been read.
 */
bool input_is_stream(const struct input *in);

/**
 * input_next_chunk() - go to the next chunk of a recording
 * @in: the input
 * @chunk: set to its header
 *
 * Adds the texts of a stream.
 *
 * Return: 1; 0 if there are no more chunks; or -errno.
 */
int input_next_chunk(struct input *in, struct trace_chunk *chunk);

/** input_explain() - print that reading failed with -errno; return EXIT_FAILED */
int input_explain(const struct input *in, int err);

/** input_stop() - end the threads of input_begin() */
void input_stop(struct input *in);

/** input_close() - undo input_open() */
void input_close(struct input *in);

/**
 * input_span() - get the range of the times of all records
 * @in: the input
 * @first: set to the smallest time
 * @last: set to the largest time
 *
 * Return: false if the times are not known: the records have none, or the files are raw.
 */
bool input_span(const struct input *in, uint64_t *first, uint64_t *last);

/**
 * input_limit() - read only the records between two times
 * @in: the input, before input_begin()
 * @first: the first wanted time
 * @last: the last wanted time; UINT64_MAX: to the end
 */
void input_limit(struct input *in, uint64_t first, uint64_t last);

/**
 * input_begin() - prepare to read records
 * @in: the input
 * @records: the caller needs kmt_event.rec
 *
 * Prints a message if it fails.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int input_begin(struct input *in, bool records);

/**
 * input_next() - get the next records of all CPUs
 * @in: the input, after input_begin()
 *
 * Prints a message if it fails.
 *
 * Return: the records, valid until the next call; NULL if there are no more records, and
 * losses at the end have been counted; NULL with @in->err set if reading failed. The remaining records are then not known.
 */
const struct window *input_next(struct input *in);

/**
 * input_next_too() - get the next records, in a second thread
 * @in: the input, after input_begin() with 2 readers
 *
 * Both threads get all records, and both must go on until there are no more. The caller
 * of input_next() learns of the end after this thread.
 *
 * Return: the records, valid until the next call; NULL if there are no more records.
 */
const struct window *input_next_too(struct input *in);

/**
 * input_value() - get the value of a key in META or END
 * @text: text of META or END; may be NULL
 * @key: the key
 * @to: gets the value, truncated if it does not fit
 * @size: bytes of @to
 *
 * Replaces characters other than printable ASCII by '?', because a terminal might
 * interpret them.
 *
 * Return: whether the key exists.
 */
bool input_value(const char *text, const char *key, char *to, size_t size);

/** input_number() - as input_value(), for a number */
bool input_number(const char *text, const char *key, uint64_t *value);

/**
 * input_features() - get the features of a recording
 * @in: the input
 * @features: set to a mask of KMT_FEATURE_*
 *
 * Return: false if they are not known.
 */
bool input_features(const struct input *in, uint32_t *features);

/** input_partial() - whether only some CPUs were recorded, so that gaps are no losses */
bool input_partial(const struct input *in);

/**
 * input_kept() - whether older records were overwritten
 * @in: the input
 *
 * Return: "flight" or "snapshot"; NULL if no records were overwritten.
 */
const char *input_kept(const struct input *in);

/** input_gaps_are_losses() - whether missing numbers are lost events */
bool input_gaps_are_losses(const struct input *in);

/**
 * input_snapshots() - number of snapshots that removed events from the recording
 * @in: the input
 *
 * Such a snapshot was taken during the recording. It contains the events that the
 * recorder had not read yet.
 */
uint64_t input_snapshots(const struct input *in);

/** input_recorded() - set for each CPU whether it was recorded */
void input_recorded(const struct input *in, bool cpus[TRACE_CPUS_MAX]);

/** input_lost() - number of lost events; valid after all records have been read */
uint64_t input_lost(const struct input *in);

/** input_ending() - a sentence if the file is damaged or truncated; otherwise NULL */
const char *input_ending(const struct input *in);

/*
 * All values of a record in a recording, fetched on demand.
 */

/* the groups of fields that a recording can hold */
#define EXTRA_GROUPS                                                           \
	(KMT_FEATURES_ALL | KMT_GROUP_ALLOC | KMT_GROUP_SEQ | KMT_GROUP_CPU |  \
	 KMT_GROUP_CACHE_NAME | KMT_GROUP_SIZE)

/**
 * struct extra - values of a record that are not in its event
 * @x: values so far; must be the first member, because extra_fetch() gets only @x
 * @lacks: groups that were requested, but that the record does not have
 * @names: names of the recording
 */
struct extra {
	struct kmt_extra x;
	u32 lacks;
	const struct names *names;
};

/** extra_init() - initialise for the records of a recording */
void extra_init(struct extra *e, const struct input *in);

/**
 * extra_take() - start with a record: set the values that need no decoding
 * @e: set to these values
 * @record: from input_next()
 */
void extra_take(struct extra *e, const struct merged *record);

/**
 * extra_fetch() - get further values; a kmt_filter_fetch
 * @x: member of a struct extra after extra_take(); x->have gets the new groups
 * @ev: from input_next(); its record must still be in memory
 * @need: groups to get
 */
void extra_fetch(struct kmt_extra *x, struct kmt_event *ev, u32 need);

#endif /* INPUT_H */
