// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: detail_mutex protects rules and finds. A probe finds its find with
 * interrupts off, so a find is freed after a grace period.
 */
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "account/account.h"
#include "account/codetag.h"
#include "account/location.h"
#include "account/tables.h"
#include "account/tag.h"
#include "base/compat.h"
#include "base/errlog.h"
#include "kmt_detail.h"
#include "kmt_filter_term.h"
#include "steer/detail.h"
#include "steer/event.h"
#include "steer/histfile.h"
#include "steer/steer.h"

#define RULES_MAX 8
/* sites that are looked at, or were, at once */
#define FINDS_MAX 16
/* entries of a histogram, at most: about 500 KiB */
#define ENTRIES_MAX 2048u
/* the live bytes are added up at least once in so many seconds */
#define SUMS_WITHIN 30
/* bytes of text for the size of the file: of a find, and of an entry */
#define FIND_TEXT  1024
#define ENTRY_TEXT 1024

/**
 * struct seen - what a rule knows of a tag
 * @site: the site of the tag; if it is another one by now, the rest is that of an old site
 * @base: of a rule for growth: live bytes when the present span began
 * @armed: live bytes when it was last armed by this rule; 0: never
 */
struct seen {
	unsigned long site;
	s64 base;
	s64 armed;
};

/**
 * struct rule - a rule
 * @spec: what was written
 * @seen: what it knows of each tag, by its number
 * @room: number of elements of @seen
 * @since: jiffies when the present span of growth began
 * @is_new: it was never compared: the first time only sets what growth begins from
 * @ends: the present span ends
 * @waiting: sites that exceed it, and wait until others are complete
 */
struct rule {
	struct kmt_detail_rule spec;
	struct seen *seen;
	u32 room;
	unsigned long since;
	bool is_new;
	bool ends;
	u32 waiting;
};

/**
 * struct candidate - a site that exceeds a rule
 * @rule: the rule
 * @tag: the tag of the site
 * @site: the site
 * @kind: KMT_KIND_*
 * @live: its live bytes
 */
struct candidate {
	struct rule *rule;
	u32 tag;
	unsigned long site;
	unsigned int kind;
	s64 live;
};

/**
 * struct find - a site that is looked at, or was
 * @of: the site, when it was armed
 * @since: jiffies when it was armed
 * @took: jiffies from then until it was disarmed
 * @armed: it is armed
 * @left: allocations that are still to be looked at
 * @is_told: the worker was told that there are none left
 * @hist: what was found
 * @location: the location of the site, as in allocinfo
 */
struct find {
	struct candidate of;
	unsigned long since;
	unsigned long took;
	bool armed;
	atomic_t left;
	bool is_told;
	struct kmt_hist *hist;
	char location[KMT_CODETAG_TEXT];
};

static DEFINE_MUTEX(detail_mutex);
static struct rule *rules[RULES_MAX];
static struct find __rcu *finds[FINDS_MAX];
static unsigned long next_sums; /* jiffies when the live bytes are to be added up */
static u64 tables_since;	/* kmt_tables_since() of what the rules know */

static void look(struct work_struct *work);
static DECLARE_DELAYED_WORK(look_work, look);

static struct find *find_at(unsigned int i)
{
	return rcu_dereference_protected(finds[i], lockdep_is_held(&detail_mutex));
}

#define for_each_rule(rule, i) \
	for (i = 0; i < RULES_MAX; i++) \
		if (!((rule) = rules[i])) {} else

#define for_each_find(f, i) \
	for (i = 0; i < FINDS_MAX; i++) \
		if (!((f) = find_at(i))) {} else

/* --- in probes ------------------------------------------------------------- */

static void look_at_once(struct irq_work *work)
{
	mod_delayed_work(kmt_unbound_wq, &look_work, 0);
}

static DEFINE_IRQ_WORK(look_irq_work, look_at_once);

