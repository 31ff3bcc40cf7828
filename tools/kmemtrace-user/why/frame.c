// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <limits.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/textfile.h"
#include "control/cgroups.h"
#include "frames/pageflags.h"
#include "pages/pages.h"
#include "pages/slabwalk.h"
#include "why/frame.h"

/* pages of the largest compound page: 1 GiB */
#define COMPOUND_MAX (1u << 18)
#define STEP	     512u

/* --- compound pages ----------------------------------------------------------------- */

static bool is_tail(uint64_t flags)
{
	return flags & PAGEFLAG(COMPOUND_TAIL);
}

/* Return: number of the last frame at or before @pfn that is no tail; -1 after a message. */
static int64_t find_head(struct survey *w, uint64_t pfn)
{
	uint64_t end = pfn + 1, first, i;
	ssize_t n;

	while (end && pfn + 1 - end < COMPOUND_MAX) {
		first = end > STEP ? end - STEP : 0;
		n = frames_read(&w->frames, first, end - first);
		if (n < 0)
			return -1;
		for (i = n; i > 0; i--)
			if (!is_tail(w->frames.flags[i - 1]))
				return first + i - 1;
		end = first;
	}
	return pfn;
}

/* Return: number of tails after a head; -1 after a message. */
static int64_t count_tails(struct survey *w, uint64_t head)
{
	uint64_t tails = 0;
	ssize_t n, i;

	do {
		n = frames_read(&w->frames, head + 1 + tails, STEP);
		if (n < 0)
			return -1;
		for (i = 0; i < n && is_tail(w->frames.flags[i]); i++)
			tails++;
	} while (n && i == n && tails < COMPOUND_MAX);
	return tails;
}

static int find_compound(struct frame *f, struct survey *w)
{
	int64_t head = f->pfn, tails;

	f->head = f->pfn;
	f->pages = f->owner.tag ? 1ull << (f->owner.order & 63) : 1;
	f->is_compound = is_tail(f->flags) || f->flags & PAGEFLAG(COMPOUND_HEAD);
	if (!f->is_compound)
		return 0;
	if (is_tail(f->flags))
		head = find_head(w, f->pfn);
	tails = head < 0 ? -1 : count_tails(w, head);
	if (tails < 0)
		return -1;
	f->head = head;
	f->pages = tails + 1;
	return 0;
}

/* --- a frame --------------------------------------------------------------------------- */

/* Before 6.12, the tails of a compound page do not have most of its flags. */
static int find_kind(struct frame *f, struct survey *w)
{
	w->kinds.next_pfn = UINT64_MAX;
	f->first = f->owner;
	if (f->head == f->pfn) {
		f->kind = kind_of_frame(&w->kinds, f->pfn, f->flags, &f->owner);
		return 0;
	}
	if (frames_gather(&w->frames, &f->head, 1))
		return -1;
	f->first = w->frames.owner[0];
	f->kind = kind_of_tail(&w->kinds, f->pfn, f->flags, w->frames.flags[0], &f->owner);
	return 0;
}

int frame_read(struct frame *f, struct survey *w, uint64_t pfn)
{
	*f = (struct frame){ .pfn = pfn };
	if (pfn >= w->frames.end) {
		msg_error("this machine has no page frame 0x%" PRIx64 ": the last one is 0x%" PRIx64,
			  pfn, w->frames.end ? w->frames.end - 1 : 0);
		return -1;
	}
	if (frames_gather(&w->frames, &pfn, 1))
		return -1;
	f->flags = w->frames.flags[0];
	f->count = w->frames.count[0];
	f->owner = w->frames.owner[0];
	return find_compound(f, w) || find_kind(f, w) ? -1 : 0;
}

/* --- its slab --------------------------------------------------------------------------- */

static void see(struct slabobject *s, const struct kmemtrace_object *o, uint64_t address)
{
	s->objects++;
	s->live += o->bytes;
	if (o->bytes > s->size)
		s->size = o->bytes;
	if (address < o->address || address - o->address >= o->bytes)
		return;
	s->found = true;
	s->object = *o;
}

int slabobject_read(struct slabobject *s, const struct frame *f, uint64_t address)
{
	const struct kmemtrace_object *o;
	struct objects objects;
	int err;

	*s = (struct slabobject){
		.start = f->head * pages_bytes(1),
		.end = (f->head + f->pages) * pages_bytes(1),
	};
	err = objects_open(&objects);
	if (!err)
		err = objects_seek(&objects, s->start);
	while (!err && (o = objects_peek(&objects)) && o->address < s->end) {
		if (o->address >= s->start)
			see(s, o, address);
		objects_step(&objects);
	}
	if (objects.failed)
		err = -1;
	objects_close(&objects);
	return err;
}

/* --- its cgroup ------------------------------------------------------------------------ */

int frame_cgroup(uint64_t pfn, char *path, size_t size, uint64_t *inode)
{
	char name[PATH_MAX];
	struct frames f;
	int err;

	textfile_proc_path(name, sizeof(name), "kpagecgroup");
	if (access(name, F_OK))
		return 0;
	err = frames_open(&f, FRAMES_CGROUP, NULL) || frames_gather(&f, &pfn, 1);
	*inode = err ? 0 : f.cgroup[0];
	frames_close(&f);
	if (*inode)
		cgroups_directory(*inode, path, size);
	return err ? -1 : 1;
}
