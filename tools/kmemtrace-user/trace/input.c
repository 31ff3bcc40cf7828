// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "base/msg.h"
#include "base/table.h"
#include "base/textfile.h"
#include "control/counts.h"
#include "control/cpulist.h"
#include "kmt_field.h"
#include "trace/input.h"
#include "trace/reader.h"
#include "trace/symtab.h"

/* --- lines of META and END ------------------------------------------------ */

bool metaline_has_key(const char *line, const char *key)
{
	size_t len = strlen(key);

	return !strncmp(line, key, len) && line[len] == '=';
}

bool metaline_has_one_of(const char *line, const char *const *keys)
{
	while (*keys && !metaline_has_key(line, *keys))
		keys++;
	return *keys;
}

bool metaline_is_known(const char *line)
{
	static const char *const keys[] = {
		"abi_version", "addresses", "boot_id", "buffer_bytes_per_cpu", "build_id", "clock_ns",
		"command", "cpus", "cpus_present", "cpus_recorded", "events",
		"exchanged", "features", "filter", "hostname", "kept",
		"left_out_damaged", "left_out_newer", "lost_bytes", "lost_events",
		"machine", "mem_total", "nodes", "order", "order_doubtful", "overwritten", "page_size",
		"process_names", "realtime_ns", "reason", "records", "release",
		"seq_end", "seq_start", "seq_whole", "slabs_padded",
		"snapshot_missed", "snapshot_reason", "snapshot_sequence",
		"snapshot_time_ns", "snapshots", "tool_version", "trigger",
		"unpurged_areas", "version", NULL,
	};

	return *line == '\n' || metaline_has_one_of(line, keys) ||
	       !strncmp(line, "lost_events.cpu", 15) ||
	       !strncmp(line, "start_number.cpu", 16) ||
	       !strncmp(line, "cpus_of_node", 12) ||
	       !strncmp(line, COUNTS_NOW, strlen(COUNTS_NOW)) ||
	       !strncmp(line, COUNTS_START, strlen(COUNTS_START));
}

/* --- input ---------------------------------------------------------------- */

/* --- text ----------------------------------------------------------------- */

bool input_value(const char *text, const char *key, char *to, size_t size)
{
	const char *at = textfile_value(text, key, strlen(key), '=');
	size_t n = at ? strcspn(at, "\n") : 0;

	if (!at)
		return false;
	if (n >= size)
		n = size - 1;
	memcpy(to, at, n);
	to[n] = '\0';
	table_clean(to);
	return true;
}

bool input_number(const char *text, const char *key, uint64_t *value)
{
	char number[32], *end;

	if (!input_value(text, key, number, sizeof(number)))
		return false;
	*value = strtoull(number, &end, 10);
	return end != number;
}

bool input_features(const struct input *in, uint32_t *features)
{
	char text[256];

	*features = 0;
	return input_value(in->meta, "features", text, sizeof(text)) &&
	       !kmt_features_parse(text, features);
}

bool input_partial(const struct input *in)
{
	char list[8];

	return input_value(in->meta, "cpus_recorded", list, sizeof(list));
}

const char *input_kept(const struct input *in)
{
	char kept[16];

	if (!input_value(in->meta, "kept", kept, sizeof(kept)))
		return NULL;
	return strcmp(kept, "snapshot") ? "flight" : "snapshot";
}

/* Otherwise, missing numbers may be events that were not recorded or not kept. */
bool input_gaps_are_losses(const struct input *in)
{
	return !input_partial(in) && !input_kept(in);
}

uint64_t input_snapshots(const struct input *in)
{
	uint64_t n;

	return input_number(in->end, "snapshots", &n) ? n : 0;
}

/*
 * The rest of the list is ignored from a CPU on that is listed already. Only a damaged file
 * has such a CPU, and a malicious one can list all CPUs without end.
 */
