// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/kallsyms.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/plural.h"
#include "base/pseudonym.h"
#include "base/textfile.h"
#include "kmt_record.h"
#include "trace/addrmap.h"
#include "trace/anonymize.h"
#include "trace/input.h"
#include "trace/modules.h"
#include "trace/names.h"
#include "trace/reader.h"
#include "trace/writer.h"

/* Numbers in texts from here on are addresses. No size is as large. */
#define ADDRESS_MIN (1ull << 32)
/* Negative numbers are addresses from this absolute value on. */
#define NEGATIVE_MIN (1 << 20)

/**
 * struct copy - a recording being copied
 * @how: what to remove
 * @reader: the recording
 * @writer: the copy
 * @names: names of the recording
 * @map: its addresses; NULL: keep them
 * @hashes: hashes of names; NULL: keep the names
 * @page_size: of the recorded machine
 * @record: the record being copied
 * @extra: the rest of the record
 * @damaged: number of damaged chunks, which are left out
 * @newer: number of chunks, and parts of records, that are unknown and left out
 * @lost: number of events that were lost during the recording
 * @has_end: the recording has its end
 * @has_meta: the recording has its description
 * @is_planned: the recording was read once
 * @is_temporary: the user did not name the copy
 * @err: 0, or -errno of reading
 * @write_err: 0, or -errno of writing
 */
struct copy {
	const struct anonymize *how;
	struct trace_reader *reader;
	struct trace_writer *writer;
	struct names *names;
	struct addrmap *map;
	struct pseudonyms *hashes;
	uint64_t page_size;
	struct kmt_event record;
	struct kmt_extra extra;
	uint64_t damaged;
	uint64_t newer;
	uint64_t lost;
	bool has_end;
	bool has_meta;
	bool is_planned;
	bool is_temporary;
	int err;
	int write_err;
};

static bool fail(struct copy *c, int err)
{
	if (!c->err)
		c->err = err;
	return false;
}

static const char *end_of(const char *line)
{
	return strchrnul(line, '\n');
}

static const char *next_line(const char *line)
{
	const char *end = end_of(line);

	return *end ? end + 1 : end;
}

/* --- the first reading: which addresses are there ---------------------------------- */

static bool swapped(const struct copy *c, const struct trace_chunk *chunk)
{
	return trace_reader_swapped(c->reader) &&
	       chunk->codec != TRACE_CODEC_COLUMNS;
}

/*
 * Calls @each for the records of a chunk. Records after one that is broken cannot be
 * found: the chunk counts as damaged.
 */
static void for_records(struct copy *c, const struct trace_chunk *chunk,
			const uint8_t *data,
			void (*each)(struct copy *c,
				     const struct kmt_decoded *dec, void *arg),
			void *arg)
{
	bool swap = swapped(c, chunk);
	struct kmt_decoded dec;
	size_t at = 0;

	while (at < chunk->raw_size) {
		int used = kmt_record_decode(data + at, chunk->raw_size - at,
					     swap, &c->record, &dec);

		if (used < 0) {
			c->damaged += !c->is_planned;
			return;
		}
		c->extra.depth = 0;
		if (!dec.unknown_id)
			kmt_record_decode_extra(&c->record, swap, &c->extra);
		each(c, &dec, arg);
		at += used;
	}
}

static void use_record(struct copy *c, const struct kmt_decoded *dec, void *arg)
{
	unsigned int i;

	(void)arg;
	c->newer += dec->unknown_id || dec->skipped_bytes;
	if (!c->map)
		return;
	addrmap_use(c->map, c->record.call_site);
	for (i = 0; i < c->extra.depth; i++)
		addrmap_use(c->map, c->extra.stack[i]);
}

static void add_names(struct names *names, uint16_t type, const char *text)
{
	switch (type) {
	case TRACE_KALLSYMS:
		names_add_kallsyms(names, text);
		return;
	case TRACE_MODULES:
		names_add_modules(names, text);
		return;
	case TRACE_MODULE_LOG:
		names_add_module_log(names, text);
		return;
	}
}

