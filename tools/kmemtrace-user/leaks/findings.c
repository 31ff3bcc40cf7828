// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/msg.h"
#include "leaks/companions.h"
#include "leaks/findings.h"

/* Pool adjacent violators: blocks of intervals with the same share. */
struct block {
	double births;
	double living;
	size_t count;
};

static double share_of(const struct block *b)
{
	return b->living / b->births;
}

void kept_shares(const double *births, const double *living, size_t n, double *share)
{
	struct block *blocks = xcalloc(n + 1, sizeof(*blocks)), *b = blocks;
	size_t i, k = 0;
	/* b is after the last block */
	for (i = 0; i < n; i++) {
		if (births[i] <= 0) {
			if (b > blocks)
				b[-1].count++;
			else
				k++;
			continue;
		}
		*b++ = (struct block){ births[i], living[i], 1 };
		while (b - blocks > 1 && share_of(b - 2) < share_of(b - 1)) {
			b[-2].births += b[-1].births;
			b[-2].living += b[-1].living;
			b[-2].count += b[-1].count;
			b--;
		}
	}
	for (i = 0; i < k; i++)
		share[i] = 1;
	for (b = blocks; i < n; i++) {
		share[i] = fmin(share_of(b), 1);
		if (!--b->count)
			b++;
	}
	free(blocks);
}

double findings_live(const struct finding *f, const struct observation *w)
{
	return f->row->live.bytes[w->n - 1];
}

double findings_old(const struct finding *f, const struct observation *w)
{
	return f->row->level[0].bytes[w->n - 1];
}

/* Return: whether a location is in this function, or in a part of it (name.cold). */
static bool is_in(const char *location, const char *function)
{
	const char *name = strstr(location, " func:");
	size_t len = strlen(function);

	if (!name)
		return false;
	name += strlen(" func:");
	return !strncmp(name, function, len) && (!name[len] || strchr(". ", name[len]));
}

bool findings_is_earlier(const char *location)
{
	return !strncmp(location, "earlier/", strlen("earlier/"));
}

/* Return: whether it has memory of processes, or of files, also in tmpfs. */
static bool is_of_users(const char *location)
{
	static const char *const functions[] = {
		"do_anonymous_page", "alloc_anon_folio", "folio_prealloc", "do_wp_page", "wp_page_copy",
		/* the callers into which some kernels inline them */
		"handle_mm_fault", "__handle_mm_fault", "handle_pte_fault",
		"do_fault", "do_cow_fault", "copy_present_page", "copy_present_ptes",
		"copy_pte_range", "copy_page_range",
		/* userfaultfd(2) */
		"mcopy_atomic", "mfill_atomic", "mfill_atomic_pte_copy", "shmem_mfill_atomic_pte",
		"__mfill_atomic_pte", "mfill_atomic_copy", "shmem_mfill_folio_alloc",
		"do_huge_pmd_anonymous_page", "vma_alloc_anon_folio_pmd",
		"do_huge_pmd_wp_page", "do_swap_page", "alloc_swap_folio", "__alloc_swap_folio", "__read_swap_cache_async",
		"swap_cache_alloc_folio",
		/* what is swapped to zswap or zram */
		"alloc_zspage", "zs_malloc", "zs_malloc_noprof",
		"shmem_alloc_folio", "shmem_alloc_and_add_folio",
		"shmem_alloc_and_acct_folio", "shmem_alloc_hugefolio", "shmem_get_folio_gfp",
		"filemap_alloc_folio", "__filemap_get_folio", "__filemap_get_folio_mpol",
		"filemap_create_folio",
		"filemap_get_pages", "do_read_cache_folio", "page_cache_ra_unbounded",
		"page_cache_ra_order", "ra_alloc_folio", "collapse_huge_page",
		"alloc_charge_folio", "alloc_charge_hpage", "hpage_collapse_alloc_folio",
		/* pages that move, which a recording charges to what moves them */
		"migrate_pages_batch", "migrate_folio_unmap", "alloc_migration_target",
		"alloc_misplaced_dst_page", "alloc_misplaced_dst_folio", "alloc_demote_page",
		"alloc_demote_folio", "compaction_alloc", "alloc_migrate_folio",
		"pte_alloc_one", "ptlock_alloc", "__pmd_alloc", "__pud_alloc", "__p4d_alloc",
		"pgd_alloc",
	};
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (is_in(location, functions[i]))
			return true;
	return false;
}

