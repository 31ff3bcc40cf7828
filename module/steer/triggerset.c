// SPDX-License-Identifier: GPL-2.0-only
/*
 * A trigger fires inside an allocation, or at another tracepoint. It therefore only
 * changes bits, which is possible in any context, or queues work.
 *
 * An event with triggers is attached even if it is disabled. An event that a trigger
 * may enable is attached as well. If a trigger may switch recording on, all enabled
 * events are attached. Therefore nothing needs to be attached when a trigger fires.
 *
 * A histogram of live memory needs the frees of its event. It adds a trigger to each event
 * that may free its objects, which no file shows (struct kmt_trigger, @frees).
 *
 * Notes on locking: the sets of triggers are changed under kmt_event_lock(). Probes
 * read them with interrupts off, and therefore finish within a grace period.
 */
#include <linux/err.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "base/errlog.h"
#include "record/buffers.h"
#include "record/mode.h"
#include "record/snapshot.h"
#include "record/wake.h"
#include "record/writer.h"
#include "steer/event.h"
#include "steer/filter.h"
#include "steer/hist.h"
#include "steer/histfile.h"
#include "steer/triggerset.h"

/**
 * struct kmt_trigger - one trigger
 * @command: its action
 * @target: kind of event that it enables or disables
 * @limited: it has a count
 * @left: remaining count
 * @condition: text of its filter, or NULL
 * @filter: the filter, or NULL
 * @spec: KMT_TRIGGER_HIST: what the histogram counts; NULL if @frees
 * @hist: KMT_TRIGGER_HIST: the histogram
 * @frees: the trigger passes frees to @hist, which belongs to another trigger
 */
struct kmt_trigger {
	enum kmt_trigger_command command;
	unsigned int target;
	bool limited;
	atomic64_t left;
	char *condition;
	struct kmt_filter *filter;
	struct kmt_hist_spec *spec;
	struct kmt_hist *hist;
	bool frees;
};

/**
 * struct kmt_trigger_set - the triggers of an event
 * @count: number of triggers, and of those that were removed
 * @trigger: the triggers, the newest first; NULL: it was removed
 */
struct kmt_trigger_set {
	unsigned int count;
	struct kmt_trigger *trigger[];
};

/* --- firing --------------------------------------------------------------- */

/* Take one from the remaining count. Return: false if none is left. */
static bool take(struct kmt_trigger *t)
{
	return !t->limited || atomic64_add_unless(&t->left, -1, 0);
}

/* This trigger had no effect, for example because another CPU made the change first. */
static void give_back(struct kmt_trigger *t)
{
	if (t->limited)
		atomic64_inc(&t->left);
}

/* As in event tracing, only a change of the state counts. */
static void switch_recording(struct kmt_trigger *t, bool on)
{
	if (kmt_mode_paused() != on || !take(t))
		return;
	if (!kmt_mode_pause(!on))
		give_back(t);
	else
		kmt_event_settle_later();
}

static void switch_event(struct kmt_trigger *t, bool on)
{
	if (!!(kmt_mode_bits(t->target) & KMT_MODE_OFF) != on || !take(t))
		return;
	if (!kmt_mode_change(t->target, KMT_MODE_OFF, !on))
		give_back(t);
}

unsigned int kmt_triggers_fire(const struct kmt_trigger_set *set,
			       struct kmt_context *c, bool paused)
{
	struct kmt_trigger *stack = NULL; /* an event has at most one of each */
	unsigned int i;

