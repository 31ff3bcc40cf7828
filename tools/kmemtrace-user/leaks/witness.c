// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/die.h"
#include "base/msg.h"
#include "base/table.h"
#include "control/steer.h"
#include "leaks/witness.h"
#include "record/recorder.h"
#include "report/analysis.h"
#include "report/lines.h"
#include "trace/input.h"
#include "trace/names.h"

/* of the longest filter: each tag has its own address */
#define FILTER_MAX 2048
#define EVENTS_MAX 512

/* --- what to record ------------------------------------------------------------------ */

/* Set the filter of allocations. Return: mask of the kinds of memory of the tags. */
static unsigned int make_filter(char filter[FILTER_MAX], struct witness *w,
				const struct tags *tags, const bool *wanted)
{
	unsigned int kinds = 0;
	size_t len = 0, i;

	for (i = 0; i < tags->rows.count; i++) {
		if (!wanted[i] || !tags->rows.row[i].address)
			continue;
		if (len + 64 > FILTER_MAX) {
			w->left_out++;
			continue;
		}
		len += sprintf(filter + len, "%scall_site == 0x%llx", len ? " || " : "",
			       (unsigned long long)tags->rows.row[i].address);
		kinds |= 1u << tags->rows.row[i].kind;
	}
	return kinds;
}

