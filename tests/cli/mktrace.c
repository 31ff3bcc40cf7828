// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a recording, or a raw cpu<n> file, from a description on stdin.
 *
 *   mktrace little|big|raw-little|raw-big <DESCRIPTION >FILE
 *
 * It has its own encoder for the formats, and shares no code with the tool. So the tests
 * also find an error that the tool's encoder and decoder have in common.
 *
 * A description consists of lines; # starts a comment:
 *
 *   version N              version of the format; must come first
 *   text TYPE              a chunk of text: the lines up to a line "."
 *   data CPU [mark=N] [zstd] [codec=N] [damaged]
 *                          a chunk of records, up to a line "."; codec: number of the
 *                          compression in its header; damaged: its checksum is wrong.
 *                          A chunk of text can have the same options
 *   alloc TYPE SEQ PTR SITE REQ ALLOC GFP NODE [FEATURE]...
 *   free TYPE SEQ PTR SITE [FEATURE]...
 *   hex BYTES              these bytes, unchanged
 *
 * TYPE of a record and ids are numbers; FEATURE is time=NS, cache=ID,
 * page=ORDER:MIGRATETYPE, task=PID:TGID:CONTEXT:PREEMPT_COUNT:COMM (\xNN is a byte), cgroup=ID,
 * stack=ADDRESS[:ADDRESS]... or ID=hex:BYTES.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

struct buf {
	uint8_t data[1 << 20];
	size_t size;
};

static bool big;
static unsigned int line_number;

static void fail(const char *what)
{
	fprintf(stderr, "mktrace: line %u: %s\n", line_number, what);
	exit(1);
}

static void put(struct buf *b, uint64_t value, unsigned int bytes)
{
	unsigned int i;

	if (b->size + bytes > sizeof(b->data))
		fail("too long");
	for (i = 0; i < bytes; i++)
		b->data[b->size++] =
			value >> 8 * (big ? bytes - 1 - i : i);
}

static void put_hex(struct buf *b, const char *hex)
{
	unsigned int byte;

	for (; sscanf(hex, "%2x", &byte) == 1; hex += 2)
		put(b, byte, 1);
}

static uint64_t number(void)
{
	const char *word = strtok(NULL, " \t\n");

	if (!word)
		fail("a number is missing");
	return strtoull(word, NULL, 0);
}

static void put_task(struct buf *b, const char *text)
{
	int pid, tgid, context, preempt_count;
	char written[64], *at = written, comm[16] = "";
	size_t i;

	if (sscanf(text, "%i:%i:%i:%i:%63s", &pid, &tgid, &context,
		   &preempt_count, written) != 5)
		fail("what task is this?");
	for (i = 0; *at && i < 15; i++, at++) {
		comm[i] = *at;
		if (at[0] == '\\' && at[1] == 'x')
			comm[i] = strtoul((char[]){ at[2], at[3], 0 }, NULL, 16), at += 3;
	}
	put(b, 29, 2);
	put(b, 4, 1);
	put(b, pid, 4);
	put(b, tgid, 4);
	put(b, context, 1);
	put(b, preempt_count, 1);
	for (i = 0; i < 16; i++)
		put(b, comm[i], 1);
}

static void put_stack(struct buf *b, const char *text)
{
	struct buf callers = { .size = 0 };
	char *end;

	for (; *text; text = *end ? end + 1 : end)
		put(&callers, strtoull(text, &end, 0), 8);
	put(b, 3 + callers.size, 2);
	put(b, 6, 1);
	memcpy(b->data + b->size, callers.data, callers.size);
	b->size += callers.size;
}

static void put_feature(struct buf *b, const char *text)
{
	const char *value = strchr(text, '=');
	struct buf bytes = { .size = 0 };

	if (!value)
		fail("what feature is this?");
	value++;
	if (!strncmp(text, "time=", 5)) {
		put(b, 11, 2);
		put(b, 1, 1);
		put(b, strtoull(value, NULL, 0), 8);
	} else if (!strncmp(text, "cache=", 6)) {
		put(b, 5, 2);
		put(b, 2, 1);
		put(b, strtoull(value, NULL, 0), 2);
	} else if (!strncmp(text, "page=", 5)) {
		put(b, 5, 2);
		put(b, 3, 1);
		put(b, strtoul(value, NULL, 0), 1);
		put(b, strtol(strchr(value, ':') + 1, NULL, 0), 1);
	} else if (!strncmp(text, "task=", 5)) {
		put_task(b, value);
	} else if (!strncmp(text, "cgroup=", 7)) {
		put(b, 11, 2);
		put(b, 5, 1);
		put(b, strtoull(value, NULL, 0), 8);
	} else if (!strncmp(text, "stack=", 6)) {
		put_stack(b, value);
	} else if (!strncmp(value, "hex:", 4)) {
		put_hex(&bytes, value + 4);
		put(b, 3 + bytes.size, 2);
		put(b, strtoul(text, NULL, 0), 1);
		put_hex(b, value + 4);
	} else {
		fail("what feature is this?");
	}
}

static void put_record(struct buf *b, bool alloc)
{
	size_t start = b->size, end;
	const char *word;

	put(b, alloc ? 0 : 1, 1);
	put(b, number(), 1);
	put(b, 0, 2); /* the size is set below */
	put(b, number(), 4);
	uint64_t ptr = number();

	put(b, number(), 8);
	put(b, ptr, 8);
	if (alloc) {
		put(b, number(), 8);
		put(b, number(), 8);
		put(b, number(), 4);
		put(b, (int64_t)number(), 4);
	}
	while ((word = strtok(NULL, " \t\n")) && *word != '#')
		put_feature(b, word);
	end = b->size;
	b->size = start + 2;
	put(b, end - start, 2);
	b->size = end;
}

