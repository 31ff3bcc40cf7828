// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "account/codesites.h"
#include "base/msg.h"
#include "base/outfile.h"
#include "base/table.h"
#include "command.h"
#include "control/control.h"
#include "kmt_place.h"

/* whole lines, in as many bytes as the module takes at once */
#define CHUNK	    4000
#define MODULES_MAX 256

static const char help[] =
	"Usage: kmemtrace-user codetags load [OPTION]...\n"
	"       kmemtrace-user codetags show\n\n"
	"Tells the module the file, line and function of every call of an allocator, so\n"
	"that /proc/allocinfo can show them. They are read from debug information\n"
	"(DWARF) of the kernel and of its modules.\n\n"
	"      --vmlinux FILE      the kernel with debug information; else it is looked\n"
	"                          for where the distribution puts it\n"
	"      --module [NAME=]FILE  a module with debug information; may be repeated\n"
	"      --debug-dir DIR     look for debug information here as well; may be\n"
	"                          repeated\n"
	"  -o, --output FILE       write the rows to a file, - for standard output,\n"
	"                          instead of the module\n"
	"  -h, --help              this text\n";

/* --- where rows go ---------------------------------------------------------- */

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

/* A name with a blank could not be told from the next column. */
static bool is_word(const char *text, size_t max)
{
	size_t len = 0;

	while (text[len] > ' ' && text[len] <= '~')
		len++;
	return len && !text[len] && len <= max;
}

/* The module refuses others, and all rows behind them. */
static bool is_row(const struct codesite *s)
{
	return s->address && s->line >= 0 &&
	       is_word(s->file, KMT_PLACE_FILE_MAX) &&
	       is_word(s->function, KMT_PLACE_FUNCTION_MAX);
}

static char *rows_text(const struct codesites *sites)
{
	char *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (i = 0; i < sites->count; i++) {
		const struct codesite *s = &sites->site[i];

		if (is_row(s))
			fprintf(out, "0x%" PRIx64 " %s:%d %s\n", s->address,
				s->file, s->line, s->function);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
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
				       "it has no debug information (DWARF) of calls of an allocator");
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
		ret = !text ? msg_error("memory ran out") :
		      output ? put_file(output, text) :
			       put_module(dir, text);
		free(text);
		if (ret == EXIT_DONE)
			msg_note("%zu call sites, of the kernel and its modules: %u with debug information, %u without",
				 sites.count, sites.modules, sites.bare);
	}
	codesites_free(&sites);
	free(wrappers);
	if (dir >= 0)
		close(dir);
	return ret;
}

static int show(void)
{
	const char *why;
	int dir = control_open(&why);
	char *text;

	if (dir < 0)
		return msg_error("%s", why);
	text = control_read(dir, "codetags", NULL);
	close(dir);
	if (!text)
		return msg_error("cannot read the module's file codetags: %s",
				 strerror(errno));
	table_clean_lines(text);
	fputs(text, stdout);
	free(text);
	return EXIT_DONE;
}

static bool append_dir(char **path, const char *dir)
{
	char *more;

	if (asprintf(&more, "%s%s%s", *path ? *path : "", *path ? ":" : "",
		     dir) < 0)
		return false;
	free(*path);
	*path = more;
	return true;
}

const char *const cmd_codetags_words[] = { "load", "show", NULL };

const struct option cmd_codetags_options[] = {
	{ "vmlinux", required_argument, NULL, 'k' },
	{ "module", required_argument, NULL, 'm' },
	{ "debug-dir", required_argument, NULL, 'd' },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

int cmd_codetags(int argc, char **argv)
{
	struct codesites_source source = { 0 };
	const char *modules[MODULES_MAX + 1] = { NULL };
	const char *output = NULL;
	char *dirs = NULL;
	int c, n = 0, ret;

	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, ":o:h", cmd_codetags_options, NULL)) != -1) {
		switch (c) {
		case 'k':
			source.vmlinux = optarg;
			break;
		case 'm':
			if (n == MODULES_MAX)
				return msg_usage("codetags",
						 "too many modules");
			modules[n++] = optarg;
			source.modules = modules;
			break;
		case 'd':
			if (!append_dir(&dirs, optarg))
				return msg_error("memory ran out");
			break;
		case 'o':
			output = optarg;
			break;
		case 'h':
			fputs(help, stdout);
			return EXIT_DONE;
		default:
			return msg_bad_option("codetags", c, argv);
		}
	}
	source.debug_path = dirs;
	if (optind + 1 != argc)
		ret = msg_usage("codetags", "say load or show");
	else if (!strcmp(argv[optind], cmd_codetags_words[0]))
		ret = load(&source, output);
	else if (!strcmp(argv[optind], cmd_codetags_words[1]))
		ret = show();
	else
		ret = msg_usage("codetags", "there is no '%s': say load or show",
				argv[optind]);
	free(dirs);
	return ret;
}
