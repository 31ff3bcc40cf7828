// SPDX-License-Identifier: GPL-2.0-only
#include "base/guard.h"

DEFINE_PER_CPU(bool, kmt_guard_busy);
