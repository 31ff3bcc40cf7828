/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Live memory by age, for each row of the table of sites. The figures of a row add up to
 * what is live of it.
 */
#ifndef AGES_HTML_H
#define AGES_HTML_H

#include <linux/kmemtrace_ages.h>

#include "account/tags.h"
#include "report/report.h"

struct json_t;

/**
 * struct ages - live memory of a recording, by group and age
 * @life: the time of each allocation
 * @a: the analysis; NULL: live memory is not known
 * @group: for each group, the buckets of kmemtrace_ages.h, in ticks of AGES_TICK_NS
 * @nr_groups: number of @group
 */
struct ages {
	struct lifetimes life;
	const struct analysis *a;
	struct ages_group {
		struct kmemtrace_ages_sum age[KMEMTRACE_AGES_BUCKETS];
	} *group;
	size_t nr_groups;
};

/** ages_begin() - start to watch the analysis of a report */
void ages_begin(struct ages *ages, struct report *r);

/** ages_finish() - count what is live, after report_read() */
void ages_finish(struct ages *ages);

/** ages_exit() - free the memory; a struct of zeros is empty */
void ages_exit(struct ages *ages);

/**
 * ages_of_recording() - the ages at the end of a recording, for the rows of a table
 * @ages: after ages_finish()
 * @r: the report, after report_sort()
 *
 * Return: an object.
 */
struct json_t *ages_of_recording(const struct ages *ages, const struct report *r);

/**
 * ages_of_module() - the ages in the module's file ages, for the rows of a table
 * @tags: the rows of @l
 * @l: the table, which is sorted
 *
 * If the file cannot be read, the object has the reason.
 *
 * Return: an object.
 */
struct json_t *ages_of_module(const struct tags *tags, const struct listing *l);

#endif /* AGES_HTML_H */
