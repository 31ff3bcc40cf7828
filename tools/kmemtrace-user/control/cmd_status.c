// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/kmemtrace.h>

#include "base/cmdline.h"
#include "base/json.h"
#include "base/msg.h"
#include "base/plural.h"
#include "base/table.h"
#include "base/textfile.h"
#include "command.h"
#include "control/control.h"

#define LABEL 12

/**
 * struct status - contents of the module's files
 * @stats: text of the file stats
 * @features: text of the file features, with blanks for newlines; NULL: not readable
 * @set_event: the same for the file set_event
 * @abi_version: the same for the file abi_version
 */
struct status {
	char *stats;
	char *features;
	char *set_event;
	char *abi_version;
};

/* --- reading --------------------------------------------------------------------- */

static char *read_words(int dir, const char *name)
{
	char *text = control_read(dir, name, NULL), *c;

	for (c = text; c && *c; c++)
		if (*c == '\n')
			*c = c[1] ? ' ' : '\0';
	if (text)
		table_clean(text);
	return text;
}

static int status_read(struct status *s, int dir)
{
	s->stats = control_read(dir, "stats", NULL);
	if (!s->stats)
		return control_cannot_read("stats", errno);
	s->features = read_words(dir, "features");
	s->set_event = read_words(dir, "set_event");
	s->abi_version = read_words(dir, "abi_version");
	return EXIT_DONE;
}

static void status_free(struct status *s)
{
	free(s->stats);
	free(s->features);
	free(s->set_event);
	free(s->abi_version);
}

static uint64_t counter(const struct status *s, const char *name)
{
	uint64_t value = 0;

	return textfile_number(s->stats, name, &value) ? value : 0;
}

/* Return: false if the module has no accounting (mem_profiling=never). */
static bool has_accounting(const struct status *s)
{
	uint64_t value;

	return textfile_number(s->stats, "live_slab_bytes", &value);
}

/* Return: seconds since accounting was switched on. */
static double seconds_on(const struct status *s)
{
	uint64_t since = counter(s, "accounting_since_ns");
	uint64_t now = counter(s, "clock_ns");

	return now > since ? (now - since) / 1e9 : 0;
}

static uint64_t page_bytes(const struct status *s)
{
	return counter(s, "live_page_bytes") + counter(s, "live_large_bytes");
}

/* --- text -------------------------------------------------------------------------- */

/* If accounting is switched on again, the live objects of before are forgotten. */
static void print_restart(const struct status *s)
{
	if (!counter(s, "accounting"))
		table_print_fact(LABEL, "", "the counters keep their values; switching it on again forgets all live objects");
	else if (counter(s, "accounting_starts") > 1)
		table_print_fact(LABEL, "",
				 "started again %.0f s ago; %" PRIu64 " live object%s forgotten",
				 seconds_on(s), counter(s, "forgotten_objects"),
				 plural_was(counter(s, "forgotten_objects")));
}

static void print_accounting(const struct status *s)
{
	char b[2][16];

	if (!has_accounting(s)) {
		table_print_fact(LABEL, "accounting",
				 "off for good (mem_profiling=never)");
		return;
	}
	table_print_fact(LABEL, "accounting", "%s, live: slab %s, pages %s",
			 counter(s, "accounting") ? "on" : "off",
			 table_human(b[0], 16, counter(s, "live_slab_bytes"), 1),
			 table_human(b[1], 16, page_bytes(s), 1));
	print_restart(s);
}

static void print_file(const char *name, const char *text)
{
	table_print_fact(LABEL, name, "%s", text ? text : "?");
}

static void status_print_text(const struct status *s)
{
	bool recording = counter(s, "recording");

	print_accounting(s);
	table_print_fact(LABEL, "recording", "%s", recording ? "on" : "off");
	table_print_fact(LABEL, "events", "%" PRIu64 ", lost %" PRIu64,
			 counter(s, "events"), counter(s, "lost_events"));
	table_print_fact(LABEL, "buffers", "%" PRIu64 " KiB for each CPU",
			 counter(s, "buffer_bytes_per_cpu") / 1024);
	print_file("features", s->features);
	print_file("set_event", s->set_event);
	print_file("abi_version", s->abi_version);
	if (s->abi_version && strtoull(s->abi_version, NULL, 10) > KMEMTRACE_ABI_VERSION)
		printf("This tool knows abi_version %d: reports skip what is newer. Use the tool that\n"
		       "came with the module.\n",
		       KMEMTRACE_ABI_VERSION);
	if (!recording)
		puts("\nNext: kmemtrace-user allocinfo, or kmemtrace-user record -- COMMAND");
}

/* --- JSON -------------------------------------------------------------------------- */

static json_t *json_accounting(const struct status *s)
{
	if (!has_accounting(s))
		return json_null();
	return json_pack("{s:b,s:I,s:f,s:I,s:I,s:I}", "on",
			 !!counter(s, "accounting"), "starts",
			 (json_int_t)counter(s, "accounting_starts"),
			 "since_seconds", seconds_on(s), "forgotten_objects",
			 (json_int_t)counter(s, "forgotten_objects"),
			 "live_slab_bytes",
			 (json_int_t)counter(s, "live_slab_bytes"),
			 "live_page_bytes", (json_int_t)page_bytes(s));
}

/* Return: an array of the words of a text. */
static json_t *json_words(const char *text)
{
	json_t *words = json_array();
	size_t len;

	for (; text && *text; text += len + strspn(text + len, " ")) {
		len = strcspn(text, " ");
		json_array_append_new(words, json_stringn(text, len));
	}
	return words;
}

static int status_print_json(const struct status *s)
{
	const char *abi = s->abi_version;

	return json_print(json_pack(
		"{s:o,s:b,s:I,s:I,s:I,s:o,s:o,s:o}", "accounting",
		json_accounting(s), "recording", !!counter(s, "recording"),
		"events", (json_int_t)counter(s, "events"), "lost_events",
		(json_int_t)counter(s, "lost_events"), "buffer_bytes_per_cpu",
		(json_int_t)counter(s, "buffer_bytes_per_cpu"), "features",
		json_words(s->features), "set_event", json_words(s->set_event),
		"abi_version", abi ? json_integer(atoll(abi)) : json_null()));
}

/* --- the command ------------------------------------------------------------------ */

const struct options cmd_status_options = {
	.command = "status",
	.synopsis = (const char *const[]){ "[--json]", NULL },
	.about = "Shows whether the module is loaded and what it does. It is the default command.",
	.rows = option_json_rows,
};

static int status_show(int dir, bool json)
{
	struct status s = { 0 };
	int ret = status_read(&s, dir);

	if (!ret)
		ret = json ? status_print_json(&s) : (status_print_text(&s), EXIT_DONE);
	status_free(&s);
	return ret;
}

int cmd_status(int argc, char **argv)
{
	bool json = false;
	struct cmdline line = cmdline_parse(&cmd_status_options, argc, argv, &json);
	const char *why;
	int dir, ret;

	if (line.is_over)
		return line.ret;
	dir = control_open(&why);
	if (dir < 0) {
		msg_error("%s", why);
		fputs("Try 'kmemtrace-user --help'. 'report FILE' needs neither module nor root.\n",
		      stderr);
		return EXIT_FAILED;
	}
	ret = status_show(dir, json);
	close(dir);
	return ret;
}