	c->snapshot = NULL;
	for (i = 0; set && i < set->count; i++) {
		struct kmt_trigger *t = READ_ONCE(set->trigger[i]);

		if (!t || (t->filter &&
			   !kmt_filter_match(t->filter, c->ev, &c->x,
					     kmt_context_fetch)))
			continue;
		switch (t->command) {
		case KMT_TRIGGER_TRACEON:
		case KMT_TRIGGER_TRACEOFF:
			switch_recording(t, t->command == KMT_TRIGGER_TRACEON);
			break;
		case KMT_TRIGGER_ENABLE_EVENT:
		case KMT_TRIGGER_DISABLE_EVENT:
			switch_event(t,
				     t->command == KMT_TRIGGER_ENABLE_EVENT);
			break;
		case KMT_TRIGGER_SNAPSHOT:
			c->snapshot = t;
			break;
		case KMT_TRIGGER_HIST:
			if (t->frees)
				kmt_hist_free(t->hist, c->ev);
			else
				kmt_hist_count(t->hist, c);
			break;
		default:
			stack = t;
		}
	}
	/* stacktrace and snapshot need a record */
	if (paused && kmt_mode_paused())
		return 0;
	return (stack && take(stack) ? KMT_FIRED_STACK : 0) |
	       (c->snapshot && take(c->snapshot) ? KMT_FIRED_SNAPSHOT : 0);
}

void kmt_triggers_snapshot(struct kmt_context *c)
{
	if (!kmt_snapshot_take(KMT_SNAPSHOT_TRIGGER))
		give_back(c->snapshot);
}

/* --- sets ------------------------------------------------------------------- */

static void free_trigger(struct kmt_trigger *t)
{
	if (!t)
		return;
	if (!t->frees)
		kmt_hist_destroy(t->hist);
	kfree(t->spec);
	kvfree(t->filter);
	kfree(t->condition);
	kfree(t);
}

static bool is_switch(enum kmt_trigger_command command)
{
	return command == KMT_TRIGGER_TRACEON ||
	       command == KMT_TRIGGER_TRACEOFF;
}

static bool has_target(enum kmt_trigger_command command)
{
	return command == KMT_TRIGGER_ENABLE_EVENT ||
	       command == KMT_TRIGGER_DISABLE_EVENT;
}

static bool same_condition(const char *a, const char *b)
{
	return !a || !b ? a == b : !strcmp(a, b);
}

/*
 * An event has at most one trigger of each type. traceon and traceoff are one type.
 * enable_event and disable_event of the same target are one type, and so are histograms
 * with the same keys, values, order and filter.
 */
static bool same_type(const struct kmt_trigger *a, const struct kmt_trigger *b)
{
	if (is_switch(a->command))
		return is_switch(b->command);
	if (has_target(a->command))
		return has_target(b->command) && a->target == b->target;
	if (a->command != b->command)
		return false;
	if (a->command != KMT_TRIGGER_HIST)
		return true;
	/* those for frees are in no file */
	return a->spec && b->spec && kmt_hist_same(a->spec, b->spec) &&
	       same_condition(a->condition, b->condition);
}

static struct kmt_trigger_set *__set_at(struct kmt_trigger_set __rcu **where)
{
	return rcu_dereference_protected(*where, kmt_event_lock_held());
}

/* Visits the triggers of a set, which may be NULL. */
#define for_each_trigger(t, i, set)                                            \
	for (i = 0; (set) && i < (set)->count; i++)                            \
		if (((t) = (set)->trigger[i]))

static struct kmt_trigger *__find(struct kmt_trigger_set __rcu **where,
				  const struct kmt_trigger *like)
{
	const struct kmt_trigger_set *set = __set_at(where);
	struct kmt_trigger *t;
	unsigned int i;

	for_each_trigger(t, i, set)
		if (same_type(like, t))
			return t;
	return NULL;
}

/* The triggers of an event have at most this weight, because interrupts are off meanwhile. */
#define WEIGHT_MAX 64
/* steps of a filter that count as one trigger */
#define STEPS_OF_TRIGGER 32
/* a block of pages may be freed in parts, which a histogram then searches for the block */
#define WEIGHT_OF_FREED_PAGES 6

static unsigned int weight_of(int kind, const struct kmt_trigger *t)
{
	if (t->frees && kind / 2 == KMEMTRACE_TYPE_PAGES)
		return WEIGHT_OF_FREED_PAGES;
	return 1 + (t->filter ? kmt_filter_steps(t->filter) / STEPS_OF_TRIGGER : 0);
}

