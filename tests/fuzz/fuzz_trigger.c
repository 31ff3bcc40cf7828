// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any text as a trigger: it is refused with a caret that stands in the text, or
 * what it says is within what there is.
 */
#include <string.h>

#include "fuzz.h"
#include "kmt_trigger.h"

unsigned long fuzz_accepted;

static const char *const seeds[] = {
	"traceon",
	"traceoff:1",
	"!traceoff",
	"snapshot:0x10 if bytes_req > 1M",
	"stacktrace:3 if (comm == \"if\" || node != -1) && cpu & CPUS{0-3}",
	"enable_event:kmem:kfree",
	"disable_event:percpu:percpu_alloc_percpu:9223372036854775807",
	"!enable_event:kmem:mm_page_free:1 if ptr == 0",
	"traceon 5",
	"snapshot if",
	"traceoff:",
	"traceoff:08",
	"enable_event:kmem:nothing",
	"hist:keys=ptr",
};

const char *fuzz_seed(size_t i)
{
	return i < sizeof(seeds) / sizeof(seeds[0]) ? seeds[i] : NULL;
}

static const char *const tokens[] = {
	"!", ":", " ", "\t", "\n", "\xa0", "if", " if ", "0", "1", "07", "0x",
	"0xf", "-1", "9223372036854775807", "9223372036854775808",
	"0xffffffffffffffff0", "kmem", "percpu", "kmalloc", "kfree", ":kmem:",
	"kmem_cache_alloc", "ptr == 1", "traceon", "traceoff", "snapshot",
	"stacktrace", "enable_event", "disable_event", "::", "\x80",
};

const char *fuzz_token(size_t i)
{
	return i < sizeof(tokens) / sizeof(tokens[0]) ? tokens[i] : NULL;
}

static void check(const char *text, bool accepted,
		  const struct kmt_trigger_spec *spec)
{
	size_t len = strlen(text);

	/* a trigger that is removed may say less well what it was */
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct kmt_trigger_spec spec;
	bool accepted;

	FUZZ_MUST(text);
	memcpy(text, data, size);
	text[size] = 0;
	memset(&spec, 0xa5, sizeof(spec));
	accepted = kmt_trigger_parse(text, &spec);
	fuzz_accepted += accepted;
	check(text, accepted, &spec);
	free(text);
	return 0;
}