/* The kind of event that makes a histogram of a kind of memory. */
static unsigned int kind_of_event(unsigned int kind)
{
	static const u8 types[KMT_KINDS] = {
		[KMT_KIND_SLAB] = KMEMTRACE_TYPE_KMALLOC,
		[KMT_KIND_PAGE] = KMEMTRACE_TYPE_PAGES,
		[KMT_KIND_LARGE] = KMEMTRACE_TYPE_PAGES,
		[KMT_KIND_PERCPU] = KMEMTRACE_TYPE_PERCPU,
	};

	return KMT_EVENT_KIND(KMEMTRACE_EVENT_ALLOC, types[kind]);
}

static struct find *find_of_class(const struct kmt_class *class)
{
	u32 tag = READ_ONCE(class->tag);
	struct find *f;
	unsigned int i;

	for (i = 0; i < FINDS_MAX; i++) {
		f = rcu_dereference_sched(finds[i]);
		if (f && READ_ONCE(f->armed) && f->of.tag == tag &&
		    f->of.site == READ_ONCE(class->site) &&
		    f->of.kind == kmt_class_kind(class))
			return f;
	}
	return NULL;
}

/*
 * An allocation is accounted before its filter or trigger is run. So nothing uses the space
 * for the present event yet.
 */
static void count(struct find *f, const struct kmt_class *class, unsigned long ptr,
		  unsigned long site, unsigned long ip, unsigned long sp)
{
	struct kmt_steer_cpu *room = __this_cpu_read(kmt_steer_cpus);
	struct kmt_event *ev = &room->events[kind_of_event(f->of.kind)];
	struct kmt_context *c = &room->context;

	ev->call_site = site;
	ev->ptr = ptr;
	ev->bytes_alloc = kmt_class_bytes(class);
	c->ev = ev;
	c->s = NULL;
	c->ip = ip;
	c->sp = sp;
	c->irqs_off = true;
	c->x.have = kmt_steer_groups(ev);
	kmt_hist_count(f->hist, c);
}

/* kmt_account_on_armed(). The stack begins at the caller of this function. */
static noinline void on_armed(const struct kmt_class *class, unsigned long ptr,
			      unsigned long site)
{
	struct find *f = find_of_class(class);

	if (!f)
		return;
	if (atomic_dec_if_positive(&f->left) >= 0) {
		count(f, class, ptr, site, _RET_IP_,
		      (unsigned long)__builtin_dwarf_cfa());
	} else if (!READ_ONCE(f->is_told)) {
		WRITE_ONCE(f->is_told, true);
		irq_work_queue(&look_irq_work);
	}
}

/* --- sites that are looked at ---------------------------------------------- */

static struct kmt_hist *make_hist(const struct find *f)
{
	static const char format[] =
		"keys=stacktrace,pid.execname,cgroup.path%s:vals=bytes_alloc:sort=bytes_alloc.descending:size=%u";
	/* per-CPU memory is on the nodes of all CPUs */
	const char *node = f->of.kind == KMT_KIND_PERCPU ? "" : ",nid";
	unsigned int kind = kind_of_event(f->of.kind);
	u32 size = clamp(f->of.rule->spec.records, (u32)KMT_HIST_SIZE_MIN, ENTRIES_MAX);
	struct kmt_hist_spec spec;
	enum kmt_hist_error error;
	char text[sizeof(format) + 16];
	int len = snprintf(text, sizeof(text), format, node,
			   (u32)roundup_pow_of_two(size));

	if (WARN_ON_ONCE(kmt_hist_parse(text, len, kind, &spec, &error)))
		return NULL;
	return kmt_hist_make(&spec, kind);
}

static void disarm(struct find *f)
{
	if (!f->armed)
		return;
	WRITE_ONCE(f->armed, false);
	f->took = jiffies - f->since;
	kmt_tag_arm(f->of.tag, f->of.site, false);
}

static void disarm_all(void)
{
	struct find *f;
	unsigned int i;

	for_each_find(f, i)
		disarm(f);
}

static void free_find(struct find *f)
{
	if (f)
		kmt_hist_destroy(f->hist);
	kfree(f);
}

