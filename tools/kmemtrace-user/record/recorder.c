// SPDX-License-Identifier: GPL-2.0-only
/*
 * There are three kinds of threads. The readers (stream.c) fill pieces. The writer takes
 * the pieces from one queue and writes the file. The main thread switches recording on
 * and off, waits, looks for CPUs that come online, and shows progress.
 *
 * The guarantees of the file format (trace_format.h) depend on the order of pieces in the
 * queue. A CPU is "absent" until its first piece. A scan for new CPUs first reads the
 * sequence number. Then it puts a piece for each new CPU into the queue. At last it puts
 * a piece for all absent CPUs: they have no record before that number.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/msg.h"
#include "base/outfile.h"
#include "base/plural.h"
#include "base/table.h"
#include "control/control.h"
#include "record/capture.h"
#include "record/child.h"
#include "record/cpus.h"
#include "record/frozen.h"
#include "record/private.h"
#include "record/recorder.h"
#include "record/snapfile.h"
#include "record/stream.h"
#include "trace/writer.h"

#define TICK_MS 100
/* interval between two checks of a thread that ends soon, in ms */
#define JOIN_MS 20

struct recorder {
	const struct recorder_options *options;
	int dir;
	struct settings settings;
	struct steer steer;
	struct capture capture;
	struct frozen frozen;
	struct trace_writer *writer;
	struct piece_queue queue;
	pthread_t writer_thread;
	struct stream **streams;
	size_t nr_streams;
	int spill_dir;
	uint8_t *spill_room;
	int spill_err;
	uint32_t absent_mark;
	uint64_t snapshots; /* number of snapshots taken before the recording */
	int session; /* recording ends when it is closed; -1: old module */
	int signals;
	sigset_t old_mask; /* before the signals of @signals were blocked */
	struct child child;
	bool cut; /* atomic: the rest of the backlog is discarded */
	bool tty;
	bool is_kept; /* the file is complete, and is no pipe */
	const char *reason;
	struct timespec started;
	double seconds; /* duration of the recording */
	uint64_t events; /* events in the file; counted by the writer thread */
};

/* Return: true if a process reads the recording while it is made. */
static bool is_piped(const struct recorder *r)
{
	return !trace_writer_path(r->writer);
}

/* --- the file -------------------------------------------------------------- */

static int spill_error(const struct recorder *r)
{
	return __atomic_load_n(&r->spill_err, __ATOMIC_RELAXED);
}

static void write_piece(struct recorder *r, const struct piece *piece)
{
	const void *data;

	if (__atomic_load_n(&r->cut, __ATOMIC_RELAXED))
		return;
	data = piece_data(piece, r->spill_room);
	if (data) {
		trace_writer_data(r->writer, piece->cpu, data, piece->size,
				  piece->mark, piece->complete);
		__atomic_fetch_add(&r->events, piece->events, __ATOMIC_RELAXED);
	} else {
		__atomic_store_n(&r->spill_err, errno, __ATOMIC_RELAXED);
	}
}

static void *write_pieces(void *arg)
{
	struct recorder *r = arg;

	for (;;) {
		struct piece *piece = piece_queue_take(&r->queue);
		bool last = piece->cpu == TRACE_CPU_NONE;

		if (!last)
			write_piece(r, piece);
		piece_release(piece);
		if (last)
			return NULL;
	}
}

/* Put a piece with a mark, but without records, into the queue. */
static void put_mark(struct recorder *r, uint32_t cpu, uint32_t mark)
{
	struct piece *piece = calloc(1, sizeof(*piece));

	if (!piece) {
		/* without the mark, the file would be wrong: leave it as FILE.part */
		msg_oom();
		_exit(EXIT_FAILED);
	}
	piece->cpu = cpu;
	piece->mark = mark;
	piece->complete = true;
	piece_queue_put(&r->queue, piece);
}

/* --- the readers ------------------------------------------------------------ */

static bool has_stream(const struct recorder *r, int cpu)
{
	size_t i;

	for (i = 0; i < r->nr_streams; i++)
		if (r->streams[i]->cpu == cpu)
			return true;
	return false;
}

