// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/outfile.h"
#include "base/plural.h"
#include "base/table.h"
#include "base/die.h"
#include "control/control.h"
#include "control/counts.h"
#include "record/capture.h"
#include "record/child.h"
#include "record/cpus.h"
#include "record/frozen.h"
#include "record/memory.h"
#include "record/ordering.h"
#include "trace/anonymized.h"
#include "record/recorder.h"
#include "record/snapfile.h"
#include "record/streams.h"
#include "trace/order.h"
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
	struct frozen_files *files; /* of a flight recorder, at its end */
	struct trace_writer *writer;
	struct streams streams;
	struct order *order; /* NULL: the module orders events by number */
	struct memory memory;
	uint64_t snapshots; /* number of snapshots taken before the recording */
	int session; /* recording ends when it is closed */
	int signals;
	sigset_t old_mask; /* before the signals of @signals were blocked */
	struct child child;
	pthread_t main; /* the thread that handles signals */
	bool interrupted; /* a signal came that ends the recording */
	bool cut; /* the rest of the backlog is discarded; atomic */
	unsigned int waited; /* time that the output did not take data, in ms; atomic */
	bool is_told; /* the user knows that the output takes no data */
	bool tty;
	size_t named; /* number of CPUs that are not read, as far as the user knows */
	bool is_kept; /* the file is complete, and is no pipe */
	bool is_on; /* recording was switched on, and not off */
	struct undo undo; /* restores the module */
	uint64_t lost; /* events lost, at the end */
	char *lost_on; /* the CPUs that lost them; NULL: unknown */
	char *starved; /* the CPUs that were not read for some time; or NULL */
	const char *reason;
	struct timespec started;
	double seconds; /* duration of the recording */
	uint64_t events; /* events in the file */
};

/* Return: true if a process reads the recording while it is made. */
static bool is_piped(const struct recorder *r)
{
	return !trace_writer_path(r->writer);
}

/* On a terminal, the next message replaces the line of the progress. */
static void clear_line(const struct recorder *r)
{
	if (r->tty)
		fputs("\r\033[K", stderr);
}

/* --- signals -------------------------------------------------------------------- */

/* a process that does not read for this time is mentioned, in ms */
#define WAITED_MS 1000

/* The first signal ends the recording. A signal after the end discards the backlog. */
static void take_signals(struct recorder *r)
{
	if (!child_interrupted(r->signals))
		return;
	if (r->interrupted || r->reason)
		__atomic_store_n(&r->cut, true, __ATOMIC_RELAXED);
	r->interrupted = true;
}

static void note_wait(struct recorder *r)
{
	if (r->is_told || !(r->interrupted || r->reason) ||
	    __atomic_load_n(&r->waited, __ATOMIC_RELAXED) < WAITED_MS)
		return;
	r->is_told = true;
	clear_line(r);
	msg_note("waiting for the process that reads the recording; Ctrl-C drops the rest");
}

/*
 * The output takes no data for @ms. This is the main thread, which then handles no signals;
 * or a thread of the writer, while the main thread handles them.
 */
static bool gives_up(void *arg, unsigned int ms)
{
	struct recorder *r = arg;

	__atomic_store_n(&r->waited, ms, __ATOMIC_RELAXED);
	if (pthread_equal(pthread_self(), r->main)) {
		take_signals(r);
		note_wait(r);
	}
	return __atomic_load_n(&r->cut, __ATOMIC_RELAXED);
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
	clear_line(r);
	if (r->options->settings.flight) {
		fprintf(stderr, "%.0f s ", elapsed(r));
		return;
	}
	fprintf(stderr, "%.0f s  %llu events written  %s  %llu lost ",
		elapsed(r),
		(unsigned long long)trace_writer_records(r->writer),
		table_human(size, sizeof(size), trace_writer_bytes(r->writer),
			    true),
		(unsigned long long)lost_events(r));
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
	if (trace_writer_error(r->writer) ||
	    (!r->options->settings.flight && streams_failed(&r->streams)))
		return "error";
	take_signals(r);
	if (r->interrupted)
		return "signal";
	if (command)
		return "command";
	if (is_switched_off(r))
		return "switched off";
	if (r->options->seconds && elapsed(r) >= r->options->seconds)
		return "duration";
	return NULL;
}

