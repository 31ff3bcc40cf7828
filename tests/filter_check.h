/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares the filters of lib/ with the tables, and checks the rules for all compiled
 * filters. For user space and the kernel: it allocates nothing and prints nothing.
 */
#ifndef FILTER_CHECK_H
#define FILTER_CHECK_H

#include "filter_refused.h"
#include "kmt_filter_term.h"

/* bytes of the buffers of fv_check_vector() and fv_check_refused() */
#define FV_ROOM		16384
/* largest number of terms of a vector */
#define FV_MAX_TERMS	16

/**
 * fv_find_function() - find a function in fv_functions, for kmt_filter_env.function
 * @arg: not used
 * @name: name of the function, or NULL
 * @len: bytes in @name
 * @address: if @name is NULL, an address in the function
 * @start: set to the address of its start
 * @size: set to its size
 *
 * Return: true if the function was found.
 */
static inline bool fv_find_function(void *arg, const char *name, size_t len,
				    u64 address, u64 *start, u64 *size)
{
	const struct fv_function *f;

	(void)arg;
	for (f = fv_functions; f->name; f++) {
		if (name ? strlen(f->name) == len && !memcmp(f->name, name, len) :
			   address - f->start < f->size) {
			*start = f->start;
			*size = f->size;
			return true;
		}
	}
	return false;
}

/** fv_kind() - get the kind of an event */
static inline unsigned int fv_kind(const struct fv_record *r)
{
	return KMT_EVENT_KIND(r->ev.event_id, r->ev.type_id);
}

/** fv_env() - get the environment to compile filters of this kind of event for */
static inline struct kmt_filter_env fv_env(const struct fv_record *r)
{
	return (struct kmt_filter_env){
		.groups = kmt_kind_groups(fv_kind(r)) |
			  (r->x.have & KMT_GROUP_SEQ),
		.nr_cpus = FV_NR_CPUS,
		.function = fv_find_function,
	};
}

/**
 * struct fv_event - an event that is matched with a filter
 * @x: its other fields; the first member, so that fv_fetch() finds the structure
 * @ev: the event
 * @lazy: groups that fv_fetch() makes known
 * @asked: groups that fv_fetch() was called for
 * @again: groups that fv_fetch() was called for more than once
 */
struct fv_event {
	struct kmt_extra x;
	struct kmt_event ev;
	u32 lazy;
	u32 asked;
	u32 again;
};

/** fv_event_set() - initialize an event */
static inline void fv_event_set(struct fv_event *e, const struct fv_record *r)
{
	e->x = r->x;
	e->ev = r->ev;
	e->lazy = r->lazy;
	e->asked = 0;
	e->again = 0;
}

/** fv_fetch() - the kmt_filter_fetch of a struct fv_event */
static inline void fv_fetch(struct kmt_extra *x, struct kmt_event *ev, u32 need)
{
	struct fv_event *e = (struct fv_event *)x;

	(void)ev;
	e->again |= e->asked & need;
	e->asked |= need;
	x->have |= e->lazy & need;
}

/**
 * fv_check_shape() - check the rules for all compiled filters
 * @f: the filter
 * @len: bytes in its text
 *
 * Return: the violation, or NULL.
 */
static inline const char *fv_check_shape(const struct kmt_filter *f, size_t len)
{
	u32 i, r, data, need = 0;

	if (f->size > kmt_filter_room(len))
		return "is larger than kmt_filter_room()";
	if (!f->nr_terms)
		return "has no terms";
	data = sizeof(*f) + f->nr_terms * sizeof(f->term[0]);
	if (f->size < data)
		return "is smaller than its terms";
	for (i = 0; i < f->nr_terms; i++) {
		const struct kmt_filter_term *t = &f->term[i];

		for (r = 0; r < 2; r++) {
			if (!t->next[r] || t->next[r] % sizeof(*t))
				return "jumps back";
			if (i + t->next[r] / sizeof(*t) > f->nr_terms + 1)
				return "jumps out";
		}
		if (t->op != KMT_OP_NUMBER && t->op != KMT_OP_STACK &&
		    t->data >= f->size - data)
			return "has an operand outside";
		need |= t->need & ~KMT_GROUP_NONE;
	}
	if (f->end != f->nr_terms * sizeof(f->term[0]) ||
	    f->term[i - 1].next[0] + f->term[i - 1].next[1] !=
		    3 * sizeof(f->term[0]))
		return "does not end at the end";
	return need == f->need ? NULL : "has another need than its terms";
}

static inline bool fv_visited_right(const u8 *visited, u32 nr_terms,
				    const char *expected)
{
	u32 i;

	for (i = 0; i < nr_terms; i++)
		if (expected[i] != '-' && (expected[i] == '1') != visited[i])
			return false;
	return true;
}

/* Return: the groups that a match must have fetched. */
static inline u32 fv_groups_missing(const struct kmt_filter *f,
				    const u8 *visited, u32 have)
{
	u32 i, need = 0;

	for (i = 0; i < f->nr_terms; i++)
		if (visited[i])
			need |= f->term[i].need;
	return need & ~have & ~KMT_GROUP_NONE;
}

/**
 * fv_check_vector() - compile and match one of fv_vectors
 * @v: the vector
 * @f: FV_ROOM bytes, aligned as for a u64
 * @e: memory for the event
 *
 * Return: the error, or NULL.
 */
static inline const char *fv_check_vector(const struct fv_vector *v,
					  struct kmt_filter *f,
					  struct fv_event *e)
{
	const struct fv_record *r = &fv_records[v->record];
	struct kmt_filter_env env = fv_env(r);
	struct kmt_filter_error error;
	u8 visited[FV_MAX_TERMS] = {};
	const char *wrong;

	if (kmt_filter_room(strlen(v->text)) > FV_ROOM)
		return "is too long for this test";
	if (!kmt_filter_compile(f, v->text, &env, &error))
		return kmt_filter_text(error.code);
	wrong = fv_check_shape(f, strlen(v->text));
	if (wrong)
		return wrong;
	if (f->nr_terms != strlen(v->visited) || f->nr_terms > FV_MAX_TERMS)
		return "has another number of terms";

	fv_event_set(e, r);
	if (kmt_filter_match_noting(f, &e->ev, &e->x, fv_fetch, visited) !=
	    v->match)
		return v->match ? "does not match" : "matches";
	if (!fv_visited_right(visited, f->nr_terms, v->visited))
		return "evaluates other terms";
	if (e->asked != fv_groups_missing(f, visited, r->x.have))
		return "fetches other groups";
	if (e->again)
		return "fetches a group twice";
	fv_event_set(e, r);
	if (kmt_filter_match(f, &e->ev, &e->x, fv_fetch) != v->match)
		return "has another result without kmt_filter_match_noting()";
	return NULL;
}

/**
 * fv_check_refused() - compile one of fv_refused
 * @v: the text
 * @f: FV_ROOM bytes, aligned as for a u64
 * @error: set to the error of kmt_filter_compile()
 *
 * Return: the difference, or NULL.
 */
static inline const char *fv_check_refused(const struct fv_refused *v,
					   struct kmt_filter *f,
					   struct kmt_filter_error *error)
{
	struct kmt_filter_env env = fv_env(&fv_records[v->record]);

	if (kmt_filter_room(strlen(v->text)) > FV_ROOM)
		return "is too long for this test";
	if (kmt_filter_compile(f, v->text, &env, error))
		return "is a filter";
	if (error->code != v->code)
		return "is refused for another reason";
	if (error->column != v->column)
		return "has its caret elsewhere";
	return NULL;
}

#endif /* FILTER_CHECK_H */