static bool is_of(unsigned int type, unsigned int kinds)
{
	if (type == KMEMTRACE_TYPE_PERCPU)
		return kinds & 1u << SITE_PERCPU;
	if (type == KMEMTRACE_TYPE_PAGES)
		return kinds & 1u << SITE_PAGE;
	return kinds & 1u << SITE_SLAB;
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

static void witness_take(struct paths *p, const struct merged *record, struct extra *extra,
			 const struct witness_reading *how)
{
	struct kmt_event ev = record->ev;

	if (how->is_wanted && ev.event_id == KMEMTRACE_EVENT_ALLOC &&
	    !how->is_wanted(how->arg, extra->names, &ev))
		return;
	extra_take(extra, record);
	if (ev.event_id == KMEMTRACE_EVENT_FREE) {
		paths_release(p, &ev);
		return;
	}
	if (!ev.ptr || (ev.type_id == KMEMTRACE_TYPE_KMALLOC &&
			ev.bytes_req > NAMES_KMALLOC_MAX))
		return;
	extra_fetch(&extra->x, &ev, KMT_FEATURE_STACK | KMT_FEATURE_TASK);
	paths_alloc(p, &ev, &extra->x);
}

static void add_name(struct witness *w, const struct names *names, uint64_t addr,
		     uint64_t seq)
{
	struct witness_text *t;
	char text[1024];
	size_t i;

	for (i = 0; i < w->nr_names; i++)
		if (w->name[i].addr == addr)
			return;
	t = array_add(w->name, w->nr_names);
	names_location(names, addr, names_place(names, addr, seq), text, sizeof(text));
	table_clean(text);
	*t = (struct witness_text){ addr, xstrdup(text) };
}

/* The names must be made while the recording is open. */
static void add_names(struct witness *w, const struct names *names)
{
	const struct paths *p = &w->paths;
	size_t i, k;

	for (i = 0; i < p->count; i++)
		for (k = 0; k < p->path[i].depth; k++)
			add_name(w, names, p->path[i].stack[k], p->path[i].seq);
	for (i = 0; i < p->nr_freed; i++)
		add_name(w, names, p->freed[i].addr, 0);
}

static void add_caches(struct witness *w, const struct names *names)
{
	const struct paths *p = &w->paths;
	size_t i;

	w->cache = xcalloc(p->count + 1, sizeof(*w->cache));
	for (i = 0; i < p->count; i++) {
		const char *name = names_cache_find(names, p->path[i].cache);

		w->cache[i] = name ? xstrdup(name) : NULL;
	}
}

static int witness_read_all(struct witness *w, struct input *in,
		     const struct witness_reading *how)
{
	const struct window *window;
	struct extra extra;
	size_t i;

	paths_init(&w->paths);
	extra_init(&extra, in);
	while ((window = input_next(in)))
		for (i = 0; i < window->count; i++)
			witness_take(&w->paths, &window->events[i], &extra, how);
	if (in->err)
		return EXIT_FAILED;
	w->lost = input_lost(in);
	w->seconds = (w->paths.last - w->paths.first) / 1e9;
	paths_end(&w->paths);
	add_names(w, in->names);
	add_caches(w, in->names);
	return EXIT_DONE;
}

static int read_recording(struct witness *w, const char *path,
			  const struct witness_reading *how)
{
	char *paths[] = { (char *)path };
	struct lines *lines = NULL;
	struct input in;
	int ret = input_open(&in, paths, 1);

	if (ret)
		return ret;
	if (input_is_stream(&in))
		ret = msg_error("%s is a stream, whose names follow later: save it to a file first",
				path);
	input_value(in.meta, "build_id", w->build_id, sizeof(w->build_id));
	if (!ret)
		ret = lines_open(&lines, in.names, in.meta, how->debuginfo);
	if (!ret)
		ret = input_begin(&in, true);
	if (!ret)
		ret = witness_read_all(w, &in, how);
	lines_close(lines);
	input_close(&in);
	return ret;
}

int witness_read(struct witness *w, const char *path, const struct witness_reading *how)
{
	*w = (struct witness){ 0 };
	return read_recording(w, path, how);
}

static void add_addresses(struct map *map, const struct tags *tags, const bool *wanted)
{
	struct map_slot *slot;
	size_t i;

	for (i = 0; i < tags->rows.count; i++) {
		if (!wanted[i] || !tags->rows.row[i].address)
			continue;
		slot = map_slot(map, tags->rows.row[i].address);
		slot->key = tags->rows.row[i].address;
	}
}

static bool is_in_map(void *arg, const struct names *names, const struct kmt_event *ev)
{
	(void)names;
	return ev->call_site && map_find(arg, ev->call_site);
}

int witness_read_tags(struct witness *w, const char *path, const struct tags *tags,
		      const bool *wanted, const char *debuginfo)
{
	struct map map;
	const struct witness_reading how = { is_in_map, &map, debuginfo };
	int ret;

	*w = (struct witness){ 0 };
	map_init(&map, false);
	add_addresses(&map, tags, wanted);
	ret = read_recording(w, path, &how);
	map_exit(&map);
	return ret;
}

/* --- recording --------------------------------------------------------------------------- */

static int record_to(struct witness *w, const struct tags *tags, const bool *wanted,
		     double seconds, const char *path)
{
	struct recorder_options options = { .file = path, .seconds = seconds,
					    .quiet = true };
	char filter[FILTER_MAX] = "", events[EVENTS_MAX] = "";
	unsigned int kinds = make_filter(filter, w, tags, wanted);
	int ret;

	if (!kinds)
		return msg_error("the sites have no address of code to record");
	make_events(events, kinds);
	options.settings.events = events;
	options.settings.features = "time cache task stack";
	ret = steer_add_filter(&options.steer, filter);
	if (ret)
		return EXIT_FAILED;
	/* all frees: their call site is not that of the allocation */
	options.steer.able[0] &= ~FREES_KINDS;
	ret = recorder_run(&options);
	return ret == EXIT_LOST ? EXIT_DONE : ret;
}

int witness_record(struct witness *w, const struct tags *tags, const bool *wanted,
		   double seconds, const struct witness_reading *how)
{
	const char *tmp = getenv("TMPDIR");
	char dir[4096], path[sizeof(dir) + 8];
	int ret;

	*w = (struct witness){ 0 };
	snprintf(dir, sizeof(dir), "%s/kmemtrace-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return msg_error("cannot create a directory like %s: %s", dir,
				 strerror(errno));
	snprintf(path, sizeof(path), "%s/paths", dir);
	ret = record_to(w, tags, wanted, seconds, path);
	if (!ret)
		ret = read_recording(w, path, how);
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
	for (i = 0; w->cache && i < w->paths.count; i++)
		free(w->cache[i]);
	free(w->cache);
	paths_free(&w->paths);
}