/* Names the CPUs whose readers do not run, and again each time that they are twice as many. */
static void warn_of_starved(struct recorder *r)
{
	size_t count;
	char *cpus = streams_starved(&r->streams, &count);

	if (!cpus || r->named > count / 2) {
		free(cpus);
		return;
	}
	r->named = count;
	clear_line(r);
	msg_note("records are not read on%s: tasks of a higher real-time priority use all of the CPU%s. Lower their priority, move them to other CPUs, or record only other CPUs with --cpus",
		 cpus, r->order ? ", and the records of all CPUs wait for it" : "");
	free(cpus);
}

static void wait_for_end(struct recorder *r)
{
	struct pollfd pfd = { .fd = r->signals, .events = POLLIN };
	unsigned int tick = 0;

	while (!(r->reason = ended(r))) {
		poll(&pfd, 1, TICK_MS);
		if (tick++ % (1000 / TICK_MS))
			continue;
		if (!r->options->settings.flight)
			warn_of_starved(r);
		show_progress(r);
	}
}

static bool has_losses(const struct recorder *r)
{
	return r->lost || r->capture.snapshots;
}

static void show_losses(const struct recorder *r)
{
	if (r->capture.snapshots) {
		fputs("events are missing: a snapshot was taken during the recording, with records that were not read yet; for snapshots use record --flight\n",
		      stderr);
		if (!r->lost)
			return;
	}
	if (!r->lost) {
		if (strcmp(r->reason, "reader ended"))
			fputs("no event lost\n", stderr);
		return;
	}
	fprintf(stderr,
		"%llu event%s lost, because buffers were full; a larger --buffer-size may help. Lost on%s\n",
		(unsigned long long)r->lost, plural(r->lost),
		r->lost_on ? r->lost_on : "");
	if (r->starved)
		fprintf(stderr,
			"the losses may be due to tasks of a higher real-time priority, which kept the recorder from reading on%s\n",
			r->starved);
}

static void show_end(struct recorder *r, uint64_t bytes, uint64_t of_records, bool is_file)
{
	char size[16], names[16];

	fprintf(stderr,
		"%llu event%s in %.1f s, %s (%.1f bytes an event, and %s of symbols and names), in %s\n",
		(unsigned long long)r->events, plural(r->events), r->seconds,
		table_human(size, sizeof(size), bytes, true),
		r->events ? (double)of_records / r->events : 0,
		table_human(names, sizeof(names), bytes - of_records, true),
		outfile_is_stdout(r->options->file) ? "standard output" : r->options->file);
	if (!strcmp(r->reason, "reader ended"))
		msg_note("the process that read the recording has ended before all events were written");
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
	else if (!r->lost)
		fputs("flight recorder: these are all events\n", stderr);
	if (r->options->settings.flight && r->lost)
		show_losses(r);
	if (is_file)
		fprintf(stderr, "Next: kmemtrace-user report %s\n",
			r->options->file);
}

/* --- start and end ------------------------------------------------------------------ */

static int catch_signals(struct recorder *r)
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
	if (r->signals >= 0)
		return EXIT_DONE;
	sigprocmask(SIG_SETMASK, &r->old_mask, NULL);
	return msg_error("cannot catch signals, such as that of Ctrl-C: %s", strerror(errno));
}

/* Signals that came at the end of the recording were for it. */
static void release_signals(struct recorder *r)
{
	child_interrupted(r->signals);
	close(r->signals);
	sigprocmask(SIG_SETMASK, &r->old_mask, NULL);
}

/* If this process is killed, the kernel closes the session; see abi.rst. */
static int switch_on(struct recorder *r)
{
	r->session = openat(r->dir, "session", O_WRONLY | O_CLOEXEC);
	return r->session < 0 || write(r->session, "1", 1) < 0 ? -errno : 0;
}