bool findings_is_left_out(const char *location)
{
	return is_of_users(location) || strstr(location, " [kmemtrace] func:") ||
	       findings_is_earlier(location);
}

bool findings_frees_late(const char *location)
{
	return is_in(location, "alloc_vmap_area");
}

bool findings_waits(const char *location, double objects, const struct observation *w)
{
	/* what leaks areas is named, and their page tables stay for others */
	if (is_in(location, "__pte_alloc_kernel"))
		return true;
	return findings_frees_late(location) &&
	       objects - w->unpurged <= VERDICT_Z * sqrt(objects);
}

/* Find out whether only losses are the reason that a site is not named. */
static void judge_without_losses(struct finding *f, struct verdict_series *s,
				 const struct observation *w)
{
	struct verdict v;

	if (!s->lost || f->left_out || f->v.kind >= VERDICT_LAZY)
		return;
	s->lost = 0;
	verdict_of(&v, s);
	f->masked = v.kind == VERDICT_LEAKS && !findings_waits(f->location, v.objects, w) &&
		    !findings_fills(v.objects, f->row, w);
}

bool findings_fills(double objects, const struct observed *row, const struct observation *w)
{
	double before = row->live.objects[0] - row->reclaimable[0];
	double after = row->live.objects[w->n - 1] - row->reclaimable[1];

	return row->reclaimable[1] > objects / 2 &&
	       after - before <= fmin(objects / 2, VERDICT_Z * sqrt(objects));
}

static bool is_files(const struct observation *w, const struct observed *row)
{
	const char *location = w->sites->location[row->id];

	return is_in(location, "alloc_empty_file") || is_in(location, "__alloc_file");
}

/* Return: how many more files that are older than a level are open. */
static double files_opened(const struct observation *w, size_t level)
{
	double files = 0;
	size_t i;

	for (i = 0; i < w->count; i++) {
		const double *old = w->row[i].level[level].objects;

		if (is_files(w, &w->row[i]))
			files += old[w->n - 1] - old[0];
	}
	return files;
}

/*
 * Open files hold all objects by which these caches grew, for example the inodes of pipes: no
 * more were opened than closed, and no object was freed without its file. Each file holds an
 * inode and a name.
 */
static bool files_hold(const struct observation *w, const struct companions_caches *with)
{
	double files = files_opened(w, 0), closed = 0;
	size_t i;

	for (i = 0; i < w->count; i++)
		if (is_files(w, &w->row[i]))
			closed += companions_deaths(w, &w->row[i]);
	return !with->held && files > 0 &&
	       fmax(with->grew, with->names_grew) <= files + sqrt(files) &&
	       fmax(with->deaths, with->name_deaths) <= closed + VERDICT_Z * sqrt(closed);
}

static const struct {
	enum counts_kind kind;
	const char *function;
} allocators[] = {
	{ COUNTS_TASKS, "copy_process" },
	{ COUNTS_TASKS, "dup_task_struct" },
	{ COUNTS_TASKS, "alloc_thread_stack_node" },
	{ COUNTS_TASKS, "copy_signal" },
	{ COUNTS_TASKS, "copy_sighand" },
	{ COUNTS_CONNECTIONS, "__nf_conntrack_alloc" },
	{ COUNTS_CONNECTIONS, "init_conntrack" },
	{ COUNTS_CONNECTIONS, "nf_ct_ext_add" },
	{ COUNTS_CONNECTIONS, "flow_offload_alloc" },
	{ COUNTS_CLOSED, "inet_twsk_alloc" },
	{ COUNTS_LOCKS, "locks_alloc_lock" },
	{ COUNTS_LOCKS, "posix_lock_inode" },
	{ COUNTS_LOCKS, "flock_lock_inode" },
	{ COUNTS_MESSAGES, "load_msg" },
	{ COUNTS_MESSAGES, "alloc_msg" },
	{ COUNTS_MESSAGES, "security_msg_msg_alloc" },
	{ COUNTS_MESSAGES, "lsm_msg_msg_alloc" },
	{ COUNTS_MESSAGES, "lsm_blob_alloc" },
	{ COUNTS_QUEUES, "newque" },
	{ COUNTS_QUEUES, "security_msg_queue_alloc" },
	{ COUNTS_QUEUES, "lsm_ipc_alloc" },
	{ COUNTS_QUEUES, "lsm_blob_alloc" },
	{ COUNTS_SEMAPHORES, "newary" },
	{ COUNTS_SEMAPHORES, "sem_alloc" },
	{ COUNTS_SEMAPHORES, "security_sem_alloc" },
	{ COUNTS_SEMAPHORES, "lsm_ipc_alloc" },
	{ COUNTS_SEMAPHORES, "lsm_blob_alloc" },
};

