// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any text in the files that pages, memory, pagemap, page-types, waste, why and html read: files
 * of /proc, of processes and of the module. The commands must end, must print only printable
 * characters, and their JSON must be valid.
 *
 * The first character of the input selects the command. Files follow. Each begins with a
 * line "=NAME". Files of numbers have lines "INDEX WORD [COUNT]". All other files have
 * text, which is used as it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"
#include "command.h"
#include "commands.h"
#include "files.h"
#include "fuzz.h"

/* limits of COUNT and of INDEX: long files only make inputs slow */
#define COUNT_MAX 512
#define INDEX_MAX 4096

/**
 * struct file - a file of the machine
 * @name: its name
 * @numbers: it contains 64-bit numbers
 * @fd: descriptor of the file
 * @text: text in the input that it was made from
 * @size: size of @text in bytes
 */
static struct file {
	const char *name;
	bool numbers;
	int fd;
	char *text;
	size_t size;
} files[] = {
	{.name = "stats"},
	{.name = "tags"},
	{.name = "caches_live"},
	{.name = "pages_version"},
	{.name = "vmalloc_starts"},
	{.name = "meminfo"},
	{.name = "zoneinfo"},
	{.name = "pagetypeinfo"},
	{.name = "vmallocinfo"},
	{.name = "kallsyms"},
	{.name = "kmsg"},
	{.name = "iomem"},
	{.name = "swaps"},
	{.name = "slabinfo"},
	{.name = "modules"},
	{.name = "devices/system/cpu/present"},
	{.name = "41/comm"},
	{.name = "41/maps"},
	{.name = "41/stat"},
	{.name = "41/status"},
	{.name = "42/comm"},
	{.name = "42/maps"},
	{.name = "42/stat"},
	{.name = "42/status"},
	{.name = "pages", .numbers = true},
	{.name = "objects", .numbers = true},
	{.name = "vmalloc", .numbers = true},
	{.name = "ages", .numbers = true},
	{.name = "kcore", .numbers = true},
	{.name = "kpageflags", .numbers = true},
	{.name = "kpagecount", .numbers = true},
	{.name = "kpagecgroup", .numbers = true},
	{.name = "41/pagemap", .numbers = true},
	{.name = "42/pagemap", .numbers = true},
	{.name = "self/pagemap", .numbers = true},
};

#define FILES (sizeof(files) / sizeof(files[0]))

/* --- directory ------------------------------------------------------------ */

static void make_dir(void)
{
	size_t i;

	for (i = 0; i < FILES; i++) {
		files[i].fd = files_create(files[i].name);
		files[i].text = strdup("");
		FUZZ_MUST(files[i].text);
	}
	FUZZ_MUST(!symlink("tags", files_path("tags_quick")));
	setenv("KMEMTRACE_DIR", files_dir(), 1);
	setenv("KMEMTRACE_PROC", files_dir(), 1);
	setenv("KMEMTRACE_SYS", files_dir(), 1);
}

/* Replaces usleep() of libc: do not wait for pages in migration. */
int __wrap_usleep(useconds_t usec);

int __wrap_usleep(useconds_t usec)
{
	(void)usec;
	return 0;
}

/* --- content of the files ------------------------------------------------- */

static void write_numbers(int fd, const char *text)
{
	static uint64_t words[INDEX_MAX + COUNT_MAX];
	uint64_t index, word, count, size = 0;
	char *end;

	for (; *text; text = strchrnul(text, '\n'), text += *text == '\n') {
		index = strtoull(text, &end, 0);
		word = strtoull(end, &end, 0);
		count = *end == ' ' ? strtoull(end, &end, 0) : 1;
		if (!count || count > COUNT_MAX)
			count = 1;
		if (index >= INDEX_MAX)
			continue;
		for (; size < index; size++) /* skipped numbers are 0 */
			words[size] = 0;
		for (; count--; index++)
			words[index] = word;
		if (size < index)
			size = index;
	}
	files_write(fd, words, size * 8);
}

static void set_file(struct file *f, const char *text, size_t size)
{
	if (size == f->size && !memcmp(text, f->text, size))
		return;
	free(f->text);
	f->text = malloc(size + 1);
	FUZZ_MUST(f->text);
	memcpy(f->text, text, size);
	f->text[size] = '\0';
	f->size = size;
	if (f->numbers)
		write_numbers(f->fd, f->text);
	else
		files_write(f->fd, text, size);
}

