// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "export/eventrows.h"
#include "export/formats.h"
#include "report/threads.h"

/* numbers of rows begin at 1 */
#define ROW(number) ((uint64_t)(number) + 1)

/* the features of events that columns need */
#define NEED (KMT_FEATURES_EXTRA & ~KMT_GROUP_SIZE)

void eventrows_init(struct eventrows *t, struct database *d)
{
	*t = (struct eventrows){ .group = UINT32_MAX };
	insert_begin(&t->events, d, "events",
		     "id,kind_id,seq,time,cpu,call_site_id,ptr,bytes_req,bytes_alloc,gfp_flags,node,cache_id,page_order,migratetype,thread_id,context,preempt_count,cgroup,stack_id,site_id,allocation_id");
	insert_begin(&t->losses, d, "losses", "event_id,count");
	insert_begin(&t->stack_rows, d, "stacks", "id,level,code_id");
	pairs_init(&t->code);
	stacks_init(&t->stacks);
	pairs_init(&t->threads);
	words_init(&t->comms);
	pairs_init(&t->caches);
	pairs_init(&t->gfp);
	births_init(&t->births);
}

void eventrows_exit(struct eventrows *t)
{
	insert_end(&t->events);
	insert_end(&t->losses);
	insert_end(&t->stack_rows);
	pairs_exit(&t->code);
	stacks_exit(&t->stacks);
	pairs_exit(&t->threads);
	words_exit(&t->comms);
	pairs_exit(&t->caches);
	pairs_exit(&t->gfp);
	births_exit(&t->births);
}

bool eventrows_wanted(const struct eventrows *t, enum site_kind class)
{
	return export_has_class(t->classes, class);
}

/* --- the memory of each event ----------------------------------------------- */

static void note_alloc(void *arg, const struct analysis_change *c)
{
	struct eventrows *t = arg;

	t->group = c->group;
	births_add(&t->births, c, t->count + 1);
}

/* A free without a record is found by the next allocation, and is not that event. */
static void note_free(void *arg, const struct analysis_change *c)
{
	struct eventrows *t = arg;
	uint64_t birth = 0;

	births_take(&t->births, c, &birth);
	if (c->implicit)
		return;
	t->group = c->group;
	if (birth)
		t->birth = birth;
}

void eventrows_watch(struct eventrows *t, struct report *r)
{
	t->watch = (struct analysis_watch){ .alloc = note_alloc,
					    .free = note_free,
					    .arg = t };
	analysis_watch(&r->a, &t->watch);
}

/* An allocation that failed changes no live memory. */
static uint32_t group_of(struct eventrows *t, const struct merged *record)
{
	const struct kmt_event *ev = &record->ev;
	struct analysis *a = &t->r->a;
	uint16_t place = 0;

	if (ev->event_id != KMEMTRACE_EVENT_ALLOC || t->group != UINT32_MAX)
		return t->group;
	if (a->names)
		place = names_place(a->names, ev->call_site, kmt_event_number(ev));
	return group_get(&a->groups, analysis_key(a, a->by, ev, record->cpu),
			 ev->type_id, place);
}

/* --- numbers of rows in other tables ---------------------------------------- */

static uint32_t number_code(struct eventrows *t, uint64_t address, uint64_t seq)
{
	return pairs_get(&t->code, address, names_place(t->r->in.names, address, seq));
}

static void insert_code(struct eventrows *t, const struct kmt_event *ev)
{
	insert_number(&t->events,
		      ROW(number_code(t, ev->call_site, kmt_event_number(ev))));
}

/* As insert_number(), with the number of a key that may be new. */
static void insert_key(struct insert *i, struct pairs *keys, uint64_t a,
		       uint64_t b)
{
	insert_number(i, ROW(pairs_get(keys, a, b)));
}

static void insert_thread(struct eventrows *t, const struct kmt_extra *x)
{
	char comm[THREADS_COMM];
	uint32_t name = words_get(&t->comms, threads_comm(x, comm));

	insert_key(&t->events, &t->threads,
		   (uint64_t)(uint32_t)x->pid << 32 | (uint32_t)x->tgid, name);
}

