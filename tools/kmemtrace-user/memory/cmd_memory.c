// SPDX-License-Identifier: GPL-2.0-only
#include "base/cmdline.h"
#include "base/json.h"
#include "base/msg.h"
#include "base/options.h"
#include "command.h"
#include "memory/memory.h"
#include "memory/memory_changes.h"
#include "memory/memory_json.h"
#include "memory/memory_view.h"
#include "memory/saved.h"

/**
 * struct wanted - the command line
 * @form: the form of the output
 * @input: file of --input, or NULL
 * @old: file of --diff, or NULL
 * @save: file of --save, or NULL
 */
struct wanted {
	struct memory_form form;
	const char *input;
	const char *old;
	const char *save;
};

static int memory_save(const struct memory *m, const char *path)
{
	int ret = json_save(memory_json(m, 0), path);

	if (!ret)
		msg_note("the use of memory was saved in %s", path);
	return ret;
}

static int cmd_memory_print(const struct memory *m, const struct wanted *w)
{
	if (w->form.json)
		return json_print(memory_json(m, w->form.top));
	memory_print(m, &w->form);
	return EXIT_DONE;
}

static int read(struct memory *m, const char *input)
{
	return input ? memory_load(m, input) : memory_read(m);
}

/* The old file is read first, because reading the frames of the machine takes longer. */
static int show_changes(const struct wanted *w)
{
	struct memory old, m = { 0 };
	struct memory_changes changes;
	int ret = EXIT_FAILED;

	if (!memory_load(&old, w->old) && !read(&m, w->input)) {
		memory_changes_make(&changes, &old, &m);
		ret = memory_print_changes(&changes, &w->form);
		memory_changes_free(&changes);
	}
	memory_free(&m);
	memory_free(&old);
	return ret;
}

static int memory_show(const struct wanted *w)
{
	struct memory m;
	int ret = EXIT_FAILED;

	if (!read(&m, w->input))
		ret = w->save ? memory_save(&m, w->save) : cmd_memory_print(&m, w);
	memory_free(&m);
	return ret;
}

static const struct option_row rows[] = {
	{ 'n', "top", "N",
	  "show N sites of other kernel pages; 0 is all; default 10",
	  OPTION_COUNT(struct wanted, form.top) },
	{ 0, "by-node", NULL, "also show the frames of each NUMA node",
	  OPTION_TRUE(struct wanted, form.by_node) },
	{ 0, "by-owner", NULL, "also divide all memory among the kernel, its modules and others",
	  OPTION_TRUE(struct wanted, form.by_owner) },
	{ 0, "diff", "OLDFILE", "show the changes since OLDFILE was saved",
	  OPTION_TEXT(struct wanted, old), .offers = "files" },
	{ 0, "save", "FILE", "save the current state, for --diff and --input",
	  OPTION_TEXT(struct wanted, save), .offers = "files" },
	{ 'i', "input", "FILE", "show a saved state instead of the current one",
	  OPTION_TEXT(struct wanted, input), .offers = "files" },
	{ 0, "json", NULL, "everything, as JSON", OPTION_TRUE(struct wanted, form.json) },
	{ 'v', "verbose", NULL, "also print each kind of error",
	  OPTION_TRUE(struct wanted, form.verbose) },
	{ 0 },
};

const struct options cmd_memory_options = {
	.command = "memory",
	.synopsis = (const char *const[]){ "[OPTION]...", NULL },
	.about = "Shows the use of all memory of the machine: each page frame counts once. Without --input, it needs root; without the module, much of the kernel's memory stays unexplained.",
	.rows = rows,
};

int cmd_memory(int argc, char **argv)
{
	struct wanted w = { .form.top = 10 };
	struct cmdline line = cmdline_parse(&cmd_memory_options, argc, argv, &w);

	if (line.is_over)
		return line.ret;
	if (w.save && (w.old || w.form.json))
		return msg_usage("memory", "--save writes the complete state as JSON: it cannot be combined with --diff or --json");
	if (w.old && w.form.by_owner)
		return msg_usage("memory", "--diff has no figures of owners: it cannot be combined with --by-owner");
	return w.old ? show_changes(&w) : memory_show(&w);
}
