/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All values of a record in a recording, fetched on demand.
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
 * struct extra - values of a record that are not in its event
 * @x: values so far; must be the first member, because extra_fetch() gets only @x
 * @lacks: groups that were requested, but that the record does not have
 * @names: names of the recording
 */
struct extra {
	struct kmt_extra x;
	u32 lacks;
	const struct names *names;
};

/** extra_init() - initialise for the records of a recording */
void extra_init(struct extra *e, const struct input *in);

/**
 * extra_take() - start with a record: set the values that need no decoding
 * @e: set to these values
 * @record: from input_next()
 */
void extra_take(struct extra *e, const struct merged *record);

/**
 * extra_fetch() - get further values; a kmt_filter_fetch
 * @x: member of a struct extra after extra_take(); x->have gets the new groups
 * @ev: from input_next(); its record must still be in memory
 * @need: groups to get
 */
void extra_fetch(struct kmt_extra *x, struct kmt_event *ev, u32 need);

#endif /* EXTRA_H */