static void take_page_size(struct copy *c, const char *meta)
{
	const char *text = textfile_value(meta, "page_size", 9, '=');
	uint64_t size = text ? strtoull(text, NULL, 10) : 0;

	if (!(size & (size - 1)) && size >= 4096 && size <= 1 << 20)
		c->page_size = size;
}

static void count_unknown(struct copy *c, const char *line)
{
	for (; *line; line = next_line(line))
		c->newer += !metaline_is_known(line);
}

static bool use_chunk(struct copy *c, const struct trace_chunk *chunk,
		      const uint8_t *data)
{
	if (chunk->type == TRACE_META) {
		c->has_meta = true;
		take_page_size(c, (const char *)data);
	}
	if (chunk->type == TRACE_META || chunk->type == TRACE_END)
		count_unknown(c, (const char *)data);
	if (chunk->type == TRACE_END) {
		c->has_end = true;
		input_number((const char *)data, "lost_events", &c->lost);
	}
	if (chunk->type == TRACE_DATA)
		for_records(c, chunk, data, use_record, NULL);
	else if (c->map)
		add_names(c->names, chunk->type, (const char *)data);
	return true;
}

/* Calls @each for the chunks that can be read. Return: false with c->err set. */
static bool for_chunks(struct copy *c,
		       bool (*each)(struct copy *c,
				    const struct trace_chunk *chunk,
				    const uint8_t *data))
{
	struct trace_chunk chunk;
	const uint8_t *data;

	while (trace_reader_next(c->reader, &chunk)) {
		if (chunk.type == TRACE_INDEX || chunk.type == TRACE_TAIL)
			continue;
		if (chunk.type > TRACE_TYPE_LAST) {
			c->newer += !c->is_planned;
			continue;
		}
		data = trace_reader_load(c->reader);
		if (!data && trace_reader_error(c->reader))
			break;
		if (!data)
			c->damaged += !c->is_planned;
		else if (!each(c, &chunk, data))
			return false;
	}
	if (trace_reader_error(c->reader))
		return fail(c, trace_reader_error(c->reader));
	return true;
}

static void make_map(struct copy *c)
{
	c->names = names_create();
	c->map = addrmap_create(c->names);
}

/* New addresses depend on the names, some of which are at the end of the file. */
static bool anonymize_plan(struct copy *c)
{
	if (c->how->addresses)
		make_map(c);
	if (!for_chunks(c, use_chunk))
		return false;
	if (c->map)
		addrmap_assign(c->map, c->page_size);
	trace_reader_rewind(c->reader);
	c->is_planned = true;
	return true;
}

/* --- records ------------------------------------------------------------------------- */

static void change_addresses(struct copy *c)
{
	unsigned int i;
	uint64_t ptr;

	if (!c->map)
		return;
	addrmap_data(c->map, c->record.ptr, &ptr);
	c->record.ptr = ptr;
	c->record.call_site = addrmap_code(c->map, c->record.call_site);
	for (i = 0; i < c->extra.depth; i++)
		c->extra.stack[i] = addrmap_code(c->map, c->extra.stack[i]);
}

static void change_names(struct copy *c)
{
	const char *hash;

	if (!c->hashes || !(c->record.features & KMT_FEATURE_TASK))
		return;
	hash = pseudonym(c->hashes, c->extra.comm);
	memset(c->extra.comm, 0, sizeof(c->extra.comm));
	memcpy(c->extra.comm, hash, strlen(hash));
}

/* Only the start of an unknown record is known: the rest is left out. */
static size_t put_unknown(const struct copy *c, uint8_t *to)
{
	struct kmemtrace_event *rec = (void *)to;

	*rec = (struct kmemtrace_event){
		.event_id = c->record.event_id,
		.type_id = c->record.type_id,
		.event_size = sizeof(*rec),
		.seq_num = c->record.seq,
	};
	return sizeof(*rec);
}

