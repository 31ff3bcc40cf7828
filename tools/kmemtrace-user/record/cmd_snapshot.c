// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/msg.h"
#include "command.h"
#include "control/control.h"
#include "record/frozen.h"
#include "record/snapfile.h"

#define FREEZING_MS 5000

static const char help[] =
	"Usage: kmemtrace-user snapshot [OPTION]...\n\n"
	"Saves the module's snapshot, of what was recorded last, as a recording; takes\n"
	"one if there is none. Recording goes on. For the newest events the buffers must\n"
	"overwrite (load the module with overwrite=1); else a full buffer keeps the\n"
	"oldest.\n\n"
	"  -o, --output FILE  where to; default kmemtrace-snapshot.kmt\n"
	"      --new          take a new one, instead of the one there is\n"
	"      --drop         afterwards, make room for another one\n"
	"  -h, --help         this text\n";

/* A trigger's snapshot can be read a moment after it was taken. */
static void wait_until_frozen(int dir)
{
	char *state;
	bool freezing = true;
	int ms;

	for (ms = 0; freezing && ms < FREEZING_MS; ms += 10) {
		state = control_read(dir, "snapshot", NULL);
		freezing = state && !strncmp(state, "state freezing", 14);
		free(state);
		if (freezing)
			usleep(10000);
	}
}

/*
 * A snapshot takes the events that a recorder has not read, unless it is a flight
 * recorder, which reads them at the end. The lock keeps recorders from starting.
 */
static bool would_rob_recorder(int dir)
{
	uint64_t overwrite;

	return flock(dir, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK &&
	       !control_read_u64(dir, "overwrite", &overwrite) && !overwrite;
}

static int take(int dir)
{
	int err;

	if (would_rob_recorder(dir))
		return msg_error(
			"a recorder is running, and a snapshot would take away its events: wait for its end, or use record --flight");
	err = control_write(dir, "snapshot", "1");
	if (err == -ENOENT)
		return msg_error("this module is too old for this tool");
	if (err == -EBUSY)
		return msg_error(
			"the snapshot is in use by another process, or a trigger takes one after the other; try again");
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

static int run(const char *file, bool new, bool drops)
{
	const char *why;
	int dir = control_open(&why), ret = EXIT_DONE;

	if (dir < 0)
		return msg_error("%s", why);
	wait_until_frozen(dir);
	if (new || !frozen_is_taken(dir))
		ret = take(dir);
	if (!ret)
		ret = snapfile_save(dir, file, true, false);
	if (!ret && drops)
		ret = drop(dir);
	close(dir);
	return ret;
}

enum { OPT_NEW = 256, OPT_DROP };

const struct option cmd_snapshot_options[] = {
	{"output", required_argument, NULL, 'o'},
	{"new", no_argument, NULL, OPT_NEW},
	{"drop", no_argument, NULL, OPT_DROP},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

int cmd_snapshot(int argc, char **argv)
{
	const char *file = "kmemtrace-snapshot.kmt";
	bool new = false, drops = false;
	int c;

	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, ":o:h", cmd_snapshot_options,
				NULL)) != -1) {
		switch (c) {
		case 'o':
			file = optarg;
			break;
		case OPT_NEW:
			new = true;
			break;
		case OPT_DROP:
			drops = true;
			break;
		case 'h':
			fputs(help, stdout);
			return EXIT_DONE;
		default:
			return msg_bad_option("snapshot", c, argv);
		}
	}
	if (optind < argc)
		return msg_usage("snapshot", "it takes no argument");
	return run(file, new, drops);
}