static void add_stack_rows(struct eventrows *t, uint32_t number)
{
	size_t depth, i;
	const uint64_t *code = stacks_at(&t->stacks, number, &depth);

	for (i = 0; i < depth; i++) {
		insert_number(&t->stack_rows, number);
		insert_number(&t->stack_rows, i);
		insert_number(&t->stack_rows, ROW(code[i]));
		insert_row(&t->stack_rows);
	}
}

static void insert_stack(struct eventrows *t, const struct kmt_extra *x,
			 uint64_t seq)
{
	size_t before = t->stacks.count, i;
	uint64_t code[KMT_STACK_MAX];
	uint32_t number;

	for (i = 0; i < x->depth; i++)
		code[i] = number_code(t, x->stack[i], seq);
	number = stacks_get(&t->stacks, code, x->depth);
	if (t->stacks.count > before)
		add_stack_rows(t, number);
	insert_number(&t->events, number);
}

/* --- events ------------------------------------------------------------------ */

static void insert_nulls(struct insert *i, int count)
{
	while (count--)
		insert_null(i);
}

static void insert_known(struct insert *i, bool is_known, uint64_t n)
{
	if (is_known)
		insert_number(i, n);
	else
		insert_null(i);
}

static void insert_sizes(struct eventrows *t, const struct kmt_event *ev)
{
	struct insert *i = &t->events;

	if (ev->event_id != KMEMTRACE_EVENT_ALLOC) {
		insert_nulls(i, 4);
		return;
	}
	insert_number(i, ev->bytes_req);
	insert_number(i, ev->bytes_alloc);
	insert_number(i, ev->gfp_flags);
	insert_signed(i, ev->node);
	pairs_get(&t->gfp, ev->gfp_flags, 0);
}

static void insert_cache(struct eventrows *t, const struct kmt_event *ev)
{
	struct insert *i = &t->events;

	insert_known(i, ev->features & KMT_FEATURE_CACHE, ev->cache);
	if (ev->features & KMT_FEATURE_CACHE)
		pairs_get(&t->caches, ev->cache, 0);
}

static void insert_page(struct eventrows *t, const struct kmt_event *ev)
{
	if (!(ev->features & KMT_FEATURE_PAGE)) {
		insert_nulls(&t->events, 2);
		return;
	}
	insert_number(&t->events, ev->order);
	insert_signed(&t->events, ev->migratetype);
}

static void insert_task(struct eventrows *t, const struct kmt_extra *x)
{
	if (!(x->have & KMT_FEATURE_TASK)) {
		insert_nulls(&t->events, 3);
		return;
	}
	insert_thread(t, x);
	insert_number(&t->events, x->context);
	insert_number(&t->events, x->preempt_count);
}

static void insert_context(struct eventrows *t, const struct kmt_event *ev,
			   const struct kmt_extra *x)
{
	insert_task(t, x);
	insert_known(&t->events, x->have & KMT_FEATURE_CGROUP, x->cgroup);
	if (x->have & KMT_FEATURE_STACK)
		insert_stack(t, x, kmt_event_number(ev));
	else
		insert_null(&t->events);
}

static void insert_memory(struct eventrows *t, const struct merged *record)
{
	uint32_t group = group_of(t, record);

	insert_known(&t->events, group != UINT32_MAX, ROW(group));
	insert_known(&t->events, t->birth, t->birth);
}

static void insert_event(struct eventrows *t, const struct merged *record)
{
	struct kmt_event ev = record->ev;
	struct insert *i = &t->events;
	struct extra e;

	extra_init(&e, &t->r->in);
	extra_take(&e, record);
	extra_fetch(&e.x, &ev, NEED & ~e.x.have);
	insert_number(i, t->count + 1);
	insert_number(i, ROW(kmt_event_kind(&ev)));
	insert_signed(i, (int32_t)ev.seq);
	insert_known(i, ev.features & KMT_FEATURE_TIME, ev.time);
	insert_number(i, record->cpu);
	insert_code(t, &ev);
	insert_hex(i, ev.ptr);
	insert_sizes(t, &ev);
	insert_cache(t, &ev);
	insert_page(t, &ev);
	insert_context(t, &ev, &e.x);
	insert_memory(t, record);
}