/* Remove triggers before recording is off: a trigger might switch it on again. */
static void switch_off(struct recorder *r)
{
	undo_hold();
	steer_restore_triggers(&r->steer, r->dir);
	if (r->is_on)
		control_write(r->dir, "enabled", "0");
	r->is_on = false;
	undo_release();
}

/* Also if memory runs out in any thread while recording is on. */
static void restore_module(void *arg)
{
	struct recorder *r = arg;
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	clear_line(r);
	switch_off(r);
	if (r->child.pid > 0)
		kill(r->child.pid, SIGTERM);
	streams_abandon(&r->streams, null);
	frozen_abandon(r->files, null);
	close(null);
	steer_restore_filters(&r->steer, r->dir);
	settings_restore(&r->settings, r->dir);
}

/* What was prepared may have taken seconds: events before this message are not recorded. */
static void show_start(const struct recorder *r)
{
	const struct recorder_options *options = r->options;

	if (options->quiet)
		return;
	clear_line(r);
	fprintf(stderr, "recording%s\n",
		options->command || options->seconds ? "" : "; Ctrl-C ends it");
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
	show_start(r);
	return EXIT_DONE;
}

/* Filters stay set until the end: events that do not match must not be recorded. */
static int run_command(struct recorder *r)
{
	bool other = false;
	int ret;

	r->capture.counts[0] = counts_text(COUNTS_START);
	undo_hold();
	/* set triggers before recording is on, so that they see the first events */
	ret = steer_set_triggers(&r->steer, r->dir);
	if (!ret)
		ret = enable(r, &other);
	r->is_on = !other;
	undo_release();
	if (!ret)
		ret = child_start(&r->child, r->options->command,
				  outfile_is_stdout(r->options->file));
	if (!ret)
		wait_for_end(r);
	switch_off(r);
	r->seconds = elapsed(r);
	r->capture.counts[1] = counts_text(COUNTS_NOW);
	child_stop(&r->child, r->signals);
	return ret;
}

/* --- the backlog ------------------------------------------------------------------- */

/* Wait between two checks of a thread. A signal discards the rest of the backlog. */
static void wait_for_backlog(struct recorder *r)
{
	struct pollfd pfd = { .fd = r->signals, .events = POLLIN };
	uint64_t bytes;
	char size[16];

	poll(&pfd, 1, JOIN_MS);
	take_signals(r);
	if (r->cut)
		trace_writer_cut(r->writer);
	note_wait(r);
	bytes = trace_writer_backlog(r->writer);
	if (r->tty && bytes)
		fprintf(stderr,
			"\r\033[Krecording stopped; compressing the backlog, %s left; Ctrl-C drops it ",
			table_human(size, sizeof(size), bytes, true));
}

/* Start the readers, record, and wait until all records are in the file. */
static int run_streams(struct recorder *r)
{
	size_t count;
	int ret;

	ret = streams_start(&r->streams);
	if (!ret)
		ret = run_command(r);
	streams_stop(&r->streams);
	r->starved = streams_starved(&r->streams, &count);
	__atomic_store_n(&r->waited, 0, __ATOMIC_RELAXED);
	while (!streams_stopped(&r->streams))
		wait_for_backlog(r);
	if (streams_exit(&r->streams))
		ret = EXIT_FAILED;
	return ret;
}

static void end_order(struct recorder *r)
{
	ordering_end(r->order, r->dir, r->options->cpus);
	r->capture.has_end = true;
	r->capture.end = order_next(r->order);
}

static int record_streams(struct recorder *r)
{
	int ret;

	r->streams = (struct streams){
		.dir = r->dir,
		.cpus = r->options->cpus,
		.writer = r->writer,
		.mark = r->order ? ORDERING_BY_TIME : ORDERING_BY_NUMBER,
		.absent_mark = r->capture.start,
		.order = r->order,
	};
	if (r->order && control_read_u64(r->dir, ORDERING_BY_TIME,
					 &r->streams.absent_mark))
		return msg_error("the module was unloaded");
	ret = streams_init(&r->streams, &r->memory) ? EXIT_FAILED :
						      run_streams(r);
	if (r->order)
		end_order(r);
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
	return snapfile_save(r->dir, path, &r->options->anonymize, true);
}

