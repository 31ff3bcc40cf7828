// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "memory/memory_changes.h"

bool memory_changes_know_sites(const struct memory_changes *c)
{
	return !c->old->no_module && !c->now->no_module;
}

/* --- notes ------------------------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) static void
add_note(struct memory_changes *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(c->note[c->nr_notes++], MEMORY_NOTE_SIZE, format, args);
	va_end(args);
}

static void note_total(struct memory_changes *c)
{
	const struct balance_line *old = &c->old->balance.line[LINE_TOTAL];
	const struct balance_line *now = &c->now->balance.line[LINE_TOTAL];
	int64_t more = c->now->balance.difference - c->old->balance.difference;

	if (!old->has_figure || !now->has_figure) {
		add_note(c, "MemTotal is not known in both states");
		return;
	}
	if (old->before != now->before)
		add_note(c, "MemTotal changed from %" PRId64 " to %" PRId64
			    " KiB: memory was added or removed, or the kernel was started in another way",
			 old->before / 1024, now->before / 1024);
	if (more)
		add_note(c, "the total changed by %" PRId64
			    " KiB more than MemTotal: see memory --input of both states",
			 more / 1024);
}

static void note_kernels(struct memory_changes *c)
{
	const char *why = tags_incomparable(&c->now->tags, &c->old->tags);
	char old[128], now[128];

	if (tags_word(&c->old->tags, TAGS_KERNEL, old, sizeof(old)) &&
	    tags_word(&c->now->tags, TAGS_KERNEL, now, sizeof(now)) &&
	    strcmp(old, now))
		add_note(c, "the kernel was %s, and is %s: the same site may have another location",
			 old, now);
	if (why)
		add_note(c, "%s: memory that was allocated before accounting has other sites (earlier/), or none",
			 why);
}

static void add_notes(struct memory_changes *c)
{
	const struct memory *old = c->old, *now = c->now;

	if (old->page_size != now->page_size)
		add_note(c, "the size of a page changed from %" PRIu64 " to %" PRIu64
			    " bytes: the same use takes another amount of memory",
			 old->page_size, now->page_size);
	note_total(c);
	note_kernels(c);
	if (old->no_module)
		add_note(c, "the old state has no sites of kernel pages: %s",
			 old->no_module);
	if (now->no_module)
		add_note(c, "the new state has no sites of kernel pages: %s",
			 now->no_module);
	if (!old->vmallocs.why != !now->vmallocs.why)
		add_note(c, "the %s state does not know the areas of vmalloc(): %s",
			 old->vmallocs.why ? "old" : "new",
			 old->vmallocs.why ? old->vmallocs.why :
					     now->vmallocs.why);
}

/* --- all changes -------------------------------------------------------------------- */

void memory_changes_make(struct memory_changes *c, struct memory *old, struct memory *now)
{
	memset(c, 0, sizeof(*c));
	c->old = old;
	c->now = now;
	add_notes(c);
	if (memory_changes_know_sites(c))
		changes_by_location(&c->sites, &old->sites, &now->sites);
}

void memory_changes_free(struct memory_changes *c)
{
	changes_free(&c->sites);
}
