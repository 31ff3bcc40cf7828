// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cmdline.h"
#include "base/msg.h"
#include "base/table.h"
#include "command.h"
#include "report/named.h"
#include "trace/input.h"

/**
 * struct sums - of chunks
 * @chunks: how many
 * @stored: bytes in the file
 * @raw: bytes once decompressed
 */
struct sums {
	uint64_t chunks;
	uint64_t stored;
	uint64_t raw;
};

struct per_cpu {
	uint32_t cpu;
	struct sums sums;
};

static const char *const type_names[] = {
	[TRACE_META] = "meta",	     [TRACE_KALLSYMS] = "kallsyms",
	[TRACE_MODULES] = "modules", [TRACE_CACHES] = "caches",
	[TRACE_GFP] = "gfp",	     [TRACE_DATA] = "data",
	[TRACE_END] = "end",	     [TRACE_INDEX] = "index",
	[TRACE_MODULE_LOG] = "module_log",
};

#define TYPES (sizeof(type_names) / sizeof(type_names[0]))

struct info {
	struct sums by_type[TYPES];
	struct sums unknown; /* of a newer version */
	struct per_cpu *cpus;
	size_t nr_cpus;
	uint64_t time_first; /* 0: records have no time */
	uint64_t time_last;
};

static void add(struct sums *s, const struct trace_chunk *chunk)
{
	s->chunks++;
	s->stored += sizeof(*chunk) + chunk->stored_size;
	s->raw += chunk->raw_size;
}

static void add_times(struct info *info, const struct trace_chunk *chunk)
{
	if (!chunk->time_first)
		return;
	if (!info->time_first || chunk->time_first < info->time_first)
		info->time_first = chunk->time_first;
	if (chunk->time_last > info->time_last)
		info->time_last = chunk->time_last;
}

static struct sums *cpu_sums(struct info *info, uint32_t cpu)
{
	struct per_cpu *new;
	size_t i;

	for (i = 0; i < info->nr_cpus; i++)
		if (info->cpus[i].cpu == cpu)
			return &info->cpus[i].sums;
	new = array_add(info->cpus, info->nr_cpus);
	if (!new)
		return NULL;
	*new = (struct per_cpu){ .cpu = cpu };
	return &new->sums;
}

static void print_lines(const char *text)
{
	const char *end;
	char line[512], *eq;

	for (; text && *text; text = *end ? end + 1 : end) {
		end = strchrnul(text, '\n');
		snprintf(line, sizeof(line), "%.*s", (int)(end - text), text);
		table_clean(line);
		eq = strchr(line, '=');
		if (!eq)
			continue;
		*eq = '\0';
		printf("%-18s %s\n", line, eq + 1);
	}
}

static void print_sums(const char *name, const struct sums *s)
{
	char b[2][16];

	printf("%-18s %7" PRIu64 " chunks, %7s in the file, %7s decompressed\n",
	       name, s->chunks, table_human(b[0], 16, s->stored, 1),
	       table_human(b[1], 16, s->raw, 1));
}

static void print_info(struct info *info, const struct input *in)
{
	uint64_t events;
	char name[32];
	size_t i;

	print_lines(in->meta);
	puts("");
	print_lines(in->end);
	puts("");
	for (i = 0; i < TYPES; i++)
		if (info->by_type[i].chunks && type_names[i])
			print_sums(type_names[i], &info->by_type[i]);
	if (info->unknown.chunks)
		print_sums("unknown", &info->unknown);
	for (i = 0; i < info->nr_cpus; i++) {
		snprintf(name, sizeof(name), "  CPU %u", info->cpus[i].cpu);
		if (info->cpus[i].cpu != TRACE_CPU_ABSENT)
			print_sums(name, &info->cpus[i].sums);
	}
	if (info->by_type[TRACE_DATA].stored)
		printf("%-18s %.1f\n", "compression",
		       (double)info->by_type[TRACE_DATA].raw /
			       info->by_type[TRACE_DATA].stored);
	if (info->time_last > info->time_first)
		printf("%-18s %.3f s\n", "span",
		       (info->time_last - info->time_first) / 1e9);
	if ((input_number(in->end, "records", &events) ||
	     input_number(in->end, "events", &events)) && events)
		printf("%-18s %.1f\n", "bytes per event",
		       (double)info->by_type[TRACE_DATA].stored / events);
	if (input_ending(in))
		printf("NOTE: %s\n", input_ending(in));
}

static int show(struct input *in)
{
	struct info info = { 0 };
	struct trace_chunk chunk;
	struct sums *sums;
	int err = 0;

	while (!err && trace_reader_next(in->reader, &chunk)) {
		add(chunk.type < TYPES ? &info.by_type[chunk.type] :
					 &info.unknown,
		    &chunk);
		if (chunk.type != TRACE_DATA)
			continue;
		add_times(&info, &chunk);
		sums = cpu_sums(&info, chunk.cpu);
		if (sums)
			add(sums, &chunk);
		else
			err = -ENOMEM;
	}
	if (!err)
		err = trace_reader_error(in->reader);
	if (!err)
		print_info(&info, in);
	free(info.cpus);
	return err ? msg_error("cannot read the recording: %s", strerror(-err)) :
		     EXIT_DONE;
}

const struct options cmd_info_options = {
	.command = "info",
	.synopsis = (const char *const[]){ "[FILE]", NULL },
	.about = "Shows the properties and the contents of a recording.",
	.rows = (const struct option_row[]){ { 0 } },
	.operands = "files",
};

int cmd_info(int argc, char **argv)
{
	struct cmdline line = cmdline_parse(&cmd_info_options, argc, argv, NULL);
	struct named named;
	struct input in;
	int ret;

	if (line.is_over)
		return line.ret;
	if (line.count > 1)
		return msg_usage("info", "it takes one recording");
	ret = named_find(&named, line.words, line.count);
	if (!ret)
		ret = input_open(&in, named.paths, named.count);
	if (ret)
		return ret;
	if (!in.reader)
		ret = msg_error("%s is a raw cpu<n> file; only a recording has something to tell. Try check or report",
				named.paths[0]);
	else
		ret = show(&in);
	input_close(&in);
	return ret;
}
