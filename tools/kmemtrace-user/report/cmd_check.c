// SPDX-License-Identifier: GPL-2.0-only
/*
 * The check has two passes. The first pass reads the records in the order of the file. It
 * checks each record and the order of the records of each CPU, and reports the place of a
 * violation. The second pass reads the records in the order of their sequence numbers. It
 * checks that each event was either recorded or counted as lost. A stream can be read only
 * once, so each chunk of it is checked when the second pass reads it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cmdline.h"
#include "base/die.h"
#include "base/json.h"
#include "base/msg.h"
#include "base/plural.h"
#include "command.h"
#include "report/losses.h"
#include "report/named.h"
#include "trace/input.h"

#define SHOWN_MAX 100

static const struct {
	uint32_t bit;
	const char *text;
} bad_texts[] = {
	{ KMT_BAD_BYTES_REQ, "an allocation of 0 bytes" },
	{ KMT_BAD_BYTES_ALLOC, "fewer bytes allocated than requested" },
	{ KMT_BAD_FEATURE_SIZE, "a feature runs past the record" },
	{ KMT_BAD_FEATURE_SHORT, "a feature is too short for its id" },
	{ KMT_BAD_FEATURE_ORDER, "features are not in the order of their ids" },
	{ KMT_BAD_FREE_NULL, "a free of NULL" },
};

/* results so far */
struct check {
	uint64_t violations;	/* number of violations */
	uint64_t records;	/* number of records checked */
	uint64_t bytes;		/* bytes of @records */
	json_t *shown;		/* with --json, the violations that text would print; NULL: text */
	/* with --json, the values that text would print in sentences; NULL: text */
	json_t *facts;
	/* for each CPU, the sequence number of its last record, if there is one */
	struct cpu {
		uint32_t cpu;
		uint32_t seq;
		bool seen;
	} *cpus;
	size_t nr_cpus;		/* number of elements of @cpus */
};

static void put_violation(struct check *c, const char *text)
{
	if (c->shown)
		json_array_append_new(c->shown, json_string(text));
	else
		puts(text);
}

static void __attribute__((format(printf, 2, 3)))
violation(struct check *c, const char *format, ...)
{
	va_list args;
	char *text;

	if (c->violations++ >= SHOWN_MAX)
		return;
	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	put_violation(c, text);
	free(text);
	if (c->violations == SHOWN_MAX && !c->shown)
		puts("(further violations are only counted)");
}

/* Return: whether the caller must print the fact as text: there is no --json. */
static bool add_fact(struct check *c, const char *key, uint64_t value)
{
	if (c->facts)
		json_object_set_new(c->facts, key, json_integer(value));
	return !c->facts;
}

static struct cpu *find_cpu(struct check *c, uint32_t cpu)
{
	struct cpu *new;
	size_t i;

	for (i = 0; i < c->nr_cpus; i++)
		if (c->cpus[i].cpu == cpu)
			return &c->cpus[i];
	new = array_add(c->cpus, c->nr_cpus);
	*new = (struct cpu){ .cpu = cpu };
	return new;
}

/* place of a piece of a stream, for messages */
struct place {
	const char *name;	/* name of the file */
	uint64_t offset;	/* offset of the piece; with @in_chunk, offset of its chunk */
	bool in_chunk;		/* offsets of records are relative to the decompressed chunk */
};

static void place_text(const struct place *at, size_t pos, char *to,
		       size_t size)
{
	if (at->in_chunk)
		snprintf(to, size, "%s: chunk at %" PRIu64 ", byte %zu",
			 at->name, at->offset, pos);
	else
		snprintf(to, size, "%s: byte %" PRIu64, at->name,
			 at->offset + pos);
}