/* The new record is not longer: it lacks what is unknown. */
static void anonymize_put_record(struct copy *c, const struct kmt_decoded *dec, void *arg)
{
	uint8_t **to = arg;
	size_t core, size;
	u32 features = c->record.features;

	if (dec->unknown_id) {
		*to += put_unknown(c, *to);
		return;
	}
	change_addresses(c);
	change_names(c);
	core = kmt_record_size(&c->record, features);
	size = core + kmt_record_extra_size(&c->extra, features);
	kmt_record_encode(*to, size, &c->record, features);
	kmt_record_encode_extra(*to + core, &c->extra, features);
	*to += size;
}

static bool written(struct copy *c, int err)
{
	c->write_err = err;
	return !err;
}

static bool put_data(struct copy *c, const struct trace_chunk *chunk,
		     const uint8_t *data)
{
	uint8_t *records = xmalloc(chunk->raw_size + 1), *end = records;
	bool complete = chunk->flags & TRACE_CHUNK_COMPLETE;
	int err;

	for_records(c, chunk, data, anonymize_put_record, &end);
	err = trace_writer_data(c->writer, chunk->cpu,
				end > records ? records : NULL, end - records,
				chunk->mark, complete);
	free(records);
	return written(c, err);
}

/* --- texts --------------------------------------------------------------------------- */

/* Prints a symbol that is needed, at its new address. */
static void print_symbol(const struct copy *c, FILE *out, const char *line)
{
	struct symbol s;

	if (!kallsyms_parse(line, end_of(line), &s) ||
	    !addrmap_keeps(c->map, s.addr))
		return;
	fprintf(out, "%016" PRIx64 " t %.*s", addrmap_start(c->map, s.addr),
		s.name_len, s.name);
	if (s.module)
		fprintf(out, "\t[%.*s]", s.module_len, s.module);
	fputc('\n', out);
}

static void print_kallsyms(struct copy *c, FILE *out, const char *text)
{
	for (; *text; text = next_line(text))
		print_symbol(c, out, text);
}

/* "NAME SIZE ADDRESS [BUILD_ID]" */
static void print_modules(struct copy *c, FILE *out, const char *text)
{
	char name[64], rest[128];
	uint64_t size, start;

	for (; *text; text = next_line(text)) {
		rest[0] = '\0';
		if (textfile_scan(text, "%63s %" SCNu64 " %" SCNx64 "%127[^\n]",
				  name, &size, &start, rest) >= 3 &&
		    addrmap_range_is_used(c->map, start, size))
			fprintf(out, "%s %" PRIu64 " 0x%" PRIx64 "%s\n", name,
				size, addrmap_start(c->map, start), rest);
	}
}

/* "module NAME FROM LIVE TO TEXT SIZE INIT SIZE", followed by symbols of the module */
static bool print_visit(const struct copy *c, FILE *out, const char *line)
{
	char name[64], from[12], live[12], to[12];
	struct module_range text, init;

	if (textfile_scan(line,
			  "module %63s %11s %11s %11s %" SCNx64 " %" SCNu64
			  " %" SCNx64 " %" SCNu64,
			  name, from, live, to, &text.start, &text.size,
			  &init.start, &init.size) != 8 ||
	    !(addrmap_range_is_used(c->map, text.start, text.size) ||
	      addrmap_range_is_used(c->map, init.start, init.size)))
		return false;
	fprintf(out,
		"module %s %s %s %s 0x%" PRIx64 " %" PRIu64 " 0x%" PRIx64
		" %" PRIu64 "\n",
		name, from, live, to, addrmap_start(c->map, text.start),
		text.size, addrmap_start(c->map, init.start), init.size);
	return true;
}

static void print_module_log(struct copy *c, FILE *out, const char *text)
{
	bool is_used = false;

	for (; *text; text = next_line(text)) {
		if (!strncmp(text, "module ", 7))
			is_used = print_visit(c, out, text);
		else if (is_used)
			print_symbol(c, out, text);
	}
}

/* "0xADDRESS FILE:LINE FUNCTION" */
static void print_codetags(struct copy *c, FILE *out, const char *text)
{
	for (; *text; text = next_line(text)) {
		char *rest;
		uint64_t addr = strtoull(text, &rest, 16);

		if (addrmap_is_used(c->map, addr))
			fprintf(out, "0x%" PRIx64 "%.*s\n",
				addrmap_code(c->map, addr),
				(int)(end_of(rest) - rest), rest);
	}
}

