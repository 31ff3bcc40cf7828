// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cmdline.h"
#include "base/msg.h"
#include "base/plural.h"
#include "command.h"
#include "control/control.h"
#include "record/cpus.h"
#include "record/frozen.h"
#include "record/snapfile.h"

/*
 * A snapshot takes away events that a recorder has not read yet. A flight recorder is an
 * exception: it reads events only at the end. The lock also prevents recorders from
 * starting.
 */
static int keep_recorders_away(int dir)
{
	int err = control_lock(dir, false);
	uint64_t overwrite;

	if (err && err != -EBUSY)
		return msg_error("cannot lock the module's directory: %s", strerror(-err));
	if (err && !control_read_u64(dir, "overwrite", &overwrite) && !overwrite)
		return msg_error("a recorder is running, and a snapshot would take its records: wait for its end, or use record --flight");
	return EXIT_DONE;
}

static int snapshot_take(int dir)
{
	int err;

	if (keep_recorders_away(dir))
		return EXIT_FAILED;
	err = control_write(dir, "snapshot", "1");
	if (err == -EBUSY)
		return msg_error(
			"the snapshot is in use by another process, or a trigger takes one snapshot after the other; try again");
	if (err == -ENOMEM)
		return msg_error(
			"there is not enough memory for the snapshot's buffers; make them smaller: echo KB > /sys/kernel/debug/kmemtrace/buffer_size_kb");
	return err ? msg_error("cannot take a snapshot: %s", strerror(-err))
		   : EXIT_DONE;
}

static int drop(int dir)
{
	int err = control_write(dir, "snapshot", "0");

	return err ? msg_error("cannot drop the snapshot: %s", strerror(-err))
		   : EXIT_DONE;
}

/* If buffers do not overwrite, a full buffer loses new events. */
static int tell_losses(int dir)
{
	uint64_t lost = cpus_lost(dir, NULL);

	if (!lost)
		return EXIT_DONE;
	msg_note("%" PRIu64 " event%s lost since recording was switched on",
		 lost, plural_was(lost));
	return EXIT_LOST;
}

/**
 * struct wanted - the options
 * @file: file of --output
 * @anonymize: --no-addresses, --hash-names
 * @new: --new was given
 * @drops: --drop was given
 */
struct wanted {
	const char *file;
	struct anonymize anonymize;
	bool new;
	bool drops;
};

static int snapshot_run(const struct wanted *w)
{
	const char *why;
	int dir = control_open(&why), ret = EXIT_DONE;

	if (dir < 0)
		return msg_error("%s", why);
	if (w->new || !frozen_is_taken(dir))
		ret = snapshot_take(dir);
	if (!ret)
		ret = snapfile_save(dir, w->file, &w->anonymize, false);
	if (!ret && w->drops)
		ret = drop(dir);
	if (!ret)
		ret = tell_losses(dir);
	close(dir);
	return ret;
}

static const struct option_row rows[] = {
	{ 'o', "output", "FILE", "output file; default kmemtrace-snapshot.kmt",
	  OPTION_TEXT(struct wanted, file), .offers = "files" },
	{ 0, "new", NULL, "take a new snapshot, even if there is one",
	  OPTION_TRUE(struct wanted, new) },
	{ 0, "drop", NULL, "after saving, drop the snapshot and free its buffers",
	  OPTION_TRUE(struct wanted, drops) },
	ANONYMIZE_OPTIONS(struct wanted, anonymize),
	{ 0 },
};

const struct options cmd_snapshot_options = {
	.command = "snapshot",
	.synopsis = (const char *const[]){ "[OPTION]...", NULL },
	.about = "Saves the module's snapshot of the last records as a recording; takes one if there is none. Recording continues. To get the newest events, load the module with overwrite=1; otherwise a full buffer keeps the oldest events.",
	.rows = rows,
	.notes = "The exit status is 3 if the snapshot was saved and events were lost.",
};

int cmd_snapshot(int argc, char **argv)
{
	struct wanted w = { .file = "kmemtrace-snapshot.kmt" };
	struct cmdline line = cmdline_parse(&cmd_snapshot_options, argc, argv, &w);

	if (line.is_over)
		return line.ret;
	return snapshot_run(&w);
}