static void add_losses(struct eventrows *t)
{
	if (t->lost && input_gaps_are_losses(&t->r->in)) {
		insert_number(&t->losses, t->count + 1);
		insert_number(&t->losses, t->lost);
		insert_row(&t->losses);
	}
	t->lost = 0;
}

bool eventrows_add(struct eventrows *t, const struct merged *record,
		   bool matches)
{
	bool ok = true;

	t->lost += record->lost;
	t->known += record->lost;
	if (matches &&
	    eventrows_wanted(t, analysis_kind_of(record->ev.type_id))) {
		add_losses(t);
		insert_event(t, record);
		ok = insert_row(&t->events);
		t->count++;
	}
	t->group = UINT32_MAX;
	t->birth = 0;
	return ok;
}

/* --- names ------------------------------------------------------------------- */

static void write_code(struct eventrows *t, struct database *d)
{
	char name[MEMO_TEXT_MAX];
	struct insert i;
	size_t n;

	insert_begin(&i, d, "code", "id,address,name");
	for (n = 0; n < t->code.count; n++) {
		const struct pair *p = &t->code.pair[n];

		keys_symbol(&t->r->keys, p->a, p->b, name, sizeof(name));
		insert_number(&i, ROW(n));
		insert_hex(&i, p->a);
		insert_text(&i, name);
		insert_row(&i);
	}
	insert_end(&i);
}

static void write_threads(struct eventrows *t, struct database *d)
{
	struct insert i;
	size_t n;

	insert_begin(&i, d, "threads", "id,pid,tgid,comm");
	for (n = 0; n < t->threads.count; n++) {
		const struct pair *p = &t->threads.pair[n];

		insert_number(&i, ROW(n));
		insert_signed(&i, (int32_t)(p->a >> 32));
		insert_signed(&i, (int32_t)p->a);
		insert_text(&i, t->comms.word[p->b]);
		insert_row(&i);
	}
	insert_end(&i);
}

static void write_caches(struct eventrows *t, struct database *d)
{
	char name[MEMO_TEXT_MAX];
	struct insert i;
	size_t n;

	insert_begin(&i, d, "caches", "id,name");
	for (n = 0; n < t->caches.count; n++) {
		names_cache(t->r->in.names, t->caches.pair[n].a, name,
			    sizeof(name));
		insert_number(&i, t->caches.pair[n].a);
		insert_text(&i, name);
		insert_row(&i);
	}
	insert_end(&i);
}

static void write_gfp(struct eventrows *t, struct database *d)
{
	char names[MEMO_TEXT_MAX];
	struct insert i;
	size_t n;

	insert_begin(&i, d, "gfp", "flags,names");
	for (n = 0; n < t->gfp.count; n++) {
		names_gfp(t->r->in.names, t->gfp.pair[n].a, names,
			  sizeof(names));
		table_clean(names);
		insert_number(&i, t->gfp.pair[n].a);
		insert_text(&i, names);
		insert_row(&i);
	}
	insert_end(&i);
}

static void write_kinds(struct database *d)
{
	struct insert i;
	unsigned int kind;
	char name[64];

	insert_begin(&i, d, "kinds", "id,event,kind,class,is_free");
	for (kind = 0; kind < KMT_EVENT_KINDS; kind++) {
		snprintf(name, sizeof(name), "%s:%s",
			 kmt_kind_names[kind].system,
			 kmt_kind_names[kind].event);
		insert_number(&i, ROW(kind));
		insert_text(&i, name);
		insert_text(&i, analysis_types[kind / 2]);
		insert_text(&i, site_total_names[analysis_kind_of(kind / 2)]);
		insert_number(&i, kind % 2);
		insert_row(&i);
	}
	insert_end(&i);
}

bool eventrows_finish(struct eventrows *t, struct database *d)
{
	t->lost += merge_stats(t->r->in.merge)->missing - t->known;
	add_losses(t);
	write_code(t, d);
	write_threads(t, d);
	write_caches(t, d);
	write_gfp(t, d);
	write_kinds(d);
	return !d->failed;
}