static struct find *new_find(const struct candidate *of)
{
	struct find *f = kzalloc(sizeof(*f), GFP_KERNEL);

	if (!f)
		return NULL;
	f->of = *of;
	f->since = jiffies;
	atomic_set(&f->left, of->rule->spec.records);
	kmt_location_get(of->tag, of->site, f->location, sizeof(f->location));
	f->hist = make_hist(f);
	if (f->hist)
		return f;
	kfree(f);
	return NULL;
}

/*
 * Return: the place for what a rule finds at a site: that of the last time; or a free one; or
 * that of the find which is complete for the longest time. -1: all others are armed.
 */
static int place_for(const struct candidate *c)
{
	unsigned long age, oldest = 0;
	int i, place = -1, empty = -1;

	for (i = 0; i < FINDS_MAX; i++) {
		struct find *f = find_at(i);

		if (!f) {
			empty = i;
			continue;
		}
		if (f->of.tag == c->tag && f->of.site == c->site && f->of.rule == c->rule)
			return i;
		age = jiffies - f->since - f->took;
		if (!f->armed && (place < 0 || age > oldest)) {
			place = i;
			oldest = age;
		}
	}
	return empty < 0 ? place : empty;
}

/* Return: false if the site has to wait for a place, or there is no memory. */
static bool arm(const struct candidate *of)
{
	int place = place_for(of);
	struct find *old, *new;

	new = place < 0 ? NULL : new_find(of);
	if (!new)
		return false;
	old = find_at(place);
	new->armed = true;
	rcu_assign_pointer(finds[place], new);
	if (!kmt_tag_arm(of->tag, of->site, true))
		disarm(new);
	if (old)
		synchronize_rcu(); /* for probes */
	free_find(old);
	return true;
}

/* --- sites that exceed what a rule says ------------------------------------ */

static struct candidate candidates[FINDS_MAX];
static unsigned int nr_candidates;

static bool is_in_function(const struct rule *rule, u32 tag, unsigned long site)
{
	char *text, *name;
	bool matches;

	if (!*rule->spec.function)
		return true;
	text = kmalloc(KMT_CODETAG_TEXT, GFP_KERNEL);
	if (!text)
		return false;
	kmt_location_get(tag, site, text, KMT_CODETAG_TEXT);
	name = strstr(text, " func:");
	matches = name && kmt_filter_glob(rule->spec.function,
					  name + strlen(" func:"));
	kfree(text);
	return matches;
}

/* Once a site was looked at, twice as much must be live for the next time. */
static bool exceeds(const struct rule *rule, const struct seen *seen, s64 live)
{
	if (rule->spec.growth && rule->is_new)
		return false;
	if (seen->armed && live < 2 * seen->armed)
		return false;
	return live - (rule->spec.growth ? seen->base : 0) > (s64)rule->spec.bytes;
}

static bool is_armed(u32 tag, unsigned long site)
{
	const struct find *f;
	unsigned int i;

	for_each_find(f, i)
		if (f->armed && f->of.tag == tag && f->of.site == site)
			return true;
	return false;
}

/* Keep the candidates with most live bytes. The others wait. */
static void add_candidate(const struct candidate *new)
{
	struct candidate *least = &candidates[0];
	unsigned int i;

	for (i = 0; i < nr_candidates; i++) {
		if (candidates[i].tag == new->tag && candidates[i].site == new->site)
			return; /* of another rule, which is served first */
		if (candidates[i].live < least->live)
			least = &candidates[i];
	}
	if (nr_candidates < FINDS_MAX) {
		candidates[nr_candidates++] = *new;
		return;
	}
	if (least->live < new->live) {
		least->rule->waiting++;
		*least = *new;
	} else {
		new->rule->waiting++;
	}
}

