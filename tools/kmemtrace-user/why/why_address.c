// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/msg.h"
#include "pages/pages.h"
#include "why/directmap.h"
#include "why/why.h"

/* Addresses from here on belong to the kernel. */
#define KERNEL_HALF (1ull << 63)

/* From this address on, x86-64 places the kernel and modules. */
#define IMAGE 0xffffffff80000000ull

#define SYMBOL_MAX 512

/* What an address is in: the word of JSON, and the text. */
enum place {
	IN_CODE,
	IN_IMAGE,
	IN_DIRECT,
	IN_AREA,
	IN_STACK,
	IN_PERCPU,
	IN_MODULE,
};

static const struct {
	const char *word;
	const char *text;
} places[] = {
	[IN_CODE] = { "code", "code" },
	[IN_IMAGE] = { "image", "data of the kernel's image" },
	[IN_DIRECT] = { "direct_map", "the direct map, which has all memory" },
	[IN_AREA] = { "vmalloc", "an area of vmalloc()" },
	[IN_STACK] = { "stack", "a kernel stack, or an area for stacks" },
	[IN_PERCPU] = { "percpu", "per-CPU memory" },
	[IN_MODULE] = { "module", "memory of a module or an eBPF program" },
};

static void why_address_begin(struct why *y, enum place place)
{
	sheet_section(&y->sheet, "Address", "address");
	sheet_text(&y->sheet, "address", "address", "0x%" PRIx64, y->target.number);
	sheet_word(&y->sheet, "is in", "is_in", places[place].word, places[place].text);
}

static int explain_code(struct why *y, const char *function, uint64_t offset)
{
	char lines[1024];

	why_address_begin(y, IN_CODE);
	sheet_text(&y->sheet, "function", "function", "%s", function);
	sheet_number(&y->sheet, "offset", "offset", TABLE_NUMBER, offset);
	/* the lines are those of a return address, which is after its call */
	if (code_lines(&y->code, y->target.number + 1, lines, sizeof(lines)))
		sheet_text(&y->sheet, "source", "source", "%s", lines);
	else
		sheet_unknown(&y->sheet, "source", "source",
			      "name debug information (--debuginfo)");
	return why_sites_in(y, y->target.number, function);
}

static int explain_area(struct why *y, struct survey *w, const struct vmalloc_area *area)
{
	static const enum place kinds[] = {
		[VMALLOC_OTHER] = IN_AREA,
		[VMALLOC_STACK] = IN_STACK,
		[VMALLOC_PERCPU] = IN_PERCPU,
		[VMALLOC_MODULE] = IN_MODULE,
	};
	struct sheet *s = &y->sheet;
	uint64_t pfn;
	int mapped = vmallocs_frame(y->target.number, &pfn);

	if (mapped < 0)
		return EXIT_FAILED;
	why_address_begin(y, kinds[area->kind]);
	sheet_text(s, "area", "area", "0x%" PRIx64 "-0x%" PRIx64, area->start, area->end);
	sheet_text(s, "vmalloc() by", "vmalloc_caller", "%s", area->caller);
	sheet_number(s, "offset", "offset", TABLE_NUMBER, y->target.number - area->start);
	if (mapped)
		return why_print_frame(y, w, pfn, 0);
	sheet_line(s, "no page is mapped at this address: it is the guard page, or not used");
	return EXIT_DONE;
}

static int explain_memory(struct why *y, struct survey *w, uint64_t physical)
{
	why_address_begin(y, y->target.number >= IMAGE ? IN_IMAGE : IN_DIRECT);
	sheet_text(&y->sheet, "physical", "physical", "0x%" PRIx64, physical);
	return why_print_frame(y, w, physical / pages_bytes(1), physical);
}

static int explain_data(struct why *y, struct survey *w)
{
	const struct vmalloc_area *area = vmallocs_area(&w->vmallocs, y->target.number);
	struct directmap map;
	uint64_t physical;
	int ret;

	if (area)
		return explain_area(y, w, area);
	directmap_read(&map);
	if (directmap_physical(&map, y->target.number, &physical))
		ret = explain_memory(y, w, physical);
	else
		ret = msg_error("nothing is known to be at 0x%" PRIx64 ": it is no code, in no area of vmalloc(), %s%s",
				y->target.number,
				map.why ? "and where the direct map is, is not known: " :
					  "and not in the direct map",
				map.why ? map.why : "");
	directmap_free(&map);
	return ret;
}

/*
 * The last function of a module seems to contain what follows it. Since Linux 6.4, the data
 * of a module are in other areas than its code.
 */
static int is_code(const struct why *y, char *function, size_t size, uint64_t *offset)
{
	const struct vmalloc_area *area;
	struct vmallocs v;
	int ret = code_function(&y->code, y->target.number, function, size, offset);

	if (!ret || !strchr(function, '['))
		return ret;
	if (vmallocs_read(&v))
		ret = -1;
	area = ret > 0 ? vmallocs_area(&v, y->target.number) : NULL;
	if (area && y->target.number - *offset < area->start)
		ret = 0;
	vmallocs_free(&v);
	return ret;
}

int why_address(struct why *y)
{
	struct page_filter all = PAGE_FILTER_NONE;
	char function[SYMBOL_MAX];
	struct survey w;
	uint64_t offset;
	int ret;

	if (y->target.number < KERNEL_HALF)
		return msg_usage("why", "0x%" PRIx64 " is no address of the kernel; pagemap shows the memory of processes",
				 y->target.number);
	ret = is_code(y, function, sizeof(function), &offset);
	if (ret)
		return ret < 0 ? EXIT_FAILED : explain_code(y, function, offset);
	if (y->o.input || y->o.seconds)
		return msg_usage("why", "an address of data has no callers: --input and --for need a site");
	ret = survey_open(&w, &all) ? EXIT_FAILED : EXIT_DONE;
	if (!ret)
		ret = explain_data(y, &w);
	if (!ret)
		ret = why_end(y, &w.sites.tags);
	survey_close(&w);
	return ret;
}
