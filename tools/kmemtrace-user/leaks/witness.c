// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/msg.h"
#include "control/frees.h"
#include "leaks/witness.h"
#include "record/recorder.h"
#include "trace/extra.h"
#include "trace/input.h"

/* of the longest filter: each tag has its own address */
#define FILTER_MAX 2048
#define EVENTS_MAX 512

/* larger objects of kmalloc() are pages, and have their events */
#define SLAB_OBJECT_MAX 8192

/* --- what to record ------------------------------------------------------------------ */

static bool is_recorded(const struct findings *f, const struct sites *sites,
			const struct tag *tag)
{
	size_t i, seen = 0;

	for (i = 0; i < f->suspects && seen < WITNESS_SITES; i++) {
		if (!f->finding[i].named)
			continue;
		seen++;
		if (tag->address && sites_of(sites, tag->id) == f->finding[i].site)
			return true;
	}
	return false;
}

/* Set the filter of allocations. Return: mask of the kinds of memory of the sites. */
static unsigned int make_filter(char filter[FILTER_MAX], const struct findings *f,
				const struct sites *sites)
{
	const struct tags *tags = &sites->tags;
	unsigned int kinds = 0;
	size_t len = 0, i;

	for (i = 0; i < tags->count; i++) {
		if (!tags->tag[i].id || !is_recorded(f, sites, &tags->tag[i]) ||
		    len + 64 > FILTER_MAX)
			continue;
		len += sprintf(filter + len, "%scall_site == 0x%llx", len ? " || " : "",
			       (unsigned long long)tags->tag[i].address);
		kinds |= 1u << tags->tag[i].kind;
	}
	return kinds;
}

static bool is_of(unsigned int type, unsigned int kinds)
{
	if (type == KMEMTRACE_TYPE_PERCPU)
		return kinds & 1u << TAG_PERCPU;
	if (type == KMEMTRACE_TYPE_PAGES)
		return kinds & 1u << TAG_PAGE;
	return kinds & 1u << TAG_SLAB;
}

static void make_events(char events[EVENTS_MAX], unsigned int kinds)
{
	unsigned int kind;
	size_t len = 0;

	for (kind = 0; kind < KMT_EVENT_KINDS; kind++)
		if (is_of(kind / 2, kinds))
			len += snprintf(events + len, EVENTS_MAX - len, "%s%s:%s",
					len ? "," : "", kmt_kind_names[kind].system,
					kmt_kind_names[kind].event);
}

/* --- reading --------------------------------------------------------------------------- */

/* @wanted: the call sites that count; NULL: all */
static bool take(struct paths *p, const struct merged *record, struct extra *extra,
		 const struct map *wanted)
{
	struct kmt_event ev = record->ev;

	if (wanted && ev.event_id == KMEMTRACE_EVENT_ALLOC &&
	    !(ev.call_site && map_find(wanted, ev.call_site)))
		return true;

	extra_take(extra, record);
	if (ev.event_id == KMEMTRACE_EVENT_FREE)
		return paths_release(p, &ev);
	if (!ev.ptr || (ev.type_id == KMEMTRACE_TYPE_KMALLOC &&
			ev.bytes_alloc > SLAB_OBJECT_MAX))
		return true;
	extra_fetch(&extra->x, &ev, KMT_FEATURE_STACK | KMT_FEATURE_TASK);
	return paths_alloc(p, &ev, &extra->x);
}

static bool add_name(struct witness *w, const struct names *names, uint64_t addr,
		     uint32_t seq)
{
	struct witness_text *t;
	char text[512];
	size_t i;

	for (i = 0; i < w->nr_names; i++)
		if (w->name[i].addr == addr)
			return true;
	t = array_add(w->name, w->nr_names);
	if (!t)
		return false;
	names_symbol(names, addr, names_place(names, addr, seq), text, sizeof(text));
	*t = (struct witness_text){ addr, strdup(text) };
	return t->text;
}