/* Return: whether the kernel allocates at this location for what is of such a kind. */
static bool allocates(enum counts_kind kind, const char *location)
{
	size_t i;

	for (i = 0; i < sizeof(allocators) / sizeof(*allocators); i++)
		if (allocators[i].kind == kind && is_in(location, allocators[i].function))
			return true;
	return false;
}

/*
 * Few functions allocate for what is of these kinds. Return: whether another load may only have
 * the same rate.
 */
static bool may_be_chance(enum counts_kind kind, const char *location)
{
	return (kind == COUNTS_CONNECTIONS || kind == COUNTS_CLOSED || kind == COUNTS_LOCKS ||
		kind == COUNTS_MESSAGES || kind == COUNTS_QUEUES || kind == COUNTS_SEMAPHORES) &&
	       !allocates(kind, location);
}

/* The functions of maple trees allocate nodes. Newer kernels inline most of mas_alloc_nodes(). */
static bool is_of_tree(const char *location)
{
	return strstr(location, " func:mas_") || is_in(location, "dst_setup");
}

/*
 * A directory of tmpfs has its entries in a maple tree, a keyring its keys in an array with
 * nodes, and mounts have a shrinker each. Return: the kind of such entries; COUNTS_TASKS: each
 * task has such objects, and nothing else has; COUNTS_KINDS: these are no nodes.
 */
static enum counts_kind entries_of(const char *location)
{
	return is_of_tree(location)		     ? COUNTS_FILES :
	       is_in(location, "assoc_array_insert") ? COUNTS_KEYS :
	       is_in(location, "shrinker_alloc") || is_in(location, "shrinker_unit_alloc") ?
						       COUNTS_MOUNTS :
	       allocates(COUNTS_TASKS, location)     ? COUNTS_TASKS :
						       COUNTS_KINDS;
}

/*
 * The kernel itself allocates what a task, a key or an object of System V IPC needs, and the
 * inodes of tmpfs. If a module's memory grows as their number, it leaks in step with them.
 */
static bool may_hold(const struct held *held, const char *location)
{
	return held->kind == COUNTS_MOUNTS || held->kind == COUNTS_CONNECTIONS ||
	       !strstr(location, " [");
}

static const struct held *held_at_end(const struct observation *w, const struct observed *row,
				      enum counts_kind shared)
{
	const double grew[2] = { 0, row->live.objects[w->n] };

	return held_explains(&w->helds, grew, 2, 0, shared);
}

/* Of two counts, each share fits: the entries must be those of another site as well. */
static void find_holder_of_nodes(const struct observation *w, struct observed *row)
{
	enum counts_kind kind = entries_of(w->sites->location[row->id]);
	size_t i;

	for (i = 0; !row->held && kind != COUNTS_KINDS && i < w->count; i++)
		if (w->row[i].held && w->row[i].held->kind == kind)
			row->held = held_at_end(w, row, kind);
}

/* If many objects live for a moment, only the old ones show that the others are held. */
static const struct held *held_when_old(const struct observation *w, const struct observed *row,
					size_t level)
{
	const char *location = w->sites->location[row->id];
	const struct held *held = NULL;
	size_t late = w->step << level;

	if (late <= w->n / 2)
		held = held_explains(&w->helds, row->level[level].objects, w->n, late,
				     entries_of(location));
	return held && may_hold(held, location) ? held : NULL;
}

