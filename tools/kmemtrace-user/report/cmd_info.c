// SPDX-License-Identifier: GPL-2.0-only
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cmdline.h"
#include "base/die.h"
#include "base/figures.h"
#include "base/json.h"
#include "base/msg.h"
#include "base/table.h"
#include "command.h"
#include "report/named.h"
#include "trace/input.h"

/* sums over chunks */
struct sums {
	uint64_t chunks;	/* number of chunks */
	uint64_t stored;	/* bytes in the file */
	uint64_t raw;		/* bytes after decompression */
};

struct per_cpu {
	uint32_t cpu;
	struct sums sums;
};

/* width of a label before a value */
#define LABEL 18

static const char *const type_names[] = {
	[TRACE_META] = "meta",	     [TRACE_KALLSYMS] = "kallsyms",
	[TRACE_MODULES] = "modules", [TRACE_CACHES] = "caches",
	[TRACE_GFP] = "gfp",	     [TRACE_DATA] = "data",
	[TRACE_END] = "end",	     [TRACE_INDEX] = "index",
	[TRACE_MODULE_LOG] = "module_log", [TRACE_STACKS] = "stacks",
	[TRACE_CODETAGS] = "codetags", [TRACE_CGROUPS] = "cgroups",
};

#define TYPES (sizeof(type_names) / sizeof(type_names[0]))

static_assert(TYPES == TRACE_TYPE_LAST + 1, "each type has a name");

struct info {
	struct sums by_type[TYPES];
	struct sums unknown; /* chunks that a newer version wrote */
	struct per_cpu *cpus;
	size_t nr_cpus;
	uint64_t time_first; /* 0: records have no time */
	uint64_t time_last;
};

static void info_add(struct sums *s, const struct trace_chunk *chunk)
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
	*new = (struct per_cpu){ .cpu = cpu };
	return &new->sums;
}

/* --- lines of META and END --------------------------------------------------------- */

typedef void (*visit_line)(const char *key, const char *value, void *arg);

static void each_line(const char *text, visit_line visit, void *arg)
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
		visit(line, eq + 1, arg);
	}
}

static void print_line(const char *key, const char *value, void *arg)
{
	(void)arg;
	table_print_fact(LABEL, key, "%s", value);
}

static bool is_in(const char *const *names, const char *name)
{
	while (*names && strcmp(*names, name))
		names++;
	return *names;
}

/* keys whose values are text, even if a value looks like a number */
static const char *const texts[] = {
	"boot_id", "build_id", "command", "cpus_recorded", "hostname",
	"machine", "release",  "version", "tool_version",  NULL,
};

/* keys that may occur several times */
static const char *const lists[] = { "filter", "held_backlogs", "held_files", "start_held_backlogs",
				     "start_held_files", "trigger", NULL };

static json_t *json_value(const char *key, const char *value)
{
	size_t digits = strspn(value, "0123456789");

	if (digits && digits < 19 && !value[digits] && !is_in(texts, key) &&
	    strncmp(key, "cpus_of_node", strlen("cpus_of_node")))
		return json_integer(strtoll(value, NULL, 10));
	return json_string(value);
}

static void add_line(const char *key, const char *value, void *object)
{
	json_t *list;

	if (!is_in(lists, key)) {
		json_object_set_new(object, key, json_value(key, value));
		return;
	}
	list = json_object_get(object, key);
	if (!list) {
		list = json_array();
		json_object_set_new(object, key, list);
	}
	json_array_append_new(list, json_string(value));
}

static json_t *json_lines(const char *text)
{
	json_t *object = json_object();

	each_line(text, add_line, object);
	return object;
}

/* --- chunks ------------------------------------------------------------------------ */

static const struct table_column columns[] = {
	FIGURE_PART, FIGURE_CPU, FIGURE_CHUNKS, FIGURE_STORED, FIGURE_DECOMPRESSED,
};

/* one row for each type and for each CPU */
struct row {
	const char *type;
	const struct per_cpu *cpu; /* NULL: the row is for the type */
	const struct sums *sums;
};

struct rows {
	struct row *row;
	size_t count;
};

static void info_add_row(struct rows *r, const char *type, const struct per_cpu *cpu,
			 const struct sums *sums)
{
	if (sums->chunks)
		r->row[r->count++] = (struct row){ type, cpu, sums };
}

