// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "account/caches.h"
#include "account/tags.h"
#include "control/control.h"
#include "watch/source.h"

/* of the time that may pass, ages may take one part in so many */
#define AGES_SHARE 400

static uint64_t ns_of(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static int read_tags(struct watch *w, struct tags *tags, char *why, size_t size)
{
	uint64_t since = ns_of(CLOCK_MONOTONIC) - w->ages_ns;
	uint64_t began = ns_of(CLOCK_THREAD_CPUTIME_ID), cost;
	bool quick = w->refresh && since < w->ages_cost_ns * AGES_SHARE;
	int err = tags_read_module(tags, quick, why, size);

	cost = ns_of(CLOCK_THREAD_CPUTIME_ID) - began;
	if (quick) {
		w->quick_cost_ns = cost;
		return err;
	}
	w->ages_cost_ns = cost > w->quick_cost_ns ? cost - w->quick_cost_ns : 0;
	w->ages_ns = ns_of(CLOCK_MONOTONIC);
	return err;
}

static bool is_unloaded(void)
{
	const char *reason;
	int dir = control_open(&reason);

	if (dir >= 0)
		close(dir);
	return dir < 0;
}

/*
 * Replace the message of a failed read, if the module was there before. While it is being
 * unloaded, its directory still exists, but its files cannot be read any more.
 */
static void source_explain(const struct watch *w, int err, char *why, size_t size)
{
	const struct timespec wait = { .tv_nsec = 100000000 };
	int tries;

	if (!w->refresh || err == -EINVAL)
		return;
	for (tries = 20; tries && !is_unloaded(); tries--)
		nanosleep(&wait, NULL);
	if (tries)
		snprintf(why, size, "the module was unloaded, or its files are gone: load it and start top again");
}

int source_refresh(struct watch *w, char *why, size_t size)
{
	struct tags tags;
	int err;

	err = w->by == WATCH_CACHE ? caches_read_module(&tags, why, size) :
				     read_tags(w, &tags, why, size);
	if (err)
		source_explain(w, err, why, size);
	else
		watch_refresh(w, &tags, tags.clock_ns ? tags.clock_ns :
							ns_of(CLOCK_MONOTONIC));
	tags_free(&tags);
	return err;
}
