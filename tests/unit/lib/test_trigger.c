// SPDX-License-Identifier: GPL-2.0-only
/* Triggers whose text begins with the name of the event, and filters of such events. */
#include <stdio.h>

#include "kmt_filter.h"
#include "kmt_trigger.h"
#include "unit.h"

static struct kmt_trigger_event event;
static struct kmt_trigger_spec spec;

static bool parse(const char *text)
{
	memset(&event, 0xa5, sizeof(event));
	memset(&spec, 0xa5, sizeof(spec));
	return kmt_trigger_parse_named(text, &event, &spec);
}

static void check_event(const char *name, size_t system, int kind)
{
	ck_assert_uint_eq(event.len, strlen(name));
	ck_assert_int_eq(strncmp(event.name, name, event.len), 0);
	ck_assert_uint_eq(event.system, system);
	ck_assert_int_eq(event.kind, kind);
}

START_TEST(the_event_precedes_the_command)
{
	ck_assert(parse("syscalls:sys_enter_read:enable_event:kmem:kmalloc:3 if common_pid == 1234"));
	check_event("syscalls:sys_enter_read", 8, KMT_FOREIGN);
	ck_assert(!spec.remove);
	ck_assert_int_eq(spec.command, KMT_TRIGGER_ENABLE_EVENT);
	ck_assert_uint_eq(spec.target, kmt_kind_find("kmalloc", 7));
	ck_assert_int_eq(spec.count, 3);
	ck_assert_str_eq(spec.filter, "common_pid == 1234");

	ck_assert(parse(" block:block_unplug:snapshot"));
	check_event("block:block_unplug", 5, KMT_FOREIGN);
	ck_assert_int_eq(spec.command, KMT_TRIGGER_SNAPSHOT);
	ck_assert_int_eq(spec.count, KMT_TRIGGER_UNLIMITED);
	ck_assert_ptr_null(spec.filter);
}
END_TEST

START_TEST(a_listed_line_removes_its_trigger)
{
	ck_assert(parse("!irq:softirq_entry:traceoff:count=2 if cpu == 1"));
	check_event("irq:softirq_entry", 3, KMT_FOREIGN);
	ck_assert(spec.remove);
	ck_assert_int_eq(spec.command, KMT_TRIGGER_TRACEOFF);
	ck_assert(parse("!irq:softirq_entry:disable_event:kmem:kfree:unlimited"));
	ck_assert_int_eq(spec.command, KMT_TRIGGER_DISABLE_EVENT);
}
END_TEST

static void check_hist(const char *hist, const char *filter)
{
	ck_assert_int_eq(spec.command, KMT_TRIGGER_HIST);
	ck_assert_uint_eq(spec.hist_len, strlen(hist));
	ck_assert_int_eq(strncmp(spec.hist, hist, spec.hist_len), 0);
	ck_assert(!spec.filter == !filter);
	if (!filter)
		return;
	ck_assert_uint_eq(spec.filter_len, strlen(filter));
	ck_assert_int_eq(strncmp(spec.filter, filter, spec.filter_len), 0);
}

START_TEST(the_state_of_a_histogram_is_not_a_part_of_it)
{
	ck_assert(parse("kmem:kfree:hist:keys=pid:size=7"));
	check_hist("keys=pid:size=7", NULL);
	ck_assert(parse("kmem:kfree:hist:keys=pid if cpu == 1"));
	check_hist("keys=pid", "cpu == 1");
	ck_assert(parse("!kmem:kfree:hist:keys=pid [active]"));
	check_hist("keys=pid", NULL);
	ck_assert(spec.remove);
	ck_assert(parse("!kmem:kfree:hist:keys=pid if cpu == 1 [paused]"));
	check_hist("keys=pid", "cpu == 1");
}
END_TEST

START_TEST(events_of_kmemtrace_have_their_kind)
{
	ck_assert(parse("kmem:kfree:stacktrace:5"));
	check_event("kmem:kfree", 4, kmt_kind_find("kmem:kfree", 10));
	ck_assert_int_eq(spec.command, KMT_TRIGGER_STACKTRACE);
	/* the system belongs to the name */
	ck_assert(parse("foo:kfree:traceon"));
	check_event("foo:kfree", 3, KMT_FOREIGN);
}
END_TEST

