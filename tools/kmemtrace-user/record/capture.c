// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kmemtrace.h>

#include "base/clock.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/textfile.h"
#include "control/cgroups.h"
#include "control/control.h"
#include "control/eventfiles.h"
#include "control/steer.h"
#include "control/system.h"
#include "record/capture.h"
#include "record/frozen.h"
#include "record/ordering.h"

#ifndef KMEMTRACE_VERSION
#define KMEMTRACE_VERSION "unknown"
#endif

static void capture_put_text(const struct capture *c, enum trace_chunk_type type,
			     char *text)
{
	if (text)
		trace_writer_text(c->writer, type, text, strlen(text));
	free(text);
}

static void put_control(const struct capture *c, enum trace_chunk_type type,
			const char *name)
{
	capture_put_text(c, type, control_read(c->dir, name, NULL));
}

/* Events have the numbers of cgroups only with this feature. */
static void put_cgroups(const struct capture *c)
{
	if (control_features(c->dir) & KMT_FEATURE_CGROUP)
		capture_put_text(c, TRACE_CGROUPS, cgroups_of_processes(c->dir));
}

/* Print a file of several lines as one line. */
static void print_joined(FILE *out, const char *key, char *text)
{
	char *c;

	for (c = text; c && *c; c++)
		if (*c == '\n')
			*c = c[1] ? ' ' : '\0';
	fprintf(out, "%s=%s\n", key, text ? text : "");
	free(text);
}

static void print_clock(const struct capture *c, FILE *out)
{
	char *stats = control_read(c->dir, "stats", NULL);
	uint64_t ns;

	if (stats && textfile_number(stats, "clock_ns", &ns))
		fprintf(out, "clock_ns=%llu\n", (unsigned long long)ns);
	free(stats);
}

static void print_filter(const struct capture *c, FILE *out, unsigned int kind)
{
	char *text = eventfiles_filter(c->dir, kind), *at;

	for (at = text; at && *at; at++)
		if (*at == '\n')
			*at = ' ';
	if (text && strcmp(text, "none"))
		fprintf(out, "filter=%s:%s: %s\n", kmt_kind_names[kind].system,
			kmt_kind_names[kind].event, text);
	free(text);
}

static void print_triggers(const struct capture *c, FILE *out,
			   unsigned int kind)
{
	char *text = eventfiles_read(c->dir, kind, "trigger"), *at, *line;

	at = text;
	while (at && (line = eventfiles_next_trigger(&at)))
		fprintf(out, "trigger=%s:%s: %s\n", kmt_kind_names[kind].system,
			kmt_kind_names[kind].event, line);
	free(text);
}

static void print_foreign(const struct capture *c, FILE *out)
{
	struct foreign f;
	size_t i;

	if (foreign_read(c->dir, &f))
		return;
	for (i = 0; i < f.count; i++)
		fprintf(out, "trigger=%s: %s\n", f.trigger[i].event,
			f.trigger[i].trigger);
	foreign_free(&f);
}

/* A newline ends a line of META. Within a value, it is therefore written as \n. */
static void print_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\n')
			fputs("\\n", out);
		else if (*text == '\\')
			fputs("\\\\", out);
		else
			fputc(*text, out);
	}
}

static void print_command(const struct capture *c, FILE *out)
{
	char **arg;

	fputs("command=", out);
	for (arg = c->command; arg && *arg; arg++) {
		print_escaped(out, *arg);
		fputs(arg[1] ? " " : "", out);
	}
	fputc('\n', out);
}

static void print_trigger(FILE *out, const char *trigger)
{
	fputs("trigger=", out);
	print_escaped(out, trigger);
	fputc('\n', out);
}

static void put_meta(const struct capture *c)
{
	struct memtext text;
	FILE *out = memtext_open(&text);
	unsigned int kind, i;

	print_clock(c, out);
	system_write_meta(out);
	if (c->by_time)
		fprintf(out, "abi_version=%d\norder=time\n",
			KMEMTRACE_ABI_SEQUENCE);
	else
		print_joined(out, "abi_version",
			     control_read(c->dir, "abi_version", NULL));
	print_joined(out, "features", control_read(c->dir, "features", NULL));
	print_joined(out, "events", control_read(c->dir, "set_event", NULL));
	if (c->has_start)
		fprintf(out, "seq_start=%" PRIu64 "\n", c->start);
	fputs("tool_version=" KMEMTRACE_VERSION "\n", out);
	if (c->kept)
		fprintf(out, "kept=%s\n", c->kept);
	if (c->cpus)
		fprintf(out, "cpus_recorded=%s\n", c->cpus);
	for (kind = 0; kind < KMT_EVENT_KINDS; kind++)
		print_filter(c, out, kind);
	for (kind = 0; kind < KMT_EVENT_KINDS; kind++)
		print_triggers(c, out, kind);
	print_foreign(c, out);
	for (i = 0; c->steer && i < c->steer->nr_triggers; i++)
		print_trigger(out, c->steer->triggers[i]);
	if (c->more)
		fputs(c->more, out);
	print_command(c, out);
	capture_put_text(c, TRACE_META, memtext_close(&text, NULL));
}

static void put_kallsyms(const struct capture *c)
{
	bool hidden;
	char *text = system_kallsyms(&hidden);

	if (text && hidden)
		msg_note(
			"the kernel hides its symbols' addresses; for names in the report: sysctl kernel.kptr_restrict=1");
	capture_put_text(c, TRACE_KALLSYMS, text);
}

