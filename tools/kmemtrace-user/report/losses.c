// SPDX-License-Identifier: GPL-2.0-only
#include "base/msg.h"
#include "report/losses.h"

int losses_exit(const struct input *in)
{
	return input_lost(in) || input_snapshots(in) ? EXIT_LOST : EXIT_DONE;
}
