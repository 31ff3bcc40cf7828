// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <linux/netlink.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cmdline.h"
#include "base/die.h"
#include "base/json.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/outfile.h"
#include "base/plural.h"
#include "base/table.h"
#include "base/textfile.h"
#include "codetags/codecache.h"
#include "codetags/codelive.h"
#include "command.h"
#include "control/control.h"
#include "kmt_place.h"

#define MODULES_MAX 256
/* a number as text, for textfile_scan() */
#define WIDTH_(n) #n
#define WIDTH(n) WIDTH_(n)

/* --- load ----------------------------------------------------------------------- */

/* how the text of codeload_text() begins: with an address */
#define CODELOAD_BEGINS "0x"

/* limit of the bytes of one write; the module accepts whole lines, below 4096 bytes */
#define CHUNK 4000

static char *codeload_text(const struct codesites *sites)
{
	struct memtext text;
	FILE *out = memtext_open(&text);
	size_t i;

	for (i = 0; i < sites->count; i++) {
		const struct codesite *s = &sites->site[i];

		if (s->address)
			fprintf(out, "0x%" PRIx64 " %s:%d %s\n", s->address,
				s->file, s->line, s->function);
	}
	return memtext_close(&text, NULL);
}

/**
 * struct target - the module's file codetags
 * @dir: the module's directory
 * @add: keep the rows that the module has
 */
struct target {
	int dir;
	bool add;
};

