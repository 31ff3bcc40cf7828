// SPDX-License-Identifier: GPL-2.0-only
/*
 * The recorder reads a directory of plain files instead of the files of the module.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "record/recorder.h"
#include "record/stream.h"
#include "moduledir.h"
#include "trace/input.h"
#include "trace/writer.h"

#define PIECES	40
#define RECORDS (PIECES * PIECE_SIZE / SIZE)
/* bytes per record; divides every read size, so pieces have whole records only */
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
	moduledir_begin("4000000\n", "none\n", "\n");
	put_cpu("cpu0", records);
	/* a separate directory: the recorder locks it, and that of the module */
	ck_assert_int_eq(mkdir(tempdir_path("out"), 0700), 0);
	strcpy(file, tempdir_path("out/out.kmt"));
}

static int record(char **command)
{
	struct recorder_options options = {
		.file = file,
		.settings.features = "none",
		.command = command,
	};

	return recorder_run(&options);
}

static void open_recording(struct input *in)
{
	char *path = file;

	ck_assert_int_eq(input_open(in, &path, 1), EXIT_DONE);
}

/* --- backlog -------------------------------------------------------------- */

static bool slow;
static unsigned int pieces;

int __wrap_trace_writer_data(struct trace_writer *w, uint32_t cpu,
			     const void *data, size_t size, uint32_t mark,
			     bool complete);
int __real_trace_writer_data(struct trace_writer *w, uint32_t cpu,
			     const void *data, size_t size, uint32_t mark,
			     bool complete);

/* Simulate a slow disk, and a user who presses Ctrl-C at each piece. */
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

/* --- errors and the command ----------------------------------------------- */

