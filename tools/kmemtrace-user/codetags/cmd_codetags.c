// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cmdline.h"
#include "base/die.h"
#include "base/json.h"
#include "base/msg.h"
#include "base/outfile.h"
#include "base/plural.h"
#include "base/table.h"
#include "base/textfile.h"
#include "codetags/codecache.h"
#include "codetags/codeload.h"
#include "command.h"
#include "control/control.h"
#include "kmt_place.h"

#define MODULES_MAX 256
/* a number as text, for textfile_scan() */
#define WIDTH_(n) #n
#define WIDTH(n) WIDTH_(n)

/* --- output of rows ---------------------------------------------------------- */

static int put_file(const char *path, const char *text)
{
	struct outfile *out;
	int err;

	if (outfile_create(path, CODELOAD_BEGINS, &out))
		return EXIT_FAILED;
	err = fputs(text, outfile_stream(out)) == EOF ? -errno : 0;
	return outfile_finish(out, err, false) ? EXIT_FAILED : EXIT_DONE;
}

/* --- the commands ------------------------------------------------------------ */

/* Find calls, and write their rows to a file. */
static int codetags_write_rows(const struct codelive_source *source, const char *output)
{
	struct codelive_source from = *source;
	struct codelive_found found;
	const char *why = NULL;
	char *text;
	int ret;

	from.live = !source->vmlinux && !source->modules;
	from.cache = NULL; /* it has the calls of the module's wrappers as well */
	if (codelive_find(&from, &found, &why) || !found.sites.count) {
		ret = codeload_nothing(source, why);
	} else {
		text = codeload_text(&found.sites);
		ret = put_file(output, text);
		free(text);
	}
	if (ret == EXIT_DONE)
		codeload_tell(&found);
	codesites_clear(&found.sites);
	return ret;
}

static int codetags_load(const struct codelive_source *source)
{
	struct codelive_found found;
	int ret = codeload(source, false, &found);

	if (ret == EXIT_DONE)
		codeload_tell(&found);
	return ret;
}

/* Keep what each file says. Return: EXIT_FAILED if one is of no use. */
static int keep(const struct codelive_source *source, char *const *files, int count)
{
	unsigned int builds = 0;
	size_t sites = 0, more;
	int i, ret = EXIT_DONE;
	const char *why;

	for (i = 0; i < count; i++) {
		if (!codelive_keep(source, files[i], &more, &why)) {
			sites += more;
			builds++;
		} else {
			ret = why ? msg_error("%s: %s", files[i], why) : EXIT_FAILED;
		}
	}
	if (builds)
		msg_note("%zu call site%s, of %u build%s, in %s", sites, plural(sites),
			 builds, plural(builds), source->cache);
	return ret;
}

/* "address file:line function", as the module and codeload_text() write it */
static json_t *json_row(const char *line)
{
	char file[KMT_PLACE_FILE_MAX + 1], function[KMT_PLACE_FUNCTION_MAX + 1];
	unsigned long long address;
	int number;

	if (textfile_scan(line,
			  "0x%llx %" WIDTH(KMT_PLACE_FILE_MAX) "[^: ]:%d %" WIDTH(KMT_PLACE_FUNCTION_MAX) "s",
			  &address, file, &number, function) != 4)
		return NULL;
	return json_pack("{s:o,s:s,s:i,s:s}", "address",
			 table_json_address(address), "file", file, "line",
			 number, "function", function);
}

static int codetags_print_json(const char *text)
{
	json_t *rows = json_array(), *row;

	for (; text; text = textfile_next_line(text)) {
		row = json_row(text);
		if (row)
			json_array_append_new(rows, row);
	}
	return json_print(json_pack("{s:o}", "tags", rows));
}

static int codetags_show(bool json)
{
	const char *why;
	int dir = control_open(&why), ret = EXIT_DONE;
	char *text;

	if (dir < 0)
		return msg_error("%s", why);
	text = control_read(dir, "codetags", NULL);
	close(dir);
	if (!text)
		return msg_error("cannot read the module's file codetags: %s",
				 strerror(errno));
	table_clean_lines(text);
	if (json)
		ret = codetags_print_json(text);
	else
		fputs(text, stdout);
	free(text);
	return ret;
}

/**
 * struct wanted - the options
 * @source: source of the debug information, with the file of --vmlinux
 * @modules: values of --module
 * @nr_modules: number of @modules
 * @dirs: directories of --debug-dir, separated by colons; cmd_codetags() frees them
 * @output: file of --output, or NULL
 * @no_cache: --no-cache was given
 * @follow: --follow was given
 * @json: --json was given
 */
struct wanted {
	struct codelive_source source;
	const char *modules[MODULES_MAX + 1];
	int nr_modules;
	char *dirs;
	const char *output;
	bool no_cache;
	bool follow;
	bool json;
};