static void __publish(struct kmt_trigger_set __rcu **where, int kind,
		      struct kmt_trigger_set *set)
{
	if (kind != KMT_FOREIGN)
		kmt_mode_change(kind, KMT_MODE_TRIGGERS, set);
	rcu_assign_pointer(*where, set);
}

/**
 * struct change - a trigger to add to a set, or to remove from it
 * @where: the set
 * @kind: kind of its event
 * @t: the trigger
 * @set: to add: the new set; once it is published, the replaced one, or NULL. To remove: the
 *	set, if it is empty then; else NULL
 */
struct change {
	struct kmt_trigger_set __rcu **where;
	int kind;
	struct kmt_trigger *t;
	struct kmt_trigger_set *set;
};

static bool __is_full(const struct change *c)
{
	const struct kmt_trigger_set *set = __set_at(c->where);
	const struct kmt_trigger *t;
	unsigned int i, weight = weight_of(c->kind, c->t);

	for_each_trigger(t, i, set)
		weight += weight_of(c->kind, t);
	return weight > WEIGHT_MAX;
}

/* a trigger, and those that pass frees to its histogram */
#define CHANGES_MAX (KMT_EVENT_KINDS + 1)

static int __prepare(struct change *c)
{
	struct kmt_trigger_set *old = __set_at(c->where);
	struct kmt_trigger *t;
	unsigned int i;

	c->set = kmalloc(struct_size(c->set, trigger, (old ? old->count : 0) + 1),
			 GFP_KERNEL);
	if (!c->set)
		return -ENOMEM;
	c->set->count = 0;
	c->set->trigger[c->set->count++] = c->t;
	for_each_trigger(t, i, old)
		c->set->trigger[c->set->count++] = t;
	return 0;
}

static void __add_to_set(struct change *c)
{
	struct kmt_trigger_set *old = __set_at(c->where);

	__publish(c->where, c->kind, c->set);
	c->set = old;
}

/* This needs no memory, so that it cannot fail. */
static void __remove_from_set(struct change *c)
{
	struct kmt_trigger_set *set = __set_at(c->where);
	struct kmt_trigger *t;
	unsigned int i, left = 0;

	for_each_trigger(t, i, set) {
		if (t == c->t)
			WRITE_ONCE(set->trigger[i], NULL);
		else
			left++;
	}
	c->set = left ? NULL : set;
	if (!left)
		__publish(c->where, c->kind, NULL);
}

/* Count what is attached for the trigger: @n is 1 or -1. */
static void __count(int kind, const struct kmt_trigger *t, int n)
{
	if (kind != KMT_FOREIGN)
		__kmt_event_hold(kind, n);
	if (has_target(t->command))
		__kmt_event_hold(t->target, n);
	if (t->command == KMT_TRIGGER_TRACEON)
		__kmt_event_hold_all(n);
}

/* Undo __hold(), before __kmt_event_apply(). */
static void __let_go(int kind, const struct kmt_trigger *t)
{
	if (t->command == KMT_TRIGGER_SNAPSHOT)
		kmt_buffers_put_other();
	__count(kind, t, -1);
}

static void __let_go_all(const struct change *c, unsigned int n)
{
	for (; n--; c++)
		__let_go(c->kind, c->t);
}

/* Allocate the buffers that the trigger needs. */
static int __get_buffers(const struct kmt_trigger *t, bool *allocated)
{
	int err = 0;

	*allocated = false;
	if (t->command == KMT_TRIGGER_SNAPSHOT)
		err = kmt_buffers_get_other();
	if (t->command == KMT_TRIGGER_TRACEON)
		err = kmt_buffers_allocate(allocated);
	if (!err && t->command == KMT_TRIGGER_TRACEON)
		kmt_writer_prepare();
	return err;
}

