// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording from a directory of plain files that stand for the module's.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input.h"
#include "msg.h"
#include "recorder.h"
#include "stream.h"
#include "tempdir.h"
#include "trace_writer.h"

#define PIECES	40
#define RECORDS (PIECES * PIECE_SIZE / SIZE)
/* so that a piece, cut from a plain file at any place, holds whole records */
#define SIZE	32

static char file[128];

static void put_cpu(const char *name, uint32_t records)
{
	uint8_t *buf = malloc(records * SIZE + KMT_RECORD_MAX), *end = buf;
	uint32_t i;

	for (i = 0; i < records; i++) {
		struct kmt_event ev = unit_free(i, 0, 8);

		end = unit_put(end, &ev, 0);
		((struct kmemtrace_event *)(end - KMT_FREE_SIZE))->event_size =
			SIZE;
		memcpy(end, "\x08\0\xc8.....", 8); /* unknown feature */
		end += 8;
	}
	tempdir_put(name, buf, end - buf);
	free(buf);
}

static void begin(uint32_t records)
{
	static const char *const files[][2] = {
		{ "enabled", "0\n" },	  { "sequence", "4000000\n" },
		{ "overwrite", "0\n" },	  { "features", "none\n" },
		{ "set_event", "\n" },	  { "stats", "events 1\n" },
		{ "lost_events", "0\n" }, { "caches", "1 8 8 one\n" },
		{ "gfp_flags", "0x1 A\n" },
	};
	size_t i;

	tempdir_begin();
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		tempdir_put_text(files[i][0], files[i][1]);
	put_cpu("cpu0", records);
	strcpy(file, tempdir_path("out.kmt"));
}

static int record(char **command)
{
	struct recorder_options options = {
		.file = file,
		.features = "none",
		.command = command,
	};

	return recorder_run(&options);
}

static void open_recording(struct input *in)
{
	char *path = file;

	ck_assert_int_eq(input_open(in, &path, 1), EXIT_DONE);
}

/* --- the backlog ---------------------------------------------------------- */

static bool slow;
static unsigned int pieces;

int __wrap_trace_writer_data(struct trace_writer *w, uint32_t cpu,
			     const void *data, size_t size, uint32_t mark,
			     bool complete);
int __real_trace_writer_data(struct trace_writer *w, uint32_t cpu,
			     const void *data, size_t size, uint32_t mark,
			     bool complete);

/* A slow disk; and the user presses Ctrl-C again and again. */
int __wrap_trace_writer_data(struct trace_writer *w, uint32_t cpu,
			     const void *data, size_t size, uint32_t mark,
			     bool complete)
{
	if (slow && size) {
		pieces++;
		kill(getpid(), SIGINT);
		usleep(100000);
	}
	return __real_trace_writer_data(w, cpu, data, size, mark, complete);
}

START_TEST(the_backlog_can_be_given_up)
{
	const struct window *w;
	struct input in;
	uint64_t events = 0;

	begin(RECORDS);
	slow = true;
	ck_assert_int_eq(record(NULL), EXIT_FAILED);
	ck_assert_uint_lt(pieces, PIECES);
	open_recording(&in);
	ck_assert_ptr_null(in.end);
	ck_assert_int_eq(input_begin(&in, false), EXIT_DONE);
	while ((w = input_next(&in)))
		events += w->count;
	ck_assert_uint_gt(events, 0);
	ck_assert_uint_le(events, pieces * (PIECE_SIZE / SIZE));
	ck_assert_ptr_nonnull(input_ending(&in));
	input_close(&in);
	tempdir_end();
}
END_TEST

/* -------------------------------------------------------------------------- */

/* Else it would go on until the user ends it. */
START_TEST(a_reader_that_fails_ends_it)
{
	struct input in;
	char reason[16];

	begin(10);
	ck_assert_int_eq(mkdir(tempdir_path("cpu1"), 0700), 0);
	ck_assert_int_eq(record(NULL), EXIT_FAILED);
	open_recording(&in);
	ck_assert(input_value(in.end, "reason", reason, sizeof(reason)));
	ck_assert_str_eq(reason, "error");
	input_close(&in);
	tempdir_end();
}
END_TEST

START_TEST(the_status_of_the_command_is_passed_on)
{
	char *command[] = { "sh", "-c", "exit 7", NULL };

	begin(10);
	ck_assert_int_eq(record(command), 7);
	ck_assert_int_eq(access(file, F_OK), 0);
	tempdir_end();
}
END_TEST

START_TEST(a_command_of_several_lines_is_one_line)
{
	char *command[] = { "true", "a\nseq_start=9\nb\\n", NULL };
	struct input in;
	char text[64];
	uint64_t seq;

	begin(10);
	ck_assert_int_eq(record(command), 0);
	open_recording(&in);
	ck_assert(input_value(in.meta, "command", text, sizeof(text)));
	ck_assert_str_eq(text, "true a\\nseq_start=9\\nb\\\\n");
	ck_assert(input_number(in.meta, "seq_start", &seq));
	ck_assert_uint_eq(seq, 4000000);
	ck_assert_ptr_null(strstr(in.meta, "\nseq_start=9"));
	input_close(&in);
	tempdir_end();
}
END_TEST

UNIT_MAIN("recorder", the_backlog_can_be_given_up, a_reader_that_fails_ends_it,
	  the_status_of_the_command_is_passed_on,
	  a_command_of_several_lines_is_one_line)
