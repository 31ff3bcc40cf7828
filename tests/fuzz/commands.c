// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/utf8.h"
#include "command.h"
#include "commands.h"
#include "files.h"
#include "fuzz.h"

#define WORDS_MAX 24

/* --- files ---------------------------------------------------------------- */

static char *paths[COMMANDS_FILES];

const char *commands_file(unsigned int index, const void *data, size_t size)
{
	static int files[COMMANDS_FILES];
	char name[16];

	if (!paths[index]) {
		snprintf(name, sizeof(name), "input%u", index);
		files[index] = files_create(name);
		paths[index] = strdup(files_path(name));
		FUZZ_MUST(paths[index]);
	}
	files_write(files[index], data, size);
	return paths[index];
}

/* --- output --------------------------------------------------------------- */

/*
 * File of stdout. Some commands write to descriptor 1 without stdio. The output is read
 * back in one piece, and the output of the next command overwrites it.
 */
static int printed = -1;
static char *output;
static size_t output_size, output_room;

static void check_printable(const char *bytes, size_t size)
{
	char *text = strndup(bytes, size);
	size_t i, from, len;

	FUZZ_MUST(text);
	for (i = 0; i < size; i += len) {
		len = text[i] == '\n' || text[i] == '\t' ? 1 : utf8_printable(text + i);
		if (len)
			continue;
		from = i < 100 ? 0 : i - 100;
		dprintf(STDERR_FILENO, "not printable: %02x behind: %.*s\n",
			(uint8_t)text[i], (int)(i - from), text + from);
		FUZZ_MUST(!"printable");
	}
	free(text);
}

static ssize_t write_messages(void *cookie, const char *text, size_t size)
{
	(void)cookie;
	check_printable(text, size);
	return size;
}

static void open_output(void)
{
	const cookie_io_functions_t messages = {.write = write_messages};

	if (printed >= 0)
		return;
	/* bars of ASCII */
	FUZZ_MUST(!setenv("LC_ALL", "C", 1));
	printed = memfd_create("stdout", 0);
	FUZZ_MUST(printed >= 0);
	FUZZ_MUST(dup2(printed, STDOUT_FILENO) == STDOUT_FILENO);
	stderr = fopencookie(NULL, "w", messages);
	FUZZ_MUST(stderr);
}

static void take_output(void)
{
	off_t size;

	FUZZ_MUST(!fflush(stdout) && !fflush(stderr));
	size = lseek(printed, 0, SEEK_CUR);
	FUZZ_MUST(size >= 0);
	output_size = size;
	if (output_size >= output_room) {
		output_room = 2 * output_size + 4096;
		output = realloc(output, output_room);
		FUZZ_MUST(output);
	}
	FUZZ_MUST(pread(printed, output, output_size, 0) == size);
	FUZZ_MUST(!lseek(printed, 0, SEEK_SET));
	output[output_size] = '\0';
	check_printable(output, output_size);
}

const char *commands_output(void)
{
	return output;
}

static void must_be_json(const char *text, size_t size)
{
	/* jansson only accepts integers above INT64_MAX as real numbers */
	json_t *json = json_loadb(text, size, JSON_DECODE_INT_AS_REAL, NULL);

	FUZZ_MUST(json);
	json_decref(json);
}

void commands_json(int lines)
{
	const char *line = output, *end;

	if (!lines) {
		must_be_json(output, output_size);
		return;
	}
	for (; *line; line = end + 1) {
		end = strchr(line, '\n');
		FUZZ_MUST(end);
		must_be_json(line, end - line);
	}
}

void commands_page(void)
{
	static const char begin[] = "id=\"data\">", end[] = "</script>";
	const char *data = strstr(output, begin), *after;

	FUZZ_MUST(data);
	data += strlen(begin);
	after = strstr(data, end);
	FUZZ_MUST(after && !memchr(data, '<', after - data));
	must_be_json(data, after - data);
}

/* --- commands ------------------------------------------------------------- */

/* @words: array of WORDS_MAX words; NULL entries are left out */
static int run(int (*command)(int argc, char **argv), const char *const *words)
{
	char *argv[WORDS_MAX + 1];
	int argc = 0, i, ret;

	for (i = 0; i < WORDS_MAX; i++)
		if (words[i])
			argv[argc++] = (char *)words[i];
	argv[argc] = NULL;
	open_output();
	ret = command(argc, argv);
	take_output();
	FUZZ_MUST(ret >= EXIT_DONE && ret <= EXIT_LOST);
	return ret;
}

int commands_run(int (*command)(int argc, char **argv), ...)
{
	const char *words[WORDS_MAX] = {NULL};
	va_list args;
	int i;

	va_start(args, command);
	for (i = 0; i < WORDS_MAX; i++) {
		words[i] = va_arg(args, const char *);
		if (!words[i])
			break;
	}
	va_end(args);
	return run(command, words);
}

static const char *const filters[] = {
	"bytes_req > 64 || ptr == 0x1000",
	"!(comm ~ \"*a*\") && cgroup > 1",
	"cache == dentry || order > 1 || call_site.function == alpha",
	"time < 2s && common_pid != 300 || cpu & CPUS{0-1}",
};

/* Pairs of arguments: --since, --until. */
static const char *const times[][2] = {
	{"25%", NULL}, {"+0.5ms", "75%"}, {NULL, "-1us"}, {"1.002", "1.050"},
	{"00:00", "2100-01-01 00:00"},
};

/* Return: a number below @n, taken from @options. */
static uint32_t next(uint32_t *options, uint32_t n)
{
	uint32_t i = *options % n;

	*options /= n;
	return i;
}