/* Attach and allocate all that triggers need. The last one is that of a file. */
static int __hold(const struct change *c, unsigned int n)
{
	bool allocated;
	int err = __get_buffers(c[n - 1].t, &allocated);
	unsigned int i;

	if (err)
		return err;
	for (i = 0; i < n; i++)
		__count(c[i].kind, c[i].t, 1);
	err = __kmt_event_apply();
	if (!err)
		return 0;
	__let_go_all(c, n);
	__kmt_event_apply();
	if (allocated)
		__kmt_buffers_free();
	return err;
}

/* --- frees for histograms of live memory ----------------------------------- */

static bool watches(int kind, const struct kmt_trigger *t, unsigned int free)
{
	return t->spec && t->spec->live && (kmt_hist_frees(kind) & BIT(free));
}

static struct kmt_trigger *__find_free(unsigned int kind,
				       const struct kmt_hist *hist)
{
	struct kmt_trigger_set *set = __set_at(&kmt_modes[kind].triggers);
	struct kmt_trigger *t;
	unsigned int i;

	for_each_trigger(t, i, set)
		if (t->frees && t->hist == hist)
			return t;
	return NULL;
}

static struct kmt_trigger *make_free(struct kmt_hist *hist)
{
	struct kmt_trigger *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return NULL;
	t->command = KMT_TRIGGER_HIST;
	t->frees = true;
	t->hist = hist;
	return t;
}

/*
 * List the triggers for frees that belong to a trigger, and then the trigger itself.
 * @adding: make them, and the sets that will have them
 *
 * Return: their number. If memory runs out, the last one has no trigger or no set.
 */
static unsigned int __list(struct change *c, struct kmt_trigger_set __rcu **where,
			   int kind, struct kmt_trigger *t, bool adding)
{
	unsigned int free, n = 0;
	struct kmt_trigger *of_free;

	for (free = 0; free < KMT_EVENT_KINDS; free++) {
		if (!watches(kind, t, free))
			continue;
		of_free = adding ? make_free(t->hist) : __find_free(free, t->hist);
		if (!adding && !of_free)
			continue;
		c[n] = (struct change){ &kmt_modes[free].triggers, free, of_free };
		if (adding && (!of_free || __prepare(&c[n])))
			return n + 1;
		n++;
	}
	c[n] = (struct change){ where, kind, t };
	if (adding)
		__prepare(&c[n]);
	return n + 1;
}

/* --- adding and removing -------------------------------------------------- */

static int parse_hist(struct kmt_trigger *t, int kind,
		      const struct kmt_trigger_spec *spec)
{
	enum kmt_hist_error error;
	const char *wrong;

	t->spec = kmalloc(sizeof(*t->spec), GFP_KERNEL);
	if (!t->spec)
		return -ENOMEM;
	wrong = kmt_hist_parse(spec->hist, spec->hist_len, kind, t->spec,
			       &error);
	if (!wrong)
		return 0;
	kmt_errlog_add("hist trigger parse error", kmt_hist_text(error),
		       spec->hist, wrong - spec->hist + 1);
	return -EINVAL;
}

/* Make a trigger that is enough for same_type(). */
static struct kmt_trigger *make_like(int kind,
				     const struct kmt_trigger_spec *spec)
{
	struct kmt_trigger *t = kzalloc(sizeof(*t), GFP_KERNEL);
	int err = 0;

	if (!t)
		return ERR_PTR(-ENOMEM);
	t->command = spec->command;
	t->target = spec->target;
	if (spec->filter) {
		t->condition = kmemdup_nul(spec->filter, spec->filter_len,
					   GFP_KERNEL);
		err = t->condition ? 0 : -ENOMEM;
	}
	if (!err && t->command == KMT_TRIGGER_HIST)
		err = parse_hist(t, kind, spec);
	if (!err)
		return t;
	free_trigger(t);
	return ERR_PTR(err);
}

