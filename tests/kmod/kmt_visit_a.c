// SPDX-License-Identifier: GPL-2.0-only
#define VISIT(name) first_##name
#include "kmt_visit.h"