static int take_dir(const struct option_use *use)
{
	struct wanted *w = use->to;
	char *more;

	char *path = realpath(use->text, NULL); /* libdw takes no other for build ids */

	if (!path)
		return msg_usage(use->command, "%s: %s", use->text, strerror(errno));
	more = xasprintf("%s%s%s", w->dirs ? w->dirs : "", w->dirs ? ":" : "", path);
	free(path);
	free(w->dirs);
	w->dirs = more;
	return EXIT_DONE;
}

static int take_module(const struct option_use *use)
{
	struct wanted *w = use->to;

	if (w->nr_modules == MODULES_MAX)
		return msg_usage(use->command, "too many modules");
	w->modules[w->nr_modules++] = use->text;
	w->source.modules = w->modules;
	return EXIT_DONE;
}

static const char *const words[] = { "load", "show", "cache", NULL };

static const struct option_row rows[] = {
	{ 0, "vmlinux", "FILE",
	  "the kernel with its debug information; default: where the distribution puts it",
	  OPTION_TEXT(struct wanted, source.vmlinux), .offers = "files" },
	{ 0, "module", "[NAME=]FILE",
	  "a module with its debug information", .repeats = true, .take = take_module,
	  .offers = "files" },
	{ 0, "debug-dir", "DIR",
	  "also look for debug information in this directory", .repeats = true,
	  .take = take_dir, .offers = "files" },
	{ 'o', "output", "FILE",
	  "write the rows to a file instead of the module; - is standard output",
	  OPTION_TEXT(struct wanted, output), .offers = "files" },
	{ 0, "follow", NULL,
	  "stay, and do the same for each module that is loaded later; waits for kmemtrace if it is not loaded",
	  OPTION_TRUE(struct wanted, follow) },
	{ 0, "cache", "DIR",
	  "keep what was found in this directory, and look there first; default: " CODECACHE_DIR,
	  OPTION_WORD(struct wanted, source.cache), .offers = "files" },
	{ 0, "no-cache", NULL, "keep nothing, and read all debug information",
	  OPTION_TRUE(struct wanted, no_cache) },
	{ 0, "json", NULL, "with show: as JSON", OPTION_TRUE(struct wanted, json) },
	{ 0 },
};

const struct options cmd_codetags_options = {
	.command = "codetags",
	.synopsis = (const char *const[]){ "load [OPTION]...", "cache [--cache DIR] FILE...",
					  "show [--json]", NULL },
	.about = "Gives the module the file, line and function of each call of an allocator, for /proc/allocinfo and allocinfo. They come from the debug information (DWARF) of the kernel and its modules, and are kept for the next time. cache keeps those of files, also of another machine's kernel. show prints what the module was given.",
	.rows = rows,
	.words = words,
	.operands = "@files",
};

static int check_load(const struct wanted *w)
{
	const struct codelive_source *from = &w->source;

	if (w->follow && (w->output || from->vmlinux || from->modules))
		return msg_usage("codetags", "--follow is for all modules: it takes no --vmlinux, --module or --output");
	return EXIT_DONE;
}

static int codetags_choose(struct wanted *w, const struct cmdline *line)
{
	const char *word = line->count ? *line->words : "";
	bool is_cache = !strcmp(word, "cache");
	int ret;

	if (line->is_over)
		return line->ret;
	w->source.debug_path = w->dirs;
	if (!line->count || (line->count > 1 && !is_cache))
		return msg_usage("codetags", "say load, cache or show");
	if (w->json && strcmp(word, "show"))
		return msg_usage("codetags", "--json is for show");
	if (w->no_cache && (w->source.cache || is_cache))
		return msg_usage("codetags", "--no-cache excludes %s",
				 is_cache ? "cache" : "--cache");
	if (!w->no_cache && !w->source.cache)
		w->source.cache = CODECACHE_DIR;
	if (strcmp(word, "load") &&
	    (w->follow || w->output || w->source.vmlinux || w->source.modules))
		return msg_usage("codetags", "--follow, --vmlinux, --module and --output are for load");
	if (is_cache && line->count == 1)
		return msg_usage("codetags", "cache needs the files with the debug information");
	if (is_cache)
		return keep(&w->source, line->words + 1, line->count - 1);
	if (!strcmp(word, "show"))
		return codetags_show(w->json);
	if (strcmp(word, "load"))
		return msg_usage("codetags", "there is no '%s': use load, cache or show", word);
	ret = check_load(w);
	if (ret)
		return ret;
	if (w->output)
		return codetags_write_rows(&w->source, w->output);
	return w->follow ? codeload_follow(&w->source) : codetags_load(&w->source);
}

int cmd_codetags(int argc, char **argv)
{
	struct wanted w = { 0 };
	struct cmdline line = cmdline_parse(&cmd_codetags_options, argc, argv, &w);
	int ret = codetags_choose(&w, &line);

	free(w.dirs);
	return ret;
}