static const char *maybe(uint32_t *options, const char *word)
{
	return next(options, 2) ? word : NULL;
}

/* Set up to four words to --since and --until with their arguments. */
static void choose_times(uint32_t *options, const char **words)
{
	const char *const *pair;

	if (next(options, 4))
		return;
	pair = times[next(options, 5)];
	if (pair[0]) {
		words[0] = "--since";
		words[1] = pair[0];
	}
	if (pair[1]) {
		words[2] = "--until";
		words[3] = pair[1];
	}
}

static bool is_done(int ret)
{
	return ret == EXIT_DONE || ret == EXIT_LOST;
}

static void run_report(const char *const *paths, size_t count, uint32_t options)
{
	static const char *const by[] = {
		"site", "cache", "kind", "gfp", "order", "node", "cpu", "size",
		"process", "stack", "function,comm", "stack,module,cgroup"};
	static const char *const sort[] = {"live", "objects", "waste",
					   "total_waste", "implicit"};
	static const char *const format[] = {NULL, "--json", "--csv"};
	bool filter = next(&options, 4) == 0;
	const char *words[WORDS_MAX] = {
		"report",
		"--by", by[next(&options, 12)],
		"--sort", sort[next(&options, 5)],
		"--top", next(&options, 2) ? "2" : "0",
		maybe(&options, "--raw-ip"),
		filter ? "--filter" : NULL,
		filter ? filters[next(&options, 4)] : NULL,
		format[next(&options, 3)],
		paths[0], count > 1 ? paths[1] : NULL,
	};

	choose_times(&options, words + WORDS_MAX - 4);
	if (is_done(run(cmd_report, words)) && words[10] == format[1])
		commands_json(false);
}

static void run_tree(const char *const *paths, size_t count, uint32_t options)
{
	static const char *const sort[] = {"live", "objects", "total_allocated", "allocs",
					   "peak"};
	const char *json = maybe(&options, "--json");
	const char *words[WORDS_MAX] = {
		"report", "--tree",
		"--sort", sort[next(&options, 5)],
		"--min", next(&options, 2) ? "0" : "3.5%",
		"--depth", next(&options, 3) ? "0" : "2",
		next(&options, 2) ? "--callers" : "--callees",
		json ? json : "--raw-ip",
		paths[0], count > 1 ? paths[1] : NULL,
	};

	if (is_done(run(cmd_report, words)) && json)
		commands_json(false);
}

/* Return: true if the files could be read. */
static bool run_script(const char *const *paths, size_t count, uint32_t options)
{
	static const char *const fields[] = {
		"event,time,comm,cache,stack,gfp_flags", "seq,ptr,call_site"};
	bool filter = next(&options, 4) == 0, some = next(&options, 3) == 0;
	const char *json = maybe(&options, "--json");
	const char *words[WORDS_MAX] = {
		"script", json,
		maybe(&options, "--raw-ip"),
		some ? "--fields" : NULL,
		some ? fields[next(&options, 2)] : NULL,
		filter ? "--filter" : NULL,
		filter ? filters[next(&options, 4)] : NULL,
		next(&options, 4) ? NULL : "--cpus=0-2,7",
		paths[0], count > 1 ? paths[1] : NULL,
	};

	bool done;

	choose_times(&options, words + WORDS_MAX - 4);
	done = is_done(run(cmd_script, words));
	if (done && json)
		commands_json(true);
	return done;
}

/* Tables of report other than rows, what was live at a time, and timelines. */
static void run_views(const char *path, uint32_t options)
{
	static const char *const views[] = {"--lifetimes", "--temporary",
					    "--matrix", "--at=peak", "--at=50%"};
	const char *json = maybe(&options, "--json");
	int ret;

	if (next(&options, 3))
		ret = commands_run(cmd_report, "report", views[next(&options, 5)],
				   path, json, NULL);
	else
		ret = commands_run(cmd_timeline, "timeline", "--by",
				   next(&options, 2) ? "site" : "kind", path,
				   json, NULL);
	if (is_done(ret) && json)
		commands_json(false);
}

static void run_page(const char *const *paths, size_t count, uint32_t options)
{
	bool filter = next(&options, 4) == 0;
	const char *words[WORDS_MAX] = {
		"html", "-o", "-",
		maybe(&options, "--raw-ip"),
		filter ? "--filter" : NULL,
		filter ? filters[next(&options, 4)] : NULL,
		paths[0], count > 1 ? paths[1] : NULL,
	};

	choose_times(&options, words + WORDS_MAX - 4);
	if (is_done(run(cmd_html, words)))
		commands_page();
}

/* These read recordings as report does, so one input in four is enough. */
static void run_others(const char *path, uint32_t options)
{
	const char *json;

	if (options % 4)
		return;
	options /= 4;
	run_views(path, options);
	json = maybe(&options, "--json");
	if (is_done(commands_run(cmd_waste, "waste", "--json", path, NULL)))
		commands_json(false);
	commands_run(cmd_diff, "diff", path, path, NULL);
	if (is_done(commands_run(cmd_leaks, "leaks", "--settle",
				 next(&options, 2) ? "0.001" : "2", path, json,
				 NULL)) && json)
		commands_json(false);
}

bool commands_read(const char *const *paths, size_t count, uint32_t options)
{
	run_report(paths, count, options);
	run_others(paths[0], options);
	if (options % 8 == 1)
		run_page(paths, count, options / 8);
	if (options % 4 == 0)
		run_tree(paths, count, options / 4);
	commands_run(cmd_check, "check", paths[0],
		     count > 1 ? paths[1] : NULL, NULL);
	return run_script(paths, count, options);
}
