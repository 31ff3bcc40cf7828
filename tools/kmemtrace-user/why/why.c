// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "account/trust.h"
#include "why/why.h"

int why_end(struct why *y, const struct tags *tags)
{
	if (!trust_counter(tags, "accounting"))
		sheet_note(&y->sheet, "what was allocated since accounting was switched off: " TRUST_SWITCH_ON);
	if (y->code.hidden)
		sheet_note(&y->sheet, "names of functions: the kernel hides their addresses (sysctl kernel.kptr_restrict=1)");
	if (y->o.json) {
		json_object_set_new(y->sheet.root, "error", trust_json(tags));
	} else {
		puts("\nThe parts are read one after the other: on a busy machine they are not of one moment.\n");
		trust_print(tags, y->o.verbose);
	}
	return sheet_end(&y->sheet);
}