static int add_stream(struct recorder *r, int cpu)
{
	struct stream **stream;
	int err;

	if (!array_reserve(r->streams, r->nr_streams))
		return msg_oom();
	stream = &r->streams[r->nr_streams];
	err = stream_create(r->dir, cpu, &r->queue, r->spill_dir, stream);
	if (err == -ENODEV)
		return EXIT_DONE; /* the next scan tries again */
	if (!err) {
		/* the CPU was absent until now */
		put_mark(r, cpu, r->absent_mark);
		err = stream_start(*stream);
		if (err)
			stream_destroy(*stream);
	}
	if (err == -EBUSY)
		return msg_error("another recorder is running: cpu%d is being read",
				 cpu);
	if (err)
		return msg_error("cannot read cpu%d: %s", cpu, strerror(-err));
	r->nr_streams++;
	return EXIT_DONE;
}

static int add_new_stream(const char *name, int cpu, void *arg)
{
	(void)name;
	return has_stream(arg, cpu) ? EXIT_DONE : add_stream(arg, cpu);
}

/* Start a reader for each CPU that has none. */
static int scan_cpus(struct recorder *r)
{
	uint64_t sequence;
	int ret;

	if (control_read_u64(r->dir, "sequence", &sequence))
		return msg_error("the module was unloaded");
	ret = cpus_each(r->dir, "cpu", r->options->cpus, add_new_stream, r);
	if (!ret && sequence != r->absent_mark) {
		r->absent_mark = sequence;
		put_mark(r, TRACE_CPU_ABSENT, sequence);
	}
	return ret;
}

static int destroy_streams(struct recorder *r)
{
	size_t i;
	int err, ret = EXIT_DONE;

	for (i = 0; i < r->nr_streams; i++) {
		int cpu = r->streams[i]->cpu;

		err = stream_destroy(r->streams[i]);
		if (err)
			ret = msg_error("reading cpu%d failed: %s", cpu,
					strerror(-err));
	}
	free(r->streams);
	r->streams = NULL;
	r->nr_streams = 0;
	return ret;
}

/* --- waiting -------------------------------------------------------------------- */

static double elapsed(const struct recorder *r)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - r->started.tv_sec +
	       (now.tv_nsec - r->started.tv_nsec) / 1e9;
}

static uint64_t lost_events(const struct recorder *r)
{
	return cpus_lost(r->dir, r->options->cpus);
}

static void show_progress(struct recorder *r)
{
	char size[16];

	if (!r->tty)
		return;
	if (r->options->settings.flight) {
		fprintf(stderr, "\r%.0f s ", elapsed(r));
		return;
	}
	fprintf(stderr, "\r%.0f s  %llu events  %s  %llu lost ",
		elapsed(r),
		(unsigned long long)__atomic_load_n(&r->events,
						    __ATOMIC_RELAXED),
		table_human(size, sizeof(size), trace_writer_bytes(r->writer),
			    true),
		(unsigned long long)lost_events(r));
}

static bool has_failed(const struct recorder *r)
{
	size_t i;

	for (i = 0; i < r->nr_streams; i++)
		if (stream_error(r->streams[i]))
			return true;
	return trace_writer_error(r->writer) || spill_error(r);
}

/*
 * Return: true if another process switched recording off. If a trigger may have done
 * this, the recorder continues, because a trigger may also switch recording on again.
 */
static bool is_switched_off(const struct recorder *r)
{
	uint64_t enabled;

	return !control_read_u64(r->dir, "enabled", &enabled) && !enabled &&
	       !steer_may_switch(r->dir);
}

/*
 * Return: the reason for which recording must end now, or NULL.
 *
 * Ctrl-C also sends the signal to the command. If the command has ended because of it,
 * the signal is already pending in this process. The command is therefore checked first.
 */
