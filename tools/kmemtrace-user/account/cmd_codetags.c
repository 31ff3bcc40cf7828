// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "account/codesites.h"
#include "base/cmdline.h"
#include "base/json.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/outfile.h"
#include "base/plural.h"
#include "base/table.h"
#include "base/textfile.h"
#include "command.h"
#include "control/control.h"
#include "kmt_place.h"

/* limit of the bytes of one write; the module accepts whole lines, below 4096 bytes */
#define CHUNK	    4000
#define MODULES_MAX 256
/* a number as text, for sscanf() */
#define WIDTH_(n) #n
#define WIDTH(n) WIDTH_(n)

/* --- output of rows ---------------------------------------------------------- */

static int put_file(const char *path, const char *text)
{
	struct outfile *out;
	int err;

	if (outfile_create(path, &out))
		return EXIT_FAILED;
	err = fputs(text, outfile_stream(out)) == EOF ? -errno : 0;
	return outfile_finish(out, err, false) ? EXIT_FAILED : EXIT_DONE;
}

static int put_module(int dir, const char *text)
{
	int fd = openat(dir, "codetags", O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0)
		return msg_error("cannot write the module's file codetags: %s",
				 strerror(errno));
	while (*text) {
		size_t len = strlen(text), n = len;

		if (n > CHUNK)
			for (n = CHUNK; n > 1 && text[n - 1] != '\n'; n--)
				;
		if (write(fd, text, n) != (ssize_t)n) {
			int err = errno;

			close(fd);
			return msg_error("the module refused a code tag: %s, at %.*s",
					 strerror(err),
					 (int)strcspn(text, "\n"), text);
		}
		text += n;
	}
	close(fd);
	return EXIT_DONE;
}

/* A blank would end the column. Return: false if the text has one, or is too long. */
static bool is_word(const char *text, size_t max)
{
	size_t len = 0;

	while (text[len] > ' ' && text[len] <= '~')
		len++;
	return len && !text[len] && len <= max;
}

/* Return: false if the module would refuse the row: it then refuses all later rows. */
static bool is_row(const struct codesite *s)
{
	return s->address && s->line >= 0 &&
	       is_word(s->file, KMT_PLACE_FILE_MAX) &&
	       is_word(s->function, KMT_PLACE_FUNCTION_MAX);
}

static char *rows_text(const struct codesites *sites)
{
	struct memtext text;
	FILE *out = memtext_open(&text);
	size_t i;

	if (!out)
		return NULL;
	for (i = 0; i < sites->count; i++) {
		const struct codesite *s = &sites->site[i];

		if (is_row(s))
			fprintf(out, "0x%" PRIx64 " %s:%d %s\n", s->address,
				s->file, s->line, s->function);
	}
	return memtext_close(&text, NULL);
}

/* --- the commands ------------------------------------------------------------ */

static int nothing_found(const struct codesites_source *source, const char *why)
{
	struct utsname u = { 0 };

	if (source->vmlinux || source->modules)
		return msg_error("%s: %s",
				 source->vmlinux ? source->vmlinux :
						   source->modules[0],
				 why ? why :
				       "it has no debug information (DWARF) about calls of allocators");
	uname(&u);
	return msg_error(
		"no debug information was found%s%s: install linux-image-%s-dbg, or name it with --vmlinux FILE",
		why ? ": " : "", why ? why : "", u.release);
}

static int load(const struct codesites_source *source, const char *output)
{
	struct codesites sites;
	struct codesites_source from = *source;
	const char *why = NULL;
	char *wrappers = NULL, *text;
	int dir = -1, ret;

	if (!output) {
		dir = control_open(&why);
		if (dir < 0)
			return msg_error("%s", why);
		wrappers = control_read(dir, "wrappers", NULL);
		from.wrappers = wrappers;
	}
	from.live = !output || (!source->vmlinux && !source->modules);
	if (codesites_find(&from, &sites, &why)) {
		ret = nothing_found(source, why);
	} else if (!sites.count) {
		ret = nothing_found(source, NULL);
	} else {
		text = rows_text(&sites);
		ret = !text ? msg_oom() :
		      output ? put_file(output, text) :
			       put_module(dir, text);
		free(text);
		if (ret == EXIT_DONE)
			msg_note("%zu call site%s, of the kernel and its modules: %u with debug information, %u without",
				 sites.count, plural(sites.count), sites.modules, sites.bare);
	}
	codesites_free(&sites);
	free(wrappers);
	if (dir >= 0)
		close(dir);
	return ret;
}

/* "address file:line function", as the module and rows_text() write it */
static json_t *json_row(const char *line)
{
	char file[KMT_PLACE_FILE_MAX + 1], function[KMT_PLACE_FUNCTION_MAX + 1];
	unsigned long long address;
	int number;

	if (sscanf(line, "0x%llx %" WIDTH(KMT_PLACE_FILE_MAX) "[^: ]:%d %" WIDTH(KMT_PLACE_FUNCTION_MAX) "s",
		   &address, file, &number, function) != 4)
		return NULL;
	return json_pack("{s:o,s:s,s:i,s:s}", "address",
			 table_json_address(address), "file", file, "line",
			 number, "function", function);
}

static int print_json(const char *text)
{
	json_t *rows = json_array(), *row;

	for (; text; text = textfile_next_line(text)) {
		row = json_row(text);
		if (row)
			json_array_append_new(rows, row);
	}
	return json_print(json_pack("{s:o}", "tags", rows));
}

static int show(bool json)
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
		ret = print_json(text);
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
 * @json: --json was given
 */
struct wanted {
	struct codesites_source source;
	const char *modules[MODULES_MAX + 1];
	int nr_modules;
	char *dirs;
	const char *output;
	bool json;
};

static int take_dir(const struct option_use *use)
{
	struct wanted *w = use->to;
	char *more;

	if (asprintf(&more, "%s%s%s", w->dirs ? w->dirs : "", w->dirs ? ":" : "",
		     use->text) < 0)
		return msg_oom();
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

static const char *const words[] = { "load", "show", NULL };

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
	{ 0, "json", NULL, "with show: as JSON", OPTION_TRUE(struct wanted, json) },
	{ 0 },
};

const struct options cmd_codetags_options = {
	.command = "codetags",
	.synopsis = (const char *const[]){ "load [OPTION]...", "show [--json]", NULL },
	.about = "Gives the module the file, line and function of each call of an allocator, for /proc/allocinfo and allocinfo. They come from the debug information (DWARF) of the kernel and its modules. show prints what the module was given.",
	.rows = rows,
	.words = words,
	.operands = "",
};

static int choose(struct wanted *w, const struct cmdline *line)
{
	if (line->is_over)
		return line->ret;
	w->source.debug_path = w->dirs;
	if (line->count != 1)
		return msg_usage("codetags", "say load or show");
	if (w->json && strcmp(*line->words, words[1]))
		return msg_usage("codetags", "--json is for show");
	if (!strcmp(*line->words, words[0]))
		return load(&w->source, w->output);
	if (!strcmp(*line->words, words[1]))
		return show(w->json);
	return msg_usage("codetags", "there is no '%s': use load or show",
			 *line->words);
}

int cmd_codetags(int argc, char **argv)
{
	struct wanted w = { 0 };
	struct cmdline line = cmdline_parse(&cmd_codetags_options, argc, argv, &w);
	int ret = choose(&w, &line);

	free(w.dirs);
	return ret;
}