void input_recorded(const struct input *in, bool cpus[TRACE_CPUS_MAX])
{
	static const char key[] = "cpus_recorded";
	const char *list = textfile_value(in->meta, key, strlen(key), '=');
	long cpu, last;

	memset(cpus, !list, TRACE_CPUS_MAX * sizeof(*cpus));
	while (list && cpulist_next(&list, &cpu, &last)) {
		for (; cpu <= last && cpu < TRACE_CPUS_MAX; cpu++) {
			if (cpus[cpu])
				return;
			cpus[cpu] = true;
		}
	}
}

/* Sums the losses on the CPUs that were recorded. END has the losses of all CPUs. */
static uint64_t lost_on_some(const struct input *in)
{
	bool recorded[TRACE_CPUS_MAX];
	uint64_t n, lost = 0;
	const char *line;
	unsigned int cpu;

	input_recorded(in, recorded);
	for (line = in->end; line; line = textfile_next_line(line))
		if (textfile_cpu_number(line, "lost_events", '=', &cpu, &n) &&
		    cpu < TRACE_CPUS_MAX && recorded[cpu])
			lost += n;
	return lost;
}

uint64_t input_lost(const struct input *in)
{
	uint64_t n;

	if (input_partial(in))
		return lost_on_some(in);
	if (!input_gaps_are_losses(in))
		return input_number(in->end, "lost_events", &n) ? n : 0;
	return merge_stats(in->merge)->missing;
}

const char *input_ending(const struct input *in)
{
	if (!in->reader)
		return NULL;
	switch (trace_reader_end(in->reader)) {
	case TRACE_CUT:
		if (trace_reader_interrupted(in->reader))
			return "interrupted; only the part before that is shown";
		return "the file is cut short; only the part before that is shown";
	case TRACE_BROKEN:
		return "the file is damaged; only the part before that is shown";
	case TRACE_WHOLE:
		break;
	}
	return in->damaged || in->defs.damaged || in->defs.undefined ?
		       "the file is damaged; some of its chunks are left out" :
		       NULL;
}

/* --- a recording ------------------------------------------------------------ */

static void take_text(struct input *in, uint16_t type, const char *text)
{
	switch (type) {
	case TRACE_META:
		if (!in->meta)
			in->meta = xstrdup(text);
		break;
	case TRACE_END:
		free(in->end);
		in->end = xstrdup(text);
		break;
	case TRACE_KALLSYMS:
		names_add_kallsyms(in->names, text);
		break;
	case TRACE_MODULES:
		names_add_modules(in->names, text);
		break;
	case TRACE_MODULE_LOG:
		names_add_module_log(in->names, text);
		break;
	case TRACE_CODETAGS:
		names_add_codetags(in->names, text);
		break;
	case TRACE_CACHES:
		names_add_caches(in->names, text);
		break;
	case TRACE_CGROUPS:
		names_add_cgroups(in->names, text);
		break;
	case TRACE_GFP:
		names_add_gfp(in->names, text);
		break;
	}
}

/* Counts a damaged chunk. Return: 0 or -errno. */
static int read_text(struct input *in, const struct trace_chunk *chunk)
{
	const uint8_t *data;

	if (chunk->type == TRACE_STACKS)
		return 0; /* read with the records */
	if (chunk->type > TRACE_TYPE_LAST) {
		in->unknown++;
		return 0;
	}
	data = trace_reader_load(in->reader);
	if (data) {
		take_text(in, chunk->type, (const char *)data);
		return 0;
	}
	in->damaged++;
	return trace_reader_error(in->reader);
}

static void watch_chunk(struct input *in, const struct trace_chunk *chunk)
{
	if (in->hook.chunk)
		in->hook.chunk(in->hook.arg, in->reader, chunk);
}