static const char *ended(struct recorder *r)
{
	bool command = child_ended(&r->child);

	if (trace_writer_error(r->writer) == -EPIPE)
		return "reader ended";
	if (has_failed(r))
		return "error";
	if (child_interrupted(r->signals))
		return "signal";
	if (command)
		return "command";
	if (is_switched_off(r))
		return "switched off";
	if (r->options->seconds && elapsed(r) >= r->options->seconds)
		return "duration";
	return NULL;
}

static int wait_for_end(struct recorder *r)
{
	struct pollfd pfd = { .fd = r->signals, .events = POLLIN };
	unsigned int tick = 0;

	while (!(r->reason = ended(r))) {
		poll(&pfd, 1, TICK_MS);
		if (!r->options->settings.flight && scan_cpus(r)) {
			r->reason = "error";
			return EXIT_FAILED;
		}
		/* wake the writer, which then checks its clock; more often for a pipe */
		if (!r->options->settings.flight &&
		    (tick % 10 == 0 || is_piped(r)))
			put_mark(r, TRACE_CPU_ABSENT, r->absent_mark);
		if (tick++ % 10 == 0)
			show_progress(r);
	}
	return EXIT_DONE;
}

static bool has_losses(const struct recorder *r)
{
	return lost_events(r) || r->capture.snapshots;
}

static void show_losses(struct recorder *r)
{
	uint64_t lost = lost_events(r);

	if (r->capture.snapshots) {
		fputs("events are missing: a snapshot was taken during the recording, with records that were not read yet; for snapshots use record --flight\n",
		      stderr);
		if (!lost)
			return;
	}
	if (!lost) {
		fputs("no event lost\n", stderr);
		return;
	}
	fprintf(stderr,
		"%llu event%s lost, because buffers were full; a larger --buffer-size may help. Lost on",
		(unsigned long long)lost, plural(lost));
	cpus_show_lost(r->dir, r->options->cpus);
	fputc('\n', stderr);
}

static void show_end(struct recorder *r, double bytes, bool is_file)
{
	char size[16];

	fprintf(stderr,
		"%s%llu event%s in %.1f s, %s (%.1f bytes an event), in %s\n",
		r->tty ? "\r\033[K" : "", (unsigned long long)r->events, plural(r->events),
		r->seconds, table_human(size, sizeof(size), bytes, true),
		r->events ? bytes / r->events : 0,
		outfile_is_stdout(r->options->file) ? "standard output" : r->options->file);
	if (!strcmp(r->reason, "reader ended"))
		msg_note("the process that read the recording has ended");
	if (!strcmp(r->reason, "switched off"))
		msg_note("recording was switched off by another process: it wrote 0 to the module's file enabled");
	if (!r->options->settings.flight)
		show_losses(r);
	else if (r->frozen.exchanged)
		fputs("flight recorder: these are the events since the last snapshot\n",
		      stderr);
	else if (r->frozen.overwritten)
		fputs("flight recorder: older events were overwritten\n",
		      stderr);
	else if (!lost_events(r))
		fputs("flight recorder: these are all events\n", stderr);
	if (r->options->settings.flight && lost_events(r))
		show_losses(r);
	if (is_file)
		fprintf(stderr, "Next: kmemtrace-user report %s\n",
			r->options->file);
}

/* --- start and end ------------------------------------------------------------------ */