static void put_line(struct buf *b, char *line)
{
	const char *word = strtok(line, " \t\n");

	if (!word || *word == '#')
		return;
	if (!strcmp(word, "alloc"))
		put_record(b, true);
	else if (!strcmp(word, "free"))
		put_record(b, false);
	else if (!strcmp(word, "hex"))
		put_hex(b, strtok(NULL, " \t\n"));
	else
		fail("what is this?");
}

/* --- chunks ----------------------------------------------------------------- */

static void write_buf(const struct buf *b)
{
	if (fwrite(b->data, 1, b->size, stdout) != b->size)
		fail("cannot write");
}

/* Return: sequence number of the first record, for the header of the chunk. */
static uint32_t first_seq(const struct buf *b)
{
	const uint8_t *p = b->data + 4;

	if (b->size < 24)
		return 0;
	return big ? (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3] :
		     (uint32_t)p[3] << 24 | p[2] << 16 | p[1] << 8 | p[0];
}

static void write_chunk(const struct buf *b, unsigned int type, uint32_t cpu,
			const char *mark, bool zstd, unsigned int codec,
			bool damaged)
{
	static struct buf head, stored;

	head.size = 0;
	stored = *b;
	if (zstd)
		stored.size = ZSTD_compress(stored.data, sizeof(stored.data),
					    b->data, b->size, 3);
	put(&head, 0x4b4e4843, 4);
	put(&head, type, 2);
	put(&head, codec, 1);
	put(&head, mark != NULL, 1);
	put(&head, cpu, 4);
	put(&head, stored.size, 4);
	put(&head, b->size, 4);
	put(&head, mark ? strtoul(mark, NULL, 0) : 0, 4);
	put(&head, type == 6 ? first_seq(b) : 0, 4);
	put(&head, crc32(0, stored.data, stored.size) ^ damaged, 4);
	put(&head, 0, 8); /* times, which no reader needs */
	put(&head, 0, 8);
	while (stored.size % 8)
		put(&stored, 0, 1);
	write_buf(&head);
	write_buf(&stored);
}

static unsigned int type_of(const char *name)
{
	static const char *const names[] = { "meta",   "kallsyms", "modules",
					     "caches", "gfp",	   "data",
					     "end" };
	unsigned int i;

	for (i = 0; name && i < 7; i++)
		if (!strcmp(name, names[i]))
			return i + 1;
	return name ? strtoul(name, NULL, 0) : 0;
}

static void read_chunk(char *line)
{
	static struct buf b;
	bool data = !strcmp(strtok(line, " \t\n"), "data");
	bool zstd = false, damaged = false;
	unsigned int codec = 0;
	char *word = strtok(NULL, " \t\n"), *more = NULL;
	unsigned int type = data ? 6 : type_of(word);
	uint32_t cpu = data ? strtoul(word, NULL, 0) : 0xffffffff;
	char mark[32] = "", text[4096];

	while ((word = strtok(NULL, " \t\n")) && *word != '#') {
		if (!strncmp(word, "mark=", 5))
			snprintf(mark, sizeof(mark), "%s", word + 5);
		else if (!strcmp(word, "zstd"))
			zstd = true;
		else if (!strncmp(word, "codec=", 6))
			codec = strtoul(word + 6, NULL, 0);
		else if (!strcmp(word, "damaged"))
			damaged = true;
		else
			fail("what is this?");
	}
	b.size = 0;
	while ((more = fgets(text, sizeof(text), stdin))) {
		line_number++;
		if (!strcmp(text, ".\n"))
			break;
		if (data) {
			put_line(&b, text);
			continue;
		}
		if (b.size + strlen(text) > sizeof(b.data))
			fail("too long");
		memcpy(b.data + b.size, text, strlen(text));
		b.size += strlen(text);
	}
	if (!more)
		fail("no '.' ends the chunk");
	write_chunk(&b, type, cpu, *mark ? mark : NULL, zstd,
		    zstd ? 1 : codec, damaged);
}

static void write_header(unsigned int version)
{
	static struct buf b;

	put_hex(&b, "894b4d540d0a1a0a");
	put(&b, 0x01020304, 4);
	put(&b, version, 2);
	put(&b, 16, 2);
	write_buf(&b);
}

int main(int argc, char **argv)
{
	static struct buf raw_records;
	const char *mode = argc == 2 ? argv[1] : "";
	bool raw = !strncmp(mode, "raw-", 4), header = false;
	char line[4096];

	big = !strcmp(mode + (raw ? 4 : 0), "big");
	if (!big && strcmp(mode + (raw ? 4 : 0), "little"))
		fail("usage: mktrace little|big|raw-little|raw-big");
	while (fgets(line, sizeof(line), stdin)) {
		line_number++;
		if (raw) {
			put_line(&raw_records, line);
			continue;
		}
		if (!strncmp(line, "version ", 8)) {
			write_header(strtoul(line + 8, NULL, 0));
			header = true;
			continue;
		}
		if (*line == '#' || *line == '\n')
			continue;
		if (!header)
			write_header(1);
		header = true;
		read_chunk(line);
	}
	if (raw)
		write_buf(&raw_records);
	else if (!header)
		write_header(1);
	return fflush(stdout) ? 1 : 0;
}
