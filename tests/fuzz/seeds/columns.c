// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies a recording to the current format of the tool: in columns and with an index.
 *
 *   columns FROM TO
 */
#include <stdio.h>

#include "trace/reader.h"
#include "trace/writer.h"

int main(int argc, char **argv)
{
	struct trace_reader *r;
	struct trace_writer *w;
	struct trace_chunk c;
	const uint8_t *data;
	const char *why = "usage: columns FROM TO";
	int ret = 0;

	r = argc == 3 ? trace_reader_open(argv[1], &why) : NULL;
	if (!r || trace_writer_create(argv[2], &w)) {
		fprintf(stderr, "%s\n", why);
		return 1;
	}
	while (!ret && trace_reader_next(r, &c)) {
		data = trace_reader_load(r);
		if (!data)
			ret = 1;
		else if (c.type == TRACE_DATA)
			ret = trace_writer_data(w, c.cpu, data, c.raw_size,
						c.mark,
						c.flags & TRACE_CHUNK_COMPLETE);
		else if (c.type < TRACE_INDEX)
			ret = trace_writer_text(w, c.type, (const char *)data,
						c.raw_size);
	}
	trace_reader_close(r);
	return trace_writer_destroy(w, true) || ret;
}