static void check_record(struct check *c, const struct place *at, size_t pos,
			 struct cpu *cpu, const struct kmt_event *ev,
			 const struct kmt_decoded *dec)
{
	char where[512];
	size_t i;

	place_text(at, pos, where, sizeof(where));
	for (i = 0; i < sizeof(bad_texts) / sizeof(bad_texts[0]); i++)
		if (dec->bad & bad_texts[i].bit)
			violation(c, "%s: CPU %u: record %d: %s", where,
				  cpu->cpu, (int32_t)ev->seq,
				  bad_texts[i].text);
	if (cpu->seen && (int32_t)(ev->seq - cpu->seq) <= 0)
		violation(c, "%s: CPU %u: record %d comes after record %d",
			  where, cpu->cpu, (int32_t)ev->seq,
			  (int32_t)cpu->seq);
	cpu->seen = true;
	cpu->seq = ev->seq;
}

static void check_piece(struct check *c, const struct place *at,
			uint32_t number, const uint8_t *data, size_t size,
			bool swap)
{
	struct cpu *cpu = find_cpu(c, number);
	struct kmt_decoded dec;
	struct kmt_event ev;
	char where[512];
	size_t pos = 0;
	int used;

	while (pos < size) {
		/* a recording has no compact records */
		used = at->in_chunk ? kmt_record_decode(data + pos, size - pos,
							swap, &ev, &dec) :
				      kmt_record_decode_any(data + pos,
							    size - pos, swap,
							    &ev, &dec);
		if (used < 0) {
			place_text(at, pos, where, sizeof(where));
			violation(c, "%s: CPU %u: %s", where, number,
				  used == KMT_RECORD_CUT ?
					  "a record is cut short" :
					  "event_size is too small; the rest cannot be read");
			return;
		}
		check_record(c, at, pos, cpu, &ev, &dec);
		c->records++;
		c->bytes += used;
		pos += used;
	}
}

/* --- recordings and raw files ----------------------------------------------- */

/* the first pass over a recording */
struct pass {
	struct check *c;	/* the check */
	const char *path;	/* the file */
};

static void check_chunk(void *arg, struct trace_reader *r,
			const struct trace_chunk *chunk)
{
	const struct pass *pass = arg;
	struct place at = { pass->path, trace_reader_offset(r), true };
	const uint8_t *data;

	if (chunk->type > TRACE_TYPE_LAST)
		return;
	data = trace_reader_load(r);
	if (trace_reader_error(r))
		return;
	if (!data)
		violation(pass->c, "%s: chunk at %" PRIu64 " is damaged",
			  pass->path, at.offset);
	else if (chunk->type == TRACE_DATA && chunk->raw_size)
		check_piece(pass->c, &at, chunk->cpu, data, chunk->raw_size,
			    trace_reader_swapped(r));
}

static void check_ending(struct check *c, const char *path,
			 const struct trace_reader *r)
{
	if (trace_reader_undefined(r))
		violation(c, "%s: %" PRIu64 " time%s, a chunk refers to a stack that is not defined before it",
			  path, trace_reader_undefined(r),
			  plural(trace_reader_undefined(r)));
	if (trace_reader_end(r) == TRACE_BROKEN)
		violation(c, "%s: byte %" PRIu64 ": this is not a chunk; the rest cannot be read",
			  path, trace_reader_offset(r));
	else if (trace_reader_end(r) == TRACE_CUT)
		violation(c, "%s: the file is cut short, at byte %" PRIu64,
			  path, trace_reader_size(r));
}

static int check_recording(struct check *c, const char *path)
{
	struct pass pass = { c, path };
	struct trace_chunk chunk;
	struct trace_reader *r;
	const char *why;
	int err;

	r = trace_reader_open(path, &why);
	if (!r)
		return msg_error("%s", why);
	while (!trace_reader_error(r) && trace_reader_next(r, &chunk))
		check_chunk(&pass, r, &chunk);
	err = trace_reader_error(r);
	if (err)
		msg_error("cannot read %s: %s", path, strerror(-err));
	else
		check_ending(c, path, r);
	trace_reader_close(r);
	return err ? EXIT_FAILED : EXIT_DONE;
}