/* If another rule has armed the site, what is found there is also for this rule. */
static void compare(const struct candidate *c)
{
	struct seen *seen = &c->rule->seen[c->tag];

	if (seen->site != c->site)
		*seen = (struct seen){ .site = c->site };
	if (exceeds(c->rule, seen, c->live) && is_in_function(c->rule, c->tag, c->site)) {
		if (is_armed(c->tag, c->site))
			seen->armed = c->live;
		else
			add_candidate(c);
	}
	if (c->rule->ends)
		seen->base = c->live;
}

/* What this file allocates for a site is no reason to look at its own sites. */
static void look_at_tag(u32 tag)
{
	unsigned int kind, i;
	struct kmt_sum sum;
	struct rule *rule;
	unsigned long site;
	u32 flags;

	site = kmt_tag_read(tag, &kind, &flags, &sum);
	if (!site || (flags & (KMT_SITE_GONE | KMT_SITE_EARLIER)) ||
	    within_module(site, THIS_MODULE))
		return;
	for_each_rule(rule, i)
		if (tag < rule->room)
			compare(&(struct candidate){ rule, tag, site, kind, sum.bytes });
}

/* If there is no memory, the rule passes over the new tags. The next sums try again. */
static void make_room(struct rule *rule)
{
	u32 room = kmt_tag_count() + 1;
	struct seen *seen;

	if (room <= rule->room)
		return;
	seen = kvcalloc(room, sizeof(*seen), GFP_KERNEL);
	if (!seen)
		return;
	if (rule->seen)
		memcpy(seen, rule->seen, rule->room * sizeof(*seen));
	kvfree(rule->seen);
	rule->seen = seen;
	rule->room = room;
}

/* Growth is also measured before a span has ended. */
static void begin_sums(struct rule *rule)
{
	make_room(rule);
	rule->waiting = 0;
	rule->ends = rule->is_new ||
		     time_after_eq(jiffies, rule->since + rule->spec.over * HZ);
	if (rule->ends)
		rule->since = jiffies;
}

static bool has_rules(void)
{
	const struct rule *rule;
	unsigned int i;

	for_each_rule(rule, i)
		return true;
	return false;
}

/* Accounting was switched on anew: nothing is live. */
static void forget_all(void)
{
	struct rule *rule;
	unsigned int i;

	for_each_rule(rule, i)
		if (rule->seen)
			memset(rule->seen, 0, rule->room * sizeof(struct seen));
	disarm_all();
	tables_since = kmt_tables_since();
}

/* CPU time of the caller in ns; precise to a tick */
static u64 own_time(void)
{
	return READ_ONCE(current->se.sum_exec_runtime);
}

/* With many CPUs, the sums take long: they take at most 1 % of a CPU. */
static void add_up(void)
{
	u64 start = own_time(), took;
	u32 tag, count = kmt_tag_count();
	struct rule *rule;
	unsigned int i;

	nr_candidates = 0;
	for_each_rule(rule, i)
		begin_sums(rule);
	for (tag = 1; tag <= count; tag++) {
		look_at_tag(tag);
		cond_resched();
	}
	for_each_rule(rule, i)
		rule->is_new = false;
	took = own_time() - start;
	next_sums = jiffies + clamp_t(u64, nsecs_to_jiffies(100 * took), HZ,
				      SUMS_WITHIN * HZ);
}

/*
 * What is found at a site is for all rules that it exceeds. Once that is removed, each of them
 * looks at the site itself: @armed is 0.
 */
static void note_armed(const struct candidate *c, s64 armed)
{
	struct rule *rule;
	unsigned int i;

	for_each_rule(rule, i) {
		struct seen *seen = c->tag < rule->room ? &rule->seen[c->tag] : NULL;

		if (seen && seen->site == c->site &&
		    (!armed || rule == c->rule || exceeds(rule, seen, armed)))
			seen->armed = armed;
	}
}

static void arm_candidates(void)
{
	unsigned int i;

	for (i = 0; i < nr_candidates; i++) {
		const struct candidate *c = &candidates[i];

		if (arm(c))
			note_armed(c, c->live);
		else
			c->rule->waiting++;
	}
}

