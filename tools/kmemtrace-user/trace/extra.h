/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that a recording knows of a record, found out as far as it is wanted.
 */
#ifndef EXTRA_H
#define EXTRA_H

#include "kmt_event.h"
#include "trace/input.h"

/* the groups of fields that a recording can hold */
#define EXTRA_GROUPS                                                           \
	(KMT_FEATURES_ALL | KMT_GROUP_ALLOC | KMT_GROUP_SEQ | KMT_GROUP_CPU |  \
	 KMT_GROUP_CACHE_NAME | KMT_GROUP_SIZE)

/**
 * struct extra - what there is to know of a record besides its event
 * @x: what is known so far; first, so that extra_fetch() gets at the rest
 * @lacks: groups that were wanted and that the record does not have
 * @names: of the recording
 */
struct extra {
	struct kmt_extra x;
	u32 lacks;
	const struct names *names;
};

/** extra_init() - begin to read records of a recording */
void extra_init(struct extra *e, const struct input *in);

/**
 * extra_take() - begin with a record: what is known for nothing
 * @e: set to it
 * @record: from input_next()
 */
void extra_take(struct extra *e, const struct merged *record);

/**
 * extra_fetch() - find out more; a kmt_filter_fetch
 * @x: of a struct extra after extra_take(); x->have gets what is known
 * @ev: from input_next(), its record still there
 * @need: groups that are wanted
 */
void extra_fetch(struct kmt_extra *x, struct kmt_event *ev, u32 need);

#endif /* EXTRA_H */
