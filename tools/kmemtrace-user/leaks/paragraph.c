// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <sys/utsname.h>

#include "base/plural.h"
#include "base/table.h"
#include "leaks/paragraph.h"
#include "leaks/paths.h"
#include "leaks/pathview.h"

#ifndef KMEMTRACE_VERSION
#define KMEMTRACE_VERSION "unknown"
#endif

/* sites that grow in lock step with another, in its text */
#define FOLLOWERS 3

static const char *human(char to[20], double n, int bytes)
{
	return table_human(to, 20, fmax(0, n), bytes);
}

static void print_ages(FILE *out, const struct finding *f, const struct observation *w)
{
	double tick = w->ages.head.tick_ns / 1e9;
	char bytes[20];
	int i;

	fputs("Live bytes by age, each up to the next age:\n", out);
	for (i = 0; i < KMEMTRACE_AGES_BUCKETS; i++) {
		if (!f->row->age[i].bytes)
			continue;
		fprintf(out, "  %7s from %.3g s\n", human(bytes, f->row->age[i].bytes, 1),
			i ? tick * (1ull << (i - 1)) : 0);
	}
}

static void print_versions(FILE *out, const char *release)
{
	struct utsname u;

	if (release)
		fprintf(out, "Linux %s, kmemtrace " KMEMTRACE_VERSION "\n",
			*release ? release : "(unknown)");
	else if (!uname(&u))
		fprintf(out, "Linux %s %s, kmemtrace " KMEMTRACE_VERSION "\n", u.release,
			u.machine);
}

static void print_held(FILE *out, const struct finding *f, const struct observation *w)
{
	static const struct { const char *what, *advice; } texts[COUNTS_KINDS] = {
		[COUNTS_MOUNTS] = { "the mounts", "To free them, unmount them (umount)." },
		[COUNTS_FILES] = { "the files of tmpfs (df -i)",
				 "To free them, delete the files." },
		[COUNTS_CONNECTIONS] = { "the connections that netfilter tracks",
				       "They end after a timeout." },
		[COUNTS_BACKLOGS] = { "the connections that wait for accept() (ss -lt)",
				    "They are freed when the server accepts and closes them, when their clients reset them, or when the server ends (ss -ltp shows its process)." },
		[COUNTS_KEYS] = { "the keys", "To free them, unlink the keys (keyctl)." },
		[COUNTS_MESSAGES] = { "the messages in queues of System V IPC (ipcs -q)",
				    "They are freed when they are received, or with their queue (ipcrm)." },
		[COUNTS_QUEUES] = { "the message queues of System V IPC (ipcs -q)",
				  "To free them, remove the queues (ipcrm)." },
		[COUNTS_SEMAPHORES] = { "the semaphore sets of System V IPC (ipcs -s)",
				      "To free them, remove the sets (ipcrm)." },
		[COUNTS_SEGMENTS] = { "the shared memory segments of System V IPC (ipcs -m)",
				    "To free them and their pages, remove the segments (ipcrm)." },
		[COUNTS_CGROUPS] = { "the removed cgroups that are still there",
				     "kmemtrace-user pages --by cgroup shows the pages that keep them." },
		[COUNTS_KSM] = { "the pages that KSM scans",
				 "They are freed when their processes end, or by writing 2 to the file run." },
		[COUNTS_KSM_MERGED] = { "the pages that KSM has merged",
					"They are freed when their processes end, or by writing 2 to the file run." },
		[COUNTS_TASKS] = { "the processes and threads", "They are freed when these end. If these are kernel threads (ps --ppid 2), a driver may leak them." },
	};
	const struct held *held = f->held;
	size_t last = w->helds.ends ? 1 : w->n - 1;

	if (f->with)
		fprintf(out, "It grows in step with %s.\n", f->with);
	fprintf(out, "%s grows with %s: %s has %.0f, %.0f more than at the start. %s\n",
		f->with ? f->with : "It", texts[held->kind].what, held_name(held),
		held->count[last], held_grew(held, last), texts[held->kind].advice);
	if (f->v.kind != VERDICT_HELD)
		fprintf(out, "%s is not known to allocate for them, so that both may grow at one rate by chance: observe again while their number does not grow.\n",
			f->location);
}

/* A sentence on files or on events says more. */
static void print_process(FILE *out, const struct finding *f, const struct pathview *paths)
{
	const struct path_task *task;

	if (!f->named || f->opened || f->by_files || findings_hint(f->location) || !paths)
		return;
	task = pathview_process(paths);
	if (task)
		fprintf(out, "Only system calls of the process %s-%d allocated there: it may be this process that holds the objects, until it ends.\n",
			task->comm, task->tgid);
}