static void catch_signals(struct recorder *r)
{
	struct sigaction hangup;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	/* under nohup, SIGHUP is ignored, but a signalfd would still receive it */
	if (sigaction(SIGHUP, NULL, &hangup) || hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &r->old_mask);
	r->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* If this process is killed, the kernel closes the session; see abi.rst. */
static int switch_on(struct recorder *r)
{
	r->session = openat(r->dir, "session", O_WRONLY | O_CLOEXEC);
	if (r->session < 0 && errno == ENOENT)
		return control_write(r->dir, "enabled", "1");
	return r->session < 0 || write(r->session, "1", 1) < 0 ? -errno : 0;
}

/* @other: set if another recorder is running */
static int enable(struct recorder *r, bool *other)
{
	int err = switch_on(r);

	*other = err == -EBUSY;
	if (*other)
		return msg_error("another recorder is running");
	if (err == -ENOMEM)
		return msg_error("there is not enough memory for the buffers: choose a smaller --buffer-size");
	if (err)
		return msg_error("cannot switch recording on: %s; see the kernel log",
				 strerror(-err));
	clock_gettime(CLOCK_MONOTONIC, &r->started);
	return EXIT_DONE;
}

/* Filters stay set until the end: events that do not match must not be recorded. */
static int run_command(struct recorder *r)
{
	bool other = false;
	int ret;

	/* set triggers before recording is on, so that they see the first events */
	ret = steer_set_triggers(&r->steer, r->dir);
	if (!ret)
		ret = enable(r, &other);
	if (!ret)
		ret = child_start(&r->child, r->options->command,
				  outfile_is_stdout(r->options->file));
	if (!ret)
		ret = wait_for_end(r);
	/* remove triggers before recording is off: a trigger might switch it on again */
	steer_restore_triggers(&r->steer, r->dir);
	if (!other)
		control_write(r->dir, "enabled", "0");
	r->seconds = elapsed(r);
	child_stop(&r->child, r->signals);
	return ret;
}

/* --- the backlog ------------------------------------------------------------------- */

static uint64_t backlog_bytes(const struct recorder *r)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < r->nr_streams; i++)
		bytes += spill_left(&r->streams[i]->spill);
	return bytes;
}

/* Wait between two checks of a thread. A signal discards the rest of the backlog. */
static void wait_for_backlog(struct recorder *r)
{
	struct pollfd pfd = { .fd = r->signals, .events = POLLIN };
	uint64_t bytes;
	char size[16];

	poll(&pfd, 1, JOIN_MS);
	if (child_interrupted(r->signals))
		__atomic_store_n(&r->cut, true, __ATOMIC_RELAXED);
	bytes = backlog_bytes(r);
	if (r->tty && bytes)
		fprintf(stderr,
			"\r\033[Krecording stopped; compressing the backlog, %s left; Ctrl-C drops it ",
			table_human(size, sizeof(size), bytes, true));
}

static void stop_streams(struct recorder *r)
{
	size_t i;

	for (i = 0; i < r->nr_streams; i++)
		stream_stop(r->streams[i]);
	for (i = 0; i < r->nr_streams; i++)
		while (!stream_join(r->streams[i]))
			wait_for_backlog(r);
}

/* Start the readers, record, and wait until the readers have read all records. */
static int run_streams(struct recorder *r)
{
	int ret;

	ret = scan_cpus(r);
	if (!ret)
		ret = run_command(r);
	stop_streams(r);
	return ret;
}