/* Adds a chunk to an index with one sync, which has the times of all records. */
static void index_data(struct trace_index *x, const struct trace_chunk *chunk)
{
	static const struct trace_sync none;

	if (!chunk->raw_size)
		return;
	if (chunk->time_last) {
		if (!x->nr_syncs)
			trace_index_add_sync(x, &none);
		trace_sync_add_times(&x->syncs[0], chunk->time_first,
				     chunk->time_last);
	}
	trace_index_add_start(x, chunk->cpu, chunk->first_seq);
}

/* Without an index, the reader steps from chunk to chunk. */
static int hop(struct input *in)
{
	struct trace_chunk chunk;
	int err = 0;

	while (!err && trace_reader_next(in->reader, &chunk)) {
		if (chunk.type != TRACE_DATA)
			err = read_text(in, &chunk);
		else
			index_data(&in->index, &chunk);
	}
	return err ? err : trace_reader_error(in->reader);
}

static int read_indexed(struct input *in)
{
	uint64_t behind = 0;
	struct trace_chunk chunk;
	int err = 0;
	size_t i;

	/* read each byte at most once, even if the index is malicious */
	for (i = 0; !err && i < in->index.nr_texts; i++) {
		uint64_t offset = in->index.texts[i];

		trace_reader_seek(in->reader, offset);
		if (offset < behind ||
		    !trace_reader_next(in->reader, &chunk)) {
			in->damaged++;
			return trace_reader_error(in->reader);
		}
		err = read_text(in, &chunk);
		behind = offset + sizeof(chunk) + chunk.stored_size;
	}
	return err;
}

/*
 * The chunks before the first records of a stream. The first chunk with records stays the
 * current one.
 */
static int read_head(struct input *in)
{
	struct trace_chunk chunk;
	int err = 0;

	while (!err && trace_reader_next(in->reader, &chunk)) {
		*array_add(in->head, in->nr_head) = chunk;
		watch_chunk(in, &chunk);
		if (chunk.type == TRACE_DATA || chunk.type == TRACE_STACKS)
			return 0;
		err = read_text(in, &chunk);
	}
	return err ? err : trace_reader_error(in->reader);
}

/*
 * All texts are read before the records, because some texts are after the records that
 * they explain. This also determines the CPUs and the times of the recording.
 */
static int read_texts(struct input *in)
{
	int err;

	if (input_is_stream(in))
		return read_head(in);
	in->indexed = trace_reader_index(in->reader, &in->index);
	err = trace_reader_error(in->reader);
	if (!err)
		err = in->indexed ? read_indexed(in) : hop(in);
	trace_reader_rewind(in->reader);
	return err;
}

bool input_is_stream(const struct input *in)
{
	return in->reader && trace_reader_is_stream(in->reader);
}

bool input_span(const struct input *in, uint64_t *first, uint64_t *last)
{
	return trace_index_span(&in->index, first, last);
}

void input_limit(struct input *in, uint64_t first, uint64_t last)
{
	in->timed = true;
	in->first = first;
	in->last = last;
}

int input_next_chunk(struct input *in, struct trace_chunk *chunk)
{
	bool stream = input_is_stream(in);
	int err = 0;

	if (in->next_head < in->nr_head) {
		*chunk = in->head[in->next_head++];
		return 1;
	}
	if (!trace_reader_next(in->reader, chunk))
		return trace_reader_error(in->reader);
	if (stream)
		watch_chunk(in, chunk);
	if (stream && chunk->type != TRACE_DATA)
		err = read_text(in, chunk);
	return err ? err : 1;
}

/* --- input files ----------------------------------------------------------------- */

int input_explain(const struct input *in, int err)
{
	return msg_error("cannot read %s: %s",
			 in->reader ? in->failed : in->raw.failed,
			 strerror(-err));
}

