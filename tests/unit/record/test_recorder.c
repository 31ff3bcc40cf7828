// SPDX-License-Identifier: GPL-2.0-only
/*
 * The recorder reads a directory of plain files instead of the files of the module.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "record/memory.h"
#include "record/recorder.h"
#include "moduledir.h"
#include "random.h"
#include "trace/input.h"
#include "trace/sink.h"

#define CHUNKS	20
/* bytes of a chunk, if there are few CPUs */
#define CHUNK	(512 * 1024)
#define RECORDS (CHUNKS * CHUNK / SIZE)
/* bytes per record; divides every read size, so pieces have whole records only */
#define SIZE	32
/* those that cannot be compressed */
#define NOISE	5

static char file[128];
static uint64_t memory_kb;

static void put_cpu(const char *name, uint32_t records)
{
	uint8_t *buf = malloc(records * SIZE + KMT_RECORD_MAX), *end = buf;
	uint64_t random = 1;
	uint32_t i, k;

	for (i = 0; i < records; i++) {
		struct kmt_event ev = unit_free(i, 0, 8);

		end = unit_put(end, &ev, 0);
		((struct kmemtrace_event *)(end - KMT_FREE_SIZE))->event_size =
			SIZE;
		memcpy(end, "\x08\0\xc8", 3); /* unknown feature */
		for (k = 0; k < NOISE; k++)
			end[3 + k] = random_below(&random, 256);
		end += 3 + NOISE;
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
		.memory_kb = memory_kb,
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
static unsigned int chunks;

void __wrap_sink_write(struct sink *s, struct chunk *c);
void __real_sink_write(struct sink *s, struct chunk *c);

/* Simulate a slow disk, and a user who presses Ctrl-C at each chunk. */
void __wrap_sink_write(struct sink *s, struct chunk *c)
{
	if (slow && c->kind == CHUNK_RECORDS && c->head.raw_size) {
		chunks++;
		kill(getpid(), SIGINT);
		usleep(100000);
	}
	__real_sink_write(s, c);
}

/* When the file is completed, the next recorder can start. */
static bool finished;
static const char *features_before;
static void is_unchanged(const char *name, const char *text);

void __wrap_sink_finish(struct sink *s);
void __real_sink_finish(struct sink *s);

void __wrap_sink_finish(struct sink *s)
{
	int dir;

	if (features_before) {
		is_unchanged("features", features_before);
		dir = open(tempdir_path(""), O_RDONLY | O_DIRECTORY);
		ck_assert_int_eq(flock(dir, LOCK_EX | LOCK_NB), 0);
		close(dir);
		finished = true;
	}
	__real_sink_finish(s);
}

START_TEST(the_backlog_can_be_given_up)
{
	const struct window *w;
	struct input in;
	uint64_t events = 0;

	begin(RECORDS);
	slow = true;
	ck_assert_int_eq(record(NULL), EXIT_FAILED);
	ck_assert_uint_lt(chunks, CHUNKS);
	open_recording(&in);
	ck_assert_ptr_null(in.end);
	ck_assert_int_eq(input_begin(&in, false), EXIT_DONE);
	while ((w = input_next(&in)))
		events += w->count;
	ck_assert_uint_gt(events, 0);
	ck_assert_uint_le(events, chunks * (CHUNK / SIZE));
	ck_assert_ptr_nonnull(input_ending(&in));
	input_close(&in);
	tempdir_end();
}
END_TEST

/* --- memory ------------------------------------------------------------------ */

#define MANY 128

/* The readers share fewer buffers than each would take alone. */
START_TEST(many_cpus_share_the_memory)
{
	char *command[] = { "true", NULL };
	const struct window *w;
	uint64_t events = 0;
	struct input in;
	char name[16];
	int i;

	begin(2000);
	for (i = 1; i < MANY; i++) {
		snprintf(name, sizeof(name), "cpu%d", i);
		put_cpu(name, 2000);
	}
	memory_kb = memory_minimum(MANY) / 1024 - 1;
	ck_assert_int_eq(record(command), EXIT_FAILED);
	ck_assert_int_ne(access(file, F_OK), 0);
	memory_kb++;
	ck_assert_int_eq(record(command), 0);
	open_recording(&in);
	ck_assert_int_eq(input_begin(&in, false), EXIT_DONE);
	while ((w = input_next(&in)))
		events += w->count;
	ck_assert_uint_eq(events, MANY * 2000);
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

static int flock_error, signalfd_error;

int __wrap_flock(int fd, int how);
int __real_flock(int fd, int how);

int __wrap_flock(int fd, int how)
{
	errno = flock_error;
	flock_error = 0; /* a file may be without a lock, but not the module */
	return errno ? -1 : __real_flock(fd, how);
}

int __wrap_signalfd(int fd, const sigset_t *set, int flags);
int __real_signalfd(int fd, const sigset_t *set, int flags);

int __wrap_signalfd(int fd, const sigset_t *set, int flags)
{
	errno = signalfd_error;
	return errno ? -1 : __real_signalfd(fd, set, flags);
}

/* Two recorders would change settings, or nothing could end the recording. */
START_TEST(no_lock_and_no_signals_are_errors)
{
	char *command[] = { "sh", "-c", "echo >$KMEMTRACE_DIR/started", NULL };
	sigset_t before = { 0 }, after = { 0 };

	begin(10);
	tempdir_put_text("set_event", "kmem:kfree\n");
	sigprocmask(SIG_BLOCK, NULL, &before);
	flock_error = ENOLCK;
	ck_assert_int_eq(record(command), EXIT_FAILED);
	signalfd_error = EMFILE;
	ck_assert_int_eq(record(command), EXIT_FAILED);
	signalfd_error = 0;
	is_unchanged("set_event", "kmem:kfree\n");
	ck_assert_int_ne(access(tempdir_path("started"), F_OK), 0);
	ck_assert_int_ne(access(file, F_OK), 0);
	ck_assert_int_eq(record(command), EXIT_DONE);
	ck_assert_int_eq(access(tempdir_path("started"), F_OK), 0);
	sigprocmask(SIG_BLOCK, NULL, &after);
	ck_assert_mem_eq(&before, &after, sizeof(before));
	tempdir_end();
}
END_TEST

/* The reader of a file may start the next recorder when the file is complete. */
START_TEST(the_module_is_restored_before_the_file_is_complete)
{
	char *command[] = { "sh", "-c", "echo 3 >$KMEMTRACE_DIR/lost_events", NULL };

	begin(10);
	tempdir_put_text("features", "time\n");
	features_before = "time\n";
	ck_assert_int_eq(record(command), EXIT_LOST);
	ck_assert(finished);
	tempdir_end();
}
END_TEST

/* Return: how often a text is in the messages. Ends their redirection. */
static unsigned int count_messages(int errors, const char *text)
{
	char all[8192] = "", *at = all;
	unsigned int n = 0;
	FILE *file;

	fflush(stderr);
	dup2(errors, STDERR_FILENO);
	close(errors);
	file = fopen(tempdir_path("errors"), "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_lt(fread(all, 1, sizeof(all) - 1, file), sizeof(all) - 1);
	fclose(file);
	for (; (at = strstr(at, text)); at++)
		n++;
	return n;
}

/* Begins to write messages into a file. Return: for count_messages() */
static int redirect_errors(void)
{
	int errors = dup(STDERR_FILENO);

	ck_assert_ptr_nonnull(freopen(tempdir_path("errors"), "w", stderr));
	return errors;
}

/*
 * A CPU comes online. A read() of its records waits until the command has ended, which waits
 * for the message during the recording. There is another message at its end. On a busy machine, the
 * messages may name cpu0 as well.
 */
START_TEST(a_reader_that_does_not_run_is_named)
{
	char *command[] = { "sh", "-c", "mkfifo $KMEMTRACE_DIR/cpu1;"
			    "exec 3<>$KMEMTRACE_DIR/cpu1; i=0;"
			    "until grep -q ' cpu1 (' $KMEMTRACE_DIR/errors || [ $i = 600 ]; do"
			    "  sleep 0.1; i=$((i + 1)); done; echo 3 >$KMEMTRACE_DIR/lost_events",
			    NULL };
	int errors;

	begin(10);
	errors = redirect_errors();
	ck_assert_int_eq(record(command), EXIT_LOST);
	ck_assert_uint_eq(count_messages(errors, " cpu1 ("), 2);
	ck_assert_int_eq(unlink(tempdir_path("cpu1")), 0);
	errors = redirect_errors();
	ck_assert_int_eq(record((char *[]){ "true", NULL }), EXIT_LOST);
	ck_assert_uint_eq(count_messages(errors, " cpu1 ("), 0);
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

/* Return: the number of events in the file so far. */
static uint64_t count_events(void)
{
	char *path = file;
	const struct window *w;
	uint64_t events = 0;
	struct input in;

	if (access(file, F_OK) || input_open(&in, &path, 1))
		return 0;
	if (!input_begin(&in, false))
		while ((w = input_next(&in)))
			events += w->count;
	input_close(&in);
	return events;
}

/*
 * Recorded events reach the file within seconds, even if no more events come; on a busy
 * machine, within a minute.
 */
START_TEST(a_quiet_recorder_may_be_killed)
{
	char *command[] = { "sleep", "100", NULL };
	pid_t pid;
	int tries;

	begin(10);
	pid = fork();
	if (!pid) {
		record(command);
		_exit(0);
	}
	ck_assert_int_gt(pid, 0);
	strcat(file, ".part");
	for (tries = 0; tries < 60 && !count_events(); tries++)
		sleep(1);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_uint_eq(count_events(), 10);
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

/* --- a process that reads a pipe ------------------------------------------- */

#define STUCK_MS 500

/* Reads until recording is on. Return: the number of bytes. */
static size_t read_beginning(int from)
{
	char data[4096], enabled = '0';
	size_t bytes = 0;
	FILE *file;
	ssize_t n;

	fcntl(from, F_SETFL, O_NONBLOCK);
	while (enabled != '1') {
		while ((n = read(from, data, sizeof(data))) > 0)
			bytes += n;
		usleep(1000);
		file = fopen(tempdir_path("enabled"), "r");
		if (!file)
			_exit(1);
		enabled = fgetc(file);
		fclose(file);
	}
	return bytes;
}

/* A user interrupts the recorder when nothing comes any more, once or several times. */
static void interrupt_stuck(int from, bool once)
{
	int before = -1, bytes = 0;

	while (!bytes || bytes != before) {
		before = bytes;
		usleep(STUCK_MS * 1000);
		ioctl(from, FIONREAD, &bytes);
	}
	do {
		kill(getppid(), SIGINT);
		usleep(STUCK_MS * 1000);
	} while (!once && getppid() != 1);
}

static void read_to_end(int from, size_t bytes, size_t least)
{
	char data[4096];
	ssize_t n;

	fcntl(from, F_SETFL, 0);
	while ((n = read(from, data, sizeof(data))) > 0)
		bytes += n;
	_exit(bytes < least);
}

/* @reads: begins to read; @resumes: reads on after one signal. Return: as record() */
static int record_to_pipe(bool reads, bool resumes)
{
	int ends[2], ret, status;
	size_t bytes = 0;
	pid_t pid;

	tempdir_put_text("features", "time\n");
	ck_assert_int_eq(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		close(ends[1]);
		if (reads)
			bytes = read_beginning(ends[0]);
		interrupt_stuck(ends[0], resumes);
		usleep(3 * STUCK_MS * 1000);
		read_to_end(ends[0], bytes, RECORDS * NOISE);
	}
	ck_assert_int_gt(pid, 0);
	snprintf(file, sizeof(file), "/dev/fd/%d", ends[1]);
	ret = record(NULL);
	close(ends[1]);
	if (!resumes)
		kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	if (resumes)
		ck_assert_int_eq(status, 0);
	close(ends[0]);
	is_unchanged("features", "time\n");
	is_unchanged("enabled", "0\n");
	return ret;
}

static void give_up(bool reads)
{
	int errors;

	begin(RECORDS);
	errors = redirect_errors();
	ck_assert_int_eq(record_to_pipe(reads, false), EXIT_FAILED);
	ck_assert_uint_eq(count_messages(errors, "interrupted: the backlog was dropped"),
			  1);
	tempdir_end();
}

START_TEST(a_process_that_reads_nothing_is_given_up)
{
	give_up(false);
}
END_TEST

START_TEST(a_process_that_stops_reading_is_given_up)
{
	give_up(true);
}
END_TEST

START_TEST(a_process_that_resumes_reading_gets_all)
{
	int errors;

	begin(RECORDS);
	errors = redirect_errors();
	ck_assert_int_eq(record_to_pipe(true, true), 0);
	ck_assert_uint_eq(count_messages(errors, "waiting for the process"), 1);
	tempdir_end();
}
END_TEST

/* As "record -o - | head": what was not written is not called complete. */
START_TEST(a_process_that_ends_lacks_events)
{
	static const struct { const char *text; unsigned int times; } messages[] = {
		{ "the process that read the recording has ended", 1 }, { "no event lost", 0 },
	};
	int ends[2], errors, i;

	signal(SIGPIPE, SIG_IGN);
	begin(RECORDS);
	for (i = 0; i < 2; i++) {
		ck_assert_int_eq(pipe(ends), 0);
		close(ends[0]);
		snprintf(file, sizeof(file), "/dev/fd/%d", ends[1]);
		errors = redirect_errors();
		record(NULL);
		close(ends[1]);
		ck_assert_uint_eq(count_messages(errors, messages[i].text), messages[i].times);
	}
	tempdir_end();
}
END_TEST

UNIT_MAIN("recorder", a_process_that_reads_nothing_is_given_up,
	  a_process_that_stops_reading_is_given_up, a_process_that_resumes_reading_gets_all,
	  the_backlog_can_be_given_up, many_cpus_share_the_memory, a_failing_reader_ends_the_recording,
	  the_status_of_the_command_is_passed_on,
	  a_command_of_several_lines_is_one_line,
	  a_second_recorder_changes_nothing, no_lock_and_no_signals_are_errors,
	  a_snapshot_meanwhile_is_reported,
	  the_module_is_restored_before_the_file_is_complete,
	  a_reader_that_does_not_run_is_named, nohup_keeps_it_going,
	  it_ends_when_switched_off, a_trigger_may_switch_it_off,
	  a_quiet_recorder_may_be_killed, a_full_disk_leaves_the_old_file,
	  a_process_that_ends_lacks_events)