static void find_holder(const struct observation *w, struct observed *row)
{
	const char *location = w->sites->location[row->id];
	enum counts_kind shared = entries_of(location);

	if (w->helds.ends) {
		row->held = held_at_end(w, row, shared == COUNTS_TASKS ? shared : COUNTS_KINDS);
	} else {
		row->held = held_explains(&w->helds, row->live.objects, w->n, 0, shared);
		if (!row->held)
			row->held = held_when_old(w, row, 0);
	}
	if (row->held && !may_hold(row->held, location))
		row->held = NULL;
}

const char *findings_hint(const char *location)
{
	static const char events[] = "Such events wait until a process reads them, or closes its descriptor (grep -lE '^(inotify|fanotify)' /proc/[0-9]*/fdinfo/*).";
	static const char elements[] = "eBPF maps and programs have such objects, for example elements of hash maps: bpftool map and bpftool prog show them, and the processes that hold them.";
	static const struct { const char *function, *hint; } rows[] = {
		{ "inotify_handle_inode_event", events }, { "fanotify_alloc_event", events },
		{ "fanotify_alloc_path_event", events },  { "fanotify_alloc_perm_event", events },
		{ "fanotify_alloc_fid_event", events },	  { "fanotify_alloc_name_event", events },
		{ "fanotify_alloc_error_event", events }, { "fanotify_handle_event", events },
		{ "alloc_bulk", elements },		  { "bpf_mem_refill", elements },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (is_in(location, rows[i].function))
			return rows[i].hint;
	/* the name of the function that is inlined there says nothing */
	return strstr(location, "kernel/bpf/memalloc.c:") ? elements : NULL;
}

static void judge_leak(struct finding *f, const struct observation *w)
{
	double files = files_opened(w, f->v.level), may = VERDICT_Z * sqrt(f->v.objects);
	struct companions_caches with = { 0 };
	int how;

	if (findings_waits(f->location, f->v.objects, w)) {
		f->v.kind = VERDICT_LAZY;
		return;
	}
	/* the names of files in tmpfs are in a cache, and stay */
	f->held = f->row->held;
	/* on a busy machine, objects wait for RCU until they are old, but not until they are older */
	if (!f->held && f->v.level && !w->helds.ends)
		f->held = held_when_old(w, f->row, f->v.level);
	if (!f->held && findings_fills(f->v.objects, f->row, w)) {
		f->v.kind = VERDICT_CACHE;
		return;
	}
	how = f->held ? COMPANIONS_NONE : companions_find(w, f->row, &with);
	f->opened = fabs(f->v.objects - files) <= sqrt(f->v.objects);
	/* a pipe has two files */
	f->by_files = fabs(2 * f->v.objects - files) <= sqrt(files);
	/*
	 * The kernel cannot free an inode or a name that an open file holds: a process that
	 * leaks pipes or sockets makes their caches grow.
	 */
	if (how == COMPANIONS_GROW && f->v.objects <= files + may)
		return;
	if (how > COMPANIONS_NONE && files_hold(w, &with)) {
		f->by_files = true;
		return;
	}
	/* the kernel's own keys, for example, grow as the memory of a module that leaks */
	if (how == COMPANIONS_GROW && with.most->held && !may_hold(with.most->held, f->location))
		return;
	if (how > COMPANIONS_NONE) {
		f->with = w->sites->location[with.most->id];
		f->held = with.most->held;
	}
	/* objects that die together are proof enough */
	if (f->held && (may_be_chance(f->held->kind, f->with ? f->with : f->location) ||
			(how == COMPANIONS_GROW && may_be_chance(f->held->kind, f->location))))
		return;
	if (f->held)
		f->v.kind = VERDICT_HELD;
	else if (how == COMPANIONS_DIE)
		f->v.kind = VERDICT_CACHE;
}

static void findings_judge(struct finding *f, const struct observation *w)
{
	struct verdict_series s = {
		.n = w->n,
		.time = w->time,
		.levels = w->levels,
		.step = w->step,
		.live = findings_live(f, w),
		.peak = f->row->peak,
		.lost = w->lost,
	};
	size_t i;

	for (i = 0; i < w->levels; i++)
		s.old[i] = (struct old_memory){ f->row->level[i].bytes,
						f->row->level[i].objects };
	verdict_of(&f->v, &s);
	if (f->v.kind == VERDICT_LEAKS)
		judge_leak(f, w);
	judge_without_losses(f, &s, w);
}

static void estimate_survival(struct finding *f, const struct observation *w)
{
	double births[OBSERVE_BIRTHS], living[OBSERVE_BIRTHS], share[OBSERVE_BIRTHS];
	const struct observed *row = f->row;
	double younger = row->live.objects[w->n - 1], all = 0;
	size_t i;

	for (i = 0; i < w->births; i++) {
		births[i] = fmax(0, row->allocs[i] - row->allocs[i + 1]);
		living[i] = fmin(fmax(0, younger - row->older[i]), births[i]);
		younger = row->older[i];
		all += births[i];
	}
	f->survive = -1;
	if (!all)
		return;
	kept_shares(births, living, w->births, share);
	f->survive = share[w->births - 1];
}

/* Sites with a row come first, then those that are rows of others. */
static int place_of(const struct finding *f)
{
	if (f->left_out)
		return 3;
	if (f->v.kind == VERDICT_STEADY)
		return 2;
	return !!f->leader;
}

static int by_suspicion(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	if (place_of(x) != place_of(y))
		return place_of(x) - place_of(y);
	if (x->named != y->named)
		return x->named ? -1 : 1;
	return verdict_compare(&x->v, &y->v);
}

static void findings_sort(struct findings *f)
{
	size_t i;

	qsort(f->finding, f->count, sizeof(*f->finding), by_suspicion);
	f->suspects = f->held = f->caches = 0;
	for (i = 0; i < f->count && !place_of(&f->finding[i]); i++) {
		f->suspects += f->finding[i].v.kind == VERDICT_LEAKS;
		f->caches += f->finding[i].v.kind == VERDICT_CACHE;
		f->held += f->finding[i].v.kind == VERDICT_HELD;
	}
}

/* Return: for each site, whether it has a tag of pages, or one of objects. */
static bool *find_sites(const struct sites *sites, bool of_pages)
{
	bool *is = xcalloc(sites->count + 1, sizeof(*is));
	size_t i;

	for (i = 0; i < sites->tags.rows.count; i++)
		if ((sites->tags.rows.row[i].kind == SITE_PAGE) == of_pages)
			is[sites_of(sites, sites->tags.rows.row[i].id)] = true;
	return is;
}

static double growth_of(const struct observation *w, const struct observed *row)
{
	return row->live.bytes[w->n - 1] - row->live.bytes[0];
}

/* This process allocates the memory for the samples at the first one. */
static double users_growth_of(const struct observation *w, const struct observed *row)
{
	return row->live.bytes[w->n - 1] - row->live.bytes[1];
}

static void add_site(struct findings *f, const struct observation *w,
		     const struct sites *sites, const struct observed *row, bool has_objects)
{
	struct finding *to = &f->finding[f->count];

	bool earlier = findings_is_earlier(sites->location[row->id]);

	if (earlier)
		f->earlier_growth += growth_of(w, row);
	else if (row->slab)
		f->slab_growth += growth_of(w, row);
	else if (has_objects)
		f->object_growth += growth_of(w, row);
	if (is_of_users(sites->location[row->id]))
		f->users_growth += users_growth_of(w, row);
	if (row->slab)
		return;
	*to = (struct finding){ .site = row->id, .location = sites->location[row->id],
				.row = row,
				.left_out = findings_is_left_out(sites->location[row->id]) };
	f->count++;
	findings_judge(to, w);
	estimate_survival(to, w);
	f->masked += to->masked;
}

void findings_make(struct findings *f, const struct observation *w,
		  const struct sites *sites)
{
	bool *objects = find_sites(sites, false), *pages = find_sites(sites, true);
	size_t i;

	*f = (struct findings){ .finding = xcalloc(w->count + 1, sizeof(*f->finding)) };
	for (i = 0; i < w->count; i++) {
		w->row[i].is_names = is_in(sites->location[w->row[i].id], "__d_alloc");
		find_holder(w, &w->row[i]);
	}
	for (i = 0; w->helds.ends && i < w->count; i++)
		find_holder_of_nodes(w, &w->row[i]);
	for (i = 0; i < w->count; i++)
		add_site(f, w, sites, &w->row[i], objects[w->row[i].id]);
	for (i = 0; i < f->count; i++)
		f->finding[i].has_pages = pages[f->finding[i].site];
	free(objects);
	free(pages);
	findings_sort(f);
}

static bool is_still_there(const struct finding *f, const struct observation *w)
{
	double survivors = f->v.level ? -1 : f->row->level[1].bytes[w->n];

	return verdict_confirms(&f->v, f->row->level[f->v.level].bytes[w->n], survivors);
}

/* Return: the least growth in a time of @seconds, in the first three quarters of the samples. */
static double least_growth(const struct finding *f, const struct observation *w, double seconds)
{
	const double *live = f->row->live.objects;
	double least = INFINITY;
	size_t from = 0, to;

	for (to = 1; to < w->n * 3 / 4; to++)
		for (; w->time[to] - w->time[from] >= seconds; from++)
			least = fmin(least, live[to] - live[from]);
	return least;
}

/*
 * A table that became full during the observation grows no more, because for each new object an
 * old one is freed. (A leak whose load has ended does not grow either, but nothing replaces
 * objects that the load frees at its end.)
 */
static bool is_full(const struct finding *f, const struct observation *w)
{
	const struct observed *row = f->row;
	size_t last = w->n - 1;
	double grew = row->live.objects[w->n] - row->live.objects[last];
	double freed = row->level[0].objects[last] - row->level[1].objects[w->n];
	double least = least_growth(f, w, w->time[w->n] - w->time[last]);

	return isfinite(least) && fmin(freed, grew + freed) >= least / 2 &&
	       verdict_is_less(fmax(0, grew), least);
}

/* Each area of vmalloc() has an object of this function, which allocates at two places. */
static bool is_area(const struct finding *f)
{
	return is_in(f->location, "alloc_vmap_area");
}

static bool is_part_of_area(const struct finding *f)
{
	return is_area(f) || is_in(f->location, "__get_vm_area_node");
}

/* The pages of an area are those of the caller of vmalloc(), and so is the list of them. */
static bool is_related(const struct finding *f, const struct finding *part)
{
	return is_part_of_area(part) && (is_part_of_area(f) || f->has_pages);
}

/* Each area has one object of this function, and one of alloc_vmap_area(), at one of two places. */
static bool has_areas(const struct finding *f, const struct finding *areas,
		      const struct observation *w)
{
	const double *all = f->row->level[areas->v.level].objects;
	double grew = fmax(0, all[w->n - 1] - all[0]);

	return is_in(f->location, "__get_vm_area_node") && is_area(areas) &&
	       areas->v.objects <= grew + sqrt(grew);
}

static int by_growth(const void *a, const void *b)
{
	const struct finding *const *x = a, *const *y = b;

	if ((*x)->v.growth != (*y)->v.growth)
		return (*x)->v.growth > (*y)->v.growth ? -1 : 1;
	return (*x)->site < (*y)->site ? -1 : 1;
}

/* Return: the named sites, those that grew by most bytes first. */
static struct finding **sort_named(struct findings *f)
{
	struct finding **named = xcalloc(f->named + 1, sizeof(*named));
	size_t i, n = 0;

	for (i = 0; i < f->count; i++)
		if (f->finding[i].named)
			named[n++] = &f->finding[i];
	if (n)
		qsort(named, n, sizeof(*named), by_growth);
	return named;
}

/* Two groups become one, whose number is the lower one. */
static void findings_join(size_t *group, size_t n, size_t a, size_t b)
{
	size_t low = a < b ? a : b, high = a < b ? b : a, i;

	for (i = 0; i < n; i++)
		if (group[i] == high)
			group[i] = low;
}

/* Set the group of each site: the number of its first site. */
static void find_groups(struct finding **named, size_t n, size_t *group,
			const struct observation *w)
{
	struct observed areas = { .level[0].objects = xcalloc(w->n, sizeof(double)) };
	const struct observed *row, *other;
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = 0; is_area(named[i]) && k < w->n; k++)
			areas.level[0].objects[k] += named[i]->row->level[0].objects[k];
	for (k = 0; k < n; k++) {
		group[k] = k;
		row = is_area(named[k]) ? &areas : named[k]->row;
		for (i = 0; i < k; i++) {
			other = is_area(named[i]) ? &areas : named[i]->row;
			if (group[i] != group[k] &&
			    (has_areas(named[i], named[k], w) || has_areas(named[k], named[i], w) ||
			     companions_in_step(w, other, row,
						is_related(named[i], named[k]) ||
							is_related(named[k], named[i]))))
				findings_join(group, k + 1, group[i], group[k]);
		}
	}
	free(areas.level[0].objects);
}