/* @at: behind "=". Return: the position behind the next "=", or @end. */
static const char *read_file(const char *at, const char *end, bool *set)
{
	const char *name = at, *text, *next;
	size_t len = strcspn(name, "\n"), i;

	text = name + len;
	text += text < end;
	next = text;
	while (next < end && (*next != '=' || next[-1] != '\n'))
		next++;
	for (i = 0; i < FILES; i++) {
		if (strlen(files[i].name) != len ||
		    memcmp(files[i].name, name, len))
			continue;
		set_file(&files[i], text, next - text);
		set[i] = true;
	}
	return next + (next < end);
}

static void set_files(const char *text, size_t size)
{
	const char *at = memchr(text, '=', size), *end = text + size;
	bool set[FILES] = {false};
	size_t i;

	if (!files[0].text)
		make_dir();
	for (at = at ? at + 1 : end; at < end;)
		at = read_file(at, end, set);
	for (i = 0; i < FILES; i++)
		if (!set[i])
			set_file(&files[i], "", 0);
}

/* --- commands ------------------------------------------------------------- */

static const struct {
	int (*run)(int argc, char **argv);
	const char *words[8];
} commands[] = {
	{cmd_pages, {"pages"}},
	{cmd_pages, {"pages", "--json", "--top", "2"}},
	{cmd_pages, {"pages", "--by", "site,kind", "--sort", "maps"}},
	{cmd_pages, {"pages", "--by", "migratetype,age", "--csv"}},
	{cmd_pages, {"pages", "--by", "zone,flags", "--order", "0"}},
	{cmd_pages, {"pages", "--leaks"}},
	{cmd_pages, {"pages", "--fragmenting", "--json"}},
	{cmd_pages, {"pages", "--pinned", "--json"}},
	{cmd_pages, {"pages", "--page-owner"}},
	{cmd_pages, {"pages", "--by", "process", "--json"}},
	{cmd_pages, {"pages", "--process", "41", "--json"}},
	{cmd_pages, {"pages", "--by", "site,process"}},
	{cmd_memory, {"memory", "--by-owner"}},
	{cmd_memory, {"memory", "--json", "--top", "3"}},
	{cmd_pagemap, {"pagemap", "--all", "--mappings", "--wide"}},
	{cmd_pagemap, {"pagemap", "--pid", "41", "--json"}},
	{cmd_pagemap, {"pagemap", "--name", "alpha", "--csv"}},
	{cmd_page_types, {"page-types"}},
	{cmd_page_types, {"page-types", "-L", "-N", "-b", "lru"}},
	{cmd_page_types, {"page-types", "-p", "41", "-l", "-M"}},
	{cmd_waste, {"waste"}},
	{cmd_waste, {"waste", "--json", "--sort", "waste"}},
	{cmd_why, {"why", "d_alloc"}},
	{cmd_why, {"why", "alloc_inode", "--json"}},
	{cmd_why, {"why", "pfn:41", "--json"}},
	{cmd_why, {"why", "0xffff888000010000"}},
	{cmd_html, {"html", "--live", "-o", "-"}},
	{cmd_pagemap, {"pagemap", "--compare", "41", "42", "--json"}},
	{cmd_pagemap, {"pagemap", "--compare", "42", "alpha", "--sort", "both"}},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static bool is_json(const char *const *words)
{
	while (*words && strcmp(*words, "--json"))
		words++;
	return *words;
}

bool fuzz_one(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	const char *const *w;
	size_t i;
	int ret;

	if (!size) {
		free(text);
		return false;
	}
	set_files(text, size);
	free(text);
	i = (uint8_t)(*data - 'a') % COMMANDS;
	w = commands[i].words;
	ret = commands_run(commands[i].run, w[0], w[1], w[2], w[3], w[4], w[5],
			   w[6], NULL);
	if (ret == EXIT_DONE && is_json(w))
		commands_json(false);
	else if (ret == EXIT_DONE && commands[i].run == cmd_html)
		commands_page();
	return ret == EXIT_DONE;
}
