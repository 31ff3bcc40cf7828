// SPDX-License-Identifier: GPL-2.0-only
#define VISIT(name) other_##name
#include "kmt_visit.h"
