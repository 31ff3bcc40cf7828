// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "account/trust.h"
#include "base/figures.h"
#include "base/json.h"
#include "base/listing.h"
#include "base/memtext.h"
#include "base/plural.h"
#include "base/table.h"
#include "leaks/leakview.h"
#include "leaks/paths.h"
#include "leaks/pathview.h"
#include "leaks/replay.h"
#include "leaks/witness.h"

#ifndef KMEMTRACE_VERSION
#define KMEMTRACE_VERSION "unknown"
#endif

/* sites that grow in lock step with another, in its text */
#define FOLLOWERS 3

static const char *leak_human(char to[20], double n, int bytes)
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
		fprintf(out, "  %7s from %.3g s\n", leak_human(bytes, f->row->age[i].bytes, 1),
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
		[COUNTS_CLOSED] = { "the TCP connections that are closed (ss -tan state time-wait)",
				    "The kernel frees them after 60 s." },
		[COUNTS_LOCKS] = { "the locks of files (lslocks)",
				   "They are freed when they are released, or when their process ends or closes the file." },
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
static void print_system_calls(FILE *out, const struct finding *f, const struct pathview *paths)
{
	const struct path_task *task;

	if (!f->named || f->opened || f->by_files || findings_hint(f->location) || !paths)
		return;
	if (!pathview_of_system_calls(paths, &task))
		return;
	fputs("Only system calls of ", out);
	if (task)
		fprintf(out, "the process %s-%d", task->comm, task->tgid);
	else
		fputs("processes", out);
	fputs(" allocated there: the objects may belong to what is open or was set up, for example mappings, locks, routes or keys. Observe again when that has been closed or removed.\n",
	      out);
}

static void paragraph_head(FILE *out, const struct finding *f, const struct observation *w,
		       const struct pathview *paths)
{
	const struct verdict *v = &f->v;
	const char *what = f->named ? "leaks" :
			   v->kind == VERDICT_CACHE ? "fills a cache at" : "grows by";
	const char *hint = findings_hint(f->location);
	bool own = findings_fills(v->objects, f->row, w);
	char b[4][20];

	fprintf(out, "%s %s %s per hour (95 %% confidence: %s to %s)", f->location, what,
		leak_human(b[0], v->trend.slope * TREND_HOUR, 1), leak_human(b[1], v->trend.low * TREND_HOUR, 1),
		leak_human(b[2], v->trend.high * TREND_HOUR, 1));
	if (v->kind == VERDICT_CACHE)
		fprintf(out, ": %sfreed by drop_caches", own ? "SReclaimable, " : "");
	fputs(".\n", out);
	if (f->named && (f->opened || f->by_files))
		fprintf(out, "%s If a process holds them (ls /proc/PID/fd), it is the process that needs or leaks them, not the kernel.\n",
			f->opened ? "As many files were opened, and not closed." :
				    "Files that were opened, and not closed, hold its objects.");
	if (f->named && hint)
		fprintf(out, "%s\n", hint);
	print_system_calls(out, f, paths);
	if (f->held)
		print_held(out, f, w);
	else if (f->with)
		fprintf(out, "It grows in step with %s, which is SReclaimable, freed by drop_caches.\n",
			f->with);
	if (w->reclaimed)
		fprintf(out, "Of %s that were live, the kernel freed %s when it was asked to.\n",
			leak_human(b[0], findings_live(f, w), 1), leak_human(b[3], f->freed, 1));
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
		n == 1 ? " grows" : "s grow", leak_human(b, bytes, 1));
	for (f = all->finding, n = 0; f < end; f++)
		if (f->leader == leader->location && n++ < FOLLOWERS)
			fprintf(out, "  %s (%s)\n", f->location, leak_human(b, f->v.growth, 1));
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

	paragraph_head(out, f, w, paths);
	fprintf(out, "In %.0f s, its memory older than %.1f s grew by %s in %.0f object%s, and %.0f such object%s freed.\n",
		seconds, observe_age(w, v->level), leak_human(b[0], v->growth, 1), v->objects,
		plural(v->objects), v->deaths, plural_was(v->deaths));
	later = w->time[w->n] - w->time[w->n - 1];
	if (f->named)
		fprintf(out, "It is still there %.1f s later%s.\n", later,
			later >= OBSERVE_SETTLE ? ", which is more than the delay of kfree_rcu()" : "");
	fprintf(out, "Live: %s in %s object%s, %s of it older than %.1f s.\n",
		leak_human(b[0], findings_live(f, w), 1),
		leak_human(b[1], f->row->live.objects[w->n - 1], 0),
		plural(f->row->live.objects[w->n - 1]),
		leak_human(b[2], findings_old(f, w), 1), observe_age(w, 0));
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

/* text has the first eight */
#define TEXT_COLUMNS 8

static const struct table_column columns[] = {
	FIGURE_GROWTH, FIGURE_GROWTH_LOW, FIGURE_GROWTH_HIGH, FIGURE_LIVE, FIGURE_OLD_PERCENT,
	FIGURE_KEPT_PERCENT, FIGURE_VERDICT, FIGURE_SITE, FIGURE_OBJECTS, FIGURE_OLD_BYTES,
	FIGURE_LIVE_CHANGE, FIGURE_OBJECTS_CHANGE, FIGURE_FREED_OLD, FIGURE_LEVEL,
};

static const char *verdict_word(const struct finding *f)
{
	if (f->v.kind == VERDICT_LEAKS && !f->named && !f->leader)
		return "unconfirmed";
	return verdict_name(f->v.kind);
}

static void leakview_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct leakview *v = arg;
	const struct finding *f = &v->f->finding[i];
	double live = findings_live(f, v->w), old = findings_old(f, v->w);

	row_number(cell, llround(f->v.trend.slope * TREND_HOUR));
	row_number(cell, llround(f->v.trend.low * TREND_HOUR));
	row_number(cell, llround(f->v.trend.high * TREND_HOUR));
	row_number(cell, live);
	row_number(cell, live ? llround(1000 * old / live) : 0);
	row_known(cell, f->survive >= 0, llround(1000 * f->survive));
	row_text(cell, verdict_word(f));
	row_text(cell, f->location);
	row_number(cell, f->row->live.objects[v->w->n - 1]);
	row_number(cell, old);
	row_number(cell, (int64_t)f->v.growth);
	row_number(cell, (int64_t)f->v.objects);
	row_number(cell, f->v.deaths);
	row_number(cell, llround(1000 * observe_age(v->w, f->v.level)));
}

