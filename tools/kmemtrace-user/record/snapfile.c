// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memtext.h"
#include "base/msg.h"
#include "base/plural.h"
#include "base/table.h"
#include "base/textfile.h"
#include "control/control.h"
#include "record/capture.h"
#include "record/frozen.h"
#include "record/ordering.h"
#include "trace/anonymized.h"
#include "record/snapfile.h"

/**
 * struct snapfile - a snapshot that is being saved
 * @file: name of the file, as the user gave it
 * @or_nothing: a snapshot without records is not an error
 * @is_empty: @or_nothing is set, and the snapshot has no records
 * @capture: the recording
 * @sequence: sequence number at which the snapshot was taken
 * @reason: the reason for which it was taken
 * @frozen: the result of saving
 */
struct snapfile {
	const char *file;
	bool or_nothing;
	bool is_empty;
	struct capture capture;
	uint64_t sequence;
	char reason[16];
	struct frozen frozen;
};

/*
 * Make lines of META from the state: "snapshot_sequence=7" from "sequence 7". Return: the
 * lines, which the caller frees.
 */
static char *describe(char *state)
{
	static const char *const keys[] = {"reason", "sequence", "time_ns",
					   "missed"};
	char *line, *save = NULL;
	struct memtext text;
	FILE *out = memtext_open(&text);
	size_t i, len;

	for (line = strtok_r(state, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		len = strcspn(line, " ");
		for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			if (line[len] && len == strlen(keys[i]) &&
			    !strncmp(line, keys[i], len))
				fprintf(out, "snapshot_%s=%s\n", keys[i],
					line + len + 1);
	}
	return memtext_close(&text, NULL);
}

static bool read_state(struct snapfile *s)
{
	char *state = control_read(s->capture.dir, "snapshot", NULL);
	const char *reason = state ? strstr(state, "\nreason ") : NULL;
	bool ok;

	ok = reason && textfile_number(state, "sequence", &s->sequence) &&
	     sscanf(reason, "\nreason %15s", s->reason) == 1;
	if (ok)
		s->capture.more = describe(state);
	free(state);
	return ok && s->capture.more;
}

static int save(struct snapfile *s, struct frozen_files *files)
{
	int ret;

	if (!read_state(s))
		return msg_error("there is no snapshot");
	capture_begin(&s->capture);
	ret = -trace_writer_error(s->capture.writer);
	if (ret)
		return msg_error(
			"cannot write %s: %s; nothing was taken out of the snapshot: save it to another file",
			s->file, strerror(ret));
	ret = frozen_save(files, s->capture.writer, s->sequence, NULL,
			  &s->frozen);
	if (!ret && !s->frozen.records && s->or_nothing)
		s->is_empty = true;
	else if (!ret && !s->frozen.records)
		ret = msg_error(
			"the snapshot is empty: it was saved before, or nothing was recorded. To take a new one: kmemtrace-user snapshot --new. To record: kmemtrace-user record --flight, or: echo 1 > /sys/kernel/debug/kmemtrace/enabled");
	if (s->is_empty)
		return EXIT_FAILED; /* the caller removes the file */
	s->capture.order = frozen_order(files);
	if (!ret)
		capture_end(&s->capture, "snapshot", &s->frozen);
	return ret;
}

static void snapfile_show(const struct snapfile *s, uint64_t bytes, bool is_file,
			  const char *path)
{
	char size[16];

	fprintf(stderr, "snapshot (%s): %" PRIu64 " event%s, %s, in %s\n",
		s->reason, s->frozen.records, plural(s->frozen.records),
		table_human(size, sizeof(size), bytes, true), path);
	if (is_file)
		fprintf(stderr, "Next: kmemtrace-user report %s\n", path);
}

/* @path: the file to write. Return: as snapfile_save(). */
static int save_to(int dir, const char *file, const char *path,
		   const struct anonymize *how, bool or_nothing)
{
	struct snapfile s = {
		.file = file,
		.or_nothing = or_nothing,
		.capture = { .dir = dir, .kept = "snapshot",
			     .by_time = ordering_is_by_time(dir) },
	};
	struct frozen_files *files;
	uint64_t bytes;
	bool is_file;
	int ret;

	/* open the files first, so that no other snapshot can replace this one */
	ret = frozen_open(dir, FROZEN_SNAPSHOT, NULL, &files);
	if (ret)
		return ret;
	if (trace_writer_create(path, &s.capture.writer)) {
		frozen_close(files);
		return EXIT_FAILED;
	}
	trace_writer_keep_part(s.capture.writer);
	ret = save(&s, files);
	frozen_close(files);
	is_file = trace_writer_path(s.capture.writer);
	bytes = trace_writer_bytes(s.capture.writer);
	if (trace_writer_destroy(s.capture.writer, !ret))
		ret = EXIT_FAILED;
	if (!ret && is_file)
		ret = private_finish(how, path, file);
	if (!ret)
		snapfile_show(&s, bytes, is_file, file);
	free((char *)s.capture.more);
	return s.is_empty ? EXIT_DONE : ret;
}

int snapfile_save(int dir, const char *file, const struct anonymize *how,
		  bool or_nothing)
{
	char *path = private_path(how, file);
	int ret = path ? save_to(dir, file, path, how, or_nothing) :
			 EXIT_FAILED;

	free(path);
	return ret;
}
