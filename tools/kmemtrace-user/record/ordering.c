// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memtext.h"
#include "base/textfile.h"
#include "control/control.h"
#include "control/cpulist.h"
#include "kmt_compact.h"
#include "record/ordering.h"
#include "trace/order.h"
#include "trace/writer.h"

bool ordering_is_by_time(int dir)
{
	char *text = control_read(dir, "order", NULL);
	bool is = text && !strncmp(text, "time", 4);

	free(text);
	return is;
}

bool ordering_is_doubtful(int dir)
{
	char *stats = control_read(dir, "stats", NULL);
	uint64_t doubtful = 0;

	if (stats)
		textfile_number(stats, "order_doubtful", &doubtful);
	free(stats);
	return doubtful;
}

/* The writer keeps its first error, so nobody has to look at its result here. */
static void put_complete(void *arg, uint32_t cpu, const void *data, size_t size,
			 uint32_t mark)
{
	trace_writer_data(arg, cpu, data, size, mark, true);
}

static void put_kept(void *arg, uint32_t cpu, const void *data, size_t size,
		     uint32_t mark)
{
	if (size)
		trace_writer_data(arg, cpu, data, size, mark, false);
}

struct order *ordering_create(int dir, struct trace_writer *writer,
			      bool complete, uint64_t first)
{
	/* compact records may have more features than were asked for */
	trace_writer_compact(writer, control_features(dir) & KMT_FEATURES_COMPACT);
	return order_create(&(struct order_setup){
		.put = complete ? put_complete : put_kept,
		.arg = writer,
		.first = first,
		.compact = true,
		.kept = !complete,
	});
}

bool ordering_start(struct order *o, int dir)
{
	char *stats = control_read(dir, "stats", NULL);
	const char *line;
	unsigned int cpu;
	uint64_t number;
	bool ok = stats;

	for (line = stats; line; line = textfile_next_line(line))
		if (textfile_cpu_number(line, "next_number", ' ', &cpu, &number))
			order_start(o, cpu, number);
	free(stats);
	return ok;
}

void ordering_end(struct order *o, int dir, const char *cpus)
{
	char *stats = control_read(dir, "stats", NULL);
	const char *line;
	unsigned int cpu;
	uint64_t number;

	for (line = stats; line; line = textfile_next_line(line))
		if (textfile_cpu_number(line, "next_number", ' ', &cpu,
					&number) &&
		    (!cpus || cpulist_contains(cpus, cpu)))
			order_end(o, cpu, number);
	free(stats);
}

/* Prints the number for a time, or "-" if there is no time, or no number yet. */
static void print_number(const struct order *o, FILE *out, const char *time,
			 bool before)
{
	uint64_t stamp = strtoull(time, NULL, 10);
	uint64_t number;

	if (*time == '-')
		fputs(" -", out);
	else if (before)
		fprintf(out, " %" PRIu64, order_number_before(o, stamp));
	else if (order_number_after(o, stamp, &number))
		fprintf(out, " %" PRIu64, number);
	else
		fputs(" -", out);
}

static void print_module_line(const struct order *o, FILE *out,
			      const char *line, size_t len)
{
	char name[64], from[24], live[24], to[24];
	int used = 0;

	if (textfile_scan(line, "module %63s %23s %23s %23s%n", name, from,
			  live, to, &used) != 4) {
		fwrite(line, 1, len, out);
		return;
	}
	fprintf(out, "module %s", name);
	print_number(o, out, from, true);
	print_number(o, out, live, false);
	print_number(o, out, to, false);
	fwrite(line + used, 1, len - used, out);
}

char *ordering_module_log(const struct order *o, char *text)
{
	struct memtext memory;
	FILE *out = text ? memtext_open(&memory) : NULL;
	const char *line = text, *end;

	while (out && *line) {
		end = strchrnul(line, '\n');
		end += !!*end;
		if (!strncmp(line, "module ", 7))
			print_module_line(o, out, line, end - line);
		else
			fwrite(line, 1, end - line, out);
		line = end;
	}
	free(text);
	return out ? memtext_close(&memory, NULL) : NULL;
}