static void end_old_finds(void)
{
	struct find *f;
	unsigned int i;

	for_each_find(f, i)
		if (!atomic_read(&f->left) ||
		    time_after_eq(jiffies, f->since + f->of.rule->spec.seconds * HZ))
			disarm(f);
}

/* Counters are set to 0 one after the other: sums from before and from after do not count. */
static void compare_all(void)
{
	struct rule *rule;
	unsigned int i;

	if (tables_since != kmt_tables_since())
		forget_all();
	if (!kmt_event_accounting()) {
		for_each_rule(rule, i)
			rule->waiting = 0;
		disarm_all();
		return;
	}
	if (time_before(jiffies, next_sums))
		return;
	add_up();
	if (tables_since == kmt_tables_since())
		arm_candidates();
	else
		forget_all();
}

static void look(struct work_struct *work)
{
	mutex_lock(&detail_mutex);
	end_old_finds();
	if (has_rules()) {
		compare_all();
		queue_delayed_work(kmt_unbound_wq, &look_work, HZ);
	}
	mutex_unlock(&detail_mutex);
}

/* --- rules ----------------------------------------------------------------- */

static int find_rule(const struct kmt_detail_rule *spec)
{
	int i;

	for (i = 0; i < RULES_MAX; i++)
		if (rules[i] && kmt_detail_same(&rules[i]->spec, spec))
			return i;
	return -ENOENT;
}

static int add_rule(const struct kmt_detail_rule *spec)
{
	struct rule *rule;
	int i;

	if (find_rule(spec) >= 0)
		return -EEXIST;
	for (i = 0; i < RULES_MAX && rules[i]; i++)
		;
	if (i == RULES_MAX)
		return -ENOSPC;
	rule = kzalloc(sizeof(*rule), GFP_KERNEL);
	if (!rule)
		return -ENOMEM;
	rule->spec = *spec;
	rule->is_new = true;
	if (!has_rules())
		tables_since = kmt_tables_since();
	rules[i] = rule;
	kmt_account_on_armed(on_armed);
	next_sums = jiffies;
	compare_all(); /* growth begins now */
	mod_delayed_work(kmt_unbound_wq, &look_work, HZ);
	return 0;
}

static void free_rule(struct rule *rule)
{
	if (rule)
		kvfree(rule->seen);
	kfree(rule);
}

/* Free the finds of a rule, or of all rules. */
static void remove_finds(const struct rule *rule)
{
	struct find *old[FINDS_MAX];
	unsigned int i;

	for (i = 0; i < FINDS_MAX; i++) {
		struct find *f = find_at(i);

		old[i] = f && (!rule || f->of.rule == rule) ? f : NULL;
		if (!old[i])
			continue;
		disarm(f);
		note_armed(&f->of, 0);
		RCU_INIT_POINTER(finds[i], NULL);
	}
	synchronize_rcu(); /* for probes */
	for (i = 0; i < FINDS_MAX; i++)
		free_find(old[i]);
}

static int remove_rule(const struct kmt_detail_rule *spec)
{
	int i = find_rule(spec);

	if (i < 0)
		return i;
	remove_finds(rules[i]);
	free_rule(rules[i]);
	rules[i] = NULL;
	return 0;
}

static const char *why_not(int err)
{
	switch (err) {
	case -EEXIST:
		return "There is a rule with this condition; remove it first";
	case -ENOENT:
		return "There is no such rule";
	case -ENOSPC:
		return "There are 8 rules already; remove one";
	case -EOPNOTSUPP:
		return "There is no accounting: mem_profiling is never, or there was no memory for it";
	default:
		return "There is no memory for the rule";
	}
}

int kmt_detail_write(char *text)
{
	struct kmt_detail_rule spec;
	enum kmt_detail_error error;
	const char *wrong;
	int err;

	text = strim(text);
	if (!*text)
		return 0;
	wrong = kmt_detail_parse(text, &spec, &error);
	if (wrong) {
		kmt_errlog_add("detail", kmt_detail_text(error), text, wrong - text + 1);
		return -EINVAL;
	}
	if (!kmt_tables_ready()) {
		err = -EOPNOTSUPP;
	} else {
		mutex_lock(&detail_mutex);
		err = spec.remove ? remove_rule(&spec) : add_rule(&spec);
		mutex_unlock(&detail_mutex);
	}
	if (err)
		kmt_errlog_add("detail", why_not(err), text, 0);
	return err;
}