static int check_raw(struct check *c, const char *path, uint32_t cpu,
		     bool swap)
{
	struct place at = { path, 0, false };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *data = MAP_FAILED;
	bool failed = fd < 0;
	struct stat st;

	if (!failed)
		failed = fstat(fd, &st);
	if (!failed && st.st_size) {
		data = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		failed = data == MAP_FAILED;
	}
	if (failed)
		msg_error("cannot read %s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	if (failed)
		return EXIT_FAILED;
	if (data != MAP_FAILED) {
		check_piece(c, &at, cpu, data, st.st_size, swap);
		munmap(data, st.st_size);
	}
	return EXIT_DONE;
}

/* --- missing events ----------------------------------------------------------- */

/*
 * Numbers below seq_whole may be missing, because their records were overwritten. From
 * seq_whole on, each number must have a record, or an event was lost. A snapshot
 * exchanges the buffers. At that moment, each CPU may have taken a number without having
 * written the record.
 */
static void check_kept(struct check *c, const struct input *in)
{
	const struct merge_stats *s = merge_stats(in->merge);
	bool snapshot = !strcmp(input_kept(in), "snapshot");
	uint64_t lost = 0, kept, cpus = 0, whole, exchanged;

	if (!input_number(in->end, "seq_whole", &whole))
		return;
	if (input_number(in->end, "records", &kept) && kept != c->records)
		violation(c, "%" PRIu64 " record%s saved, but there: %" PRIu64,
			  kept, plural_was(kept), c->records);
	input_number(in->end, "lost_events", &lost);
	if (input_number(in->end, "exchanged", &exchanged) && exchanged)
		input_number(in->meta, "cpus", &cpus);
	if (!input_partial(in) && s->missing > lost + 2 * cpus)
		violation(c, "%" PRIu64 " number%s missing from number %" PRIu64 " on, where nothing was overwritten",
			  s->missing, plural_is(s->missing), whole);
	if (c->facts)
		json_object_set_new(c->facts, "kept",
				    json_string(input_kept(in)));
	if (add_fact(c, "seq_whole", whole))
		printf("%s: %" PRIu64 " record%s kept; nothing overwritten from number %" PRIu64 " on\n",
		       snapshot ? "snapshot" : "flight recorder", c->records,
		       plural(c->records), whole);
}

static void check_losses(struct check *c, const struct input *in)
{
	const struct merge_stats *s = merge_stats(in->merge);
	uint64_t start, end, made, lost;

	if (s->backwards)
		violation(c, "%" PRIu64 " record%s with a number that another CPU's record has as well, or too late",
			  s->backwards, plural(s->backwards));
	if (input_kept(in)) {
		check_kept(c, in);
		return;
	}
	if (!input_number(in->meta, "seq_start", &start) ||
	    !input_number(in->end, "seq_end", &end) ||
	    !input_number(in->end, "lost_events", &lost) || input_partial(in))
		return;
	/* sequence numbers have 32 bits, so they give the number of events modulo 2^32 */
	made = c->records + lost;
	add_fact(c, "lost_events", lost);
	if (input_snapshots(in)) {
		if (s->missing < lost)
			violation(c, "missing numbers: %" PRIu64 ", but lost events: %" PRIu64,
				  s->missing, lost);
		if (add_fact(c, "snapshots", input_snapshots(in)))
			printf("a snapshot took events during the recording: %" PRIu64
			       " number%s missing, %" PRIu64 " of them lost events\n",
			       s->missing, plural_is(s->missing), lost);
		return;
	}
	made += (int32_t)((uint32_t)(end - start) - (uint32_t)made);
	add_fact(c, "events", made);
	if (c->records + lost != made)
		violation(c, "%" PRIu64 " event%s made, but %" PRIu64 " recorded and %" PRIu64 " lost",
			  made, plural_was(made), c->records, lost);
	else if (s->missing != lost)
		violation(c, "missing numbers: %" PRIu64 ", but lost events: %" PRIu64,
			  s->missing, lost);
	else if (!c->facts)
		printf("%" PRIu64 " event%s made = %" PRIu64
		       " recorded + %" PRIu64 " lost\n",
		       made, plural(made), c->records, lost);
}

static int check_all(struct check *c, struct input *in, char **paths,
		     size_t count)
{
	size_t i;
	int ret = EXIT_DONE;

	if (input_is_stream(in)) {
		/* check_chunk() is called while the records are read below */
	} else if (in->reader) {
		ret = check_recording(c, paths[0]);
	} else {
		for (i = 0; !ret && i < count; i++)
			ret = check_raw(c, paths[i], rawfiles_cpu(&in->raw, i),
					in->raw.swap);
	}
	if (!ret)
		ret = input_begin(in, false);
	if (ret)
		return ret;
	while (input_next(in))
		;
	if (in->err)
		return EXIT_FAILED;
	if (input_is_stream(in))
		check_ending(c, paths[0], in->reader);
	check_losses(c, in);
	return EXIT_DONE;
}

static void check_print_totals(const struct check *c, const struct input *in)
{
	const struct merge_stats *s = merge_stats(in->merge);

	printf("%" PRIu64 " record%s, %" PRIu64 " byte%s, %zu CPU%s, %" PRIu64
	       " missing in %" PRIu64 " gap%s\n",
	       c->records, plural(c->records), c->bytes, plural(c->bytes), c->nr_cpus,
	       plural(c->nr_cpus), s->missing, s->gaps, plural(s->gaps));
	if (losses_skipped(in))
		puts(losses_skipped(in));
	printf("%" PRIu64 " violation%s\n", c->violations, plural(c->violations));
}

static int check_print_json(struct check *c, const struct input *in)
{
	const struct merge_stats *s = merge_stats(in->merge);

	add_fact(c, "records", c->records);
	add_fact(c, "bytes", c->bytes);
	add_fact(c, "cpus", c->nr_cpus);
	add_fact(c, "missing", s->missing);
	add_fact(c, "gaps", s->gaps);
	add_fact(c, "unknown_records", s->unknown);
	add_fact(c, "unknown_features", s->skipped_features);
	add_fact(c, "violations", c->violations);
	json_object_update_new(c->facts, json_pack("{s:s*,s:O}", "skipped", losses_skipped(in),
						   "first_violations", c->shown));
	return json_print(json_incref(c->facts));
}

static int cmd_check_run(struct check *c, struct input *in, char **paths, size_t count)
{
	int ret = check_all(c, in, paths, count);

	if (ret)
		return ret;
	if (c->facts)
		ret = check_print_json(c, in);
	else
		check_print_totals(c, in);
	if (ret)
		return ret;
	return c->violations ? EXIT_FAILED : losses_exit(in);
}

static int open_and_run(struct check *c, struct pass *pass,
			const struct named *named)
{
	const struct input_hook hook = { .chunk = check_chunk, .arg = pass };
	struct input in;
	int ret;

	ret = input_open_with(&in, named->paths, named->count, hook);
	if (ret)
		return ret;
	ret = cmd_check_run(c, &in, named->paths, named->count);
	input_close(&in);
	return ret;
}

const struct options cmd_check_options = {
	.command = "check",
	.synopsis = (const char *const[]){ "[--json] [FILE]", "[--json] cpu0.out cpu1.out...", NULL },
	.about = "Validates a recording, or raw cpu<n> files, against the record ABI: prints each violation with its place, then totals. The exit status is 1 if there is a violation, else 3 if events were lost.",
	.rows = option_json_rows,
	.operands = "files",
};

int cmd_check(int argc, char **argv)
{
	bool json = false;
	struct cmdline line = cmdline_parse(&cmd_check_options, argc, argv, &json);
	struct check c = { 0 };
	struct pass pass = { .c = &c };
	struct named named;
	int ret;

	if (line.is_over)
		return line.ret;
	ret = named_find(&named, line.words, line.count);
	if (ret)
		return ret;
	if (json) {
		c.facts = json_object();
		c.shown = json_array();
	}
	pass.path = named.paths[0];
	ret = open_and_run(&c, &pass, &named);
	json_decref(c.facts);
	json_decref(c.shown);
	free(c.cpus);
	return ret;
}