/* Prints a line that ends with a path, which has the names of services, users and containers. */
static void print_path(struct copy *c, FILE *out, const char *line)
{
	const char *end = end_of(line), *at = memchr(line, '/', end - line);
	char *path = at ? xstrndup(at, end - at) : NULL;

	if (path && at + 1 < end)
		fprintf(out, "%.*s/%s\n", (int)(at - line), line, pseudonym(c->hashes, path));
	else if (path)
		fprintf(out, "%.*s\n", (int)(end - line), line);
	free(path);
}

/* "ID STATE PAGES PATH" */
static void print_cgroups(struct copy *c, FILE *out, const char *text)
{
	for (; *text; text = next_line(text))
		print_path(c, out, text);
}

/* Return: the end of a value in a condition: a text in quotes, or a word. */
static const char *value_end(const char *at, const char *end)
{
	const char *stop = *at == '"' || *at == '\'' ?
				   memchr(at + 1, *at, end - at - 1) :
				   NULL;

	if (stop)
		return stop + 1;
	while (at < end && !strchr(" \t\v\f\r&|)", *at))
		at++;
	return at;
}

/* Return: the start of the value in "comm == VALUE"; NULL if @at is something else. */
static const char *comm_value(const char *at, const char *end, char before)
{
	if (isalnum((unsigned char)before) || before == '_' ||
	    end - at < 4 || strncasecmp(at, "comm", 4))
		return NULL;
	at += 4;
	if (!strncmp(at, ".ustring", 8))
		at += 8;
	at += strspn(at, " \t\v\f\r");
	if (!strspn(at, "=!~"))
		return NULL;
	at += strspn(at, "=!~");
	at += strspn(at, " \t\v\f\r");
	return at < end ? at : NULL;
}

/* Prints "comm == HASH". Return: the end of the condition. */
static const char *print_comm(struct copy *c, FILE *out, const char *at,
			      const char *value, const char *end)
{
	const char *stop = value_end(value, end), *hash;
	bool quoted = *value == '"' || *value == '\'';
	char *name = xstrndup(value + quoted, stop - value - 2 * quoted);

	hash = pseudonym(c->hashes, name);
	free(name);
	fprintf(out, "%.*s\"%s\"", (int)(value - at), at, hash);
	return stop;
}

/* Return: a number, to which a unit may be appended, as in filters: 4K. */
static uint64_t with_unit(const char *at, const char *end)
{
	static const char units[] = "KMGTPE";
	char *unit;
	uint64_t value = strtoull(at, &unit, 0);
	const char *found = unit < end ? strchr(units, toupper((unsigned char)*unit)) :
					 NULL;

	return found ? value << (10 * (found - units + 1)) : value;
}

/* Prints another number for one that is an address. */
static void print_address(struct copy *c, FILE *out, uint64_t value,
			  const char *at, const char *end)
{
	if (!c->map || value < ADDRESS_MIN) {
		fprintf(out, "%.*s", (int)(end - at), at);
		return;
	}
	addrmap_any(c->map, value, &value);
	fprintf(out, "0x%" PRIx64, value);
}

/* A number near 0, such as -1, is no address. */
static void print_number(struct copy *c, FILE *out, const char *at,
			 const char *end)
{
	uint64_t value = with_unit(at, end);

	print_address(c, out, *at == '-' && -value < NEGATIVE_MIN ? 0 : value,
		      at, end);
}

/* A filter may have an address as a signed number. */
static bool is_negative(const char *at, char before)
{
	return at[0] == '-' && isdigit((unsigned char)at[1]) &&
	       !isalnum((unsigned char)before);
}

/* Return: whether a word of a command is an address without 0x. */
static bool is_bare_hex(const char *at, const char *end)
{
	size_t len = strspn(at, "0123456789abcdefABCDEF");

	return len == (size_t)(end - at) && len > 8 && len <= 16 &&
	       strcspn(at, "abcdefABCDEF") < len;
}

