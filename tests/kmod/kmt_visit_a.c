// SPDX-License-Identifier: GPL-2.0-only
#define VISIT(name) first_##name
#include "kmt_visit.h"

module_init(first_init);
module_exit(first_exit);