/* Otherwise the recording would go on until the user ends it. */
START_TEST(a_failing_reader_ends_the_recording)
{
	/* a CPU comes online, and its file cannot be read */
	char *command[] = { "sh", "-c", "mkdir \"$1\"; exec sleep 1000", "sh",
			    NULL, NULL };
	struct input in;
	char reason[16];

	begin(10);
	command[4] = (char *)tempdir_path("cpu1");
	ck_assert_int_eq(record(command), EXIT_FAILED);
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

/* --- disturbances from outside -------------------------------------------- */

static void is_unchanged(const char *name, const char *text)
{
	char now[64] = "";
	FILE *in = fopen(tempdir_path(name), "r");

	ck_assert_ptr_nonnull(in);
	ck_assert_uint_lt(fread(now, 1, sizeof(now) - 1, in), sizeof(now));
	fclose(in);
	ck_assert_str_eq(now, text);
}

START_TEST(a_second_recorder_changes_nothing)
{
	char *command[] = { "true", NULL };
	int dir;

	begin(10);
	tempdir_put_text("features", "time\n");
	tempdir_put_text("set_event", "kmem:kfree\n");
	dir = open(tempdir_path(""), O_RDONLY | O_DIRECTORY);
	ck_assert_int_eq(flock(dir, LOCK_EX), 0);
	ck_assert_int_eq(record(command), EXIT_FAILED);
	is_unchanged("features", "time\n");
	is_unchanged("set_event", "kmem:kfree\n");
	is_unchanged("enabled", "0\n");
	ck_assert_int_ne(access(file, F_OK), 0);
	close(dir);
	ck_assert_int_eq(record(command), 0);
	tempdir_end();
}
END_TEST

/* A snapshot removes records that the recorder has not read. */
START_TEST(a_snapshot_meanwhile_is_reported)
{
	char *command[] = { "sh", "-c", "echo taken 3 >$KMEMTRACE_DIR/snapshot",
			    NULL };
	struct input in;

	begin(10);
	tempdir_put_text("snapshot", "taken 2\n");
	ck_assert_int_eq(record(command), EXIT_LOST);
	open_recording(&in);
	ck_assert_uint_eq(input_snapshots(&in), 1);
	input_close(&in);
	tempdir_put_text("snapshot", "taken 3\n");
	ck_assert_int_eq(record(command), 0);
	open_recording(&in);
	ck_assert_uint_eq(input_snapshots(&in), 0);
	input_close(&in);
	tempdir_end();
}
END_TEST

START_TEST(nohup_keeps_it_going)
{
	char *command[] = { "sh", "-c", "kill -HUP $PPID; sleep 1; exit 3",
			    NULL };

	begin(10);
	signal(SIGHUP, SIG_IGN);
	ck_assert_int_eq(record(command), 3);
	tempdir_end();
}
END_TEST

START_TEST(it_ends_when_switched_off)
{
	char *command[] = { "sh", "-c",
			    "echo 0 >$KMEMTRACE_DIR/enabled; exec sleep 1000",
			    NULL };
	struct input in;
	char reason[16];

	begin(10);
	record(command);
	open_recording(&in);
	ck_assert(input_value(in.end, "reason", reason, sizeof(reason)));
	ck_assert_str_eq(reason, "switched off");
	input_close(&in);
	tempdir_end();
}
END_TEST

/* With a trigger the recorder goes on: the trigger may switch recording on again. */
START_TEST(a_trigger_may_switch_it_off)
{
	char *command[] = { "sh", "-c",
			    "echo 0 >$KMEMTRACE_DIR/enabled; sleep 1; exit 3",
			    NULL };

	begin(10);
	ck_assert_int_eq(mkdir(tempdir_path("events"), 0700), 0);
	ck_assert_int_eq(mkdir(tempdir_path("events/kmem"), 0700), 0);
	tempdir_put_text("events/kmem/kfree/trigger", "traceoff:count=0\n");
	ck_assert_int_eq(record(command), 3);
	tempdir_end();
}
END_TEST

/* The next recorder keeps the FILE.part of a killed recorder as FILE.part.old. */
static void the_next_one_keeps_it(void)
{
	char *command[] = { "true", NULL };
	struct stat left, kept;
	char old[160];

	ck_assert_int_eq(stat(file, &left), 0);
	snprintf(old, sizeof(old), "%s.old", file);
	file[strlen(file) - strlen(".part")] = '\0';
	tempdir_put_text("enabled", "0\n"); /* the module does this itself */
	ck_assert_int_eq(record(command), 0);
	ck_assert_int_eq(access(file, F_OK), 0);
	ck_assert_int_eq(stat(old, &kept), 0);
	ck_assert_uint_eq(left.st_ino, kept.st_ino);
}

/* Recorded events reach the file within seconds, even if no more events come. */
START_TEST(a_quiet_recorder_may_be_killed)
{
	char *command[] = { "sleep", "20", NULL };
	const struct window *w;
	struct input in;
	uint64_t events = 0;
	pid_t pid;

	begin(10);
	pid = fork();
	if (!pid) {
		record(command);
		_exit(0);
	}
	ck_assert_int_gt(pid, 0);
	sleep(13);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	strcat(file, ".part");
	open_recording(&in);
	ck_assert_int_eq(input_begin(&in, false), EXIT_DONE);
	while ((w = input_next(&in)))
		events += w->count;
	ck_assert_uint_eq(events, 10);
	input_close(&in);
	the_next_one_keeps_it();
	tempdir_end();
}
END_TEST

/* The limit of the file size makes writes fail, as a full disk would. */
START_TEST(a_full_disk_leaves_the_old_file)
{
	const struct rlimit limit = { 512, RLIM_INFINITY };
	char *quick[] = { "true", NULL }, *slow_one[] = { "sleep", "20", NULL };
	struct stat before, after;

	begin(10);
	ck_assert_int_eq(record(quick), 0);
	ck_assert_int_eq(stat(file, &before), 0);
	ck_assert_int_gt(before.st_size, limit.rlim_cur);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(record(slow_one), EXIT_FAILED);
	ck_assert_int_eq(stat(file, &after), 0);
	ck_assert_uint_eq(before.st_ino, after.st_ino);
	ck_assert_int_eq(before.st_size, after.st_size);
	is_unchanged("enabled", "0\n");
	tempdir_end();
}
END_TEST

UNIT_MAIN("recorder", the_backlog_can_be_given_up, a_failing_reader_ends_the_recording,
	  the_status_of_the_command_is_passed_on,
	  a_command_of_several_lines_is_one_line,
	  a_second_recorder_changes_nothing, a_snapshot_meanwhile_is_reported,
	  nohup_keeps_it_going,
	  it_ends_when_switched_off, a_trigger_may_switch_it_off,
	  a_quiet_recorder_may_be_killed, a_full_disk_leaves_the_old_file)