static const char *print_word(struct copy *c, FILE *out, const char *at,
			      const char *end, char before)
{
	const char *value = c->hashes ? comm_value(at, end, before) : NULL;
	const char *start = at + is_negative(at, before), *stop = start;

	/* any text may be the name of a process: its field may have an unknown form */
	if (c->hashes && (*at == '"' || *at == '\''))
		value = at;
	if (value)
		return print_comm(c, out, at, value, end);
	/* an address may follow other letters: -a0xffffffff81000000 */
	while (stop < end && isalnum((unsigned char)*stop) &&
	       (stop == start || strncasecmp(stop, "0x", 2)))
		stop++;
	if (is_bare_hex(start, stop)) {
		print_address(c, out, strtoull(start, NULL, 16), at, stop);
		return stop;
	}
	if (isdigit((unsigned char)*start)) {
		print_number(c, out, at, stop);
		return stop;
	}
	stop += stop == at;
	fprintf(out, "%.*s", (int)(stop - at), at);
	return stop;
}

/* Prints conditions, or the words of a command, with other addresses and names. */
static void print_words(struct copy *c, FILE *out, const char *at,
			const char *end)
{
	char before = ' ';

	while (at < end) {
		at = print_word(c, out, at, end, before);
		before = at[-1];
	}
}

/* Prints "KEY=HASH" for a line "KEY=VALUE". */
static void print_hash(struct copy *c, FILE *out, const char *line,
		       const char *value, const char *end)
{
	char *text = xstrndup(value, end - value);

	fprintf(out, "%.*s%s\n", (int)(value - line), line,
		pseudonym(c->hashes, text));
	free(text);
}

static void print_meta_line(struct copy *c, FILE *out, const char *line)
{
	static const char *const named[] = { "hostname", "command", NULL };
	static const char *const worded[] = { "filter", "trigger", "command", NULL };
	const char *end = end_of(line), *value = memchr(line, '=', end - line);

	/* the addresses are not those of this boot; a boot identifies a machine */
	if (metaline_has_key(line, "boot_id") || !metaline_is_known(line))
		return;
	if (c->hashes && metaline_has_one_of(line, named)) {
		print_hash(c, out, line, value + 1, end);
	} else if (metaline_has_one_of(line, worded)) {
		print_words(c, out, line, end);
		fputc('\n', out);
	} else {
		fprintf(out, "%.*s\n", (int)(end - line), line);
	}
}

static void print_meta(struct copy *c, FILE *out, const char *text)
{
	for (; *text; text = next_line(text))
		print_meta_line(c, out, text);
	if (c->map)
		fputs("addresses=replaced\n", out);
	if (c->hashes)
		fputs("process_names=hashed\n", out);
	if (c->damaged)
		fprintf(out, "left_out_damaged=%" PRIu64 "\n", c->damaged);
	if (c->newer)
		fprintf(out, "left_out_newer=%" PRIu64 "\n", c->newer);
}

static void print_end(struct copy *c, FILE *out, const char *text)
{
	static const char *const with_path[] = { "held_files", "start_held_files", "held_backlogs",
						 "start_held_backlogs", NULL };

	for (; *text; text = next_line(text)) {
		if (!metaline_is_known(text))
			continue;
		if (c->hashes && metaline_has_one_of(text, with_path))
			print_path(c, out, text);
		else
			fprintf(out, "%.*s\n", (int)(end_of(text) - text), text);
	}
}

static void anonymize_print_text(struct copy *c, FILE *out, uint16_t type,
				 const char *text)
{
	if (type == TRACE_META)
		print_meta(c, out, text);
	else if (type == TRACE_END)
		print_end(c, out, text);
	else if (c->map && type == TRACE_KALLSYMS)
		print_kallsyms(c, out, text);
	else if (c->map && type == TRACE_MODULES)
		print_modules(c, out, text);
	else if (c->map && type == TRACE_MODULE_LOG)
		print_module_log(c, out, text);
	else if (c->map && type == TRACE_CODETAGS)
		print_codetags(c, out, text);
	else if (c->hashes && type == TRACE_CGROUPS)
		print_cgroups(c, out, text);
	else
		fputs(text, out);
}