static int save_flight(struct recorder *r, struct frozen_files *files)
{
	bool exchanged = frozen_snapshots(r->dir) != r->snapshots;
	uint64_t end;
	int ret;

	if (control_read_u64(r->dir, "sequence", &end))
		return msg_error("the module was unloaded");
	frozen_set_order(files, r->order);
	ret = frozen_save(files, r->writer, end,
			  exchanged ? NULL : &r->capture.start, &r->frozen);
	if (r->order) {
		r->capture.has_end = true;
		r->capture.end = r->frozen.end;
		r->capture.order = frozen_order(files);
	}
	if (!ret && exchanged)
		ret = save_snapshot(r);
	return ret;
}

/* The files are opened after recording, so that CPUs that came online are included. */
static int record_flight(struct recorder *r)
{
	int ret;

	ret = run_command(r);
	if (!r->reason)
		return EXIT_FAILED;
	if (frozen_open(r->dir, FROZEN_BUFFERS, r->options->cpus, &r->files))
		return EXIT_FAILED;
	return save_flight(r, r->files) ? EXIT_FAILED : ret;
}

static int drop_records(struct recorder *r, uint64_t *records)
{
	struct frozen frozen = { 0 };
	int ret = frozen_open(r->dir, FROZEN_BUFFERS, NULL, &r->files);

	if (ret)
		return ret;
	ret = frozen_save(r->files, NULL, 0, NULL, &frozen);
	frozen_close(r->files);
	r->files = NULL;
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
static int recorder_prepare(struct recorder *r)
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

/* After recorder_prepare() and before recording is on. */
static int start_order(struct recorder *r)
{
	bool flight = r->options->settings.flight;

	if (!r->capture.by_time)
		return EXIT_DONE;
	r->order = ordering_create(r->dir, r->writer, !flight, r->capture.start);
	r->capture.order = r->order;
	return ordering_start(r->order, r->dir) ?
		       EXIT_DONE :
		       control_cannot_read("stats", errno);
}

static int record_to_file(struct recorder *r)
{
	bool flight = r->options->settings.flight;
	uint64_t sequence = 0;
	int ret;

	ret = control_read_u64(r->dir, "sequence", &sequence);
	if (ret)
		return control_cannot_read("sequence", -ret);
	r->capture = (struct capture){
		.dir = r->dir,
		.writer = r->writer,
		.cpus = r->options->cpus,
		.command = r->options->command,
		.steer = &r->steer,
		.kept = flight ? "flight" : NULL,
		.has_start = true,
		.start = sequence,
		.by_time = ordering_is_by_time(r->dir),
	};
	r->snapshots = frozen_snapshots(r->dir);
	capture_begin(&r->capture);
	if (is_piped(r) && !flight)
		trace_writer_before(r->writer, capture_update, &r->capture);
	ret = r->cut ? EXIT_FAILED : start_order(r);
	if (!ret)
		ret = flight ? record_flight(r) : record_streams(r);
	if (!flight)
		r->capture.snapshots = frozen_snapshots(r->dir) - r->snapshots;
	trace_writer_before(r->writer, NULL, NULL);
	/* a file without an end counts as truncated */
	if (!r->cut)
		capture_end(&r->capture, r->reason ? r->reason : "error",
			    flight ? &r->frozen : NULL);
	capture_exit(&r->capture);
	frozen_close(r->files);
	r->files = NULL;
	order_destroy(r->order);
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
	uint64_t bytes = trace_writer_bytes(r->writer);
	uint64_t of_records = trace_writer_record_bytes(r->writer);
	bool is_file = trace_writer_path(r->writer);
	bool keep = r->reason != NULL;
	int err;

	clear_line(r);
	r->events = trace_writer_records(r->writer);
	err = trace_writer_destroy(r->writer, keep);
	if (r->cut)
		ret = msg_error("interrupted: the backlog was dropped, and the recording is cut short");
	if (err && err != -EPIPE && err != -ECANCELED)
		return EXIT_FAILED;
	r->is_kept = keep && is_file;
	if (keep && !r->options->quiet)
		show_end(r, bytes, of_records, is_file);
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

static int plan_memory(struct recorder *r)
{
	const struct recorder_options *options = r->options;
	unsigned int cpus = cpus_count(r->dir, options->cpus);
	uint64_t least = memory_minimum(cpus);
	uint64_t bytes = options->memory_kb ? options->memory_kb * 1024 :
					      memory_default(cpus);
	const char *features = options->settings.features;

	if (bytes < least)
		return msg_error("--memory is too small: to read %u CPU%s it must be at least %lluM",
				 cpus, plural(cpus), (unsigned long long)least >> 20);
	memory_divide(bytes, cpus, memory_threads(), features && strstr(features, "stack"),
		      &r->memory);
	return EXIT_DONE;
}

/*
 * The lock lets only one recorder change settings. It is held until the directory is
 * closed. The command does not inherit it, because execvp() closes the directory there.
 */
static int lock_module(int dir)
{
	int err = control_lock(dir, true);
	uint64_t enabled;

	if (err == -EBUSY)
		return msg_error("another recorder is running, or a snapshot is being taken: wait for its end");
	if (err)
		return msg_error("cannot lock the module's directory: %s", strerror(-err));
	err = control_read_u64(dir, "enabled", &enabled);
	if (err)
		return control_cannot_read("enabled", -err);
	return enabled ? msg_error("recording is on already: another recorder is running, or: echo 0 > /sys/kernel/debug/kmemtrace/enabled") :
			 EXIT_DONE;
}

/*
 * Restores the module, so that the next recorder can start. A reader of the file may start
 * it as soon as the file is complete. So the file is completed afterwards.
 */
static void leave_module(struct recorder *r)
{
	r->lost = lost_events(r);
	r->lost_on = cpus_lost_on(r->dir, r->options->cpus);
	drop_others(r);
	undo_now(&r->undo);
	if (r->session >= 0)
		close(r->session);
	close(r->dir);
	r->dir = -1;
}

/* The module is locked, and signals are caught. Return: as recorder_run(). */
static int record(struct recorder *r, const char *path)
{
	const struct recorder_options *options = r->options;
	bool flight = options->settings.flight;
	int ret;

	if (trace_writer_create(path, &r->writer))
		return EXIT_FAILED;
	undo_push(&r->undo, restore_module, r);
	trace_writer_keep_part(r->writer);
	trace_writer_may_give_up(r->writer, gives_up, r);
	ret = cpus_check(r->dir, options->cpus, !flight);
	if (!ret && !flight)
		ret = plan_memory(r);
	if (!ret && r->tty)
		fputs("preparing: settings, buffers, symbols of the kernel\n", stderr);
	if (!ret)
		ret = recorder_prepare(r);
	if (!ret)
		ret = record_to_file(r);
	leave_module(r);
	return finish_file(r, ret);
}

/* @path: the file to write. Return: as recorder_run(). */
static int run(const struct recorder_options *options, const char *path)
{
	struct recorder r = {
		.options = options,
		.steer = options->steer,
		.session = -1,
		.main = pthread_self(),
		.tty = !options->quiet && isatty(STDERR_FILENO),
	};
	const char *why;
	int ret;

	r.dir = control_open(&why);
	if (r.dir < 0)
		return msg_error("%s", why);
	ret = lock_module(r.dir);
	if (!ret)
		ret = catch_signals(&r);
	if (!ret) {
		ret = record(&r, path);
		release_signals(&r);
	}
	if (r.dir >= 0)
		close(r.dir);
	free(r.lost_on);
	free(r.starved);
	/* a signal may end the copying, which takes long */
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
