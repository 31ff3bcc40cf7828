/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Flame graphs.
 */
#ifndef FLAME_H
#define FLAME_H

#include "export/formats.h"

/** flame_write() - write the stacks as a flame graph; as export_format.write */
int flame_write(const struct export *e);

#endif /* FLAME_H */