static void info_make_rows(struct rows *r, const struct info *info)
{
	size_t i;

	*r = (struct rows){ .row = xcalloc(TYPES + 1 + info->nr_cpus,
					  sizeof(*r->row)) };
	for (i = 0; i < TYPES; i++)
		if (type_names[i])
			info_add_row(r, type_names[i], NULL, &info->by_type[i]);
	info_add_row(r, "unknown", NULL, &info->unknown);
	for (i = 0; i < info->nr_cpus; i++)
		if (info->cpus[i].cpu != TRACE_CPU_ABSENT)
			info_add_row(r, type_names[TRACE_DATA], &info->cpus[i],
				     &info->cpus[i].sums);
}

static void info_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct row *r = &((const struct rows *)arg)->row[i];

	row_text(cell, r->type);
	row_existing(cell, r->cpu, r->cpu ? r->cpu->cpu : 0);
	row_number(cell, r->sums->chunks);
	row_number(cell, r->sums->stored);
	row_number(cell, r->sums->raw);
}

/* --- output ------------------------------------------------------------------------ */

/* This value and the next two are 0 if they are not known. */
static double compression(const struct info *info)
{
	const struct sums *data = &info->by_type[TRACE_DATA];

	return data->stored ? (double)data->raw / data->stored : 0;
}

static double span(const struct info *info)
{
	return info->time_last > info->time_first ?
		       (info->time_last - info->time_first) / 1e9 :
		       0;
}

static double event_bytes(const struct info *info, const struct input *in)
{
	uint64_t events = 0;

	if (!input_number(in->end, "records", &events))
		input_number(in->end, "events", &events);
	return events ? (double)(info->by_type[TRACE_DATA].stored +
				 info->by_type[TRACE_STACKS].stored) / events :
			0;
}

static void info_print_text(const struct info *info, const struct input *in,
			    struct rows *rows)
{
	each_line(in->meta, print_line, NULL);
	putchar('\n');
	each_line(in->end, print_line, NULL);
	putchar('\n');
	table_print_text(columns, TABLE_COLUMNS(columns), rows->count, info_cell, rows);
	putchar('\n');
	if (compression(info))
		table_print_fact(LABEL, "compression", "%.1f",
				 compression(info));
	if (span(info))
		table_print_fact(LABEL, "span", "%.3f s", span(info));
	if (event_bytes(info, in))
		table_print_fact(LABEL, "bytes per event", "%.1f",
				 event_bytes(info, in));
	if (input_ending(in))
		printf("NOTE: %s\n", input_ending(in));
}

static json_t *json_known(double value)
{
	return value ? json_real(value) : json_null();
}

static int info_print_json(const struct info *info, const struct input *in,
			   struct rows *rows)
{
	return json_print(json_pack(
		"{s:o,s:o,s:o,s:o,s:o,s:o,s:s?}", "meta", json_lines(in->meta),
		"end", json_lines(in->end), "parts",
		table_json(columns, TABLE_COLUMNS(columns), rows->count, info_cell, rows),
		"compression", json_known(compression(info)), "seconds",
		json_known(span(info)), "bytes_per_event",
		json_known(event_bytes(info, in)), "note", input_ending(in)));
}

static int print_info(const struct info *info, const struct input *in, bool json)
{
	struct rows rows;
	int ret = EXIT_DONE;

	info_make_rows(&rows, info);
	if (json)
		ret = info_print_json(info, in, &rows);
	else
		info_print_text(info, in, &rows);
	free(rows.row);
	return ret;
}

static void add_chunk(struct info *info, const struct trace_chunk *chunk)
{
	info_add(chunk->type < TYPES ? &info->by_type[chunk->type] : &info->unknown,
		 chunk);
	if (chunk->type != TRACE_DATA)
		return;
	add_times(info, chunk);
	info_add(cpu_sums(info, chunk->cpu), chunk);
}

static int add_chunks(struct info *info, struct input *in)
{
	struct trace_chunk chunk;
	int ret;

	while ((ret = input_next_chunk(in, &chunk)) > 0)
		add_chunk(info, &chunk);
	return ret ? input_explain(in, ret) : EXIT_DONE;
}

const struct options cmd_info_options = {
	.command = "info",
	.synopsis = (const char *const[]){ "[--json] [FILE]", NULL },
	.about = "Shows the properties and the contents of a recording.",
	.rows = option_json_rows,
	.operands = "files",
};

int cmd_info(int argc, char **argv)
{
	bool json = false;
	struct cmdline line = cmdline_parse(&cmd_info_options, argc, argv, &json);
	struct info info = { 0 };
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
	if (ret) {
		free(info.cpus);
		return ret;
	}
	if (!in.reader)
		ret = msg_error("%s is a raw cpu<n> file, which has no properties: use check or report",
				named.paths[0]);
	else
		ret = add_chunks(&info, &in);
	if (!ret)
		ret = print_info(&info, &in, json);
	free(info.cpus);
	input_close(&in);
	return ret;
}