static void check_refused(const char *text, enum kmt_trigger_error error,
			  unsigned int column)
{
	ck_assert_msg(!parse(text), "%s", text);
	ck_assert_msg(spec.error == error, "%s: %s", text,
		      kmt_trigger_text(spec.error));
	ck_assert_msg(spec.column == column, "%s: column %u", text, spec.column);
}

START_TEST(errors_are_pointed_at)
{
	check_refused("", KMT_TRIGGER_NO_NAME, 1);
	check_refused("traceon", KMT_TRIGGER_NO_NAME, 1);
	check_refused("  sched:sched_switch", KMT_TRIGGER_NO_NAME, 3);
	check_refused("!sched:sched_switch traceon", KMT_TRIGGER_NO_NAME, 2);
	check_refused(":sched_switch:traceon", KMT_TRIGGER_NO_NAME, 1);
	check_refused("sched::traceon", KMT_TRIGGER_NO_NAME, 1);
	check_refused("sched:sched_switch:", KMT_TRIGGER_NO_COMMAND, 20);
	check_refused("sched:sched_switch:hist:keys=pid",
		      KMT_TRIGGER_FOREIGN_HIST, 20);
	check_refused("kmem:kfree:hist", KMT_TRIGGER_NO_HIST, 16);
	check_refused("kmem:kfree:hist: keys=pid", KMT_TRIGGER_NO_HIST, 16);
	check_refused("kmem:kfree:hist:keys=pid cpu == 1",
		      KMT_TRIGGER_EXPECT_IF, 26);
	check_refused("kmem:kfree:hist:keys=pid if [active]",
		      KMT_TRIGGER_EMPTY_FILTER, 29);
	check_refused("a:b:enable_event:a:b", KMT_TRIGGER_NO_EVENT, 18);
	check_refused("a:b:traceon:1x", KMT_TRIGGER_BAD_COUNT, 13);
	check_refused("a:b:traceon cpu == 1", KMT_TRIGGER_EXPECT_IF, 13);
	check_refused("a:b:stacktrace", KMT_TRIGGER_NO_RECORD, 5);
	check_refused("!a:b:stacktrace", KMT_TRIGGER_NO_RECORD, 6);
}
END_TEST

/* Return: whether a filter of a foreign event can use the field. */
static bool is_accepted(const struct kmt_field *f)
{
	const struct kmt_filter_env env = {
		.groups = KMT_FOREIGN_GROUPS, .nr_cpus = 8,
	};
	struct kmt_filter_error error;
	struct kmt_filter *room;
	char text[64];
	bool accepted;

	snprintf(text, sizeof(text), "%s == %s", f->name,
		 kmt_field_is_string(f) ? "\"a\"" : "1");
	room = malloc(kmt_filter_room(strlen(text)));
	accepted = kmt_filter_compile(room, text, &env, &error);
	if (!accepted) {
		ck_assert_int_eq(error.code, KMT_FILTER_FIELD_NOT_FOUND);
		ck_assert_uint_eq(error.column, strlen(f->name) + 2);
	}
	free(room);
	return accepted;
}

START_TEST(filters_of_foreign_events_have_the_fields_of_any_event)
{
	static const char *const known[] = {
		"time", "pid", "tgid", "context", "preempt_count", "comm",
		"cgroup", "cpu", "common_flags", "common_preempt_count",
		"common_pid", "common_tgid", "COMM", "CPU", "common_cpu", NULL,
	};
	const struct kmt_field *f;
	size_t n = 0;

	for (f = kmt_fields; f->name; f++) {
		if (!is_accepted(f))
			continue;
		ck_assert_ptr_nonnull(known[n]);
		ck_assert_str_eq(f->name, known[n]);
		n++;
	}
	ck_assert_ptr_null(known[n]);
}
END_TEST

UNIT_MAIN("trigger", the_event_precedes_the_command,
	  a_listed_line_removes_its_trigger,
	  the_state_of_a_histogram_is_not_a_part_of_it, events_of_kmemtrace_have_their_kind,
	  errors_are_pointed_at,
	  filters_of_foreign_events_have_the_fields_of_any_event)