static int open_recording(struct input *in, char **paths, size_t count, pid_t recorder)
{
	const char *why;
	uint64_t left_out;
	int err;

	if (count > 1) {
		msg_error("only one recording can be read at a time: %s is one already", paths[0]);
		return EXIT_USAGE;
	}
	in->reader = recorder < 0 ? trace_reader_open(paths[0], &why) :
				    trace_reader_follow(paths[0], recorder, &why);
	if (!in->reader)
		return msg_error("%s", why);
	in->swap = trace_reader_swapped(in->reader);
	in->failed = paths[0];
	err = read_texts(in);
	if (err)
		return input_explain(in, err);
	input_number(in->meta, "page_size", &in->page_size);
	if (input_number(in->meta, "left_out_damaged", &left_out))
		in->damaged += left_out;
	if (input_number(in->meta, "left_out_newer", &left_out))
		in->unknown += left_out;
	return EXIT_DONE;
}

static bool is_page_size(uint64_t n)
{
	return n >= 4096 && n <= 1 << 20 && !(n & (n - 1));
}

/* @recorder: -1: do not follow */
static int open_files(struct input *in, char **paths, size_t count, struct input_hook hook,
		      pid_t recorder)
{
	int ret;

	*in = (struct input){ .page_size = 4096, .hook = hook };
	in->names = names_create();
	ret = trace_reader_is_recording(paths[0]);
	if (ret < 0)
		ret = msg_error("cannot read %s: %s", source_name(paths[0]),
				strerror(-ret));
	else if (ret)
		ret = open_recording(in, paths, count, recorder);
	else
		ret = rawfiles_open(&in->raw, paths, count);
	if (!is_page_size(in->page_size))
		in->page_size = 4096;
	if (ret)
		input_close(in);
	return ret;
}

int input_open(struct input *in, char **paths, size_t count)
{
	return open_files(in, paths, count, (struct input_hook){ 0 }, -1);
}

int input_open_with(struct input *in, char **paths, size_t count, struct input_hook hook)
{
	return open_files(in, paths, count, hook, -1);
}

int input_follow(struct input *in, char **paths, size_t count, pid_t recorder)
{
	return open_files(in, paths, count, (struct input_hook){ 0 }, recorder);
}

void input_close(struct input *in)
{
	input_stop(in);
	merge_destroy(in->merge);
	stackdefs_exit(&in->defs);
	rawfiles_close(&in->raw);
	trace_index_exit(&in->index);
	if (in->reader)
		trace_reader_close(in->reader);
	if (in->names)
		names_destroy(in->names);
	free(in->meta);
	free(in->end);
	free(in->head);
}

/* --- all values of a record ----------------------------------------------- */

void extra_init(struct extra *e, const struct input *in)
{
	e->names = in->names;
}

void extra_take(struct extra *e, const struct merged *record)
{
	const struct kmt_event *ev = &record->ev;

	e->x.have = (ev->features & ~KMT_FEATURES_EXTRA) | KMT_GROUP_SEQ |
		    KMT_GROUP_CPU;
	if (ev->event_id == KMEMTRACE_EVENT_ALLOC)
		e->x.have |= KMT_GROUP_ALLOC;
	e->x.cpu = record->cpu;
	e->x.depth = 0;
	e->lacks = 0;
}

void extra_fetch(struct kmt_extra *x, struct kmt_event *ev, u32 need)
{
	struct extra *e = (struct extra *)x;
	u32 have = x->have;

	if ((need & ev->features & KMT_FEATURES_EXTRA) ||
	    (need & KMT_GROUP_SIZE)) {
		kmt_record_decode_extra(ev, false, x);
		x->have |= have;
		x->depth = interrupts_depth(names_interrupts(e->names), x->stack, x->depth);
	}
	if (need & KMT_GROUP_SIZE) {
		x->size = kmt_record_size(ev, ev->features) +
			  kmt_record_extra_size(x, ev->features);
		x->have |= KMT_GROUP_SIZE;
	}
	if (need & KMT_GROUP_CACHE_NAME && ev->features & KMT_FEATURE_CACHE) {
		x->cache_name = names_cache_find(e->names, ev->cache);
		if (x->cache_name)
			x->have |= KMT_GROUP_CACHE_NAME;
	}
	e->lacks |= need & ~x->have;
}