/*
 * A site has a row if its old memory grew. The first rows are the most suspicious ones. One
 * that grows in lock step with another has a row only if all have.
 */
static bool is_shown(const struct leakview *v, const struct finding *f)
{
	return f->v.kind > VERDICT_STEADY && !f->left_out && !(f->leader && v->top);
}

static struct listing leakview_make_rows(const struct leakview *v)
{
	struct listing l = LISTING(columns, 0, leakview_cell, v);

	l.nr_text = TEXT_COLUMNS;
	while (l.nr_rows < v->f->count && is_shown(v, &v->f->finding[l.nr_rows]))
		l.nr_rows++;
	return l;
}

/* --- text ------------------------------------------------------------------------ */

/* one finding of the table; an argument of is_at() */
struct viewed {
	const struct leakview *v;
	const struct finding *f;
};

static bool is_at(const void *arg, uint64_t address)
{
	const struct viewed *viewed = arg;

	return findings_is_at(viewed->f, viewed->v->w->sites, address);
}

/* Live, the call paths of the first sites with a text were recorded. */
static bool has_paths(const struct leakview *v, const struct finding *f)
{
	size_t i, before = 0;

	for (i = 0; &v->f->finding[i] != f; i++)
		before += findings_has_text(&v->f->finding[i]);
	return v->witness && (v->replay || before < WITNESS_SITES);
}

static void print_paragraph(FILE *out, const struct leakview *v, const struct finding *f)
{
	struct viewed viewed = { v, f };
	struct pathview paths = { v->witness, is_at, &viewed };
	bool has = has_paths(v, f);

	paragraph_print(out, f, v->f, v->w, has ? &paths : NULL,
			v->replay ? v->replay->release : NULL);
	if (v->witness && !has)
		fprintf(out, "Its call paths were not recorded: only those of the first %d sites are; see why %.*s --for 10s.\n",
			WITNESS_SITES, (int)strcspn(f->location, " "), f->location);
}

static double seconds_of(const struct observation *w)
{
	return w->time[w->n - 1] - w->time[0];
}

static void print_head(const struct leakview *v)
{
	double enough = observe_short(v->w);

	if (v->replay)
		printf("recorded in %s: ", v->replay->name);
	printf("observed %.*f s, %zu sample%s; growth of memory older than %.1f s, with 95 %% confidence\n",
	       v->replay ? 1 : 0, seconds_of(v->w), v->w->n, plural(v->w->n), observe_age(v->w, 0));
	if (enough > 0)
		printf("this is short: what grows for a moment looks like a leak, and a slow or rare leak is not seen; %s %.0f s or longer\n",
		       v->replay ? "record for" : "use --for",
		       ceil(enough + (v->replay ? observe_age(v->w, 0) : 0)));
	if (v->w->ages.head.flags & KMEMTRACE_AGES_NO_RECLAIMABLE)
		puts("caches cannot be distinguished from leaks: the module does not know which ones the kernel can reclaim");
	if (v->w->ages.head.flags & KMEMTRACE_AGES_NO_PAGES)
		puts("pages are not judged: their ages are not known (mem_profiling=1,compressed)");
	putchar('\n');
}