static int codeload_put_text(const struct target *t, const char *text)
{
	int fd = openat(t->dir, "codetags", O_WRONLY | O_CLOEXEC | (t->add ? 0 : O_TRUNC));

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

/* codelive_source.put */
static bool put_rows(void *arg, const struct codesites *sites)
{
	struct target *t = arg;
	char *text = codeload_text(sites);
	int ret = *text ? codeload_put_text(t, text) : EXIT_DONE;

	t->add = t->add || *text;
	free(text);
	return ret == EXIT_DONE;
}

static int codeload_nothing(const struct codelive_source *source, const char *why)
{
	struct utsname u = { 0 };

	if (source->vmlinux || source->modules)
		return msg_error("%s: %s",
				 source->vmlinux ? source->vmlinux :
						   source->modules[0],
				 why ? why :
				       "it has no debug information (DWARF) about calls of allocators");
	if (why)
		return msg_error("%s", why);
	uname(&u);
	return msg_error(
		"no debug information was found: install linux-image-%s-dbg, name a file with --vmlinux, or set DEBUGINFOD_URLS",
		u.release);
}

static void codeload_tell(const struct codelive_found *found)
{
	char known[64] = "";

	if (found->cached)
		snprintf(known, sizeof(known), " (%u from the cache)", found->cached);
	msg_note("%zu call site%s, of the kernel and its modules: %u with debug information%s, %u without",
		 found->count, plural(found->count), found->known, known, found->bare);
}

static int codeload(const struct codelive_source *source, bool add, struct codelive_found *found)
{
	struct codelive_source from = *source;
	struct target target = { .add = add };
	const char *why = NULL;
	char *wrappers;
	int err;

	*found = (struct codelive_found){ 0 };
	target.dir = control_open(&why);
	if (target.dir < 0)
		return msg_error("%s", why);
	wrappers = control_read(target.dir, "wrappers", NULL);
	from.wrappers = wrappers;
	from.live = true;
	from.put = put_rows;
	from.arg = &target;
	err = codelive_find(&from, found, &why);
	free(wrappers);
	close(target.dir);
	if (err && !why)
		return EXIT_FAILED; /* put_rows() has printed a message */
	if (err || (!found->count && !source->only))
		return codeload_nothing(source, err ? why : NULL);
	return EXIT_DONE;
}

/* --- follow --------------------------------------------------------------------- */

/*
 * The kernel sends an event "add@/module/NAME" when the init function of a module has ended
 * (do_init_module() in its kernel/module/main.c).
 */

/* Modules are loaded in groups: wait until none has been loaded for this time, in ms. */
#define QUIET_MS 500
/* but not longer than this, in seconds */
#define WAIT_MAX 5
/* seconds to the next attempt if the kernel is not known, at first and at most */
#define RETRY_MIN 60
#define RETRY_MAX 3600
#define ADDED	 "add@/module/"
#define OWN	 "kmemtrace"

/**
 * struct news - modules that were loaded since the last look
 * @count: number of modules
 * @name: name of the last one
 * @all: look at all modules: kmemtrace itself was loaded, or events were lost
 */
struct news {
	unsigned int count;
	char name[128];
	bool all;
};

static int open_events(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 && !bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	msg_error("cannot wait for modules: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

static void note_module(struct news *news, const char *name)
{
	if (!strcmp(name, OWN))
		news->all = true;
	news->count++;
	snprintf(news->name, sizeof(news->name), "%.100s", name);
}

/* Return: 0 or -errno. */
static int receive(int fd, struct news *news)
{
	struct sockaddr_nl from = { 0 };
	socklen_t size = sizeof(from);
	char text[8192];
	ssize_t n = recvfrom(fd, text, sizeof(text) - 1, 0, (struct sockaddr *)&from, &size);

	if (n < 0 && errno == ENOBUFS)
		news->all = true;
	else if (n < 0 && errno != EINTR)
		return -errno;
	/* other programs may send to the socket, too; the kernel has no port */
	if (n <= 0 || from.nl_pid)
		return 0;
	text[n] = '\0';
	if (!strncmp(text, ADDED, strlen(ADDED)))
		note_module(news, text + strlen(ADDED));
	return 0;
}

/*
 * Wait for modules, and until no more come; or for @retry seconds, if it is not 0.
 * Return: 0 or -errno.
 */
static int wait_for_modules(int fd, struct news *news, int retry)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	double start = 0;
	int err = 0, n;

	*news = (struct news){ 0 };
	while (!err) {
		bool any = news->count || news->all;

		if (any && !start)
			start = clock_now();
		if (any && clock_now() - start > WAIT_MAX)
			break;
		n = poll(&pfd, 1, any ? QUIET_MS : retry ? retry * 1000 : -1);
		if (n < 0 && errno != EINTR)
			err = -errno;
		else if (!n)
			break;
		else if (n > 0)
			err = receive(fd, news);
	}
	return err;
}

/**
 * struct follower - what was done so far
 * @source: what to search
 * @is_loaded: all modules have been looked at, and the kernel is known
 * @retry: seconds to the next look if it is not
 * @told: why there is no module; or NULL
 */
struct follower {
	const struct codelive_source *source;
	bool is_loaded;
	int retry;
	const char *told;
};

/* Return: whether the module is there; else says once why not. */
static bool is_there(struct follower *f)
{
	const char *why;
	int dir = control_open(&why);

	if (dir >= 0) {
		close(dir);
		f->told = NULL;
		return true;
	}
	if (f->told != why)
		msg_note("waiting: %s", why);
	f->told = why;
	return false;
}

/*
 * Debug information may come later: with the network, or with a package. So all modules are
 * looked at again until the kernel is known: after a minute, and then less often.
 */
static void codefollow_load(struct follower *f, const struct news *news)
{
	struct codelive_source from = *f->source;
	struct codelive_found found;
	bool is_done;

	if (!is_there(f))
		return; /* its own event comes when it is loaded */
	if (f->is_loaded && !news->all && news->count == 1)
		from.only = news->name;
	is_done = codeload(&from, true, &found) == EXIT_DONE;
	if (!from.only)
		f->is_loaded = is_done && found.kernel;
	if (is_done && !from.only)
		codeload_tell(&found);
	f->retry = f->is_loaded ? 0 : f->retry ? MIN(f->retry * 2, RETRY_MAX) : RETRY_MIN;
	/* debug information takes hundreds of MiB, and may not be needed again for days */
	malloc_trim(0);
}

static int codeload_follow(const struct codelive_source *source)
{
	struct follower f = { .source = source };
	struct news news = { .all = true };
	int fd = open_events(), err = 0;

	if (fd < 0)
		return EXIT_FAILED;
	while (!err) {
		codefollow_load(&f, &news);
		err = wait_for_modules(fd, &news, f.retry);
	}
	close(fd);
	return msg_error("cannot wait for modules: %s", strerror(-err));
}

/* --- the commands ------------------------------------------------------------ */

static int put_file(const char *path, const struct codesites *sites)
{
	struct outfile *out;
	char *text;
	int err;

	if (outfile_create(path, CODELOAD_BEGINS, &out))
		return EXIT_FAILED;
	text = codeload_text(sites);
	err = fputs(text, outfile_stream(out)) == EOF ? -errno : 0;
	free(text);
	return outfile_finish(out, err, false) ? EXIT_FAILED : EXIT_DONE;
}

/* Find calls, and write their rows to a file. */
static int codetags_write_rows(const struct codelive_source *source, const char *output)
{
	struct codelive_source from = *source;
	struct codelive_found found;
	const char *why = NULL;
	int ret;

	from.live = !source->vmlinux && !source->modules;
	from.cache = NULL; /* it has the calls of the module's wrappers as well */
	if (codelive_find(&from, &found, &why) || !found.sites.count)
		ret = codeload_nothing(source, why);
	else
		ret = put_file(output, &found.sites);
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
		return control_cannot_read("codetags", errno);
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

static int codetags_choose(struct wanted *w, const struct cmdline *line)
{
	const char *word = line->count ? *line->words : "";
	bool is_cache = !strcmp(word, "cache");

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
	if (w->follow && (w->output || w->source.vmlinux || w->source.modules))
		return msg_usage("codetags", "--follow is for all modules: it takes no --vmlinux, --module or --output");
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
