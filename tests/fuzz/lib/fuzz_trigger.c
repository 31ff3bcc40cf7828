// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any text as a trigger. It is refused with a position in the text, or its values are in
 * their valid ranges.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "kmt_trigger.h"

static void check(const char *text, bool accepted,
		  const struct kmt_trigger_spec *spec)
{
	size_t len = strlen(text);

	/* only these two errors refuse the removal of a trigger */
	FUZZ_MUST(accepted || !spec->remove ||
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
	}
}

bool fuzz_one(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct kmt_trigger_spec spec;
	bool accepted;

	memset(&spec, 0xa5, sizeof(spec));
	accepted = kmt_trigger_parse(text, &spec);
	check(text, accepted, &spec);
	free(text);
	return accepted;
}
