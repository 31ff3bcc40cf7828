/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values of options that several commands have.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/**
 * option_count() - understand how many, as of --top
 * @text: the value
 * @n: set to it
 *
 * Return: whether it is a number.
 */
bool option_count(const char *text, size_t *n);

#endif /* OPTIONS_H */