static struct kmt_trigger *make_trigger(int kind,
					const struct kmt_trigger_spec *spec)
{
	struct kmt_filter_error error = { KMT_FILTER_OK, 0 };
	struct kmt_trigger *t = make_like(kind, spec);
	struct kmt_filter *filter;

	if (IS_ERR(t))
		return t;
	t->limited = spec->count != KMT_TRIGGER_UNLIMITED;
	atomic64_set(&t->left, spec->count);
	if (!t->condition)
		return t;
	filter = kmt_filter_make(kind, t->condition, &error);
	if (!IS_ERR(filter)) {
		t->filter = filter;
		return t;
	}
	if (filter == ERR_PTR(-EINVAL))
		kmt_errlog_add("event filter parse error",
			       kmt_filter_text(error.code), t->condition,
			       error.column);
	free_trigger(t);
	return ERR_CAST(filter);
}

static int make_hist(int kind, struct kmt_trigger *t)
{
	if (!t->spec)
		return 0;
	t->hist = kmt_hist_make(t->spec, kind);
	return t->hist ? 0 : -ENOMEM;
}

/* What is written of a histogram that exists pauses, continues or clears it. */
static int __change_hist(struct kmt_hist *hist, const struct kmt_hist_spec *spec)
{
	if (!spec->pause && !spec->resume && !spec->clear)
		return -EEXIST;
	if (spec->clear)
		kmt_hist_clear(hist);
	if (spec->pause || spec->resume)
		WRITE_ONCE(hist->paused, spec->pause);
	return 0;
}

/* Return: -EAGAIN if the trigger can be added; 0 if nothing is left to do; an error. */
static int __check_present(struct kmt_trigger_set __rcu **where,
			   const struct kmt_trigger *t)
{
	struct kmt_trigger *present = __find(where, t);

	if (t->command == KMT_TRIGGER_HIST && present)
		return __change_hist(present->hist, t->spec);
	if (t->command == KMT_TRIGGER_HIST &&
	    (t->spec->resume || t->spec->clear))
		return -ENOENT;
	if (present)
		return -EEXIST;
	return -EAGAIN;
}

/* Free what __list() has made; the trigger of the file stays. */
static void unlist(struct change *c, unsigned int n, const struct kmt_trigger *t)
{
	for (; n--; c++) {
		if (c->t != t)
			free_trigger(c->t);
		kfree(c->set);
	}
}

/* Frees are seen before the first allocation is counted. */
static void __put_in_force(struct change *c, unsigned int n)
{
	unsigned int i;

	for (i = 0; i + 1 < n; i++)
		__add_to_set(&c[i]);
	if (i)
		synchronize_rcu();
	__add_to_set(&c[i]);
	if (c[i].set)
		synchronize_rcu();
	for (i = 0; i < n; i++)
		kfree(c[i].set);
}

static int __insert(struct kmt_trigger_set __rcu **where, int kind,
		    struct kmt_trigger *t)
{
	struct change c[CHANGES_MAX];
	unsigned int n = __list(c, where, kind, t, true);
	int err = c[n - 1].set ? 0 : -ENOMEM;
	unsigned int i;

	for (i = 0; i < n && !err; i++)
		err = __is_full(&c[i]) ? -ENOSPC : 0;
	err = err ?: __hold(c, n);
	if (err)
		unlist(c, n, t);
	else
		__put_in_force(c, n);
	return err;
}

int __kmt_triggers_add(struct kmt_trigger_set __rcu **where, int kind,
		       const struct kmt_trigger_spec *spec)
{
	struct kmt_trigger *t = make_trigger(kind, spec);
	int err;

	if (IS_ERR(t))
		return PTR_ERR(t);
	err = __check_present(where, t);
	if (err == -EAGAIN)
		err = make_hist(kind, t) ?: __insert(where, kind, t);
	else if (!err)
		err = 1; /* the histogram that is present was changed */
	if (err)
		free_trigger(t);
	return min(err, 0);
}

