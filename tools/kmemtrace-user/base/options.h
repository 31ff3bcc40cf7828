/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values of options that several commands have.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * option_count() - parse a number without a sign or a unit, for example of --top
 * @text: the value of the option
 * @n: set to the number
 *
 * Return: false if it is not a number, or too large for a size_t.
 */
bool option_count(const char *text, size_t *n);

/**
 * option_kib() - parse a size, for example "10M"
 * @text: the value of the option: a number of bytes, or one with the unit K, M, G,
 *	KiB, MiB or GiB, in upper or lower case; all are powers of 1024
 * @max: the largest size allowed, in KiB
 * @kib: set to the size, in KiB; bytes are rounded up
 *
 * Return: false if it is not a size, or 0, or larger than @max.
 */
bool option_kib(const char *text, uint64_t max, uint64_t *kib);

#endif /* OPTIONS_H */