static void print_head(FILE *out, const struct finding *f, const struct observation *w,
		       const struct pathview *paths)
{
	const struct verdict *v = &f->v;
	const char *what = f->named ? "leaks" :
			   v->kind == VERDICT_CACHE ? "fills a cache at" : "grows by";
	const char *hint = findings_hint(f->location);
	bool own = findings_fills(v->objects, f->row, w);
	char b[4][20];

	fprintf(out, "%s %s %s per hour (95 %% confidence: %s to %s)", f->location, what,
		human(b[0], v->trend.slope * TREND_HOUR, 1), human(b[1], v->trend.low * TREND_HOUR, 1),
		human(b[2], v->trend.high * TREND_HOUR, 1));
	if (v->kind == VERDICT_CACHE)
		fprintf(out, ": %sfreed by drop_caches", own ? "SReclaimable, " : "");
	fputs(".\n", out);
	if (f->named && (f->opened || f->by_files))
		fprintf(out, "%s If a process holds them (ls /proc/PID/fd), it is the process that needs or leaks them, not the kernel.\n",
			f->opened ? "As many files were opened, and not closed." :
				    "Files that were opened, and not closed, hold its objects.");
	if (f->named && hint)
		fprintf(out, "%s\n", hint);
	print_process(out, f, paths);
	if (f->held)
		print_held(out, f, w);
	else if (f->with)
		fprintf(out, "It grows in step with %s, which is SReclaimable, freed by drop_caches.\n",
			f->with);
	if (w->reclaimed)
		fprintf(out, "Of %s that were live, the kernel freed %s when it was asked to.\n",
			human(b[0], findings_live(f, w), 1), human(b[3], f->freed, 1));
	else if (f->held)
		return;
	else if (f->with && v->kind == VERDICT_CACHE)
		fputs("Its objects are freed together with those.\n", out);
	else if (f->with)
		fputs("Too few objects were freed to see whether it leaks, or is freed together with those: leaks --reclaim shows it.\n",
		      out);
	else if (v->kind == VERDICT_CACHE)
		fputs("The kernel frees such objects when memory is short, except for those in use: leaks --reclaim checks this.\n",
		      out);
}

static void print_followers(FILE *out, const struct finding *leader,
			    const struct findings *all)
{
	const struct finding *f = all->finding, *end = f + all->count;
	double bytes = 0;
	size_t n = 0;
	char b[20];

	for (; f < end; f++)
		if (f->leader == leader->location) {
			bytes += f->v.growth;
			n++;
		}
	if (!n)
		return;
	fprintf(out, "%zu more site%s in lock step with it, by %s:\n", n,
		n == 1 ? " grows" : "s grow", human(b, bytes, 1));
	for (f = all->finding, n = 0; f < end; f++)
		if (f->leader == leader->location && n++ < FOLLOWERS)
			fprintf(out, "  %s (%s)\n", f->location, human(b, f->v.growth, 1));
	if (n > FOLLOWERS)
		fprintf(out, "  and %zu more\n", n - FOLLOWERS);
}

void paragraph_print(FILE *out, const struct finding *f, const struct findings *all,
		     const struct observation *w, const struct pathview *paths,
		     const char *release)
{
	const struct verdict *v = &f->v;
	double seconds = w->time[w->n - 1] - w->time[0], later;
	char b[4][20];

	print_head(out, f, w, paths);
	fprintf(out, "In %.0f s, its memory older than %.1f s grew by %s in %.0f object%s, and %.0f such object%s freed.\n",
		seconds, observe_age(w, v->level), human(b[0], v->growth, 1), v->objects,
		plural(v->objects), v->deaths, plural_was(v->deaths));
	later = w->time[w->n] - w->time[w->n - 1];
	if (f->named)
		fprintf(out, "It is still there %.1f s later%s.\n", later,
			later >= OBSERVE_SETTLE ? ", which is more than the delay of kfree_rcu()" : "");
	fprintf(out, "Live: %s in %s object%s, %s of it older than %.1f s.\n",
		human(b[0], findings_live(f, w), 1),
		human(b[1], f->row->live.objects[w->n - 1], 0),
		plural(f->row->live.objects[w->n - 1]),
		human(b[2], findings_old(f, w), 1), observe_age(w, 0));
	if (f->survive >= 0)
		fprintf(out, "%.3g %% of its allocations live longer than %.0f s.\n",
			100 * f->survive,
			(1ull << (w->births - 1)) * (w->time[1] - w->time[0]) / 2);
	print_followers(out, f, all);
	print_ages(out, f, w);
	if (paths)
		pathview_print(out, paths);
	if (paths && findings_frees_late(f->location))
		fputs("The kernel frees such objects in groups, possibly minutes later: a path without frees need not leak.\n",
		      out);
	print_versions(out, release);
}