/* The names must be made while the recording is open. */
static bool add_names(struct witness *w, const struct names *names)
{
	const struct paths *p = &w->paths;
	bool ok = true;
	size_t i, k;

	for (i = 0; ok && i < p->count; i++)
		for (k = 0; ok && k < p->path[i].depth; k++)
			ok = add_name(w, names, p->path[i].stack[k], p->path[i].seq);
	for (i = 0; ok && i < p->nr_freed; i++)
		ok = add_name(w, names, p->freed[i].addr, 0);
	return ok;
}

static bool read_all(struct witness *w, struct input *in, const struct map *wanted)
{
	const struct window *window;
	struct extra extra;
	bool ok = paths_init(&w->paths);
	size_t i;

	extra_init(&extra, in);
	while (ok && (window = input_next(in)))
		for (i = 0; ok && i < window->count; i++)
			ok = take(&w->paths, &window->events[i], &extra, wanted);
	w->lost = input_lost(in);
	w->seconds = (w->paths.last - w->paths.first) / 1e9;
	return ok && !in->err && paths_end(&w->paths) && add_names(w, in->names);
}

static int read_recording(struct witness *w, char *path, const struct map *wanted)
{
	struct input in;
	int ret = input_open(&in, &path, 1);

	if (ret)
		return EXIT_FAILED;
	ret = input_begin(&in, true);
	if (!ret && !read_all(w, &in, wanted))
		ret = msg_error("cannot read the recorded call paths: out of memory");
	input_close(&in);
	return ret;
}

static bool add_sites(struct map *wanted, const struct findings *f,
		      const struct sites *sites)
{
	struct map_slot *slot;
	size_t i;

	for (i = 0; i < sites->tags.count; i++) {
		const struct tag *tag = &sites->tags.tag[i];

		if (!tag->id || !is_recorded(f, sites, tag))
			continue;
		slot = map_slot(wanted, tag->address);
		if (!slot)
			return false;
		slot->key = tag->address;
	}
	return true;
}

int witness_read(struct witness *w, const struct findings *f,
		 const struct sites *sites, char *path)
{
	struct map wanted;
	int ret;

	*w = (struct witness){ 0 };
	if (!map_init(&wanted, false))
		return msg_oom();
	ret = add_sites(&wanted, f, sites) ? read_recording(w, path, &wanted) : msg_oom();
	map_exit(&wanted);
	return ret;
}

/* --- recording --------------------------------------------------------------------------- */

static int record_to(struct witness *w, const struct findings *f,
		     const struct sites *sites, double seconds, char *path)
{
	struct recorder_options options = { .file = path, .seconds = seconds,
					    .quiet = true };
	char filter[FILTER_MAX] = "", events[EVENTS_MAX] = "";
	unsigned int kinds = make_filter(filter, f, sites);
	int ret;

	if (!kinds)
		return msg_error("the sites have no address of code to record");
	make_events(events, kinds);
	options.settings.events = events;
	options.settings.features = "time task stack";
	ret = steer_add_filter(&options.steer, filter);
	if (ret)
		return EXIT_FAILED;
	/* all frees: their call site is not that of the allocation */
	options.steer.able[0] &= ~FREES_KINDS;
	ret = recorder_run(&options);
	return ret == EXIT_DONE || ret == EXIT_LOST ? read_recording(w, path, NULL) : EXIT_FAILED;
}

int witness_record(struct witness *w, const struct findings *f,
		   const struct sites *sites, double seconds)
{
	const char *tmp = getenv("TMPDIR");
	char dir[4096], path[sizeof(dir) + 8];
	int ret;

	*w = (struct witness){ 0 };
	snprintf(dir, sizeof(dir), "%s/kmemtrace-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return msg_error("cannot create a directory like %s: %s", dir,
				 strerror(errno));
	snprintf(path, sizeof(path), "%s/leaks", dir);
	ret = record_to(w, f, sites, seconds, path);
	unlink(path);
	rmdir(dir);
	return ret;
}

const char *witness_name(const struct witness *w, uint64_t addr)
{
	size_t i;

	for (i = 0; i < w->nr_names; i++)
		if (w->name[i].addr == addr)
			return w->name[i].text;
	return "?";
}

void witness_free(struct witness *w)
{
	size_t i;

	for (i = 0; i < w->nr_names; i++)
		free(w->name[i].text);
	free(w->name);
	paths_free(&w->paths);
}
