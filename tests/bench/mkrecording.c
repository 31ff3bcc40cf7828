// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a recording of any length, to measure the command report:
 *
 *   mkrecording FILE EVENTS [CPUS [LIVE [PATHS]]]
 *
 * See synthetic.h.
 */
#include <stdio.h>
#include <stdlib.h>

#include "synthetic.h"
#include "trace/writer.h"

#define LIVE_MIN 1000

/**
 * struct made - the recording
 * @writer: writer of the file
 * @cpus: number of CPUs
 */
struct made {
	struct trace_writer *writer;
	unsigned int cpus;
};

static void put(void *arg, unsigned int cpu, const void *data, size_t size,
		uint32_t mark)
{
	struct made *m = arg;

	trace_writer_data(m->writer, cpu, data, size, mark, true);
	/* there are no other CPUs */
	if (cpu == m->cpus - 1)
		trace_writer_data(m->writer, TRACE_CPU_ABSENT, NULL, 0, mark, true);
}

int main(int argc, char **argv)
{
	struct made m = { .cpus = argc > 3 ? atoi(argv[3]) : 4 };
	struct synthetic s = {
		.events = argc > 2 ? strtoull(argv[2], NULL, 0) : 0,
		.cpus = m.cpus,
		.live = argc > 4 ? strtoul(argv[4], NULL, 0) : LIVE_MIN,
		.paths = argc > 5 ? strtoul(argv[5], NULL, 0) : 0,
		.put = put,
		.arg = &m,
	};
	char text[200];
	bool ok;
	int n;

	if (!s.events || !s.cpus || s.cpus > SYNTHETIC_CPUS_MAX || !s.live ||
	    trace_writer_create(argv[1], &m.writer)) {
		fputs("usage: mkrecording FILE EVENTS [CPUS [LIVE [PATHS]]]\n", stderr);
		return 2;
	}
	n = snprintf(text, sizeof(text),
		     "release=synthetic\npage_size=4096\nseq_start=0\n");
	trace_writer_text(m.writer, TRACE_META, text, n);
	ok = synthetic_make(&s);
	n = snprintf(text, sizeof(text),
		     "seq_end=%u\nevents=%llu\nlost_events=0\n",
		     (uint32_t)s.events, (unsigned long long)s.events);
	trace_writer_text(m.writer, TRACE_END, text, n);
	return trace_writer_destroy(m.writer, true) || !ok;
}
