// SPDX-License-Identifier: GPL-2.0-only
/* The module kmt_pages, with a name of the maximum length. Only one of them can be loaded. */
#include "kmt_pages.c"
