// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/msg.h"
#include "base/options.h"
#include "command.h"
#include "export/formats.h"
#include "export/profile.h"
#include "frames/pageflags.h"
#include "kmt_field.h"
#include "pages/pages.h"
#include "report/keys.h"
#include "report/report.h"
#include "trace/input.h"
#include "watch/view.h"

static void print_words(const char *const *words)
{
	for (; words && *words; words++)
		puts(*words);
}

/* Systems, and events without them: the shell takes a colon amiss. */
static void print_events(void)
{
	unsigned int i;

	for (i = 0; i < KMT_EVENT_KINDS; i++) {
		const struct kmt_kind_name *k = &kmt_kind_names[i];

		if (!i || strcmp(k->system, k[-1].system))
			puts(k->system);
		puts(k->event);
	}
}

static void print_features(void)
{
	const struct kmt_feature_name *f;

	for (f = kmt_feature_names; f->name; f++)
		puts(f->name);
	puts("all\nnone");
}

static void print_fields(void)
{
	const struct kmt_field *f;

	puts("event");
	for (f = kmt_fields; f->name; f++)
		if (!f->alias && !(f->group & ~EXTRA_GROUPS))
			puts(f->name);
}

static void print_pageflags(void)
{
	const struct pageflag_name *names = pageflags_names(NULL);
	int i;

	for (i = 0; i < PAGEFLAGS; i++)
		if (names[i].name)
			puts(names[i].name);
	puts("compound");
}

static void print_names(const char *const *names, int count)
{
	int i;

	for (i = 0; i < count; i++)
		puts(names[i]);
}

static void print_formats(void)
{
	const struct export_format *f;

	for (f = export_formats; f->name; f++)
		puts(f->name);
}

static void print_command(const struct options *options)
{
	const struct option_row *row;

	print_words(options->words);
	for (row = options->rows; !option_end(row); row++)
		if (row->name)
			printf("--%s\n", row->name);
	puts("--help");
}

static bool is_option(const struct option_row *row, const char *text)
{
	if (!row->name || !row->value || *text != '-')
		return false;
	if (text[1] == '-')
		return !strcmp(text + 2, row->name);
	return row->letter && text[1] == row->letter && !text[2];
}

static int print_offers(const struct options *options, const char *option)
{
	const struct option_row *row;

	if (!strcmp(option, "operands")) {
		puts(options->operands ? options->operands : "");
		return EXIT_DONE;
	}
	for (row = options->rows; !option_end(row); row++) {
		if (is_option(row, option)) {
			puts(row->offers ? row->offers : "");
			return EXIT_DONE;
		}
	}
	return EXIT_FAILED;
}

static void print_commands(const struct command *all)
{
	const struct command *c;

	for (c = all; c->options; c++)
		puts(c->options->command);
	puts("--help\n--version");
}

int complete_run(const struct command *all, const char *what, const char *option)
{
	const struct command *c;

	if (!what)
		print_commands(all);
	else if (!strcmp(what, "@events"))
		print_events();
	else if (!strcmp(what, "@features"))
		print_features();
	else if (!strcmp(what, "@fields"))
		print_fields();
	else if (!strcmp(what, "@pageflags"))
		print_pageflags();
	else if (!strcmp(what, "@pagekeys"))
		print_names(page_key_names, PAGE_KEYS);
	else if (!strcmp(what, "@pagekinds"))
		print_names(kind_names, KINDS);
	else if (!strcmp(what, "@topkeys"))
		print_names(watch_by_names, WATCH_BYS);
	else if (!strcmp(what, "@topsorts"))
		print_names(view_sort_names, VIEW_COLUMNS_TEXT);
	else if (!strcmp(what, "@tagkinds"))
		print_names(site_total_names, SITE_KINDS);
	else if (!strcmp(what, "@exportformats"))
		print_formats();
	else if (!strcmp(what, "@exportvalues"))
		print_names(profile_names, PROFILE_VALUES);
	else if (!strcmp(what, "@reportkeys"))
		print_words(key_names);
	for (c = all; what && c->options; c++) {
		if (strcmp(what, c->options->command))
			continue;
		if (option)
			return print_offers(c->options, option);
		print_command(c->options);
	}
	return EXIT_DONE;
}
