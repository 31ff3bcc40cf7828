// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any text as a trigger. It is refused with a position in the text, or its values are in
 * their valid ranges. The same for a trigger behind the name of its event, and for a rule of
 * the file detail.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "kmt_detail.h"
#include "kmt_filter_term.h"
#include "kmt_hist.h"
#include "kmt_trigger.h"

static void check_fields(const struct kmt_hist_field *f, unsigned int n,
			 bool are_keys, unsigned int key_size)
{
	for (; n; n--, f++) {
		FUZZ_MUST(f->name && f->form < KMT_HIST_FORMS);
		FUZZ_MUST(f->form != KMT_HIST_BUCKETS || f->width);
		FUZZ_MUST(!f->field == (f->source != KMT_HIST_FIELD));
		if (!are_keys)
			continue;
		FUZZ_MUST(f->field && f->size && f->size % sizeof(u64) == 0);
		FUZZ_MUST(f->offset + f->size <= key_size);
	}
}

/* The text of a histogram, for each kind of event. */
static void check_hist(const char *text, size_t len)
{
	enum kmt_hist_error error;
	struct kmt_hist_spec spec;
	unsigned int kind, i;
	const char *wrong;

	for (kind = 0; kind < KMT_EVENT_KINDS; kind++) {
		memset(&spec, 0xa5, sizeof(spec));
		wrong = kmt_hist_parse(text, len, kind, &spec, &error);
		FUZZ_MUST(!wrong == (error == KMT_HIST_OK));
		FUZZ_MUST(error < KMT_HIST_ERRORS && kmt_hist_text(error));
		if (wrong) {
			FUZZ_MUST(wrong >= text && wrong <= text + len);
			continue;
		}
		FUZZ_MUST(spec.nr_keys >= 1 && spec.nr_keys <= KMT_HIST_KEYS);
		FUZZ_MUST(spec.nr_values >= 1 &&
			  spec.nr_values <= KMT_HIST_VALUES);
		FUZZ_MUST(spec.nr_sorts >= 1 && spec.nr_sorts <= KMT_HIST_SORTS);
		FUZZ_MUST(spec.key_size <= KMT_HIST_KEY_MAX);
		FUZZ_MUST(spec.size >= KMT_HIST_SIZE_MIN &&
			  spec.size <= KMT_HIST_SIZE_MAX);
		FUZZ_MUST(!(spec.size & (spec.size - 1)));
		check_fields(spec.keys, spec.nr_keys, true, spec.key_size);
		check_fields(spec.values, spec.nr_values, false, 0);
		for (i = 0; i < spec.nr_sorts; i++)
			FUZZ_MUST(spec.sorts[i].index <
				  (spec.sorts[i].is_key ? spec.nr_keys :
							  spec.nr_values));
		FUZZ_MUST(kmt_hist_same(&spec, &spec));
	}
}

static void check(const char *text, bool accepted,
		  const struct kmt_trigger_spec *spec)
{
	size_t len = strlen(text);

	/* only these two errors refuse the removal of a trigger without a histogram */
	FUZZ_MUST(accepted || !spec->remove ||
		  spec->command == KMT_TRIGGER_HIST ||
		  spec->error == KMT_TRIGGER_NO_COMMAND ||
		  spec->error == KMT_TRIGGER_NO_EVENT);
	if (!accepted) {
		FUZZ_MUST(spec->error > KMT_TRIGGER_OK);
		FUZZ_MUST(spec->error < KMT_TRIGGER_ERRORS);
		FUZZ_MUST(kmt_trigger_text(spec->error));
		FUZZ_MUST(spec->column >= 1 && spec->column <= len + 1);
		return;
	}
	FUZZ_MUST(spec->error == KMT_TRIGGER_OK || spec->remove);
	FUZZ_MUST(spec->command < KMT_TRIGGER_COMMANDS);
	FUZZ_MUST(spec->target < KMT_EVENT_KINDS);
	FUZZ_MUST(spec->count >= 0 || spec->count == KMT_TRIGGER_UNLIMITED);
	if (spec->filter && !spec->error) {
		FUZZ_MUST(spec->filter > text && spec->filter < text + len);
		FUZZ_MUST(*spec->filter != ' ');
		FUZZ_MUST(spec->filter_len);
		FUZZ_MUST(spec->filter + spec->filter_len <= text + len);
	}
	if (spec->command == KMT_TRIGGER_HIST) {
		FUZZ_MUST(spec->hist > text && spec->hist_len);
		FUZZ_MUST(spec->hist + spec->hist_len <= text + len);
		check_hist(spec->hist, spec->hist_len);
	}
}

/* A trigger behind the name of an event is the same as without the name. */
static bool check_named(const char *text)
{
	struct kmt_trigger_event event;
	struct kmt_trigger_spec spec, alone;
	const char *command;
	bool accepted;

	memset(&event, 0xa5, sizeof(event));
	memset(&spec, 0xa5, sizeof(spec));
	accepted = kmt_trigger_parse_named(text, &event, &spec);
	if (!accepted && (spec.error == KMT_TRIGGER_NO_NAME ||
			  spec.error == KMT_TRIGGER_FOREIGN_HIST ||
			  spec.error == KMT_TRIGGER_NO_RECORD)) {
		FUZZ_MUST(spec.column >= 1 && spec.column <= strlen(text) + 1);
		return false;
	}
	check(text, accepted, &spec);
	FUZZ_MUST(event.system && event.system + 1 < event.len);
	FUZZ_MUST(event.name[event.system] == ':');
	FUZZ_MUST(event.name[event.len] == ':');
	FUZZ_MUST(!memchr(event.name, ' ', event.len));
	FUZZ_MUST(event.kind >= KMT_FOREIGN && event.kind < KMT_EVENT_KINDS);
	command = event.name + event.len + 1;
	if (spec.remove || *command == '!' || kmt_is_space(*command))
		return accepted;
	FUZZ_MUST(kmt_trigger_parse(command, &alone) == accepted);
	FUZZ_MUST(alone.command == spec.command && alone.count == spec.count);
	FUZZ_MUST(alone.filter == spec.filter && alone.error == spec.error);
	return accepted;
}

static bool check_detail(const char *text)
{
	enum kmt_detail_error error;
	struct kmt_detail_rule rule;
	const char *wrong;

	memset(&rule, 0xa5, sizeof(rule));
	wrong = kmt_detail_parse(text, &rule, &error);
	FUZZ_MUST(!wrong == (error == KMT_DETAIL_OK));
	FUZZ_MUST(error < KMT_DETAIL_ERRORS && kmt_detail_text(error));
	if (wrong) {
		FUZZ_MUST(wrong >= text && wrong <= text + strlen(text));
		return false;
	}
	FUZZ_MUST(rule.bytes && rule.bytes <= INT64_MAX);
	FUZZ_MUST(rule.over && rule.over <= KMT_DETAIL_SECONDS_MAX);
	FUZZ_MUST(rule.seconds && rule.seconds <= KMT_DETAIL_SECONDS_MAX);
	FUZZ_MUST(rule.records && rule.records <= KMT_DETAIL_RECORDS_MAX);
	FUZZ_MUST(strlen(rule.function) < sizeof(rule.function));
	FUZZ_MUST(kmt_detail_same(&rule, &rule));
	return true;
}

bool fuzz_one(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct kmt_trigger_spec spec;
	bool accepted;

	memset(&spec, 0xa5, sizeof(spec));
	accepted = kmt_trigger_parse(text, &spec);
	check(text, accepted, &spec);
	accepted |= check_named(text);
	accepted |= check_detail(text);
	free(text);
	return accepted;
}
