// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"
#include "control/steer.h"
#include "tempdir.h"

static struct steer steer;
static int dir;
static unsigned int kmalloc, kfree; /* kinds of these events */

static const char *path_of(unsigned int kind, const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "events/%s/%s/%s",
		 kmt_kind_names[kind].system, kmt_kind_names[kind].event, name);
	return path;
}

static void put(unsigned int kind, const char *name, const char *text)
{
	tempdir_put_text(path_of(kind, name), text);
}

/* Return: the text of a file; valid until the next call. */
static const char *get_file(const char *path)
{
	static char text[512];
	FILE *file = fopen(tempdir_path(path), "r");
	size_t n;

	ck_assert_ptr_nonnull(file);
	n = fread(text, 1, sizeof(text) - 1, file);
	text[n] = '\0';
	fclose(file);
	return text;
}

static const char *get(unsigned int kind, const char *name)
{
	return get_file(path_of(kind, name));
}

static unsigned int kind_of(const char *name)
{
	return eventfiles_one(eventfiles_find(name, strlen(name)));
}

static void begin(void)
{
	unsigned int kind;

	kmalloc = kind_of("kmem:kmalloc");
	kfree = kind_of("kmem:kfree");
	memset(&steer, 0, sizeof(steer));
	tempdir_begin();
	for (kind = 0; kind < KMT_EVENT_KINDS; kind++) {
		put(kind, "filter", "none\n");
		put(kind, "trigger", "");
	}
	tempdir_put_text("triggers", "");
	dir = open(tempdir_path(""), O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(dir, 0);
}

static void end(void)
{
	close(dir);
	tempdir_end();
}

/*
 * An event gets the expressions whose fields it has. The filter of an event without
 * such an expression is not changed.
 */
START_TEST(each_event_has_the_filters_that_suit_it)
{
	begin();
	ck_assert_int_eq(steer_add_filter(&steer, "bytes_req > 64"), EXIT_DONE);
	ck_assert_int_eq(steer_set_filters(&steer, dir), EXIT_DONE);
	ck_assert_str_eq(get(kmalloc, "filter"), "bytes_req > 64");
	ck_assert_str_eq(get(kfree, "filter"), "none\n");
	steer_restore_filters(&steer, dir);

	ck_assert_int_eq(steer_add_filter(&steer, "ptr == 1 || cpu > 2"),
			 EXIT_DONE);
	ck_assert_int_eq(steer_set_filters(&steer, dir), EXIT_DONE);
	ck_assert_str_eq(get(kmalloc, "filter"),
			 "(bytes_req > 64) && (ptr == 1 || cpu > 2)");
	ck_assert_str_eq(get(kfree, "filter"), "(ptr == 1 || cpu > 2)");
	steer_restore_filters(&steer, dir);
	end();
}
END_TEST

START_TEST(filters_are_put_back)
{
	begin();
	put(kmalloc, "filter", "bytes_req > 8\n");
	ck_assert_int_eq(steer_add_filter(&steer, "ptr == 1"), EXIT_DONE);
	ck_assert_int_eq(steer_set_filters(&steer, dir), EXIT_DONE);
	put(kmalloc, "filter", "");
	put(kfree, "filter", "");
	steer_restore_filters(&steer, dir);
	ck_assert_str_eq(get(kmalloc, "filter"), "bytes_req > 8");
	ck_assert_str_eq(get(kfree, "filter"), "0");

	put(kfree, "filter", "");
	steer_restore_filters(&steer, dir); /* already restored: does nothing */
	ck_assert_str_eq(get(kfree, "filter"), "");
	end();
}
END_TEST

START_TEST(a_filter_that_cannot_be_set_is_an_error)
{
	begin();
	ck_assert_int_eq(steer_add_filter(&steer, "ptr == 1"), EXIT_DONE);
	ck_assert_int_eq(remove(tempdir_path(path_of(kfree, "filter"))), 0);
	ck_assert_int_eq(steer_set_filters(&steer, dir), EXIT_FAILED);
	steer_restore_filters(&steer, dir);
	end();
}
END_TEST

START_TEST(triggers_are_set_and_removed)
{
	begin();
	ck_assert_int_eq(steer_add_trigger(&steer, "kmalloc:traceoff:1"),
			 EXIT_DONE);
	ck_assert_int_eq(steer_add_trigger(&steer, "kmem:kfree:stacktrace"),
			 EXIT_DONE);
	ck_assert_int_eq(steer_set_triggers(&steer, dir), EXIT_DONE);
	ck_assert_str_eq(get(kmalloc, "trigger"), "traceoff:1");
	ck_assert_str_eq(get(kfree, "trigger"), "stacktrace");
	steer_restore_triggers(&steer, dir);
	ck_assert_str_eq(get(kmalloc, "trigger"), "!traceoff:1");
	ck_assert_str_eq(get(kfree, "trigger"), "!stacktrace");
	end();
}
END_TEST

START_TEST(triggers_of_other_events_are_set_and_removed)
{
	begin();
	ck_assert_int_eq(steer_add_trigger(&steer, "block:block_unplug:snapshot:1 if pid == 1"),
			 EXIT_DONE);
	ck_assert(steer_takes_snapshots(&steer));
	ck_assert_int_eq(steer_set_triggers(&steer, dir), EXIT_DONE);
	ck_assert_str_eq(get_file("triggers"),
			 "block:block_unplug:snapshot:1 if pid == 1");
	steer_restore_triggers(&steer, dir);
	ck_assert_str_eq(get_file("triggers"),
			 "!block:block_unplug:snapshot:1 if pid == 1");

	/* a name that no event can have, a filter on a record, a stack trace */
	ck_assert_int_eq(steer_add_trigger(&steer, "block:snapshot"),
			 EXIT_USAGE);
	ck_assert_int_eq(steer_add_trigger(&steer, "a:b:traceoff if ptr == 1"),
			 EXIT_USAGE);
	ck_assert_int_eq(steer_add_trigger(&steer, "a:b:stacktrace"),
			 EXIT_USAGE);
	end();
}
END_TEST

START_TEST(triggers_of_other_events_may_switch_recording)
{
	begin();
	ck_assert(!steer_may_switch(dir));
	tempdir_put_text("triggers", "# none\na:traceoff:snapshot:unlimited\n");
	ck_assert(!steer_may_switch(dir));
	tempdir_put_text("triggers", "a:b:snapshot:unlimited\na:b:traceoff:count=1\n");
	ck_assert(steer_may_switch(dir));
	end();
}
END_TEST

/* read() of a directory fails. The recording must not end because of it. */
START_TEST(triggers_that_cannot_be_read_may_switch_recording)
{
	begin();
	ck_assert_int_eq(unlink(tempdir_path("triggers")), 0);
	ck_assert_int_eq(mkdir(tempdir_path("triggers"), 0700), 0);
	ck_assert(steer_may_switch(dir));
	ck_assert_int_eq(rmdir(tempdir_path("triggers")), 0);
	tempdir_put_text("triggers", "");
	ck_assert(!steer_may_switch(dir));
	ck_assert_int_eq(unlink(tempdir_path(path_of(kfree, "trigger"))), 0);
	ck_assert_int_eq(mkdir(tempdir_path(path_of(kfree, "trigger")), 0700), 0);
	ck_assert(steer_may_switch(dir));
	end();
}
END_TEST

/* A trigger that could not be added is not removed: it may belong to another process. */
START_TEST(a_trigger_that_is_not_ours_stays)
{
	begin();
	ck_assert_int_eq(steer_add_trigger(&steer, "kmalloc:traceoff"),
			 EXIT_DONE);
	ck_assert_int_eq(steer_add_trigger(&steer, "kfree:traceoff"),
			 EXIT_DONE);
	ck_assert_int_eq(remove(tempdir_path(path_of(kfree, "trigger"))), 0);
	ck_assert_int_eq(steer_set_triggers(&steer, dir), EXIT_FAILED);
	put(kfree, "trigger", "");
	steer_restore_triggers(&steer, dir);
	ck_assert_str_eq(get(kmalloc, "trigger"), "!traceoff");
	ck_assert_str_eq(get(kfree, "trigger"), "");
	end();
}
END_TEST

START_TEST(malformed_arguments_are_refused)
{
	int i;

	memset(&steer, 0, sizeof(steer));
	ck_assert_int_eq(steer_add_trigger(&steer, "traceoff"), EXIT_USAGE);
	ck_assert_int_eq(steer_add_trigger(&steer, "moon:traceoff"),
			 EXIT_USAGE);
	ck_assert_int_eq(steer_add_trigger(&steer, "kmem:traceoff"),
			 EXIT_USAGE); /* a system, not an event */
	ck_assert_int_eq(steer_add_trigger(&steer, "kfree:!traceoff"),
			 EXIT_USAGE);
	ck_assert_int_ne(steer_add_trigger(&steer, "kfree:shine"), EXIT_DONE);
	ck_assert_int_ne(steer_add_filter(&steer, "moon > 1"), EXIT_DONE);

	memset(&steer, 0, sizeof(steer));
	for (i = 0; i < STEER_MAX; i++) {
		ck_assert_int_eq(steer_add_trigger(&steer, "kfree:traceoff"),
				 EXIT_DONE);
		ck_assert_int_eq(steer_add_filter(&steer, "cpu > 1"),
				 EXIT_DONE);
	}
	ck_assert_int_eq(steer_add_trigger(&steer, "kfree:traceoff"),
			 EXIT_USAGE);
	ck_assert_int_eq(steer_add_filter(&steer, "cpu > 1"), EXIT_USAGE);
}
END_TEST

/*
 * Add a filter to a recording with --events @events, or with all events if NULL.
 * steer.able[0] then has the events that the filter is set for. Return: the message.
 */
static const char *kept(const char *filter, const char *events)
{
	static char said[1024];
	FILE *old = stderr;

	memset(&steer, 0, sizeof(steer));
	ck_assert_int_eq(steer_add_filter(&steer, filter), EXIT_DONE);
	memset(said, 0, sizeof(said));
	stderr = fmemopen(said, sizeof(said), "w");
	steer_keep_frees(&steer, events);
	fclose(stderr);
	stderr = old;
	return said;
}

/* A free has a call site too, but not the call site of its allocation. */
START_TEST(frees_of_matching_allocations_are_kept)
{
	const char *all = NULL;

	begin();
	ck_assert_ptr_nonnull(strstr(kept("call_site == 5", all),
				     "whether they match"));
	ck_assert(steer.able[0] & 1u << kmalloc);
	ck_assert(!(steer.able[0] & 1u << kfree));
	kept("common_pid == 5 && ptr != 0", "kmem:*");
	ck_assert(!(steer.able[0] & 1u << kfree));
	/* fields with the same value in an allocation and in its free */
	ck_assert_str_eq(kept("ptr == 4096", all), "");
	ck_assert(steer.able[0] & 1u << kfree);
	ck_assert_str_eq(kept("name == \"dentry\"", "kmem_cache_alloc,kmem_cache_free,kfree"), "");
	ck_assert_str_eq(kept("bytes_req > 4K", all), "");
	/* only frees are recorded: they are filtered */
	ck_assert_str_eq(kept("call_site == 5", "kfree"), "");
	ck_assert(steer.able[0] & 1u << kfree);
	ck_assert_ptr_nonnull(strstr(kept("age > 5", all), "no live figures"));
	ck_assert_ptr_nonnull(strstr(kept("bytes_req > 4K", "kmem:kmalloc"),
				     "no live figures"));
	ck_assert_str_eq(kept("bytes_req > 4K", "kmem:kmalloc,kmem:kfree"), "");
	end();
}
END_TEST

START_TEST(events_without_the_fields_are_named)
{
	static const struct {
		const char *filter, *events, *named;
	} rows[] = {
		{ "nid == 1", NULL, "of --filter 'nid == 1' are all recorded: percpu_alloc_percpu; to" },
		{ "name == \"dentry\"", "kmem:*", "all recorded: kmalloc, mm_page_alloc; to" },
		{ "bytes_req > 4K", NULL, NULL },
		{ "bytes_req > 4K", "kfree,percpu_free_percpu", "all recorded: kfree, percpu_free_percpu; to" },
		{ "nid == 1", "kmem:*", NULL },
		{ "cpu == 1", NULL, NULL },
	};
	const char *said;
	size_t i;

	begin();
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		said = kept(rows[i].filter, rows[i].events);
		ck_assert_msg(rows[i].named ? !!strstr(said, rows[i].named) :
					      !strstr(said, "all recorded"), "row %zu: %s", i, said);
	}
	end();
}
END_TEST

UNIT_MAIN("steer", events_without_the_fields_are_named, frees_of_matching_allocations_are_kept,
	  each_event_has_the_filters_that_suit_it,
	  filters_are_put_back, a_filter_that_cannot_be_set_is_an_error,
	  triggers_are_set_and_removed, triggers_of_other_events_are_set_and_removed,
	  triggers_of_other_events_may_switch_recording,
	  triggers_that_cannot_be_read_may_switch_recording,
	  a_trigger_that_is_not_ours_stays,
	  malformed_arguments_are_refused)
