/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The terminal that the output goes to.
 */
#ifndef TERM_H
#define TERM_H

#include <stdbool.h>
#include <stddef.h>

/* width of the output if it does not go to a terminal */
#define TERM_WIDTH 80

/** term_width() - columns of the terminal; COLUMNS takes precedence */
size_t term_width(void);

/** term_is_utf8() - whether the locale of the environment has the encoding UTF-8 */
bool term_is_utf8(void);

#endif /* TERM_H */