/* Newer kinds of records are saved unchanged, but the reports of this tool skip them. */
static void note_newer(const struct capture *c)
{
	uint64_t version;

	if (!control_read_u64(c->dir, "abi_version", &version) &&
	    version > KMEMTRACE_ABI_VERSION)
		msg_note("the module has abi_version %llu, this tool knows %d: reports skip what is newer; use the tool that came with the module",
			 (unsigned long long)version, KMEMTRACE_ABI_VERSION);
}

void capture_begin(const struct capture *c)
{
	note_newer(c);
	put_meta(c);
	put_control(c, TRACE_GFP, "gfp_flags");
	capture_put_text(c, TRACE_MODULES, system_modules());
	put_kallsyms(c);
	/* capture_end() writes them again, but is not called if the recorder is killed */
	put_control(c, TRACE_CACHES, "caches");
	put_cgroups(c);
}

static char *read_module_log(const struct capture *c)
{
	char *text = control_read(c->dir, "modules", NULL);

	return c->order ? ordering_module_log(c->order, text) : text;
}

/* Reads a text, and writes it if it has changed. An empty one has nothing new. */
static void update(struct capture *c, struct capture_text *last,
		   enum trace_chunk_type type, const char *name)
{
	double start = clock_now();
	char *text;

	if (start < last->next)
		return;
	text = type == TRACE_MODULE_LOG ? read_module_log(c) :
					  control_read(c->dir, name, NULL);
	if (text && *text && (!last->text || strcmp(text, last->text))) {
		trace_writer_insert(c->writer, type, text, strlen(text));
		free(last->text);
		last->text = text;
	} else {
		free(text);
	}
	last->next = start + 20 * (clock_now() - start);
}

void capture_update(void *arg)
{
	struct capture *c = arg;

	update(c, &c->names[0], TRACE_MODULE_LOG, "modules");
	update(c, &c->names[1], TRACE_CACHES, "caches");
}

void capture_exit(struct capture *c)
{
	free(c->names[0].text);
	free(c->names[1].text);
	free(c->counts[0]);
	free(c->counts[1]);
}

static void print_losses(FILE *out, const char *stats)
{
	static const char *const keys[] = { "events", "lost_events", "lost_bytes",
					    "buffer_bytes_per_cpu" };
	const char *line;
	unsigned int cpu;
	uint64_t value;
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (textfile_number(stats, keys[i], &value))
			fprintf(out, "%s=%llu\n", keys[i],
				(unsigned long long)value);
	for (line = stats; line; line = textfile_next_line(line))
		if (textfile_cpu_number(line, "lost_events", ' ', &cpu, &value))
			fprintf(out, "lost_events.cpu%u=%" PRIu64 "\n", cpu,
				value);
}

static void put_end(const struct capture *c, const char *reason,
		    const struct frozen *frozen)
{
	char *stats = control_read(c->dir, "stats", NULL);
	struct memtext text;
	FILE *out = memtext_open(&text);
	uint64_t value;
	size_t i;

	/* after a snapshot, recording continues: the number would be too large */
	if (c->has_end)
		fprintf(out, "seq_end=%" PRIu64 "\n", c->end);
	else if ((!c->kept || c->has_start) &&
		 !control_read_u64(c->dir, "sequence", &value))
		fprintf(out, "seq_end=%llu\n", (unsigned long long)value);
	if (frozen) {
		fprintf(out,
			"records=%llu\nseq_whole=%" PRIu64 "\noverwritten=%d\nexchanged=%d\n",
			(unsigned long long)frozen->records, frozen->whole,
			frozen->overwritten, frozen->exchanged);
		if (frozen->files)
			frozen_print_starts(frozen->files, out);
	}
	if (c->by_time && ordering_is_doubtful(c->dir))
		fputs("order_doubtful=1\n", out);
	if (c->snapshots)
		fprintf(out, "snapshots=%llu\n",
			(unsigned long long)c->snapshots);
	print_clock(c, out);
	fprintf(out, "realtime_ns=%llu\nreason=%s\n", system_realtime_ns(),
		reason);
	if (system_unpurged_areas(&value))
		fprintf(out, "unpurged_areas=%llu\n", (unsigned long long)value);
	for (i = 0; i < 2 && c->counts[i]; i++)
		fputs(c->counts[i], out);
	/* of the CPUs that came online meanwhile */
	system_write_nodes(out);
	if (stats)
		print_losses(out, stats);
	capture_put_text(c, TRACE_END, memtext_close(&text, NULL));
	free(stats);
}

/* Empty unless the command codetags has loaded the source lines of call sites. */
static void put_codetags(const struct capture *c)
{
	char *text = control_read(c->dir, "codetags", NULL);

	if (text && *text)
		capture_put_text(c, TRACE_CODETAGS, text);
	else
		free(text);
}

void capture_end(const struct capture *c, const char *reason,
		 const struct frozen *frozen)
{
	capture_put_text(c, TRACE_MODULES, system_modules());
	capture_put_text(c, TRACE_MODULE_LOG, read_module_log(c));
	put_codetags(c);
	put_control(c, TRACE_CACHES, "caches");
	put_cgroups(c);
	put_end(c, reason, frozen);
}