/* Of the sites that grow in lock step, name the first one. */
static void fold(struct findings *f, const struct observation *w)
{
	struct finding **named = sort_named(f);
	size_t i, n = f->named, *group = xcalloc(n + 1, sizeof(*group));

	find_groups(named, n, group, w);
	for (i = 0; i < n; i++) {
		if (group[i] == i)
			continue;
		named[i]->leader = named[group[i]]->location;
		named[group[i]]->by_files |= named[i]->opened || named[i]->by_files;
		named[i]->named = false;
		f->named--;
	}
	free(group);
	free(named);
}

void findings_confirm(struct findings *f, const struct observation *w)
{
	size_t i;

	for (i = 0; i < findings_candidates(f); i++) {
		struct finding *at = &f->finding[i];
		bool stays = (at->v.kind == VERDICT_LEAKS || w->reclaimed) &&
			     is_still_there(at, w);

		if (w->reclaimed) /* what was live then is older than the first level now */
			at->freed = fmax(0, findings_live(at, w) -
						    at->row->level[0].bytes[w->n]);
		if (at->held)
			continue;
		if (w->reclaimed) {
			at->v.kind = stays ? VERDICT_LEAKS : VERDICT_CACHE;
		} else if (stays && is_full(at, w)) {
			at->v.kind = VERDICT_SLOWS;
			stays = false;
		}
		at->named = stays && (w->reclaimed || !at->with);
		f->named += at->named;
	}
	fold(f, w);
	for (i = 0; i < findings_candidates(f); i++)
		f->texts += findings_has_text(&f->finding[i]);
	findings_sort(f);
}