static void print_unjudged(const struct findings *f)
{
	char a[20], b[20];

	if (f->earlier_growth > 0)
		printf("the rows earlier/ grew by %s, because the survey found more memory from before accounting; they are not judged\n",
		       table_human(a, sizeof(a), f->earlier_growth, 1));
	if (f->slab_growth > 0)
		printf("the allocators' own memory, such as pages of slabs, grew by %s, the objects by %s; only the objects are judged\n",
		       table_human(a, sizeof(a), f->slab_growth, 1),
		       table_human(b, sizeof(b), fmax(0, f->object_growth), 1));
	if (f->users_growth > 0)
		printf("the memory of processes and files, also in tmpfs and shared memory, grew by %s; it is not judged: see memory --diff\n",
		       table_human(a, sizeof(a), f->users_growth, 1));
}

static void print_lazy(const struct leakview *v, const struct listing *l)
{
	size_t i;

	for (i = 0; i < l->nr_rows && v->f->finding[i].v.kind != VERDICT_LAZY; i++)
		;
	if (i == l->nr_rows)
		return;
	if (isinf(v->w->unpurged))
		puts("lazy: the kernel frees areas of vmalloc() in groups; how many wait is not known");
	else
		printf("lazy: the kernel frees areas of vmalloc() in groups; %.0f wait now\n",
		       v->w->unpurged);
}

static void print_masked(const struct findings *f)
{
	const struct finding *most = NULL;
	size_t i;

	for (i = 0; i < f->count; i++)
		if (f->finding[i].masked &&
		    (!most || f->finding[i].v.objects > most->v.objects))
			most = &f->finding[i];
	if (most)
		printf("losses are the reason that %zu site%s not named, first of all %s, which grew by %.0f objects\n",
		       f->masked, plural_is(f->masked), most->location, most->v.objects);
}

static void print_losses(const struct leakview *v)
{
	const struct replay *r = v->replay;

	if (!r->lost) {
		puts("no event was lost");
		return;
	}
	printf("%" PRIu64 " event%s lost", r->lost, plural_was(r->lost));
	if (r->w.lost)
		puts(", and each may be the free of an object: a site is named only if it grew by more objects");
	else
		printf("; only the time without losses is judged: %.1f s to %.1f s of the recording\n",
		       r->from, r->to);
	print_masked(v->f);
	if (r->buffer)
		printf("record --buffer-size %" PRIu64 "K would have lost none\n", r->buffer >> 10);
	else
		puts("to lose none, use record with --filter or a larger --buffer-size");
}

/* The accuracy of a recording. */
static void print_accuracy(const struct leakview *v)
{
	const struct replay *r = v->replay;

	print_losses(v);
	printf("live figures are those of the last sample, %.3g s before the end of the recording\n",
	       r->w.time[r->w.n] - r->w.time[r->w.n - 1]);
	if (r->ending[0])
		printf("NOTE: %s\n", r->ending);
	puts("memory from before the recording is not known: what lives longer than the recording looks like a leak");
}

/* One cause, such as a network namespace that stays, can make a hundred sites grow. */
static void print_texts(const struct leakview *v, size_t shown)
{
	size_t i, more = 0;

	if (!v->f->named && v->f->masked)
		puts("no site can be named, because events were lost");
	if (!v->f->named && !v->f->masked)
		printf("no site leaks by these samples; a slow or rare leak needs a longer %s, and a load that lasts until its end\n",
		       v->replay ? "recording" : "--for");
	if (!v->f->named && v->f->texts)
		putchar('\n');
	for (i = 0; i < findings_candidates(v->f); i++) {
		if (!findings_has_text(&v->f->finding[i]))
			continue;
		if (i >= shown) {
			more++;
			continue;
		}
		print_paragraph(stdout, v, &v->f->finding[i]);
		putchar('\n');
	}
	if (more)
		printf("(the text of %zu more site%s: --top 0)\n\n", more, plural(more));
	if (v->f->named && !v->replay && !v->w->reclaimed)
		puts("a cache of a driver that still fills looks like a leak: with --reclaim, the kernel frees its caches first");
}

