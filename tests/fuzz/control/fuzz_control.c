// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any text in the files of the module: a damaged or newer module can have such files.
 * Commands that read them must end, and must print only printable characters.
 *
 * The first byte of the input selects the command and the result of writes. Form feeds
 * separate the rest into four texts: of stats and tags, of filters, of triggers and
 * error_log, and of all other files.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/msg.h"
#include "command.h"
#include "commands.h"
#include "control/control.h"
#include "files.h"
#include "fuzz.h"
#include "kmt_field.h"

enum part { STATS, FILTERS, TRIGGERS, OTHERS, PARTS };

static const struct {
	const char *name;
	enum part part;
} files[] = {
	{"stats", STATS},     {"tags", STATS},	     {"error_log", TRIGGERS},
	{"features", OTHERS}, {"set_event", OTHERS}, {"abi_version", OTHERS},
	{"codetags", OTHERS}, {"snapshot", OTHERS},  {"overwrite", OTHERS},
	{"caches_live", OTHERS}, {"triggers", TRIGGERS}, {"tags_quick", STATS},
};

#define FILES (sizeof(files) / sizeof(files[0]))

/* --- directory ------------------------------------------------------------ */

static void link_event(const struct kmt_kind_name *k, const char *const *paths)
{
	static const char *const in_events[] = {"enable", "filter", "trigger"};
	const enum part parts[] = {OTHERS, FILTERS, TRIGGERS};
	char name[128];
	size_t i;

	for (i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "events/%s/%s/%s", k->system,
			 k->event, in_events[i]);
		files_link(name, paths[parts[i]]);
	}
}

static void make_dir(const char *const *paths)
{
	size_t i;

	for (i = 0; i < FILES; i++)
		files_link(files[i].name, paths[files[i].part]);
	for (i = 0; i < KMT_EVENT_KINDS; i++)
		link_event(&kmt_kind_names[i], paths);
	setenv("KMEMTRACE_DIR", files_dir(), 1);
}

/* --- writes --------------------------------------------------------------- */

static uint8_t refusal;

/* Replaces the function of the tool, because plain files cannot refuse a write. */
int __wrap_control_write(int dir, const char *name, const char *text);

int __wrap_control_write(int dir, const char *name, const char *text)
{
	static const int errors[] = {0, -EINVAL, -EEXIST, -EIO};

	(void)dir;
	FUZZ_MUST(*name && text);
	return errors[refusal % 4];
}

/* --- target --------------------------------------------------------------- */

static void write_parts(const uint8_t *data, size_t size)
{
	static bool made;
	const char *paths[PARTS];
	const uint8_t *end;
	unsigned int i;
	size_t n;

	for (i = 0; i < PARTS; i++) {
		end = memchr(data, '\f', size);
		n = end ? (size_t)(end - data) : size;
		paths[i] = commands_file(i, data, n);
		n += end != NULL;
		data += n;
		size -= n;
	}
	if (!made)
		make_dir(paths);
	made = true;
}

/* Replaces the function of libc: top must not wait for the next refresh. */
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	(void)time;
	(void)left;
	return 0;
}

static int run_top_json(const char *by)
{
	int ret = commands_run(cmd_top, "top", "--once", "--json", "-d", "0.01",
			       "--by", by, NULL);

	if (ret == EXIT_DONE)
		commands_json(true);
	return ret;
}

static int run_command(unsigned int which)
{
	int ret;

	switch (which % 13) {
	case 0:
		return commands_run(cmd_status, "status", NULL);
	case 1:
		ret = commands_run(cmd_events, "events", "--json", NULL);
		if (ret == EXIT_DONE)
			commands_json(false);
		return ret;
	case 2:
		return commands_run(cmd_events, "events", "list", NULL);
	case 3:
		return commands_run(cmd_events, "events", "filter", "kmem",
				    NULL);
	case 4:
		return commands_run(cmd_events, "events", "filter", "kmalloc",
				    "bytes_req > 1", NULL);
	case 5:
		return commands_run(cmd_events, "events", "trigger", "kfree",
				    NULL);
	case 6:
		return commands_run(cmd_events, "events", "trigger", "kfree",
				    "snapshot", NULL);
	case 7:
		return commands_run(cmd_codetags, "codetags", "show", NULL);
	case 8:
		ret = commands_run(cmd_allocinfo, "allocinfo", "--json", NULL);
		if (ret == EXIT_DONE)
			commands_json(false);
		return ret;
	case 9:
		return commands_run(cmd_top, "top", "--once", "-d", "0.01", NULL);
	case 10:
		return run_top_json("cache");
	case 11:
		return run_top_json("function");
	default:
		return commands_run(cmd_allocinfo, "allocinfo", NULL);
	}
}

bool fuzz_one(const uint8_t *data, size_t size)
{
	if (!size)
		return false;
	refusal = *data;
	write_parts(data + 1, size - 1);
	return run_command(refusal / 4) == EXIT_DONE;
}
