// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/plural.h"
#include "base/textfile.h"
#include "control/system.h"
#include "report/losses.h"
#include "report/recorded.h"
#include "report/threads.h"
#include "trace/input.h"

/* Another boot uses the same numbers for other processes. */
static int check_boot(const struct input *in, const char *path)
{
	char recorded[64], *now;
	int ret = EXIT_DONE;

	if (!input_value(in->meta, "boot_id", recorded, sizeof(recorded))) {
		msg_note("%s has no boot id: make sure that it is from this boot",
			 path);
		return ret;
	}
	now = system_boot_id();
	if (now && strcmp(now, recorded))
		ret = msg_error("%s was recorded on another machine or before this boot: its processes are not those of this boot",
				path);
	free(now);
	return ret;
}

static int check_features(const struct input *in, const char *path)
{
	uint32_t features;

	if (input_features(in, &features) && (features & KMT_FEATURE_TASK))
		return EXIT_DONE;
	return msg_error("%s lacks the processes of allocations: record it with --features +task",
			 path);
}

/* If frees are missing, live memory is not known, as in the command report. */
static int check_liveness(const struct input *in, const char *path)
{
	const char *why = liveness_lost(in);

	if (!why && input_partial(in))
		why = "only some CPUs were recorded, and frees on others were not seen";
	if (why)
		return msg_error("%s has no live figures: %s", path, why);
	if (input_kept(in))
		msg_note("%s has no older records: earlier allocations are missing",
			 path);
	return EXIT_DONE;
}

static int add_all(struct recorded *r, struct input *in)
{
	const struct window *w;
	struct kmt_event ev;
	struct extra e;
	size_t i;

	analysis_init(&r->a, BY_PROCESS, in->page_size);
	extra_init(&e, in);
	while ((w = input_next(in)))
		for (i = 0; i < w->count; i++) {
			ev = w->events[i].ev;
			extra_take(&e, &w->events[i]);
			r->a.given = threads_number(&ev, &e);
			analysis_add(&r->a, &ev, w->events[i].cpu);
		}
	return in->err ? EXIT_FAILED : EXIT_DONE;
}

int recorded_read(struct recorded *r, const char *path)
{
	char *paths[] = { (char *)path };
	struct input in;
	int ret;

	*r = (struct recorded){ .path = path };
	ret = input_open(&in, paths, 1);
	if (ret)
		return ret;
	ret = check_features(&in, path);
	if (!ret)
		ret = check_boot(&in, path);
	if (!ret)
		ret = check_liveness(&in, path);
	if (!ret)
		ret = input_begin(&in, true);
	if (!ret)
		ret = add_all(r, &in);
	input_number(in.end, "realtime_ns", &r->end_ns);
	if (!ret && input_lost(&in))
		msg_note("%s lost %" PRIu64 " event%s: live figures may be off",
			 path, input_lost(&in), plural(input_lost(&in)));
	/* known after all records have been read */
	if (!ret && input_ending(&in))
		msg_note("%s: %s: live figures may be off", path,
			 input_ending(&in));
	input_close(&in);
	return ret;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* Return: the start time of a process, in ns since 1970; 0 if it is not known. */
static uint64_t began_ns(int pid)
{
	unsigned long long ticks;
	char name[32], *text, *at;
	uint64_t ns = 0;

	snprintf(name, sizeof(name), "%d/stat", pid);
	text = textfile_read_proc(name, NULL);
	/* the name may contain any character; value 22 is the 20th after the name */
	at = text ? strrchr(text, ')') : NULL;
	if (at && sscanf(at,
			 ") %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
			 &ticks) == 1)
		ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME) +
		     ticks * (1000000000ull / sysconf(_SC_CLK_TCK));
	free(text);
	return ns;
}

bool recorded_get(const struct recorded *r, int pid, struct recorded_sums *s)
{
	uint32_t type, i;

	*s = (struct recorded_sums){ 0 };
	if (r->end_ns && began_ns(pid) > r->end_ns)
		return false;
	for (type = 0; type < ANALYSIS_TYPES; type++) {
		i = pairs_find(&r->a.groups.keys, pid, type);
		if (i == PAIRS_NONE)
			continue;
		s->bytes[type] = group_live(&r->a.groups.groups[i]);
		s->objects[type] = group_objects(&r->a.groups.groups[i]);
	}
	return true;
}

void recorded_free(struct recorded *r)
{
	analysis_exit(&r->a);
}
