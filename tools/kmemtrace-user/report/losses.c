// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>

#include "base/msg.h"
#include "report/losses.h"
#include "report/skipped.h"

int losses_exit(const struct input *in)
{
	return input_lost(in) || input_snapshots(in) ? EXIT_LOST : EXIT_DONE;
}

void losses_note(const struct input *in)
{
	const struct merge_stats *stats = merge_stats(in->merge);
	uint64_t lost = input_lost(in);

	if (lost)
		msg_note("%" PRIu64 " records were lost", lost);
	if (stats->backwards || stats->broken || stats->bad)
		msg_note("the records violate the ABI: see kmemtrace-user check");
	if (skipped_text(in))
		msg_note("%s", skipped_text(in));
	if (input_ending(in))
		msg_note("%s", input_ending(in));
}
