/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Holds lib's filters against the tables, and against what must hold of any
 * filter. In both worlds: it allocates nothing and prints nothing.
 */
#ifndef FILTER_CHECK_H
#define FILTER_CHECK_H

#include "filter_refused.h"
#include "kmt_filter_term.h"

/* fv_check_vector() and fv_check_refused() want this much memory */
#define FV_ROOM		16384
/* terms that a vector has at most */
#define FV_MAX_TERMS	16

/**
 * fv_find_function() - kmt_filter_env.function: those of fv_functions
 * @arg: not used
 * @name: of a function, or NULL
 * @len: bytes in it
 * @address: in a function, if there is no name
 * @start: set to where it starts
 * @size: set to its size
 *
 * Return: whether there is such a function.
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

/** fv_kind() - the kind of an event */
static inline unsigned int fv_kind(const struct fv_record *r)
{
	return KMT_EVENT_KIND(r->ev.event_id, r->ev.type_id);
}

/** fv_env() - what filters of events like this one are compiled for */
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
 * struct fv_event - an event while a filter looks at it
 * @x: the rest of it; first, so that fv_fetch() finds the others
 * @ev: the event
 * @lazy: groups that fv_fetch() brings
 * @asked: groups that it was asked for
 * @again: of these, groups that it was asked for twice
 */
struct fv_event {
	struct kmt_extra x;
	struct kmt_event ev;
	u32 lazy;
	u32 asked;
	u32 again;
};

/** fv_event_set() - make an event anew */
static inline void fv_event_set(struct fv_event *e, const struct fv_record *r)
{
	e->x = r->x;
	e->ev = r->ev;
	e->lazy = r->lazy;
	e->asked = 0;
	e->again = 0;
}

/** fv_fetch() - a kmt_filter_fetch, of a struct fv_event */
static inline void fv_fetch(struct kmt_extra *x, struct kmt_event *ev, u32 need)
{
	struct fv_event *e = (struct fv_event *)x;

	(void)ev;
	e->again |= e->asked & need;
	e->asked |= need;
	x->have |= e->lazy & need;
}

/**
 * fv_check_shape() - what must hold of every compiled filter
 * @f: the filter
 * @len: bytes in its text
 *
 * Return: what is wrong with it, or NULL.
 */
static inline const char *fv_check_shape(const struct kmt_filter *f, size_t len)
{
	u32 i, r, data, need = 0;

	if (f->size > kmt_filter_room(len))
		return "takes more than its room";
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
	return need == f->need ? NULL : "does not say what it needs";
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

/* Return: the groups that a match must have asked for. */
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
 * @e: to work in
 *
 * Return: what is wrong, or NULL.
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
		return "looks at other terms";
	if (e->asked != fv_groups_missing(f, visited, r->x.have))
		return "asks for other groups";
	if (e->again)
		return "asks twice";
	fv_event_set(e, r);
	if (kmt_filter_match(f, &e->ev, &e->x, fv_fetch) != v->match)
		return "depends on being watched";
	return NULL;
}

/**
 * fv_check_refused() - compile one of fv_refused
 * @v: the text
 * @f: FV_ROOM bytes, aligned as for a u64
 * @error: set to what kmt_filter_compile() says
 *
 * Return: what is wrong, or NULL.
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