size_t findings_candidates(const struct findings *f)
{
	return f->suspects + f->held + f->caches;
}

bool findings_has_text(const struct finding *f)
{
	return !f->left_out && !f->leader &&
	       (f->named || f->with || f->held || f->v.kind == VERDICT_CACHE);
}

bool findings_is_at(const struct finding *f, const struct sites *sites, uint64_t address)
{
	size_t i;

	for (i = 0; i < sites->tags.rows.count; i++)
		if (sites->tags.rows.row[i].address == address && sites->tags.rows.row[i].id &&
		    sites_of(sites, sites->tags.rows.row[i].id) == f->site)
			return true;
	return false;
}

bool *findings_wanted(const struct findings *f, const struct sites *sites, size_t max)
{
	const struct tags *tags = &sites->tags;
	bool *wanted = xcalloc(tags->rows.count + 1, sizeof(*wanted));
	size_t i, k, seen = 0;

	for (i = 0; i < findings_candidates(f) && seen < max; i++) {
		if (!findings_has_text(&f->finding[i]))
			continue;
		seen++;
		for (k = 0; k < tags->rows.count; k++)
			wanted[k] |= tags->rows.row[k].id &&
				     sites_of(sites, tags->rows.row[k].id) == f->finding[i].site;
	}
	return wanted;
}

void findings_free(struct findings *f)
{
	free(f->finding);
}