void leakview_print(const struct leakview *v)
{
	struct listing l = leakview_make_rows(v);

	print_head(v);
	listing_keep(&l, v->top);
	if (l.nr_rows)
		listing_print(&l, TABLE_TEXT);
	else
		puts("no memory of this age grew");
	putchar('\n');
	print_lazy(v, &l);
	print_unjudged(v->f);
	print_texts(v, l.shown);
	listing_free(&l);
	if (!v->replay)
		trust_print(v->tags, false);
	else
		print_accuracy(v);
}

/* --- JSON ------------------------------------------------------------------------ */

static json_t *json_ages(const struct finding *f)
{
	json_t *ages = json_array();
	int i, last = KMEMTRACE_AGES_BUCKETS - 1;

	/* of a page whose first frame is not counted here, there are only bytes */
	while (last >= 0 && !f->row->age[last].objects && !f->row->age[last].bytes)
		last--;
	for (i = 0; i <= last; i++)
		json_array_append_new(ages, json_pack("{s:I,s:I}", "objects",
						      (json_int_t)f->row->age[i].objects,
						      "live",
						      (json_int_t)f->row->age[i].bytes));
	return ages;
}

static json_t *json_paragraph(const struct leakview *v, const struct finding *f)
{
	struct memtext text;
	FILE *out = memtext_open(&text);
	json_t *string = NULL;
	char *made;

	print_paragraph(out, v, f);
	made = memtext_close(&text, NULL);
	string = json_string(made);
	free(made);
	return string ? string : json_null();
}

static void set_paths(json_t *site, const struct leakview *v, const struct finding *f)
{
	struct viewed viewed = { v, f };

	if (has_paths(v, f)) {
		pathview_json(site, &(struct pathview){ v->witness, is_at, &viewed });
		return;
	}
	json_object_set_new(site, "paths", json_null());
	json_object_set_new(site, "freed_at", json_null());
}

static json_t *json_sites(const struct leakview *v, const struct listing *l)
{
	json_t *sites = listing_json(l), *site;
	size_t i;

	json_array_foreach(sites, i, site) {
		const struct finding *f = &v->f->finding[l->row[i]];

		json_object_set_new(site, "ages", json_ages(f));
		json_object_set_new(site, "report", findings_has_text(f) ? json_paragraph(v, f) : json_null());
		json_object_set_new(site, "with", f->with ? json_string(f->with) : json_null());
		json_object_set_new(site, "held", f->held ? json_string(held_name(f->held)) : json_null());
		json_object_set_new(site, "leader", f->leader ? json_string(f->leader) : json_null());
		json_object_set_new(site, "freed_bytes", v->w->reclaimed ?
			json_integer(f->freed) : json_null());
		if (findings_has_text(f) && v->witness)
			set_paths(site, v, f);
	}
	return sites;
}

json_t *leakview_document(const struct leakview *v)
{
	struct listing l = leakview_make_rows(v);
	json_t *root;

	listing_keep(&l, v->top);
	root = json_pack("{s:I,s:I,s:I,s:I,s:b,s:I,s:I,s:I,s:I,s:I}", "seconds",
			 (json_int_t)llround(seconds_of(v->w)), "samples", (json_int_t)v->w->n, "settle_ms",
			 (json_int_t)llround(1000 * observe_age(v->w, 0)), "tick_ns",
			 (json_int_t)v->w->ages.head.tick_ns, "pages_judged",
			 !(v->w->ages.head.flags & KMEMTRACE_AGES_NO_PAGES),
			 "named", (json_int_t)v->f->named, "slab_pages_grew",
			 (json_int_t)v->f->slab_growth, "slab_objects_grew",
			 (json_int_t)v->f->object_growth, "earlier_grew",
			 (json_int_t)v->f->earlier_growth, "users_grew",
			 (json_int_t)v->f->users_growth);
	json_object_set_new(root, "sites", json_sites(v, &l));
	if (v->replay)
		json_object_set_new(root, "recording",
				    json_pack("{s:s,s:s,s:I,s:s,s:I,s:I,s:I,s:o}", "file",
					      v->replay->name, "release", v->replay->release,
					      "lost_events", (json_int_t)v->replay->lost, "note",
					      v->replay->ending, "masked_sites",
					      (json_int_t)v->f->masked, "judged_from_ms",
					      (json_int_t)llround(1000 * v->replay->from),
					      "judged_to_ms",
					      (json_int_t)llround(1000 * v->replay->to),
					      "enough_buffer_bytes",
					      v->replay->buffer ?
						      json_integer(v->replay->buffer) :
						      json_null()));
	else
		json_object_set_new(root, "error", trust_json(v->tags));
	listing_free(&l);
	return root;
}

int leakview_json(const struct leakview *v)
{
	return json_print(leakview_document(v));
}
