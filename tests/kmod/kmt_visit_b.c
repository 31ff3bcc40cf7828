// SPDX-License-Identifier: GPL-2.0-only
#define VISIT(name) other_##name
#include "kmt_visit.h"

module_init(other_init);
module_exit(other_exit);