/* Open the directory of the file, because its file system has space for the recording. */
static int open_spill_dir(const char *file)
{
	char *path = file ? strdup(file) : NULL;
	char *slash = path ? strrchr(path, '/') : NULL;
	int fd;

	if (!path)
		return -1;
	if (slash)
		slash[1] = '\0';
	fd = open(slash ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(path);
	return fd;
}

static int write_streams(struct recorder *r)
{
	int ret, err;

	err = pthread_create(&r->writer_thread, NULL, write_pieces, r);
	if (err)
		return msg_error("cannot start a thread: %s", strerror(err));
	ret = run_streams(r);
	put_mark(r, TRACE_CPU_NONE, 0);
	while (pthread_tryjoin_np(r->writer_thread, NULL))
		wait_for_backlog(r);
	if (destroy_streams(r))
		ret = EXIT_FAILED;
	if (r->spill_err)
		ret = msg_error("cannot read the backlog: %s",
				strerror(r->spill_err));
	if (r->cut)
		ret = msg_error("interrupted: the backlog was dropped, and the recording is cut short");
	return ret;
}

static int record_streams(struct recorder *r)
{
	int ret;

	r->spill_room = malloc(PIECE_SIZE);
	if (!r->spill_room)
		return msg_oom();
	r->spill_dir = open_spill_dir(trace_writer_path(r->writer));
	piece_queue_init(&r->queue);
	ret = write_streams(r);
	piece_queue_exit(&r->queue);
	if (r->spill_dir >= 0)
		close(r->spill_dir);
	free(r->spill_room);
	return ret;
}

/* Save the snapshot of a trigger, because it is dropped together with the buffers. */
static int save_snapshot(struct recorder *r)
{
	const char *file = r->options->file;
	char path[4096];

	if (!frozen_is_taken(r->dir))
		return EXIT_DONE;
	if (!settings_drop_buffers(&r->settings)) {
		msg_note("a snapshot was taken during the recording; to save it: kmemtrace-user snapshot");
		return EXIT_DONE;
	}
	snprintf(path, sizeof(path), "%s.snapshot",
		 trace_writer_path(r->writer) ? file : TRACE_FILE_DEFAULT);
	return snapfile_save(r->dir, path, &r->options->anonymize,
			     !r->options->no_compress, true);
}

static int save_flight(struct recorder *r, struct frozen_files *files)
{
	bool exchanged = frozen_snapshots(r->dir) != r->snapshots;
	uint64_t end;
	int ret;

	if (control_read_u64(r->dir, "sequence", &end))
		return msg_error("the module was unloaded");
	ret = frozen_save(files, r->writer, end,
			  exchanged ? NULL : &r->capture.start, &r->frozen);
	r->events = r->frozen.records;
	if (!ret && exchanged)
		ret = save_snapshot(r);
	return ret;
}

/* The files are opened after recording, so that CPUs that came online are included. */
static int record_flight(struct recorder *r)
{
	struct frozen_files *files;
	int ret;

	ret = run_command(r);
	if (!r->reason)
		return EXIT_FAILED;
	if (frozen_open(r->dir, FROZEN_BUFFERS, r->options->cpus, &files))
		return EXIT_FAILED;
	if (save_flight(r, files))
		ret = EXIT_FAILED;
	frozen_close(files);
	return ret;
}

static int drop_records(struct recorder *r, uint64_t *records)
{
	struct frozen_files *files;
	struct frozen frozen = { 0 };
	int ret = frozen_open(r->dir, FROZEN_BUFFERS, NULL, &files);

	if (ret)
		return ret;
	ret = frozen_save(files, NULL, 0, NULL, &frozen);
	frozen_close(files);
	*records = frozen.records;
	return ret;
}

/* Drop records of CPUs that are not in --cpus: the next recording must not get them. */
static void drop_others(struct recorder *r)
{
	uint64_t records;

	if (r->options->cpus && r->reason)
		drop_records(r, &records);
}

/* Drop events of an earlier recording, for example of a recorder that was killed. */
static int drop_earlier(struct recorder *r)
{
	uint64_t records;
	int ret = drop_records(r, &records);

	if (!ret && records)
		msg_note("dropped %llu event%s that an earlier recording left unread; kmemtrace-user snapshot saves such events",
			 (unsigned long long)records, plural(records));
	return ret;
}

/* Drop events only after the module has accepted the settings and the filters. */
static int prepare(struct recorder *r)
{
	const struct settings_wanted *wanted = &r->options->settings;
	int ret = settings_apply(&r->settings, r->dir, wanted);

	if (!ret)
		ret = steer_set_filters(&r->steer, r->dir);
	if (ret)
		return ret;
	steer_note_others(&r->steer, r->dir);
	ret = drop_earlier(r);
	return ret ? ret :
		     settings_apply_buffers(&r->settings, r->dir, wanted);
}

static int record_to_file(struct recorder *r)
{
	bool flight = r->options->settings.flight;
	uint64_t sequence = 0;
	int ret;

	if (control_read_u64(r->dir, "sequence", &sequence))
		return msg_error("this module is too old for this tool");
	r->absent_mark = sequence;
	r->capture = (struct capture){
		.dir = r->dir,
		.writer = r->writer,
		.cpus = r->options->cpus,
		.command = r->options->command,
		.steer = &r->steer,
		.kept = flight ? "flight" : NULL,
		.has_start = true,
		.start = sequence,
	};
	r->snapshots = frozen_snapshots(r->dir);
	capture_begin(&r->capture);
	if (is_piped(r) && !flight)
		trace_writer_before(r->writer, capture_update, &r->capture);
	ret = flight ? record_flight(r) : record_streams(r);
	if (!flight)
		r->capture.snapshots = frozen_snapshots(r->dir) - r->snapshots;
	trace_writer_before(r->writer, NULL, NULL);
	/* a file without an end counts as truncated */
	if (!r->cut)
		capture_end(&r->capture, r->reason ? r->reason : "error",
			    flight ? &r->frozen : NULL);
	capture_exit(&r->capture);
	return ret;
}

/* Return: true if the recording ended because the command ended by itself. */
static bool is_command_over(const struct recorder *r)
{
	return r->reason && !strcmp(r->reason, "command");
}

/* Keep the file if there was a recording: @reason is set. Return: as recorder_run(). */
static int finish_file(struct recorder *r, int ret)
{
	double bytes = trace_writer_bytes(r->writer);
	bool is_file = trace_writer_path(r->writer);
	bool keep = r->reason != NULL;
	int err = trace_writer_destroy(r->writer, keep);

	if (err && err != -EPIPE)
		return EXIT_FAILED;
	r->is_kept = keep && is_file;
	if (keep && !r->options->quiet)
		show_end(r, bytes, is_file);
	if (ret || err)
		return ret ? ret : EXIT_FAILED;
	if (is_command_over(r))
		ret = child_exit_code(&r->child);
	if (ret)
		msg_note("the command failed (%s %d); the recording is good",
			 WIFSIGNALED(r->child.status) ? "signal" : "exit",
			 WIFSIGNALED(r->child.status) ? ret - 128 : ret);
	return !ret && keep && has_losses(r) ? EXIT_LOST : ret;
}

/*
 * The lock lets only one recorder change settings. It is held until the directory is
 * closed. The command does not inherit it, because execvp() closes the directory there.
 */
static int open_module(int *dir)
{
	const char *why;

	*dir = control_open(&why);
	if (*dir < 0)
		return msg_error("%s", why);
	if (!flock(*dir, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
		return EXIT_DONE;
	close(*dir);
	return msg_error("another recorder is running, or a snapshot is being taken: wait for its end");
}

/* @path: the file to write. Return: as recorder_run(). */
static int run(const struct recorder_options *options, const char *path)
{
	struct recorder r = {
		.options = options,
		.steer = options->steer,
		.session = -1,
		.tty = !options->quiet && isatty(STDERR_FILENO),
	};
	uint64_t enabled;
	int ret, err;

	if (open_module(&r.dir))
		return EXIT_FAILED;
	err = control_read_u64(r.dir, "enabled", &enabled);
	if (err) {
		close(r.dir);
		return msg_error("cannot read the module's file enabled: %s",
				 strerror(-err));
	}
	if (enabled) {
		close(r.dir);
		return msg_error("recording is on already: another recorder is running, or: echo 0 > /sys/kernel/debug/kmemtrace/enabled");
	}
	if (trace_writer_create(path, !options->no_compress, &r.writer)) {
		close(r.dir);
		return EXIT_FAILED;
	}
	catch_signals(&r);
	ret = cpus_check(r.dir, options->cpus, !options->settings.flight);
	if (!ret)
		ret = prepare(&r);
	if (!ret)
		ret = record_to_file(&r);
	ret = finish_file(&r, ret);
	drop_others(&r);
	steer_restore_filters(&r.steer, r.dir);
	settings_restore(&r.settings, r.dir);
	if (r.session >= 0)
		close(r.session);
	close(r.signals);
	close(r.dir);
	/* a signal may end the copying, which takes long */
	if (r.is_kept && anonymize_is_on(&options->anonymize))
		sigprocmask(SIG_SETMASK, &r.old_mask, NULL);
	if (r.is_kept &&
	    private_finish(&options->anonymize, path, options->file))
		return EXIT_FAILED;
	return ret;
}

int recorder_run(const struct recorder_options *options)
{
	char *path = private_path(&options->anonymize, options->file);
	int ret = path ? run(options, path) : EXIT_FAILED;

	free(path);
	return ret;
}
