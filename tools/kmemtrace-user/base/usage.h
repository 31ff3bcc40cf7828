/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The help text of a command, from the table of its options.
 */
#ifndef USAGE_H
#define USAGE_H

#include "base/options.h"

/** usage_print() - print the help text of a command on standard output */
void usage_print(const struct options *options);

#endif /* USAGE_H */