static bool anonymize_put_text(struct copy *c, const struct trace_chunk *chunk,
			       const char *data)
{
	struct memtext text;
	FILE *out = memtext_open(&text);
	size_t size;
	char *new;
	int err;

	anonymize_print_text(c, out, chunk->type, data);
	new = memtext_close(&text, &size);
	err = trace_writer_text(c->writer, chunk->type, new, size);
	free(new);
	return written(c, err);
}

static bool put_chunk(struct copy *c, const struct trace_chunk *chunk,
		      const uint8_t *data)
{
	if (chunk->type == TRACE_STACKS)
		return true; /* the writer makes others */
	if (chunk->type == TRACE_DATA)
		return put_data(c, chunk, data);
	return anonymize_put_text(c, chunk, (const char *)data);
}

/* A copy without its description tells what is left out, too. */
static bool put_meta(struct copy *c)
{
	const struct trace_chunk chunk = { .type = TRACE_META };

	return c->has_meta || anonymize_put_text(c, &chunk, "");
}

/* --- the copy ------------------------------------------------------------------------ */

static void show_left_out(const struct copy *c)
{
	if (c->lost)
		msg_note("LOST %" PRIu64 " event%s during the recording", c->lost,
			 plural(c->lost));
	if (!c->has_end)
		msg_note("the recording is cut short, and so is its copy");
	if (c->damaged)
		msg_note("%" PRIu64 " damaged part%s left out: the records there count as lost",
			 c->damaged, plural_is(c->damaged));
	if (c->newer)
		msg_note("%" PRIu64 " part%s left out that this version does not know",
			 c->newer, plural_is(c->newer));
}

static int advise(const struct copy *c)
{
	if (c->is_temporary)
		msg_note("that is a temporary copy: set TMPDIR to a place with more room");
	return EXIT_FAILED;
}

/* Reads the recording a second time. */
static int write_copy(struct copy *c, const char *to)
{
	bool is_done;

	if (trace_writer_create(to, &c->writer))
		return EXIT_FAILED;
	is_done = put_meta(c) && for_chunks(c, put_chunk);
	/* with a copy, the function prints its errors */
	if (trace_writer_destroy(c->writer, is_done) && is_done)
		return advise(c);
	if (c->write_err == -EPIPE)
		return EXIT_FAILED;
	if (c->write_err) {
		msg_error("cannot write %s: %s", to, strerror(-c->write_err));
		return advise(c);
	}
	if (!is_done)
		return EXIT_FAILED;
	show_left_out(c);
	return c->lost || c->damaged || !c->has_end ? EXIT_LOST : EXIT_DONE;
}

static int copy(struct copy *c, const char *from, const char *to)
{
	int ret = anonymize_plan(c) ? write_copy(c, to) : EXIT_FAILED;

	if (c->err)
		return msg_error("cannot read %s: %s", from, strerror(-c->err));
	return ret;
}

static int make_copy(const struct anonymize *how, const char *from, const char *to,
		     bool is_temporary)
{
	struct copy c = { .how = how, .page_size = 4096,
			  .is_temporary = is_temporary };
	const char *why;
	int ret;

	if (source_is_stream(from))
		return msg_error("%s is read twice to replace addresses or names, which a pipe does not allow: save it to a file first",
				 from);
	c.reader = trace_reader_open(from, &why);
	if (!c.reader)
		return msg_error("%s", why);
	ret = how->names ? pseudonyms_create(how->key, &c.hashes) : EXIT_DONE;
	if (!ret)
		ret = copy(&c, from, to);
	pseudonyms_destroy(c.hashes);
	addrmap_destroy(c.map);
	if (c.names)
		names_destroy(c.names);
	trace_reader_close(c.reader);
	return ret;
}

int anonymize_temporary(const struct anonymize *how, const char *from,
			const char *to)
{
	return make_copy(how, from, to, true);
}

int anonymize_recording(const struct anonymize *how, const char *from,
			const char *to)
{
	return make_copy(how, from, to, false);
}