int __kmt_triggers_remove(struct kmt_trigger_set __rcu **where, int kind,
			  const struct kmt_trigger_spec *spec)
{
	struct kmt_trigger *like = make_like(kind, spec), *t;
	struct change c[CHANGES_MAX];
	unsigned int i, n;

	if (IS_ERR(like))
		return PTR_ERR(like);
	t = __find(where, like);
	free_trigger(like);
	if (!t)
		return 0; /* as in event tracing */
	n = __list(c, where, kind, t, false);
	for (i = 0; i < n; i++)
		__remove_from_set(&c[i]);
	synchronize_rcu();
	__let_go_all(c, n);
	for (i = 0; i < n; i++) {
		kfree(c[i].set);
		free_trigger(c[i].t);
	}
	return __kmt_event_apply();
}

struct kmt_trigger_set *
__kmt_triggers_withdraw(struct kmt_trigger_set __rcu **where, int kind)
{
	struct kmt_trigger_set *set = __set_at(where);

	__publish(where, kind, NULL);
	return set;
}

void __kmt_triggers_free(struct kmt_trigger_set *set, int kind)
{
	struct kmt_trigger *t;
	unsigned int i;

	if (!set)
		return;
	for_each_trigger(t, i, set) {
		__let_go(kind, t);
		free_trigger(t);
	}
	kfree(set);
}

void kmt_triggers_log(int err, const char *text)
{
	if (err == -EEXIST)
		kmt_errlog_add("event trigger", "A trigger of this type exists; remove it first",
			       text, 0);
	else if (err == -ENOSPC)
		kmt_errlog_add("event trigger", "The event, or the one that frees its memory, has as many triggers as it may have; remove one first",
			       text, 0);
	else if (err == -ENOENT)
		kmt_errlog_add("event trigger", "There is no such histogram to clear or to continue",
			       text, 0);
	else if (err == -ENOMEM)
		kmt_errlog_add("event trigger", "Not enough memory for the trigger, or for buffers that it needs",
			       text, 0);
}

/* --- listing -------------------------------------------------------------- */

static void show_one(const struct kmt_trigger *t, struct seq_file *m)
{
	if (t->hist) {
		kmt_histfile_show_trigger(t->hist, t->condition, m);
		seq_putc(m, '\n');
		return;
	}
	seq_puts(m, kmt_trigger_names[t->command]);
	if (has_target(t->command))
		seq_printf(m, ":%s:%s", kmt_kind_names[t->target].system,
			   kmt_kind_names[t->target].event);
	if (t->limited)
		seq_printf(m, ":count=%lld", atomic64_read(&t->left));
	else
		seq_puts(m, ":unlimited");
	if (t->condition)
		seq_printf(m, " if %s", t->condition);
	seq_putc(m, '\n');
}

void __kmt_triggers_show(struct kmt_trigger_set __rcu **where,
			 const char *event, struct seq_file *m)
{
	const struct kmt_trigger_set *set = __set_at(where);
	const struct kmt_trigger *t;
	unsigned int i;

	for_each_trigger(t, i, set) {
		if (t->frees)
			continue;
		if (event)
			seq_printf(m, "%s:", event);
		show_one(t, m);
	}
}

bool __kmt_triggers_are_none(struct kmt_trigger_set __rcu **where)
{
	const struct kmt_trigger_set *set = __set_at(where);
	const struct kmt_trigger *t;
	unsigned int i;

	for_each_trigger(t, i, set)
		if (!t->frees)
			return false;
	return true;
}

int __kmt_triggers_show_hists(struct kmt_trigger_set __rcu **where,
			      struct seq_file *m)
{
	const struct kmt_trigger_set *set = __set_at(where);
	unsigned int i = set ? set->count : 0, n = 0;
	const struct kmt_trigger *t;
	int err = 0;

	/* as in event tracing, the oldest first */
	while (i-- && !err) {
		t = set->trigger[i];
		if (!t || !t->spec)
			continue;
		if (n++)
			seq_puts(m, "\n\n");
		err = kmt_histfile_show(t->hist, t->condition, m);
	}
	if (!n)
		seq_puts(m, "# no histogram; to make one, write hist:keys=FIELD to the file trigger\n");
	return err;
}
