// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/die.h"
#include "base/msg.h"
#include "base/plural.h"
#include "base/table.h"
#include "control/control.h"
#include "frames/pageflags.h"
#include "pages/pages.h"
#include "pages/slabwalk.h"

/* --- the file objects ------------------------------------------------------------- */

/* maximum number of objects in one read */
#ifndef BATCH
#define BATCH 16384
#endif

int objects_open(struct objects *o)
{
	*o = (struct objects){ .fd = control_open_file("objects") };
	if (o->fd < 0)
		return -1;
	o->object = xmalloc(BATCH * sizeof(*o->object));
	return 0;
}

static bool objects_fill(struct objects *o)
{
	ssize_t n;

	do {
		n = read(o->fd, o->object, BATCH * sizeof(*o->object));
	} while (n < 0 && errno == EINTR);
	o->next = 0;
	o->count = 0;
	if (n < 0)
		control_cannot_read("objects", errno);
	else if (n % sizeof(*o->object))
		msg_error("the module's file objects ends in the middle of an object");
	else
		o->count = n / sizeof(*o->object);
	o->failed = n < 0 || n % sizeof(*o->object);
	return o->count > 0;
}

const struct kmemtrace_object *objects_peek(struct objects *o)
{
	if (o->next == o->count && (o->failed || !objects_fill(o)))
		return NULL;
	return &o->object[o->next];
}

void objects_step(struct objects *o)
{
	o->next++;
}

int objects_seek(struct objects *o, uint64_t address)
{
	o->next = 0;
	o->count = 0;
	if (lseek(o->fd, address, SEEK_SET) >= 0)
		return 0;
	msg_error("cannot seek in the module's file objects: %s", strerror(errno));
	return -1;
}

void objects_close(struct objects *o)
{
	if (o->fd >= 0)
		close(o->fd);
	free(o->object);
}

/* --- slabs ------------------------------------------------------------------------ */

const char *const slab_state_names[SLAB_STATES] = {
	[SLAB_FULL] = "full",
	[SLAB_PARTIAL] = "partial",
	[SLAB_EMPTY] = "empty",
	[SLAB_OLDER] = "older",
};

int slabwalk_open(struct slabwalk *walk, const struct page_filter *filter)
{
	struct page_filter all_sites = *filter;

	*walk = (struct slabwalk){ .o.fd = -1 };
	all_sites.site = NULL;
	if (survey_open(&walk->w, &all_sites))
		return -1;
	return objects_open(&walk->o);
}

static enum slab_state state_of(const struct slab *s)
{
	uint64_t bytes = s->end - s->start;

	if (!s->known)
		return SLAB_OLDER;
	if (!s->objects)
		return SLAB_EMPTY;
	return s->live >= bytes || bytes - s->live < s->largest ? SLAB_FULL :
								  SLAB_PARTIAL;
}

static void slabwalk_judge(struct slabwalk *walk)
{
	struct slab *s = &walk->slab;
	uint64_t bytes = s->end - s->start;

	s->state = state_of(s);
	walk->sums[s->state].count++;
	walk->sums[s->state].bytes += bytes;
	if (s->state == SLAB_PARTIAL)
		walk->free_bytes += bytes - s->live;
	if (walk->end)
		walk->end(walk->arg, walk);
}

static void end_slab(struct slabwalk *walk)
{
	const struct kmemtrace_object *object;
	struct slab *s = &walk->slab;

	if (s->start == s->end)
		return;
	for (; (object = objects_peek(&walk->o)) && object->address < s->end;
	     objects_step(&walk->o)) {
		if (object->address < s->start || !s->wanted)
			continue;
		s->objects++;
		s->live += object->bytes;
		if (object->bytes > s->largest)
			s->largest = object->bytes;
		walk->object(walk->arg, walk, object);
	}
	if (s->wanted)
		slabwalk_judge(walk);
	s->start = s->end;
}

static void begin_slab(struct slabwalk *walk, const struct page *page)
{
	walk->slab = (struct slab){
		.start = page->pfn * pages_bytes(1),
		.known = page->owner->tag,
		.wanted = survey_wants(&walk->w, page),
		.kmalloc = page->owner->flags & KMEMTRACE_PAGE_KMALLOC,
	};
}

int slabwalk_run(struct slabwalk *walk)
{
	struct slab *s = &walk->slab;
	struct page page;
	int ret;

	while ((ret = survey_next(&walk->w, &page)) > 0) {
		bool tail = page.flags & PAGEFLAG(COMPOUND_TAIL);

		if (page.kind != KIND_SLAB) {
			end_slab(walk);
			if (walk->other)
				walk->other(walk->arg, walk, &page);
			continue;
		}
		if (!tail || s->start == s->end ||
		    s->end != page.pfn * pages_bytes(1)) {
			end_slab(walk);
			begin_slab(walk, &page);
		}
		s->end = (page.pfn + 1) * pages_bytes(1);
	}
	end_slab(walk);
	return ret || walk->o.failed ? EXIT_FAILED : EXIT_DONE;
}

static void print_slabs(const struct slabwalk *walk, enum slab_state state,
			const char *remark)
{
	char bytes[16];

	printf("%-8s %7s in %" PRIu64 " slab%s%s\n", slab_state_names[state],
	       table_human(bytes, sizeof(bytes), walk->sums[state].bytes, 1),
	       walk->sums[state].count, plural(walk->sums[state].count), remark);
}

void slabwalk_print(const struct slabwalk *walk)
{
	char bytes[16], remark[64];

	snprintf(remark, sizeof(remark), ", %s of it without an object",
		 table_human(bytes, sizeof(bytes), walk->free_bytes, 1));
	print_slabs(walk, SLAB_FULL, "");
	print_slabs(walk, SLAB_PARTIAL, remark);
	print_slabs(walk, SLAB_EMPTY, ", kept by the allocator");
	print_slabs(walk, SLAB_OLDER,
		    ", from before accounting: their objects are not all known");
}

json_t *slabwalk_json(const struct slabwalk *walk)
{
	json_t *to = json_pack("{s:I}", "pinned", (json_int_t)walk->free_bytes);
	int i;

	for (i = 0; i < SLAB_STATES; i++)
		json_object_set_new(
			to, slab_state_names[i],
			json_pack("{s:I,s:I}", "slabs",
				  (json_int_t)walk->sums[i].count, "bytes",
				  (json_int_t)walk->sums[i].bytes));
	return to;
}

void slabwalk_close(struct slabwalk *walk)
{
	objects_close(&walk->o);
	survey_close(&walk->w);
}
