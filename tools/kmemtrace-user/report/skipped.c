// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>

#include "base/plural.h"
#include "report/skipped.h"

const char *skipped_text(const struct input *in)
{
	static char sentence[192];
	const struct merge_stats *s = merge_stats(in->merge);

	if (!s->unknown && !s->skipped_features && !in->unknown)
		return NULL;
	snprintf(sentence, sizeof(sentence),
		 "skipped %" PRIu64 " record%s, %" PRIu64 " feature%s and %" PRIu64
		 " chunk%s that this version does not know: use a newer kmemtrace-user",
		 s->unknown, plural(s->unknown), s->skipped_features,
		 plural(s->skipped_features), in->unknown, plural(in->unknown));
	return sentence;
}