void kmt_detail_clear(void)
{
	unsigned int i;

	mutex_lock(&detail_mutex);
	if (has_rules())
		remove_finds(NULL);
	for (i = 0; i < RULES_MAX; i++) {
		free_rule(rules[i]);
		rules[i] = NULL;
	}
	mutex_unlock(&detail_mutex);
}

void kmt_detail_exit(void)
{
	kmt_detail_clear();
	irq_work_sync(&look_irq_work);
	/* without a rule, it does not continue */
	cancel_delayed_work_sync(&look_work);
}

/* --- the file -------------------------------------------------------------- */

static void show_condition(const struct kmt_detail_rule *spec, struct seq_file *m)
{
	seq_printf(m, "%s%s%s > %llu", spec->function, *spec->function ? " " : "",
		   spec->growth ? "growth" : "live_bytes", spec->bytes);
	if (spec->growth)
		seq_printf(m, " over %u", spec->over);
}

static void show_rule(const struct rule *rule, struct seq_file *m)
{
	show_condition(&rule->spec, m);
	seq_printf(m, " for %u records %u\n", rule->spec.seconds, rule->spec.records);
	if (rule->waiting)
		seq_printf(m, "# %u more %s until others are complete\n", rule->waiting,
			   rule->waiting == 1 ? "site waits" : "sites wait");
}

static int show_find(const struct find *f, struct seq_file *m)
{
	static const char *const kinds[KMT_KINDS] = {
		[KMT_KIND_SLAB] = "objects",
		[KMT_KIND_PAGE] = "pages",
		[KMT_KIND_LARGE] = "pages",
		[KMT_KIND_PERCPU] = "per-CPU memory",
	};
	unsigned long took = f->armed ? jiffies - f->since : f->took;
	const struct kmt_detail_rule *spec = &f->of.rule->spec;
	u32 left = max(atomic_read(&f->left), 0);

	seq_printf(m, "\n# %s\n# ", f->location);
	show_condition(spec, m);
	seq_printf(m, ": %lld bytes of %s were live. %u of %u allocations in %lu.%lu s, %s\n",
		   f->of.live, kinds[f->of.kind], spec->records - left, spec->records, took / HZ,
		   took % HZ * 10 / HZ, f->armed ? "continuing" : "complete");
	return kmt_histfile_show_entries(f->hist, m);
}

size_t kmt_detail_show_size(void)
{
	size_t size = FIND_TEXT;
	const struct find *f;
	unsigned int i;

	mutex_lock(&detail_mutex);
	for_each_find(f, i)
		size += FIND_TEXT + kmt_hist_entries(f->hist) * ENTRY_TEXT;
	mutex_unlock(&detail_mutex);
	return size;
}

int kmt_detail_show(struct seq_file *m)
{
	struct rule *rule;
	unsigned int i;
	int err = 0;

	mutex_lock(&detail_mutex);
	if (!has_rules())
		seq_puts(m, "# [FUNCTION] live_bytes > BYTES [for SECONDS] [records NUMBER]\n# [FUNCTION] growth > BYTES [over SECONDS] [for SECONDS] [records NUMBER]\n");
	else if (!kmt_event_accounting())
		seq_puts(m, "# accounting is off (/proc/sys/vm/mem_profiling): no site is looked at\n");
	for_each_rule(rule, i)
		show_rule(rule, m);
	for (i = 0; !err && i < FINDS_MAX && !seq_has_overflowed(m); i++) {
		if (find_at(i))
			err = show_find(find_at(i), m);
		cond_resched();
	}
	mutex_unlock(&detail_mutex);
	return err;
}
