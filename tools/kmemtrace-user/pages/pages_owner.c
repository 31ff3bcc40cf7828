// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints the text of the kernel's debugfs/page_owner (mm/page_owner.c), as input for
 * page_owner_sort of 6.1 and 6.12. Accounting does not know the process and the mask of
 * an allocation. They are printed as values that do not occur otherwise: pid and tgid -1,
 * mask 0x0(unknown).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/die.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/textfile.h"
#include "control/system.h"
#include "frames/pageflags.h"
#include "pages/pages.h"
#include "trace/names.h"

/* Largest order of an allocation. Pages of a higher order are printed one by one. */
#define RUN_ORDER 13

/* A page of the current allocation. */
struct run_page {
	uint64_t pfn;
	uint64_t flags;
	uint32_t age;
	uint8_t migratetype;
};

/**
 * struct page_owner - state of the output
 * @w: the walk
 * @names: symbols
 * @flag: names of the page flags
 * @frame: by id of a tag: the line of its stack trace; NULL: not made yet
 * @frames: length of @frame
 * @now: time when the walk began, in ns of the monotonic clock
 * @tag: tag of the current allocation
 * @order: order of the current allocation
 * @run: the pages of the current allocation that were read; they are contiguous
 * @nr_run: number of pages in @run
 */
struct page_owner {
	struct survey w;
	struct names *names;
	const struct pageflag_name *flag;
	char **frame;
	size_t frames;
	uint64_t now;
	uint32_t tag;
	unsigned int order;
	struct run_page *run;
	size_t nr_run;
};

/* --- the stack trace ----------------------------------------------------------- */

/* Prints like %pS: "function+0x1c/0x50 [module]". */
static bool print_symbol(FILE *out, struct names *names, uint64_t address)
{
	uint64_t start, size;
	char text[256];
	size_t len;

	if (!address ||
	    !names_function(names, NULL, 0, address - 1, &start, &size))
		return false;
	names_symbol(names, address, 0, text, sizeof(text));
	table_clean(text);
	len = strcspn(text, " ");
	fprintf(out, "%.*s/0x%" PRIx64 "%s", (int)len, text, size, text + len);
	return true;
}

static char *make_frame(const struct page_owner *p, uint32_t id)
{
	const struct site_row *tag = sites_tag(&p->w.sites, id);
	struct memtext text;
	FILE *out = memtext_open(&text);

	if (!tag || !print_symbol(out, p->names, tag->address))
		fputs(p->w.sites.location[sites_of(&p->w.sites, id)], out);
	return memtext_close(&text, NULL);
}

static const char *frame_of(struct page_owner *p, uint32_t id)
{
	const char *otherwise = p->w.sites.location[SITE_NEWER];

	if (id >= p->frames)
		return otherwise;
	if (!p->frame[id])
		p->frame[id] = make_frame(p, id);
	return p->frame[id] ? p->frame[id] : otherwise;
}

/* --- the text of an allocation -------------------------------------------------- */

static const char *type_name(const struct page_owner *p, uint8_t migratetype)
{
	const char *name = migratetype < MIGRATETYPES_MAX ?
				   p->w.zones.migratetype[migratetype] :
				   "";

	return *name ? name : "unknown";
}

/* The kernel separates flags with a bar. */
static const char *flag_names(const struct page_owner *p, uint64_t flags,
			      char *text, size_t size)
{
	char *at;

	pageflags_long(p->flag, flags, text, size);
	for (at = text; *at; at++)
		if (*at == ',')
			*at = '|';
	return text;
}

static uint64_t time_of(const struct page_owner *p, uint32_t age)
{
	uint64_t ns = age * 10000000ull;

	return age == KMEMTRACE_AGE_UNKNOWN || ns > p->now ? 0 : p->now - ns;
}

static void print_block(struct page_owner *p, const struct run_page *page,
			unsigned int order)
{
	int block_order = p->w.zones.block_order;
	char flags[PAGEFLAGS_LONG];

	printf("Page allocated via order %u, mask 0x0(unknown), pid -1, tgid -1 (unknown), ts %" PRIu64
	       " ns, free_ts 0 ns\n",
	       order, time_of(p, page->age));
	printf("PFN 0x%" PRIx64 " type unknown Block %" PRIu64
	       " type %s Flags 0x%" PRIx64 "(%s)\n",
	       page->pfn, page->pfn >> (block_order < 0 ? 0 : block_order),
	       type_name(p, page->migratetype), page->flags,
	       flag_names(p, page->flags, flags, sizeof(flags)));
	printf(" %s\n\n", frame_of(p, p->tag));
}

/* Prints the pages of an incomplete allocation one by one. The other pages were freed. */
static void end_run(struct page_owner *p)
{
	size_t i;

	for (i = 0; i < p->nr_run; i++)
		print_block(p, &p->run[i], 0);
	p->nr_run = 0;
}

static void add_page(struct page_owner *p, const struct page *page)
{
	bool is_head = page->owner->flags & KMEMTRACE_PAGE_HEAD;
	size_t n = p->nr_run;

	if (n && (is_head || page->owner->tag != p->tag ||
		  page->pfn != p->run[n - 1].pfn + 1))
		end_run(p);
	if (!p->nr_run) {
		p->tag = page->owner->tag;
		p->order = is_head && page->owner->order <= RUN_ORDER ?
				   page->owner->order :
				   0;
	}
	p->run[p->nr_run++] = (struct run_page){ page->pfn, page->flags,
						 page->owner->age,
						 page->owner->migratetype };
	if (p->nr_run < 1ul << p->order)
		return;
	print_block(p, &p->run[0], p->order);
	p->nr_run = 0;
}

/* --- the walk -------------------------------------------------------------------- */

static void set_up(struct page_owner *p)
{
	char *text = system_kallsyms(NULL);
	struct timespec now;

	/* the text on the terminal already shows the progress */
	if (isatty(STDOUT_FILENO))
		p->w.progress.on = false;
	clock_gettime(CLOCK_MONOTONIC, &now);
	p->now = now.tv_sec * 1000000000ull + now.tv_nsec;
	p->flag = pageflags_names(NULL);
	p->frames = p->w.sites.ids;
	p->frame = xcalloc(p->frames + 1, sizeof(*p->frame));
	p->run = xcalloc(1ul << RUN_ORDER, sizeof(*p->run));
	p->names = names_create();
	if (text)
		names_add_kallsyms(p->names, text);
	free(text);
}

int pages_page_owner(const struct pages_options *o)
{
	struct page_owner p = { 0 };
	struct page page;
	int ret = EXIT_FAILED;
	size_t i;

	if (!survey_open(&p.w, &o->filter)) {
		set_up(&p);
		while ((ret = survey_next(&p.w, &page)) > 0)
			if (page.owner->tag && survey_wants(&p.w, &page))
				add_page(&p, &page);
		end_run(&p);
		ret = ret ? EXIT_FAILED : EXIT_DONE;
	}
	for (i = 0; i < p.frames && p.frame; i++)
		free(p.frame[i]);
	free(p.frame);
	free(p.run);
	if (p.names)
		names_destroy(p.names);
	survey_close(&p.w);
	return ret;
}
